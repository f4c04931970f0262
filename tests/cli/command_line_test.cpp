#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "autokernel/base/error.h"
#include "autokernel/cli/cli.h"
#include "support/scratch_folder.h"

namespace autokernel::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::Property;
using testing::Throws;

struct Said {
  int code;
  std::string out;
  std::string err;
};

Said say(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(arguments, {out, err});
  return {code, out.str(), err.str()};
}

auto refuses(const std::string& words) {
  return Throws<Error>(
      AllOf(Property(&Error::stop, Stop::usage), Property(&Error::what, HasSubstr(words))));
}

TEST(CommandLine, PrintsItsVersion) {
  const Said said = say({"--version"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, MatchesRegex("autokernel [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(CommandLine, HelpsWithExamplesAndExitCodes) {
  const Said said = say({"--help"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("bench "), HasSubstr("Examples:"), HasSubstr("Exit codes:")));
}

TEST(CommandLine, HelpsWithEachCommand) {
  const Said said = say({"bench", "--help"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, AllOf(HasSubstr("--case DIR"), HasSubstr("--timeout SECONDS"),
                              HasSubstr("Examples:")));
}

TEST(CommandLine, OfAnUnknownOptionNamesTheCommandsOwnThatIsMostLikeIt) {
  EXPECT_THAT([] { (void)say({"bench", "--sise", "check"}); },
              refuses("unknown option '--sise'; did you mean --size?"));
  EXPECT_THAT([] { (void)say({"loop", "start", "tiles", "--no-progres=3"}); },
              refuses("unknown option '--no-progres'; did you mean --no-progress?"));
  EXPECT_THAT([] { (void)say({"loop", "step", "-m", "x", "--agian"}); },
              refuses("did you mean --again?"));
  EXPECT_THAT([] { (void)say({"bench", "--time", "3"}); }, refuses("did you mean --timeout?"));
}

TEST(CommandLine, OfAnUnknownCommandNamesTheOneThatIsMostLikeIt) {
  EXPECT_THAT([] { (void)say({"bnech"}); },
              refuses("unknown command 'bnech'; did you mean bench?"));
  EXPECT_THAT([] { (void)say({"loop", "sttus"}); },
              refuses("unknown command 'loop sttus'; did you mean loop status?"));
  EXPECT_THAT([] { (void)say({"runer"}); }, refuses("unknown command 'runer'; see"));
  EXPECT_THAT([] { (void)say({"loop", "restore", "1"}); },
              refuses("unknown command 'loop restore'; did you mean restore?"));
  EXPECT_THAT([] { (void)say({"loop", "sttus", "--help"}); },
              refuses("unknown command 'loop sttus'; did you mean loop status?"));
  EXPECT_THAT([] { (void)say({"help", "bnech"}); }, refuses("did you mean bench?"));
}

TEST(CommandLine, TakesHelpAndVersionAsCommands) {
  EXPECT_EQ(say({"help"}).out, say({"--help"}).out);
  EXPECT_EQ(say({"help", "loop", "step"}).out, say({"loop", "step", "--help"}).out);
  EXPECT_EQ(say({"version"}).out, say({"--version"}).out);
}

TEST(CommandLine, OfAWordTooManySaysWhichOptionItWasMeantFor) {
  const test::ScratchFolder scratch;
  const std::string kernel = scratch.write("fast.cu", "").string();
  EXPECT_THAT([] { (void)say({"bench", "vec"}); },
              refuses("unexpected argument 'vec'; did you mean --case vec?"));
  EXPECT_THAT([&] { (void)say({"bench", kernel}); },
              refuses("'" + kernel + "'; did you mean --kernel " + kernel + "?"));
  EXPECT_THAT([] { (void)say({"doctor", "vec"}); }, refuses("unexpected argument 'vec'; see"));
}

TEST(CommandLine, OfAWordInPlaceOfANumberSaysSo) {
  EXPECT_THAT([] { (void)say({"bench", "--timeout", "abc"}); },
              refuses("--timeout: 'abc' is not a number"));
  EXPECT_THAT([] { (void)say({"loop", "start", "x", "--hours", "2h"}); },
              refuses("--hours: '2h' is not a number"));
  EXPECT_THAT([] { (void)say({"loop", "start", "x", "--hours", ""}); },
              refuses("--hours: '' is not a number"));
  EXPECT_THAT([] { (void)say({"loop", "finish", "--processes", "2.5"}); },
              refuses("--processes: '2.5' is not a whole number"));
}

TEST(CommandLine, OfTheFileOfACaseNamesItsFolder) {
  const test::ScratchFolder scratch;
  const auto file = scratch.write("vec/case.toml", "");
  EXPECT_THAT([&] { (void)say({"bench", "--case", file.string()}); },
              refuses("a case is a folder: --case " + file.parent_path().string()));
}

// What is written into the repository would end every step with exit code 15.
TEST(CommandLine, WritesInItsExamplesNothingIntoTheRepository) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"bench"}, {"show"}, {"plot"}, {"log"}, {"noise"}, {"loop", "status"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const std::string help = say(arguments).out;
    const std::regex written("autokernel .*(>|--output) ([a-z./]+)");
    for (std::sregex_iterator found(help.begin(), help.end(), written), end; found != end;
         ++found) {
      EXPECT_THAT((*found)[2].str(), testing::MatchesRegex("/tmp/.*|progress\\.svg"))
          << (*found)[0];
    }
  }
}

TEST(CommandLine, OfAnOptionLikeNoneOfTheCommandsSuggestsNone) {
  EXPECT_THAT([] { (void)say({"bench", "--hours", "3"}); },
              refuses("unknown option '--hours'; see 'autokernel bench --help'"));
}

TEST(CommandLine, NamesInItsExamplesNoCaseThatIsNotThere) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {}, {"bench"}, {"noise"}, {"loop", "start"}, {"loop", "run"}, {"plot"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const std::string help = say(arguments).out;
    const std::regex named("--case ([a-z/]+)");
    for (std::sregex_iterator found(help.begin(), help.end(), named), end; found != end; ++found) {
      const std::filesystem::path folder = AUTOKERNEL_SOURCES / std::filesystem::path((*found)[1]);
      EXPECT_TRUE(std::filesystem::exists(folder / "case.toml")) << (*found)[0];
    }
  }
}

TEST(CommandLine, DoesNotMentionWhatUsersDoNotCall) {
  EXPECT_THAT(say({"--help"}).out, Not(HasSubstr("runner")));
}

TEST(CommandLine, WithoutArgumentsIsAUsageErrorThatShowsTheHelp) {
  const Said said = say({});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out, IsEmpty());
  EXPECT_THAT(said.err, HasSubstr("Usage: autokernel"));
}

