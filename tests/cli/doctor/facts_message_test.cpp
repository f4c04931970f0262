// Answers on their way from a probe to doctor.
#include "cli/doctor/facts_message.h"

#include <gmock/gmock.h>

#include "cli/doctor/made_up.h"
#include "support/present.h"

namespace autokernel::cli::doctor {
namespace {

using test::present;
using testing::HasSubstr;

// What doctor says of them is all there is to know of facts.
std::string verdicts(const Facts& facts) {
  std::string text;
  for (const Line& line : check(facts)) text += line.found + "\n" + line.fix + "\n";
  return text;
}

template <typename Answer>
Asked<Answer> there_and_back(const Asked<Answer>& asked) {
  return decode<Answer>(encode(asked));
}

Facts there_and_back(Facts facts) {
  facts.cuda = there_and_back(facts.cuda);
  facts.watched = there_and_back(facts.watched);
  facts.compiler = there_and_back(facts.compiler);
  facts.gpu = there_and_back(facts.gpu);
  facts.emulator = there_and_back(facts.emulator);
  facts.gpu_library = there_and_back(facts.gpu_library);
  facts.cpu_library = there_and_back(facts.cpu_library);
  facts.host = there_and_back(facts.host);
  return facts;
}

TEST(FactsMessage, KeepsEveryFact) {
  EXPECT_EQ(verdicts(there_and_back(sound_machine())), verdicts(sound_machine()));
  EXPECT_EQ(verdicts(there_and_back(machine_without_gpu())), verdicts(machine_without_gpu()));
}

TEST(FactsMessage, KeepsWhatIsEmptyEmpty) {
  Watched watched;
  watched.gpus.emplace_back();
  const auto back = there_and_back(Asked<Watched>{watched, {}});
  ASSERT_TRUE(back.answer.has_value());
  EXPECT_FALSE(present(back.answer).gpus.at(0).settings.persistence);
  EXPECT_FALSE(present(back.answer).gpus.at(0).settings.mig);
  EXPECT_FALSE(present(back.answer).gpus.at(0).processes);
}

TEST(FactsMessage, KeepsTrouble) {
  const auto back = there_and_back(Asked<Library>{{}, "caf\xc3\xa9 \"closed\"\n"});
  EXPECT_FALSE(back.answer);
  EXPECT_EQ(back.trouble, "caf\xc3\xa9 \"closed\"\n");
}

TEST(FactsMessage, CutAnywhereIsTroubleAndNoAnswer) {
  const std::string line = encode(Asked<Library>{Library{"OpenBLAS"}, {}});
  // Without its newline, and without the brace before it.
  for (std::size_t length = 0; length + 1 < line.size(); ++length) {
    const auto asked = decode<Library>(line.substr(0, length));
    EXPECT_FALSE(asked.answer) << length;
    EXPECT_THAT(asked.trouble, HasSubstr("the probe failed")) << length;
  }
}

TEST(FactsMessage, OfAnotherKindIsTrouble) {
  EXPECT_THAT(decode<Watched>(encode(Asked<Library>{Library{"OpenBLAS"}, {}})).trouble,
              HasSubstr("the probe failed"));
}

}  // namespace
}  // namespace autokernel::cli::doctor
