// Events handed to a sender of its own, which reaches servers that answer, hang or are not there.
#include "autokernel/notify/notifier.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "autokernel/base/document_json.h"
#include "support/http_server.h"
#include "support/scratch_folder.h"

namespace autokernel::notify {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using test::http_answer;
using test::HttpServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

Event posted_event(const std::string& description = "64 x 64 tiles") {
  Event event;
  event.kind = EventKind::kept;
  event.run = "tiles";
  event.description = description;
  return event;
}

class NotifierOfARun : public testing::Test {
 protected:
  // A configuration of the user's with these lines.
  void configure(const std::string& text) {
    const fs::path file = folder_.write("config/autokernel/notify.toml", text);
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  }
  void configure_slack(const std::string& url, const std::string& more = "") {
    configure("[[target]]\nkind = \"slack\"\nurl = \"" + url + "\"\n" + more);
  }
  [[nodiscard]] Notifier open(Flag flag = Flag::not_given) const {
    Variables variables = own_variables();
    variables["XDG_CONFIG_HOME"] = (folder_.path() / "config").string();
    variables.merge(Variables(more_variables_));
    return Notifier::open(
        {.variables = variables, .repository = folder_.path() / "repository"}, flag,
        {.program = AUTOKERNEL_NOTIFY_SENDER, .arguments = {}, .environment = {}});
  }

