#include "autokernel/notify/configuration.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::notify {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Occurs in every address and secret of these tests, and may occur in no message.
constexpr const char* kHushed = "hushhush";

// What is said of a text; empty where it can be read.
std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(parse_configuration(text, "notify.toml"));
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), Not(HasSubstr(kHushed)));
    return error.what();
  }
}

std::string fault_of(const Variables& variables) {
  try {
    static_cast<void>(read_configuration({.variables = variables, .repository = {}}));
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), Not(HasSubstr(kHushed)));
    return error.what();
  }
}

constexpr const char* kThree = R"([[target]]
kind = "discord"
url = "https://discord.com/api/webhooks/1/hushhush"

[[target]]
kind = "ntfy"
name = "my phone"
url = "https://ntfy.sh/hushhush"
secret = "tk_hushhush"
events = ["finish", "failure"]
plot = false

[[target]]
kind = "json"
url = "http://192.168.0.2:8080/hushhush"
allow_http = true
secret = "hushhush hushhush"
)";

TEST(Configuration, IsReadFromAFile) {
  const Configuration read = parse_configuration(kThree, "/home/me/notify.toml");
  EXPECT_EQ(read.source, "/home/me/notify.toml");
  ASSERT_EQ(read.targets.size(), 3U);
  EXPECT_EQ(read.targets[0].label, "discord (target 1)");
  EXPECT_EQ(read.targets[0].url.reveal(), "https://discord.com/api/webhooks/1/hushhush");
  EXPECT_TRUE(read.targets[0].secret.empty());
  EXPECT_TRUE(read.targets[0].plot);
  EXPECT_EQ(read.targets[1].label, "my phone (ntfy, target 2)");
  EXPECT_EQ(read.targets[1].secret.reveal(), "tk_hushhush");
  EXPECT_FALSE(read.targets[1].plot);
  EXPECT_EQ(read.targets[2].kind, Kind::json);
  EXPECT_TRUE(read.targets[2].allow_http);
}

TEST(Configuration, WantsAllEventsUnlessItNamesSome) {
  const Configuration read = parse_configuration(kThree, "notify.toml");
  EXPECT_THAT(read.targets[0].events, ElementsAre(EventKind::kept, EventKind::plateau,
                                                  EventKind::failure, EventKind::finish));
  EXPECT_FALSE(read.targets[1].wants(EventKind::kept));
  EXPECT_TRUE(read.targets[1].wants(EventKind::finish));
  EXPECT_TRUE(read.targets[1].wants(EventKind::test));
}

TEST(Configuration, OfAnEmptyFileHasNoTargets) {
  EXPECT_THAT(parse_configuration("# nobody\n", "notify.toml").targets, IsEmpty());
}

// A target of kind json with further lines.
std::string json_target(const std::string& lines) {
  return "[[target]]\nkind = \"json\"\nurl = \"https://host/hushhush\"\n"
         "secret = \"hushhushhushhush\"\n" +
         lines;
}

TEST(Configuration, RefusesAnUnknownKeyWithItsLine) {
  EXPECT_THAT(fault_of(json_target("evnts = [\"kept\"]\n")),
              AllOf(StartsWith("notify.toml:5:1: [[target]] 1 this key is not known here"),
                    HasSubstr("events")));
  EXPECT_THAT(fault_of("targets = 1\n"),
              StartsWith("notify.toml:1:1: this key is not known here; known are target"));
}

TEST(Configuration, NamesAMisspeltKeyBeforeWhatIsMissingWithoutIt) {
  EXPECT_THAT(fault_of("[[target]]\nkind = \"slack\"\nurll = \"https://host/hushhush\"\n"),
              StartsWith("notify.toml:3:1: [[target]] 1 this key is not known here; known are "));
  EXPECT_THAT(fault_of("[[target]]\nkind = \"slack\"\n"),
              StartsWith("notify.toml:1:1: [[target]] 1 url: it is missing"));
}

TEST(Configuration, QuotesNoUnknownKeyWhichMayBeASecret) {
  EXPECT_THAT(fault_of(json_target("hushhush-1 = true\n")),
              StartsWith("notify.toml:5:1: [[target]] 1 this key is not known here"));
  EXPECT_THAT(fault_of(json_target("\"https://host/hushhush\" = true\n")), HasSubstr("this key"));
}