TEST(CommandLine, HelpsWithTheLoopAndEachOfItsCommands) {
  EXPECT_THAT(say({"loop", "--help"}).out,
              AllOf(HasSubstr("start "), HasSubstr("finish "), HasSubstr("Exit codes:")));
  EXPECT_THAT(say({"loop", "start", "--help"}).out, HasSubstr("Examples:"));
  EXPECT_THAT(say({"loop", "step", "--help"}).out,
              AllOf(HasSubstr("--timeout SECONDS"), HasSubstr("Examples:")));
  EXPECT_THAT(say({"loop", "run", "--help"}).out,
              AllOf(HasSubstr("--agent CMD"), HasSubstr("--timeout SECONDS")));
  EXPECT_THAT(say({"loop", "status", "--help"}).out, HasSubstr("--json"));
  EXPECT_THAT(say({"loop", "finish", "--help"}).out, HasSubstr("--processes N"));
  EXPECT_THAT(say({"log", "--help"}).out, HasSubstr("--follow"));
  EXPECT_THAT(say({"show", "--help"}).out, HasSubstr("--samples"));
  EXPECT_THAT(say({"diff", "--help"}).out, HasSubstr("Examples:"));
  EXPECT_THAT(say({"restore", "--help"}).out, HasSubstr("Examples:"));
}

