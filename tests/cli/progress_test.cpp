#include "cli/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace autokernel::cli {
namespace {

using trial::Phase;
using Seconds = std::chrono::duration<double>;

TEST(Progress, PaintsThePhaseAndErasesItInTheEnd) {
  std::ostringstream terminal;
  {
    Progress progress(terminal, Progress::Painting::on);
    progress.show(Phase::check, Seconds(3));
  }
  EXPECT_EQ(terminal.str(), "\r\033[Kchecking ... 3 s\r\033[K");
}

TEST(Progress, PaintsALineOnceThatDoesNotChange) {
  std::ostringstream terminal;
  Progress progress(terminal, Progress::Painting::on);
  progress.show(Phase::time, Seconds(1.1));
  progress.show(Phase::time, Seconds(1.2));
  EXPECT_EQ(terminal.str(), "\r\033[Ktiming ... 1 s");
}

TEST(Progress, ThatIsOffPaintsNothing) {
  std::ostringstream terminal;
  {
    Progress progress(terminal, Progress::Painting::off);
    progress.show(Phase::check, Seconds(3));
  }
  EXPECT_EQ(terminal.str(), "");
}

TEST(Progress, ThatIsOffSaysOnceThatAnotherTrialIsWaitedFor) {
  std::ostringstream text;
  {
    Progress progress(text, Progress::Painting::off);
    progress.show(Phase::queue, Seconds(0.9));
    EXPECT_EQ(text.str(), "");
    progress.show(Phase::queue, Seconds(1.1));
    progress.show(Phase::queue, Seconds(2));
    progress.show(Phase::compile, Seconds(2));
  }
  EXPECT_EQ(text.str(), "autokernel: waiting for the device\n");
}

TEST(Progress, ThatNeverShowedAnythingErasesNothing) {
  std::ostringstream terminal;
  {
    const Progress progress(terminal, Progress::Painting::on);
  }
  EXPECT_EQ(terminal.str(), "");
}

}  // namespace
}  // namespace autokernel::cli