  test::ScratchFolder folder_;
  fs::path repository_ = folder_.folder("repository");
  Variables more_variables_;
};

TEST_F(NotifierOfARun, SendsWhatIsPosted) {
  const HttpServer server({{.answer = http_answer(200)}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  EXPECT_THAT(notifier.remark(), IsEmpty());
  const WebhookRecord posted = notifier.post(posted_event());
  EXPECT_TRUE(posted.enabled_by_config);
  EXPECT_FALSE(posted.disabled_by_flag);
  EXPECT_TRUE(posted.expected);
  EXPECT_FALSE(posted.attempted);
  EXPECT_FALSE(posted.sent);
  EXPECT_EQ(posted.status, "pending");
  const auto records = notifier.settle(seconds{10});
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_TRUE(records[0].attempted);
  EXPECT_TRUE(records[0].sent);
  EXPECT_EQ(records[0].status, "sent");
  ASSERT_THAT(server.requests(), SizeIs(1));
  EXPECT_THAT(server.requests()[0].body, HasSubstr("tiles: an experiment was kept"));
}

TEST_F(NotifierOfARun, SendsInTheirOrder) {
  const HttpServer server({{.answer = http_answer(200)}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  for (const char* text : {"first", "second", "third"}) notifier.post(posted_event(text));
  EXPECT_THAT(notifier.settle(seconds{10}), SizeIs(3));
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_THAT(requests[0].body, HasSubstr("first"));
  EXPECT_THAT(requests[2].body, HasSubstr("third"));
}

TEST_F(NotifierOfARun, SaysWhatHasBecomeOfTheLatest) {
  const HttpServer server({{.answer = http_answer(403)}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  notifier.post(posted_event());
  static_cast<void>(server.wait_for(1));
  const auto deadline = steady_clock::now() + seconds{10};
  while (notifier.latest().status == "pending" && steady_clock::now() < deadline) {
  }
  EXPECT_TRUE(notifier.latest().attempted);
  EXPECT_FALSE(notifier.latest().sent);
  EXPECT_EQ(notifier.latest().status, "refused: HTTP 403");
}

TEST_F(NotifierOfARun, NamesTheTargetThatHasNotTakenIt) {
  const HttpServer takes({{.answer = http_answer(200)}});
  const HttpServer refuses({{.answer = http_answer(404)}});
  configure("[[target]]\nkind = \"slack\"\nurl = \"" + takes.url("/hush") +
            "\"\n[[target]]\nkind = \"slack\"\nname = \"team\"\nurl = \"" + refuses.url("/hush") +
            "\"\n");
  Notifier notifier = open();
  notifier.post(posted_event());
  const auto records = notifier.settle(seconds{10});
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_TRUE(records[0].attempted);
  EXPECT_FALSE(records[0].sent);
  EXPECT_EQ(records[0].status, "team (slack, target 2): refused: HTTP 404");
}

TEST_F(NotifierOfARun, NeverWaitsForAServerThatHangs) {
  const HttpServer server({{.answer = "", .hangs = true}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  std::vector<microseconds> took;
  for (int i = 0; i < 400; ++i) {
    const auto begin = steady_clock::now();
    notifier.post(posted_event(std::string(3000, 'x')));
    took.push_back(std::chrono::duration_cast<microseconds>(steady_clock::now() - begin));
  }
  // Not the slowest: on a busy machine another program has had the processor meanwhile.
  std::ranges::sort(took);
  EXPECT_LT(took[took.size() / 2], milliseconds{1});
}

TEST_F(NotifierOfARun, LetsNoTargetWaitForAnother) {
  const HttpServer first({{.answer = "", .hangs = true}});
  const HttpServer second({{.answer = "", .hangs = true}});
  const HttpServer third({{.answer = "", .hangs = true}});
  const HttpServer healthy({{.answer = http_answer(200)}});
  std::string text;
  for (const HttpServer* server : {&first, &second, &third, &healthy}) {
    text += "[[target]]\nkind = \"slack\"\nurl = \"" + server->url("/hush") + "\"\n";
  }
  configure(text);
  Notifier notifier = open();
  const auto begin = steady_clock::now();
  notifier.post(posted_event("first"));
  notifier.post(posted_event("second"));
  const auto requests = healthy.wait_for(2);
  // One after the other, they would have it wait for 24 seconds.
  EXPECT_LT(steady_clock::now() - begin, seconds{4});
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_THAT(requests[0].body, HasSubstr("first"));
  EXPECT_THAT(requests[1].body, HasSubstr("second"));
}

TEST_F(NotifierOfARun, LeavesTheOutcomeBesideTheRecord) {
  const HttpServer server({{.answer = http_answer(200)}, {.answer = http_answer(403)}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  Event event = posted_event();
  event.told_of = {.record = ledger::ToldRecord::experiment,
                   .at = "2026-01-31T12:35:56.789Z",
                   .root = folder_.path(),
                   .file = "repository/webhooks.jsonl"};
  notifier.post(event);
  event.told_of->record = ledger::ToldRecord::run_finished;
  notifier.post(event);
  notifier.post(posted_event());
  ASSERT_THAT(notifier.settle(seconds{10}), SizeIs(3));
  const std::string text = test::contents(repository_ / "webhooks.jsonl");
  EXPECT_THAT(text, Not(HasSubstr("hush")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  const ledger::WebhookOutcomes outcomes(text);
  ledger::Experiment experiment;
  experiment.at = "2026-01-31T12:35:56.789Z";
  experiment.webhook = recorded(notifier.forecast(EventKind::kept));
  outcomes.put_into(experiment);
  ASSERT_TRUE(experiment.webhook);
  EXPECT_TRUE(experiment.webhook->webhook_sent);
  EXPECT_EQ(experiment.webhook->webhook_status, "sent");
  ledger::RunFinished finished;
  finished.at = experiment.at;
  finished.webhook = recorded(notifier.forecast(EventKind::finish));
  outcomes.put_into(finished);
  ASSERT_TRUE(finished.webhook);
  EXPECT_TRUE(finished.webhook->webhook_attempted);
  EXPECT_FALSE(finished.webhook->webhook_sent);
  EXPECT_EQ(finished.webhook->webhook_status, "refused: HTTP 403");
}

TEST_F(NotifierOfARun, SendsWhereTheOutcomeCannotBeLeft) {
  const HttpServer server({{.answer = http_answer(200)}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  Event event = posted_event();
  event.told_of = {.record = ledger::ToldRecord::experiment,
                   .at = "2026-01-31T12:35:56.789Z",
                   .root = folder_.path() / "nowhere",
                   .file = "webhooks.jsonl"};
  notifier.post(event);
  const auto records = notifier.settle(seconds{10});
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].status, "sent");
}

TEST_F(NotifierOfARun, DropsTheOldestWhereTheSenderDoesNotKeepUp) {
  const HttpServer server({{.answer = "", .hangs = true}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  constexpr int kMany = 250;
  for (int i = 0; i < kMany; ++i) notifier.post(posted_event(std::string(3000, 'x')));
  const auto records = notifier.settle(milliseconds{50});
  ASSERT_THAT(records, SizeIs(kMany));
  const auto dropped = std::ranges::count(records, "dropped", &WebhookRecord::status);
  EXPECT_GE(dropped, static_cast<std::ptrdiff_t>(notifier.dropped()));
  EXPECT_GT(dropped, 0);
  EXPECT_EQ(records.back().status, "pending");
}

TEST_F(NotifierOfARun, WaitsAtItsEndForALittleAlone) {
  const HttpServer server({{.answer = "", .hangs = true}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  notifier.post(posted_event());
  const auto begin = steady_clock::now();
  const auto records = notifier.settle(milliseconds{100});
  EXPECT_LT(steady_clock::now() - begin, milliseconds{1000});
  EXPECT_THAT(records, ElementsAre(testing::Field(&WebhookRecord::status, "pending")));
}

TEST_F(NotifierOfARun, WaitsForNothingOnceItIsInterrupted) {
  const HttpServer server({{.answer = "", .hangs = true}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open();
  notifier.post(posted_event());
  const Pipe pipe = make_pipe();
  ASSERT_TRUE(write_all(pipe.writing.get(), "!"));
  const auto begin = steady_clock::now();
  static_cast<void>(notifier.settle(seconds{30}, pipe.reading.get()));
  EXPECT_LT(steady_clock::now() - begin, milliseconds{1000});
}

TEST_F(NotifierOfARun, LeavesWhatIsPendingToTheSender) {
  const HttpServer server({{.answer = http_answer(500)}, {.answer = http_answer(200)}});
  configure_slack(server.url("/hush"));
  {
    Notifier notifier = open();
    notifier.post(posted_event("the last words"));
  }
  const auto requests = server.wait_for(2);
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_THAT(requests[1].body, HasSubstr("the last words"));
}

TEST_F(NotifierOfARun, DoesWithoutASenderThatWasEnded) {
  const HttpServer server({{.answer = "", .hangs = true}});
  configure_slack(server.url("/hush"));
  Notifier notifier = Notifier::open(
      {.variables = {{"XDG_CONFIG_HOME", (folder_.path() / "config").string()}}, .repository = {}},
      Flag::not_given, {.program = "/bin/true", .arguments = {}, .environment = {}});
  notifier.post(posted_event());
  const auto records = notifier.settle(seconds{10});
  EXPECT_THAT(records, ElementsAre(testing::Field(&WebhookRecord::status, StartsWith("dropped"))));
  EXPECT_EQ(notifier.post(posted_event()).status, "dropped: there is no sender");
}

TEST_F(NotifierOfARun, SendsNothingWithoutAConfiguration) {
  Notifier notifier = open();
  EXPECT_THAT(notifier.remark(), IsEmpty());
  const WebhookRecord record = notifier.post(posted_event());
  EXPECT_FALSE(record.enabled_by_config);
  EXPECT_FALSE(record.expected);
  EXPECT_EQ(record.status, "not configured");
  EXPECT_THAT(notifier.settle(), IsEmpty());
}

TEST_F(NotifierOfARun, SendsNothingWithTheFlag) {
  const HttpServer server({{.answer = http_answer(200)}});
  configure_slack(server.url("/hush"));
  Notifier notifier = open(Flag::no_notify);
  const WebhookRecord record = notifier.post(posted_event());
  EXPECT_TRUE(record.enabled_by_config);
  EXPECT_TRUE(record.disabled_by_flag);
  EXPECT_FALSE(record.expected);
  EXPECT_EQ(record.status, "disabled by --no-notify");
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(NotifierOfARun, SendsNoEventThatNobodyWants) {
  const HttpServer server({{.answer = http_answer(200)}});
  configure_slack(server.url("/hush"), "events = [\"finish\"]\n");
  Notifier notifier = open();
  const WebhookRecord record = notifier.post(posted_event());
  EXPECT_TRUE(record.enabled_by_config);
  EXPECT_FALSE(record.expected);
  EXPECT_EQ(record.status, "no target wants it");
  EXPECT_TRUE(notifier.forecast(EventKind::finish).expected);
  EXPECT_EQ(notifier.forecast(EventKind::finish).status, "pending");
  EXPECT_EQ(notifier.forecast(std::nullopt).status, "no event");
}

TEST_F(NotifierOfARun, StopsNoRunForAWrongConfiguration) {
  configure("[[target]]\nkind = \"slack\"\nurl = \"hushhush\"\n");
  Notifier notifier = open();
  EXPECT_THAT(notifier.remark(), AllOf(StartsWith("notifications are off: "),
                                       HasSubstr("notify.toml:3:7"), Not(HasSubstr("hush"))));
  const WebhookRecord record = notifier.post(posted_event());
  EXPECT_FALSE(record.enabled_by_config);
  EXPECT_EQ(record.status, "the configuration cannot be used");
}

TEST_F(NotifierOfARun, BelievesNoFileOfTheRepository) {
  configure_slack("https://localhost/hush");
  const Notifier notifier =
      Notifier::open({.variables = {{"XDG_CONFIG_HOME", (folder_.path() / "config").string()}},
                      .repository = folder_.path()},
                     Flag::not_given, {.program = "/bin/true", .arguments = {}, .environment = {}});
  EXPECT_THAT(notifier.remark(), HasSubstr("it lies within the repository"));
}

TEST_F(NotifierOfARun, GivesItsSenderNoAddressAsAVariable) {
  more_variables_ = {{"AUTOKERNEL_NOTIFY_URL", "https://localhost/hush"},
                     {"AUTOKERNEL_NOTIFY_KIND", "slack"}};
  const fs::path found = folder_.path() / "variables";
  Notifier notifier =
      Notifier::open({.variables = more_variables_, .repository = {}}, Flag::not_given,
                     {.program = "/bin/sh",
                      .arguments = {"-c", "env > " + found.string() + ".part && mv " +
                                              found.string() + ".part " + found.string()},
                      .environment = {{"PATH", "/usr/bin:/bin"}}});
  const auto deadline = steady_clock::now() + seconds{10};
  while (!fs::exists(found) && steady_clock::now() < deadline) {
  }
  const std::string variables = test::contents(found);
  EXPECT_THAT(variables, HasSubstr("PATH="));
  EXPECT_THAT(variables, Not(HasSubstr("NOTIFY")));
}

TEST(WebhookRecord, HasSixFieldsWithTheirNames) {
  const WebhookRecord record{.enabled_by_config = true, .expected = true, .status = "pending"};
  EXPECT_EQ(document::Writer::json(record).dump(),
            R"({"webhook_enabled_by_config":true,"webhook_disabled_by_flag":false,)"
            R"("webhook_expected":true,"webhook_attempted":false,"webhook_sent":false,)"
            R"("webhook_status":"pending"})");
}

}  // namespace
}  // namespace autokernel::notify
