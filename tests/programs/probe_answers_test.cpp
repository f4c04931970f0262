#include "programs/capture/probe_answers.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

[[nodiscard]] bool never_asked() { throw std::logic_error("it is known"); }

TEST(ProbeAnswers, AreKeptForTheNextProcess) {
  const test::ScratchFolder scratch;
  const auto file = scratch.path() / "answers";
  {
    ProbeAnswers answers(file);
    EXPECT_TRUE(answers.next([] { return true; }));
    EXPECT_FALSE(answers.next([] { return false; }));
    EXPECT_FALSE(answers.goes_on());
  }
  ProbeAnswers answers(file);
  EXPECT_TRUE(answers.goes_on());
  EXPECT_TRUE(answers.next(never_asked));
  EXPECT_FALSE(answers.next(never_asked));
  EXPECT_TRUE(answers.next([] { return true; }));
}

TEST(ProbeAnswers, TakeAQuestionThatWasNeverAnsweredForAYes) {
  const test::ScratchFolder scratch;
  const auto file = scratch.path() / "answers";
  {
    ProbeAnswers answers(file);
    EXPECT_FALSE(answers.next([] { return false; }));
    EXPECT_THROW((void)answers.next(never_asked), std::logic_error);
  }
  ProbeAnswers answers(file);
  EXPECT_FALSE(answers.next(never_asked));
  EXPECT_TRUE(answers.next(never_asked));
}

}  // namespace
}  // namespace autokernel::programs