TEST(Configuration, QuotesNoTextThatIsNotToml) {
  for (const char* text :
       {"url = https://host/hushhush\n", "hushhush\n", "[hushhush\n", "secret = \"hushhush\n",
        "secret = 'hushhush\n", "hushhush = 1\nhushhush = 2\n", "a = hushhush\n",
        "a = [hushhush]\n", "a = \"\\hushhush\"\n", "[hushhush]\n[hushhush]\n"}) {
    EXPECT_THAT(fault_of(text), AllOf(StartsWith("notify.toml:"), HasSubstr("not valid TOML")))
        << text;
  }
}

TEST(Configuration, QuotesNoValueThatIsWrong) {
  EXPECT_THAT(fault_of("[[target]]\nkind = \"hushhush\"\n"),
              "notify.toml:2:8: [[target]] 1 kind: write discord, slack, ntfy or json, in quotes");
  EXPECT_THAT(fault_of("[[target]]\nkind = \"json\"\nurl = \"hushhush\"\n"),
              StartsWith("notify.toml:3:7: [[target]] 1 url: it is no address"));
  EXPECT_THAT(fault_of("[[target]]\nkind = \"json\"\nurl = [\"hushhush\"]\n"),
              HasSubstr("url: write a text in quotes"));
  EXPECT_THAT(fault_of("[[target]]\nkind = \"json\"\nurl = \"https://hushhush\\n\"\n"),
              HasSubstr("url: write a text in quotes"));
  EXPECT_THAT(fault_of(json_target("events = [\"hushhush\"]\n")),
              HasSubstr("events: write kept, plateau, failure or finish, each in quotes"));
  EXPECT_THAT(fault_of(json_target("events = [\"test\"]\n")), HasSubstr("events: write kept"));
  EXPECT_THAT(fault_of(json_target("events = \"hushhush\"\n")), HasSubstr("a list of texts"));
  EXPECT_THAT(fault_of(json_target("events = []\n")), HasSubstr("a list of texts"));
  EXPECT_THAT(fault_of(json_target("plot = \"hushhush\"\n")), HasSubstr("plot: write true or"));
  EXPECT_THAT(fault_of(json_target("name = \"hushhush!\"\n")), HasSubstr("name: write at most 32"));
  EXPECT_THAT(fault_of("target = \"hushhush\"\n"), HasSubstr("[[target]]"));
}

TEST(Configuration, AllowsHttpForOtherHostsOnlyWhereItSaysSo) {
  const std::string target = "[[target]]\nkind = \"slack\"\nurl = \"http://host/hushhush\"\n";
  EXPECT_THAT(fault_of(target), HasSubstr("url: its address begins with http"));
  EXPECT_THAT(fault_of(target + "allow_http = true\n"), IsEmpty());
  EXPECT_THAT(fault_of("[[target]]\nkind = \"slack\"\nurl = \"http://localhost/hushhush\"\n"),
              IsEmpty());
}

TEST(Configuration, AsksForTheSecretThatTheKindNeeds) {
  const std::string json = "[[target]]\nkind = \"json\"\nurl = \"https://host/x\"\n";
  EXPECT_THAT(fault_of(json), HasSubstr("secret: json needs a secret of at least 16"));
  EXPECT_THAT(fault_of(json + "secret = \"hushhush\"\n"), HasSubstr("at least 16"));
  EXPECT_THAT(fault_of("[[target]]\nkind = \"slack\"\nurl = \"https://host/x\"\n"
                       "secret = \"hushhush\"\n"),
              HasSubstr("secret: slack takes no secret"));
  EXPECT_THAT(fault_of("[[target]]\nkind = \"ntfy\"\nurl = \"https://host/x\"\n"
                       "secret = \"hushhush hushhush\"\n"),
              HasSubstr("secret: an access token of ntfy has no blanks"));
}

TEST(Configuration, HasAnEndOfTargets) {
  std::string text;
  for (int i = 0; i < 17; ++i) text += json_target("");
  EXPECT_THAT(fault_of(text), HasSubstr("at most 16 targets"));
}

