// Schedules and faults of the mock server on a clock that the test moves.
#include "lab/mock/answering.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace autokernel::lab {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RecordingPeer : public Peer {
 public:
  void send(std::string_view bytes) override { sent.emplace_back(bytes); }
  void finish() override { finished = true; }
  void disconnect() override { disconnected = true; }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& part : sent) all += part;
    return all;
  }

  std::vector<std::string> sent;
  bool finished = false;
  bool disconnected = false;
};

class AnsweringTest : public testing::Test {
 protected:
  AnsweringTest() {
    settings_.time_to_first_token = milliseconds{200};
    settings_.time_per_token = milliseconds{20};
  }

  [[nodiscard]] Answering answering() {
    return {settings_, log_, [this] { return now_; }};
  }
  static CompletionRequest request(std::size_t tokens) {
    return {.endpoint = Endpoint::chat,
            .prompt = "a prompt",
            .prompt_tokens = 2,
            .max_tokens = tokens,
            .streamed = true,
            .usage_in_stream = true};
  }
  // Everything until nothing is due any more; when something was sent, in milliseconds.
  std::vector<long> play(Answering& answering, const RecordingPeer& peer) {
    std::vector<long> times;
    while (const auto next = answering.next_due()) {
      now_ = std::max(now_, *next);
      const std::size_t before = peer.sent.size();
      static_cast<void>(answering.serve());
      for (std::size_t i = before; i < peer.sent.size(); ++i) {
        times.push_back(std::chrono::round<milliseconds>(now_ - begin_).count());
      }
    }
    return times;
  }

  MockServerSettings settings_;
  RequestLog log_;
  const MockTime begin_{milliseconds{1000}};
  MockTime now_ = begin_;
  RecordingPeer peer_;
};

TEST_F(AnsweringTest, SendsTokensOnASchedule) {
  Answering answers = answering();
  answers.begin(request(4), peer_, now_);
  EXPECT_THAT(play(answers, peer_), ElementsAre(200, 220, 240, 260));
  EXPECT_TRUE(peer_.finished);
  EXPECT_THAT(peer_.text(), HasSubstr(R"("completion_tokens":4)"));
  EXPECT_THAT(peer_.text(), HasSubstr("data: [DONE]\n\n\r\n0\r\n\r\n"));
  EXPECT_TRUE(answers.is_idle());
}

TEST_F(AnsweringTest, KeepsTheScheduleAfterALateToken) {
  Answering answers = answering();
  answers.begin(request(4), peer_, now_);
  now_ = begin_ + milliseconds{230};
  EXPECT_EQ(answers.serve(), begin_ + milliseconds{240});
  EXPECT_EQ(peer_.sent.size(), 2U);
}

TEST_F(AnsweringTest, SendsAnAnswerInOnePieceWhenItsLastTokenIsDue) {
  Answering answers = answering();
  CompletionRequest whole = request(4);
  whole.streamed = false;
  answers.begin(whole, peer_, now_);
  EXPECT_THAT(play(answers, peer_), ElementsAre(260));
  EXPECT_THAT(peer_.text(), HasSubstr("Content-Length: "));
}

TEST_F(AnsweringTest, LetsRequestsWaitBeyondItsConcurrency) {
  settings_.max_concurrency = 1;
  Answering answers = answering();
  RecordingPeer second;
  answers.begin(request(2), peer_, now_);
  answers.begin(request(2), second, now_);
  EXPECT_THAT(play(answers, second), ElementsAre(420, 440));
  EXPECT_TRUE(peer_.finished);
}

TEST_F(AnsweringTest, GivesThePlaceOfAClientThatWentAwayToTheNext) {
  settings_.max_concurrency = 1;
  Answering answers = answering();
  RecordingPeer second;
  const std::uint64_t first = answers.begin(request(2), peer_, now_);
  answers.begin(request(2), second, now_);
  now_ += milliseconds{50};
  answers.abandon(first);
  EXPECT_THAT(play(answers, second), ElementsAre(250, 270));
  EXPECT_TRUE(peer_.sent.empty());
}

TEST_F(AnsweringTest, JittersTheSameEachTimeAndKeepsTheOrder) {
  settings_.jitter = milliseconds{50};
  Answering one = answering();
  one.begin(request(20), peer_, now_);
  const std::vector<long> times = play(one, peer_);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_GT(times.back(), 200 + 19 * 20);
  now_ = begin_;
  RecordingPeer again;
  Answering other = answering();
  other.begin(request(20), again, now_);
  EXPECT_EQ(play(other, again), times);
}