TEST(CommandLine, PointsAtTheHelpOfACommandBelowACommand) {
  EXPECT_THAT([] { (void)say({"loop", "status", "--frob"}); },
              refuses("'--frob'; see 'autokernel loop status --help'"));
  EXPECT_THAT([] { (void)say({"loop", "step"}); }, refuses("see 'autokernel loop step --help'"));
  EXPECT_THAT([] { (void)say({"loop"}); },
              refuses("loop needs one of its commands; see 'autokernel loop --help'"));
}

TEST(CommandLine, RefusesAnUnknownCommandOfTheLoop) {
  EXPECT_THAT([] { (void)say({"loop", "frobnicate"}); },
              refuses("unknown command 'loop frobnicate'; see 'autokernel loop --help'"));
}

TEST(CommandLine, RefusesBudgetsOfNothing) {
  EXPECT_THAT([] { (void)say({"loop", "start", "x", "--max-runs", "0"}); }, refuses("--max-runs"));
  EXPECT_THAT([] { (void)say({"loop", "start", "x", "--hours", "-1"}); }, refuses("--hours"));
  EXPECT_THAT([] { (void)say({"loop", "finish", "--processes", "1"}); },
              refuses("--processes: takes 2 to 100, not '1'"));
  EXPECT_THAT([] { (void)say({"log", "--status", "kept"}); },
              refuses("--status: takes keep, discard, crash, not 'kept'"));
}

TEST(CommandLine, RefusesWhatIsNotAPositiveNumber) {
  for (const char* const hours : {"0", "-1", "nan", "inf", "1e400"}) {
    EXPECT_THAT([&] { (void)say({"loop", "run", "--agent", "true", "--hours", hours}); },
                refuses("--hours: '" + std::string(hours) + "' is not a number above 0"));
  }
}

TEST(CommandLine, RefusesAnUnknownCommand) {
  EXPECT_THAT([] { (void)say({"frobnicate"}); },
              refuses("unknown command 'frobnicate'; see 'autokernel --help'"));
}

TEST(CommandLine, RefusesAnUnknownOptionAndPointsAtTheCommandsHelp) {
  EXPECT_THAT([] { (void)say({"bench", "--frob"}); },
              refuses("'--frob'; see 'autokernel bench --help'"));
}

TEST(CommandLine, RefusesAnOptionWithoutItsValue) {
  EXPECT_THAT([] { (void)say({"bench", "--case"}); }, refuses("--case"));
}

TEST(CommandLine, RefusesATimeOutThatIsNoNumber) {
  EXPECT_THAT([] { (void)say({"bench", "--timeout", "soon"}); }, refuses("--timeout"));
}

TEST(CommandLine, RefusesATimeOutOfNothing) {
  EXPECT_THAT([] { (void)say({"bench", "--timeout", "0"}); }, refuses("--timeout takes seconds"));
  EXPECT_THAT([] { (void)say({"bench", "--timeout", "-1"}); }, refuses("--timeout takes seconds"));
  EXPECT_THAT([] { (void)say({"bench", "--timeout", "nan"}); }, refuses("--timeout takes seconds"));
}

TEST(CommandLine, RefusesADeviceItDoesNotKnow) {
  EXPECT_THAT([] { (void)say({"bench", "--device", "tpu"}); }, refuses("no such device: 'tpu'"));
}

TEST(CommandLine, RefusesAnArchitectureItDoesNotKnow) {
  EXPECT_THAT([] { (void)say({"bench", "--arch", "compute_90"}); },
              refuses("unknown architecture: 'compute_90'"));
}

}  // namespace
}  // namespace autokernel::cli