TEST(Configuration, RefusesAKeyOfMoreDotsThanAStackHasRoomFor) {
  std::string key = "a";
  for (int i = 0; i < 20'000; ++i) key += ".a";
  EXPECT_THAT(fault_of("\n" + key + " = 1\n"), StartsWith("notify.toml:2:1: the line has more"));
}

TEST(Configuration, LiesInTheUsersFolder) {
  EXPECT_EQ(configuration_file({{"HOME", "/home/me"}}), "/home/me/.config/autokernel/notify.toml");
  EXPECT_EQ(configuration_file({{"HOME", "/home/me"}, {"XDG_CONFIG_HOME", "/c"}}),
            "/c/autokernel/notify.toml");
}

TEST(Configuration, LiesNowhereWhereTheFolderIsRelative) {
  EXPECT_EQ(configuration_file({{"HOME", "/home/me"}, {"XDG_CONFIG_HOME", "config"}}),
            "/home/me/.config/autokernel/notify.toml");
  EXPECT_EQ(configuration_file({{"HOME", "here"}}), "");
  EXPECT_EQ(configuration_file({}), "");
}

TEST(Configuration, MayComeFromTheEnvironment) {
  const Configuration read =
      read_configuration({.variables = {{"AUTOKERNEL_NOTIFY_URL", "https://ntfy.sh/hushhush"},
                                        {"AUTOKERNEL_NOTIFY_KIND", "ntfy"},
                                        {"AUTOKERNEL_NOTIFY_SECRET", "tk_hushhush"},
                                        {"AUTOKERNEL_NOTIFY_EVENTS", "kept, finish"},
                                        {"AUTOKERNEL_NOTIFY_PLOT", "0"}},
                          .repository = {}});
  EXPECT_EQ(read.source, "the environment");
  ASSERT_EQ(read.targets.size(), 1U);
  EXPECT_EQ(read.targets[0].label, "ntfy (target 1)");
  EXPECT_EQ(read.targets[0].secret.reveal(), "tk_hushhush");
  EXPECT_THAT(read.targets[0].events, ElementsAre(EventKind::kept, EventKind::finish));
  EXPECT_FALSE(read.targets[0].plot);
}

TEST(Configuration, OfTheEnvironmentIsRefusedWithoutItsValue) {
  const Variables url = {{"AUTOKERNEL_NOTIFY_URL", "https://ntfy.sh/hushhush"}};
  const auto with = [&](const std::string& name, const std::string& value) {
    Variables variables = url;
    variables.emplace("AUTOKERNEL_NOTIFY_KIND", "ntfy");
    variables["AUTOKERNEL_NOTIFY_" + name] = value;
    return fault_of(variables);
  };
  EXPECT_THAT(fault_of(url), HasSubstr("AUTOKERNEL_NOTIFY_KIND: set it to discord, slack"));
  EXPECT_THAT(with("KIND", "hushhush"), HasSubstr("AUTOKERNEL_NOTIFY_KIND: set it to"));
  EXPECT_THAT(with("URL", "hushhush"), HasSubstr("AUTOKERNEL_NOTIFY_URL: it is no address"));
  EXPECT_THAT(with("URL", "http://host/hushhush"), HasSubstr("begins with http"));
  EXPECT_THAT(with("SECRET", "hush hushhush"), HasSubstr("AUTOKERNEL_NOTIFY_SECRET: an access"));
  EXPECT_THAT(with("EVENTS", "kept,hushhush"), HasSubstr("AUTOKERNEL_NOTIFY_EVENTS: write kept"));
  EXPECT_THAT(with("EVENTS", "kept,"), HasSubstr("AUTOKERNEL_NOTIFY_EVENTS: write kept"));
  EXPECT_THAT(with("PLOT", "hushhush"), HasSubstr("AUTOKERNEL_NOTIFY_PLOT: set it to 0 or 1"));
}

TEST(Configuration, OfTheEnvironmentNeedsAnAddress) {
  EXPECT_THAT(fault_of(Variables{{"AUTOKERNEL_NOTIFY_SECRET", "hushhush"}}),
              "AUTOKERNEL_NOTIFY_SECRET is set and AUTOKERNEL_NOTIFY_URL is not: set both, or "
              "neither");
}

TEST(Configuration, IsNoneWhereThereIsNoFile) {
  const test::ScratchFolder folder;
  const Configuration read =
      read_configuration({.variables = {{"HOME", folder.path().string()}}, .repository = {}});
  EXPECT_THAT(read.targets, IsEmpty());
  EXPECT_THAT(read.source, IsEmpty());
}

TEST(EnclosingRepository, IsTheNearestFolderWithGitIn) {
  const test::ScratchFolder folder;
  static_cast<void>(folder.folder("outer/.git"));
  folder.write("outer/worktree/.git", "gitdir: elsewhere\n");
  const auto inner = folder.folder("outer/worktree/a/b");
  EXPECT_EQ(enclosing_repository(inner), folder.path() / "outer/worktree");
  EXPECT_EQ(enclosing_repository(folder.path() / "outer"), folder.path() / "outer");
}

}  // namespace
}  // namespace autokernel::notify