TEST_F(AnsweringTest, HangsAfterHalfAnAnswer) {
  settings_.fault = ServerFault::hang;
  Answering answers = answering();
  answers.begin(request(4), peer_, now_);
  EXPECT_THAT(play(answers, peer_), ElementsAre(200, 220));
  EXPECT_FALSE(peer_.finished);
  EXPECT_FALSE(answers.is_idle());
}

TEST_F(AnsweringTest, DisconnectsAfterHalfAnAnswer) {
  settings_.fault = ServerFault::disconnect;
  Answering answers = answering();
  answers.begin(request(4), peer_, now_);
  EXPECT_THAT(play(answers, peer_), ElementsAre(200, 220));
  EXPECT_TRUE(peer_.disconnected);
}

TEST_F(AnsweringTest, IsSlowOnDemand) {
  settings_.fault = ServerFault::slow;
  Answering answers = answering();
  answers.begin(request(2), peer_, now_);
  EXPECT_THAT(play(answers, peer_), ElementsAre(1000, 1100));
}

TEST_F(AnsweringTest, LiesAboutUsageOnDemand) {
  settings_.fault = ServerFault::wrong_usage;
  Answering answers = answering();
  answers.begin(request(5), peer_, now_);
  play(answers, peer_);
  EXPECT_THAT(peer_.text(), HasSubstr(R"("completion_tokens":8)"));
}

TEST_F(AnsweringTest, AnswersFromACacheOnDemand) {
  settings_.fault = ServerFault::cache;
  Answering answers = answering();
  answers.begin(request(2), peer_, now_);
  EXPECT_THAT(play(answers, peer_), ElementsAre(200, 220));
  RecordingPeer again;
  answers.begin(request(2), again, now_);
  EXPECT_THAT(play(answers, again), ElementsAre(220, 220));
}

TEST_F(AnsweringTest, FailsWithAStatusOnDemand) {
  settings_.fault = ServerFault::http_500;
  Answering answers = answering();
  answers.begin(request(2), peer_, now_);
  EXPECT_THAT(play(answers, peer_), ElementsAre(200));
  EXPECT_THAT(peer_.text(), HasSubstr("HTTP/1.1 500 "));
  EXPECT_TRUE(peer_.finished);
}

TEST_F(AnsweringTest, DamagesItsJsonOnDemand) {
  settings_.fault = ServerFault::bad_json;
  Answering answers = answering();
  answers.begin(request(2), peer_, now_);
  play(answers, peer_);
  EXPECT_THAT(peer_.text(), HasSubstr("\"content\":\"\n\n"));
}

TEST_F(AnsweringTest, CrashesOnDemand) {
  settings_.fault = ServerFault::crash;
  EXPECT_EXIT(
      {
        Answering answers = answering();
        answers.begin(request(2), peer_, now_);
        play(answers, peer_);
      },
      testing::KilledBySignal(SIGABRT), "");
}

TEST_F(AnsweringTest, MisbehavesInAShareOfRequests) {
  settings_.fault = ServerFault::http_500;
  settings_.fault_share = 0.5;
  Answering answers = answering();
  constexpr int kRequests = 200;
  for (int i = 0; i < kRequests; ++i) answers.begin(request(1), peer_, now_);
  play(answers, peer_);
  const auto failed = std::ranges::count_if(
      peer_.sent, [](const std::string& bytes) { return bytes.starts_with("HTTP/1.1 500"); });
  EXPECT_GT(failed, kRequests / 4);
  EXPECT_LT(failed, 3 * kRequests / 4);
}

TEST_F(AnsweringTest, EndsAnAnswerThatIsStoppedAtOnce) {
  Answering answers = answering();
  CompletionRequest stopped = request(4);
  stopped.stop = {" "};
  answers.begin(stopped, peer_, now_);
  play(answers, peer_);
  EXPECT_TRUE(peer_.finished);
  EXPECT_THAT(peer_.text(), HasSubstr(R"("finish_reason":"stop")"));
  EXPECT_THAT(peer_.text(), HasSubstr(R"("completion_tokens":0)"));
  EXPECT_THAT(peer_.text(), Not(HasSubstr("\"content\":\" ")));
}

}  // namespace
}  // namespace autokernel::lab
