// Who is told what a run does, and what its record says of that.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "e2e/command_workplace.h"
#include "e2e/workplace.h"
#include "support/http_server.h"

namespace autokernel::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class LoopNotify : public CommandWorkplace {
 protected:
  // A step whose user is told at that address; what it prints has no word of the address.
  [[nodiscard]] Outcome step_told(const HttpServer& server, const std::string& program,
                                  const std::vector<std::string>& more = {}) const {
    repository_.write(kProgram, program);
    std::vector<std::string> arguments = {"loop", "step", "-m", "an idea"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return told(server, arguments);
  }
  [[nodiscard]] Outcome told(const HttpServer& server,
                             const std::vector<std::string>& arguments) const {
    const Outcome run = run_with({{"AUTOKERNEL_NOTIFY_URL", server.url("/hush")},
                                  {"AUTOKERNEL_NOTIFY_KIND", "json"},
                                  {"AUTOKERNEL_NOTIFY_SECRET", "sixteen letters or more"}},
                                 arguments);
    EXPECT_THAT(run.out + run.err, Not(testing::AnyOf(HasSubstr("hush"), HasSubstr("sixteen"))));
    return run;
  }
  [[nodiscard]] nlohmann::json record_of(int number) const {
    return nlohmann::json::parse(done({"show", std::to_string(number), "--json"})).at("webhook");
  }
};

TEST_F(LoopNotify, TellsOfWhatWasKept) {
  const HttpServer server({{.answer = http_answer(200)}});
  start();
  ASSERT_EQ(step_told(server, program("99.9")).code, 10);
  EXPECT_THAT(server.requests(), IsEmpty());
  EXPECT_EQ(record_of(1).at("webhook_enabled_by_config"), true);
  EXPECT_EQ(record_of(1).at("webhook_expected"), false);
  ASSERT_EQ(step_told(server, program("80")).code, 0);
  EXPECT_EQ(record_of(2).at("webhook_expected"), true);
  EXPECT_EQ(record_of(2).at("webhook_status"), "pending");
  // A step does not wait for it; a finish does.
  ASSERT_EQ(told(server, {"loop", "finish", "--processes", "2"}).code, 0);
  const auto requests = server.wait_for(2);
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_THAT(requests[0].body, HasSubstr(R"("event":"kept")"));
  EXPECT_THAT(requests[1].body, HasSubstr(R"("event":"finish")"));
}

TEST_F(LoopNotify, TellsNobodyWhereThatIsWanted) {
  const HttpServer server({{.answer = http_answer(200)}});
  start();
  ASSERT_EQ(step_told(server, program("80"), {"--no-notify"}).code, 0);
  EXPECT_EQ(record_of(1).at("webhook_disabled_by_flag"), true);
  EXPECT_EQ(record_of(1).at("webhook_expected"), false);
  ASSERT_EQ(told(server, {"loop", "finish", "--processes", "2", "--no-notify"}).code, 0);
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(LoopNotify, IsNotDelayedByAServerThatHangs) {
  const HttpServer server({{.answer = "", .hangs = true}});
  start();
  const Outcome kept = step_told(server, program("80"));
  EXPECT_EQ(kept.code, 0);
  EXPECT_LT(kept.seconds, 30);
}

TEST_F(LoopNotify, TellsNoProgramWhereItIs) {
  const HttpServer server({{.answer = http_answer(200)}});
  start();
  EXPECT_EQ(step_told(server, program("80", "if env | grep -q NOTIFY; then exit 3; fi")).code, 0);
}

}  // namespace
}  // namespace autokernel::test
