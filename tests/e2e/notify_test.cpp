// `autokernel notify` as a user runs it, against a server of the test's own.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "e2e/workplace.h"
#include "support/http_server.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class NotifyCommand : public Workplace {
 protected:
  // A configuration with these lines, and `autokernel notify ...` that finds it.
  void configure(const std::string& text, const fs::path& folder = "config") const {
    const fs::path file = scratch_.write(folder / "autokernel" / "notify.toml", text);
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  }
  [[nodiscard]] Outcome notify(const std::vector<std::string>& more,
                               const std::map<std::string, std::string>& variables = {}) const {
    std::vector<std::string> arguments = {"notify"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Invocation invocation = autokernel(arguments);
    invocation.environment["XDG_CONFIG_HOME"] = (scratch_.path() / "config").string();
    for (const auto& [name, value] : variables) invocation.environment[name] = value;
    Outcome run = test::run(invocation);
    // Every address and secret of these tests has this word in it.
    EXPECT_THAT(run.out, Not(HasSubstr("hush")));
    EXPECT_THAT(run.err, Not(HasSubstr("hush")));
    return run;
  }
  [[nodiscard]] static std::string two_targets(const HttpServer& server) {
    return "[[target]]\nkind = \"slack\"\nurl = \"" + server.url("/hush1") +
           "\"\n[[target]]\nkind = \"json\"\nname = \"mine\"\nurl = \"" + server.url("/hush2") +
           "\"\nsecret = \"hushhushhushhush\"\n";
  }
};

TEST_F(NotifyCommand, SendsATestMessageToEachTarget) {
  const HttpServer server({{.answer = http_answer(200)}});
  configure(two_targets(server));
  const Outcome run = notify({"--test", "--verbose"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(
      run.out,
      "target                 enabled_by_config  disabled_by_flag  expected  attempted  sent  "
      "status\n"
      "slack (target 1)       yes                no                yes       yes        yes   "
      "sent\n"
      "mine (json, target 2)  yes                no                yes       yes        yes   "
      "sent\n");
  ASSERT_THAT(server.requests(), SizeIs(2));
  EXPECT_EQ(server.requests()[0].path, "/hush1");
  EXPECT_THAT(server.requests()[1].body, HasSubstr(R"("event":"test")"));
}

TEST_F(NotifyCommand, SaysWhatToDoWhereATargetRefuses) {
  const HttpServer server({{.answer = http_answer(200)},
                           {.answer = http_answer(500)},
                           {.answer = http_answer(404, "", "/hush2 is not here")}});
  configure(two_targets(server));
  const Outcome run = notify({"--test", "-v"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("mine (json, target 2): attempt 1: failed: HTTP 500"));
  EXPECT_THAT(run.out, AllOf(HasSubstr("no    refused: HTTP 404\n"),
                             HasSubstr("next: mine (json, target 2): the address or the secret is "
                                       "not valid")));
}

TEST_F(NotifyCommand, PrintsJson) {
  const HttpServer server({{.answer = http_answer(200)}, {.answer = http_answer(403)}});
  configure(two_targets(server));
  const Outcome run = notify({"--test", "--json"});
  EXPECT_EQ(run.code, 3);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("targets").at(0).at("webhook_sent"), true);
  const auto& second = json.at("targets").at(1);
  EXPECT_EQ(second.at("target"), "mine (json, target 2)");
  EXPECT_EQ(second.at("webhook_enabled_by_config"), true);
  EXPECT_EQ(second.at("webhook_disabled_by_flag"), false);
  EXPECT_EQ(second.at("webhook_expected"), true);
  EXPECT_EQ(second.at("webhook_attempted"), true);
  EXPECT_EQ(second.at("webhook_sent"), false);
  EXPECT_EQ(second.at("webhook_status"), "refused: HTTP 403");
}

TEST_F(NotifyCommand, ListsTargetsWithoutSending) {
  const HttpServer server({{.answer = http_answer(200)}});
  configure(two_targets(server));
  const Outcome run = notify({});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, HasSubstr("target: slack (target 1): kept, plateau, failure, finish\n"));
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(NotifyCommand, SaysHowToConfigureIt) {
  const Outcome run = notify({});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("no target is configured\nnext:   write "),
                             HasSubstr("config/autokernel/notify.toml")));
  const Outcome json = notify({"--json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(nlohmann::json::parse(json.out).at("targets").size(), 0U);
}

TEST_F(NotifyCommand, HasNobodyToSendATestMessageToWithoutATarget) {
  const Outcome run = notify({"--test"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("no target is configured; write "),
                             HasSubstr("config/autokernel/notify.toml")));
}

TEST_F(NotifyCommand, TakesTheEnvironment) {
  const HttpServer server({{.answer = http_answer(200)}});
  const Outcome run = notify({"--test"}, {{"AUTOKERNEL_NOTIFY_URL", server.url("/hush")},
                                          {"AUTOKERNEL_NOTIFY_KIND", "ntfy"},
                                          {"AUTOKERNEL_NOTIFY_SECRET", "tk_hush"}});
  EXPECT_EQ(run.code, 0) << run.err;
  ASSERT_THAT(server.requests(), SizeIs(1));
  EXPECT_EQ(server.requests()[0].headers.at("authorization"), "Bearer tk_hush");
}

TEST_F(NotifyCommand, RefusesAFileOfTheRepository) {
  const HttpServer server({{.answer = http_answer(200)}});
  static_cast<void>(scratch_.folder(".git"));
  configure(two_targets(server));
  const Outcome run = notify({"--test"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("it lies within the repository"));
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(NotifyCommand, RefusesAMistakeWithItsLine) {
  configure("[[target]]\nkind = \"slack\"\nurl = \"https://host/hush\"\nkidn = \"hush\"\n");
  const Outcome run = notify({"--test"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("notify.toml:4:1: [[target]] 1 this key is not known"));
}

TEST_F(NotifyCommand, IsNoSenderOfTheUsers) {
  const Outcome run = run_autokernel({"notify-sender"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("use 'autokernel notify'"));
}

}  // namespace
}  // namespace autokernel::test
