// Transfers to a socket of the test, which answers with whatever bytes a test wants.
#include "autokernel/http/transfers.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "autokernel/base/descriptor.h"

namespace autokernel::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::Each;
using testing::HasSubstr;

// Answers each connection with the same bytes once a request has come, and closes it, or keeps it
// open where `closes` is false. It ends with its owner.
class CannedServer {
 public:
  explicit CannedServer(std::string answer, bool closes = true)
      : answer_(std::move(answer)), closes_(closes) {
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_EQ(::listen(listener_.get(), 64), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  CannedServer(const CannedServer&) = delete;
  CannedServer& operator=(const CannedServer&) = delete;
  CannedServer(CannedServer&&) = delete;
  CannedServer& operator=(CannedServer&&) = delete;
  ~CannedServer() {
    stop_.writing.close();
    thread_.join();
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/v1";
  }

 private:
  void serve() {
    std::vector<Descriptor> kept;
    for (;;) {
      std::array<pollfd, 2> waits = {
          {{listener_.get(), POLLIN, 0}, {stop_.reading.get(), POLLIN, 0}}};
      ::poll(waits.data(), waits.size(), -1);
      if (waits[1].revents != 0) return;
      Descriptor connection(::accept(listener_.get(), nullptr, nullptr));
      std::array<char, 4096> request{};
      if (::recv(connection.get(), request.data(), request.size(), 0) <= 0) continue;
      EXPECT_TRUE(write_all(connection.get(), answer_));
      if (!closes_) kept.push_back(std::move(connection));
    }
  }

  std::string answer_;
  bool closes_;
  Descriptor listener_;
  Pipe stop_ = make_pipe();
  int port_ = 0;
  std::thread thread_;
};

class RecordingListener : public TransferListener {
 public:
  bool on_bytes(int status, std::string_view bytes) override {
    seen_status = status;
    body += bytes;
    return takes_bytes;
  }
  void on_end(const TransferEnd& told) override {
    end = told;
    has_ended = true;
  }

  std::string body;
  int seen_status = 0;
  TransferEnd end;
  bool takes_bytes = true;
  bool has_ended = false;
};

void run_all(Transfers& transfers) {
  const auto patience = steady_clock::now() + std::chrono::seconds{20};
  while (transfers.under_way() > 0 && steady_clock::now() < patience) transfers.wait(patience);
}

TransferEnd ending_with(const std::string& answer, RecordingListener& listener,
                        milliseconds deadline = std::chrono::seconds{10}, bool closes = true) {
  const CannedServer server(answer, closes);
  const CurlLibrary curl = CurlLibrary::open();
  Transfers transfers(curl, {.url = server.url(), .deadline = deadline});
  transfers.start("{}", listener);
  run_all(transfers);
  return listener.end;
}

TEST(Transfers, TellStatusAndBody) {
  RecordingListener listener;
  const TransferEnd end =
      ending_with("HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello", listener);
  EXPECT_EQ(end.ending, TransferEnding::complete);
  EXPECT_EQ(end.status, 201);
  EXPECT_EQ(listener.seen_status, 201);
  EXPECT_EQ(listener.body, "hello");
}

TEST(Transfers, TakeChunksApart) {
  RecordingListener listener;
  const TransferEnd end = ending_with(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n",
      listener);
  EXPECT_EQ(end.ending, TransferEnding::complete);
  EXPECT_EQ(listener.body, "onetwo");
}

TEST(Transfers, TellOfAServerThatIsNotThere) {
  const CurlLibrary curl = CurlLibrary::open();
  Transfers transfers(curl, {.url = "http://127.0.0.1:1/v1"});
  RecordingListener listener;
  transfers.start("{}", listener);
  run_all(transfers);
  EXPECT_EQ(listener.end.ending, TransferEnding::refused);
  EXPECT_THAT(listener.end.words, HasSubstr("Failed to connect"));
}

TEST(Transfers, TellOfAnAnswerThatEndsEarly) {
  RecordingListener listener;
  EXPECT_EQ(ending_with("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", listener).ending,
            TransferEnding::disconnected);
}

TEST(Transfers, TellOfADeadline) {
  RecordingListener listener;
  const TransferEnd end = ending_with("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
                                      listener, milliseconds{200}, false);
  EXPECT_EQ(end.ending, TransferEnding::timed_out);
  EXPECT_EQ(listener.body, "hello");
}

TEST(Transfers, BreakOffWhatIsNotWanted) {
  RecordingListener listener;
  listener.takes_bytes = false;
  EXPECT_EQ(ending_with("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", listener).ending,
            TransferEnding::broken_off);
}

TEST(Transfers, TellOfWhatIsNoHttp) {
  RecordingListener listener;
  EXPECT_NE(ending_with("garbage\r\n\r\n", listener).ending, TransferEnding::complete);
}

TEST(Transfers, RunManyAtOnce) {
  const CannedServer server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
  const CurlLibrary curl = CurlLibrary::open();
  Transfers transfers(curl, {.url = server.url(), .deadline = std::chrono::seconds{10}});
  std::array<RecordingListener, 50> listeners;
  for (RecordingListener& listener : listeners) transfers.start("{}", listener);
  EXPECT_EQ(transfers.under_way(), listeners.size());
  run_all(transfers);
  std::vector<std::string> bodies;
  for (const RecordingListener& listener : listeners) bodies.push_back(listener.body);
  EXPECT_THAT(bodies, Each("ok"));
  EXPECT_GT(transfers.delay().events, 0U);
}

TEST(Transfers, AreBrokenOffWithTheirOwner) {
  const CannedServer server("", false);
  const CurlLibrary curl = CurlLibrary::open();
  RecordingListener listener;
  {
    Transfers transfers(curl, {.url = server.url()});
    transfers.start("{}", listener);
    transfers.wait(steady_clock::now() + milliseconds{20});
  }
  EXPECT_FALSE(listener.has_ended);
}

TEST(Transfers, ComeBackAtTheirTime) {
  const CurlLibrary curl = CurlLibrary::open();
  Transfers transfers(curl, {.url = "http://127.0.0.1:1/v1"});
  const auto begin = steady_clock::now();
  transfers.wait(begin + milliseconds{30});
  EXPECT_GE(steady_clock::now() - begin, milliseconds{30});
  transfers.wait(begin);  // which has passed
}

TEST(Transfers, ComeBackForADescriptor) {
  const CurlLibrary curl = CurlLibrary::open();
  Transfers transfers(curl, {.url = "http://127.0.0.1:1/v1"});
  const Pipe pipe = make_pipe();
  transfers.wake_on(pipe.reading.get());
  EXPECT_TRUE(write_all(pipe.writing.get(), "x"));
  transfers.wait({});
}

}  // namespace
}  // namespace autokernel::http
