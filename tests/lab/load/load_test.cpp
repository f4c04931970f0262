// The load generator against the mock server, in one process.
#include "autokernel/lab/load.h"

#include <gmock/gmock.h>

#include <set>
#include <thread>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/error.h"
#include "autokernel/lab/load_figures.h"
#include "autokernel/lab/mock_server.h"
#include "support/present.h"

namespace autokernel::lab {
namespace {

using std::chrono::milliseconds;
using test::present;
using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::StartsWith;

class ServedMock {
 public:
  explicit ServedMock(const MockServerSettings& settings) : server_(settings) {
    thread_ = std::thread([this] { server_.run(stop_.reading.get()); });
  }
  ServedMock(const ServedMock&) = delete;
  ServedMock& operator=(const ServedMock&) = delete;
  ServedMock(ServedMock&&) = delete;
  ServedMock& operator=(ServedMock&&) = delete;
  ~ServedMock() {
    stop_.writing.close();
    thread_.join();
  }
  [[nodiscard]] std::string url() const { return server_.url(); }

 private:
  Pipe stop_ = make_pipe();
  MockServer server_;
  std::thread thread_;
};

class LoadOnMock : public testing::Test {
 protected:
  LoadOnMock() {
    server_.time_to_first_token = milliseconds{5};
    server_.time_per_token = milliseconds{1};
    load_.model = "mock";
    load_.requests = 12;
    load_.concurrency = 3;
    load_.deadline = milliseconds{20'000};
    load_.input_tokens = LengthDistribution::parse("8", "--input-tokens");
    load_.output_tokens = LengthDistribution::parse("2:6", "--output-tokens");
    load_.keeps_text = true;
  }
  [[nodiscard]] LoadRun run() {
    const ServedMock mock(server_);
    load_.url = mock.url();
    return run_load(curl_, load_);
  }

  http::CurlLibrary curl_ = http::CurlLibrary::open();
  MockServerSettings server_;
  LoadSettings load_;
};

TEST_F(LoadOnMock, IsAnswered) {
  const LoadRun all = run();
  ASSERT_EQ(all.requests.size(), 12U);
  std::set<std::size_t> indices;
  for (const RequestOutcome& outcome : all.requests) {
    EXPECT_TRUE(outcome.succeeded()) << outcome.detail;
    EXPECT_EQ(outcome.words, outcome.asked_tokens);
    EXPECT_EQ(outcome.usage_output, outcome.asked_tokens);
    EXPECT_EQ(outcome.usage_input, 8U);
    EXPECT_GE(present(outcome.first) - outcome.sent, 0.005);
    EXPECT_GE(present(outcome.last) - outcome.sent,
              0.005 + 0.001 * static_cast<double>(outcome.asked_tokens - 1) - 1e-6);
    indices.insert(outcome.index);
  }
  EXPECT_EQ(indices.size(), 12U);
  EXPECT_EQ(*indices.rbegin(), 11U);
}

TEST_F(LoadOnMock, GetsTheSameAnswersEachTime) {
  const LoadRun one = run();
  const LoadRun other = run();
  ASSERT_EQ(one.requests.size(), other.requests.size());
  for (std::size_t i = 0; i < one.requests.size(); ++i) {
    EXPECT_EQ(one.requests[i].text, other.requests[i].text);
  }
}

TEST_F(LoadOnMock, MayBeOfTextAndInOnePiece) {
  load_.is_chat = false;
  load_.is_streamed = false;
  const LoadRun all = run();
  EXPECT_THAT(all.requests, Each(Field(&RequestOutcome::failure, LoadFailure::none)));
  EXPECT_THAT(all.requests, Each(Field(&RequestOutcome::id, StartsWith("cmpl-"))));
}

TEST_F(LoadOnMock, DoesNotCountWhatWarmsUp) {
  load_.warm_up = 5;
  const LoadRun all = run();
  EXPECT_EQ(all.requests.size(), 12U);
  EXPECT_EQ(all.requests.front().index, 0U);
}

TEST_F(LoadOnMock, KeepsToItsConcurrency) {
  server_.time_to_first_token = milliseconds{50};
  load_.requests = 6;
  load_.concurrency = 2;
  const LoadRun all = run();
  EXPECT_GE(all.ended - all.began, 3 * 0.05);
}

TEST_F(LoadOnMock, EndsAfterItsTime) {
  load_.requests.reset();
  load_.seconds = 0.2;
  const LoadRun all = run();
  EXPECT_GE(all.ended - all.began, 0.2);
  EXPECT_LT(all.ended - all.began, 2);
  EXPECT_GT(all.requests.size(), 10U);
}

TEST_F(LoadOnMock, StartsGraduallyOnDemand) {
  server_.time_to_first_token = milliseconds{300};
  load_.concurrency = 4;
  load_.requests = 4;
  load_.ramp_seconds = 0.2;
  const LoadRun all = run();
  EXPECT_GE(all.requests[3].sent - all.requests[0].sent, 0.14);
}

TEST_F(LoadOnMock, OfAnOpenLoopIsSentWhateverBecomesOfEarlierRequests) {
  server_.time_to_first_token = milliseconds{300};
  load_.rate = 200;
  load_.requests = 40;
  const LoadRun all = run();
  EXPECT_THAT(all.requests, Each(Field(&RequestOutcome::failure, LoadFailure::none)));
  // 40 requests of a fifth of a second at 200 per second: all are under way before any has ended.
  EXPECT_LT(all.ended - all.began, 2);
  for (const RequestOutcome& outcome : all.requests) EXPECT_GE(outcome.sent, outcome.scheduled);
}

TEST_F(LoadOnMock, CountsLatencyFromTheScheduleWhereTheServerLetsRequestsWait) {
  server_.max_concurrency = 1;
  server_.time_to_first_token = milliseconds{20};
  load_.rate = 1000;
  load_.requests = 10;
  const LoadFigures figures = figures_of(run(), load_, TokenCount::usage, {});
  EXPECT_GE(figures.ttft.p99.value, 0.15);
}

TEST_F(LoadOnMock, GivesUpWhereNothingIsAnswered) {
  load_.url = "http://127.0.0.1:1";
  load_.requests = 1'000'000;
  const LoadRun all = run_load(curl_, load_);
  EXPECT_LT(all.requests.size(), 2000U);
  EXPECT_THAT(all.gave_up, HasSubstr("requests all failed"));
  EXPECT_THAT(all.requests, Each(Field(&RequestOutcome::failure, LoadFailure::refused)));
}

TEST_F(LoadOnMock, TellsOfAModelThatIsNotThere) {
  load_.model = "other";
  const LoadRun all = run();
  EXPECT_THAT(all.requests,
              Each(AllOf(Field(&RequestOutcome::failure, LoadFailure::http_status),
                         Field(&RequestOutcome::detail,
                               HasSubstr("status 404: the model 'other' does not exist")))));
}

TEST_F(LoadOnMock, HoldsManyStreams) {
  server_.time_to_first_token = milliseconds{100};
  server_.time_per_token = milliseconds{10};
  load_.concurrency = 500;
  load_.requests = 500;
  const LoadRun all = run();
  EXPECT_THAT(all.requests, Each(Field(&RequestOutcome::failure, LoadFailure::none)));
}

TEST_F(LoadOnMock, NeedsAnAddressOfHttp) {
  load_.url = "localhost:8000";
  EXPECT_THROW(static_cast<void>(run_load(curl_, load_)), Error);
}

TEST_F(LoadOnMock, OfEachFaultIsFoundAndNamed) {
  const auto found = [&](ServerFault fault, milliseconds deadline = milliseconds{20'000}) {
    server_.fault = fault;
    server_.fault_share = 0.4;
    load_.deadline = deadline;
    load_.requests = 30;
    load_.output_tokens = LengthDistribution::parse("10", "--output-tokens");
    std::string kinds;
    for (const LoadFinding& finding : figures_of(run(), load_, TokenCount::usage, {}).findings) {
      kinds += finding.kind + " ";
    }
    return kinds;
  };
  EXPECT_THAT(found(ServerFault::hang, milliseconds{500}), HasSubstr("stalled"));
  EXPECT_THAT(found(ServerFault::slow), HasSubstr("slow"));
  EXPECT_THAT(found(ServerFault::wrong_usage), HasSubstr("usage"));
  EXPECT_THAT(found(ServerFault::disconnect), HasSubstr("disconnected"));
  EXPECT_THAT(found(ServerFault::http_500), HasSubstr("http_status"));
  EXPECT_THAT(found(ServerFault::bad_json), HasSubstr("bad_stream"));
}

}  // namespace
}  // namespace autokernel::lab
