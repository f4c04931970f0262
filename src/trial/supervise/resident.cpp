// The resident process: runners that wait, and who asks for them. It never looks at a device, holds
// no lock, and reads nothing but what its own user's processes send it.
#include "autokernel/trial/resident.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/base/process_tree.h"
#include "autokernel/base/scratch.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/runner_environment.h"
#include "trial/supervise/lender.h"
#include "trial/supervise/lending_message.h"
#include "trial/supervise/surroundings.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// One for each of two things that take turns, such as a bench and a step: each holds a context on
// the device and some hundred megabytes.
constexpr std::size_t kMostWaiting = 2;
// How often it looks whether a runner that waits has got out of hand, and whether it is stale.
constexpr seconds kLook{1};
// What getting ready takes at most, several times over: a kernel that keeps the compiler busy was
// only compiled on suspicion.
constexpr double kMostProcessorSeconds = 60;
constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30U;
// A request has sources and headers of some megabytes.
constexpr std::size_t kLargestAsk = std::size_t{64} << 20U;
// While a runner ends, or has not read yet what it was told.
constexpr milliseconds kShortWait{2};
// More clients than ever have a trial at once; one that says nothing and has no runner wants none.
constexpr std::size_t kMostClients = 32;
constexpr seconds kLongestSilence{5};
constexpr seconds kLongestStay{86400};
// A client that does not read its answer has no use for it.
constexpr milliseconds kLongestSend{100};

// A runner that waits for its trial, or has been lent for it.
class Waiting {
 public:
  Waiting(const RunnerRecipe& recipe, std::string digest)
      : digest_(std::move(digest)),
        scratch_(temporary_folder(recipe.variables)),
        child_(Child::start({.program = "/proc/self/exe",
                             .arguments = {"runner"},
                             .environment = variables(recipe),
                             .inherits = Inherits::nothing,
                             .directory = recipe.directory})) {
    expect(recipe);
  }

  // Its trial may be like this one.
  void expect(const RunnerRecipe& recipe) {
    unsent_ += encode(Expected{recipe.expected});
    told_seconds_ = used_seconds();
    send();
  }
  // Sends what it has room for.
  void send() {
    while (!unsent_.empty()) {
      const ssize_t count =
          ::send(child_.input().get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count <= 0) return;  // it reads later, or has gone, which is seen elsewhere
      unsent_.erase(0, static_cast<std::size_t>(count));
    }
  }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  // It says nothing before its trial: who does has met something, or ended.
  [[nodiscard]] bool is_sound() {
    pollfd watched{child_.messages().get(), POLLIN, 0};
    if (::poll(&watched, 1, 0) != 0) return false;
    return used_seconds() - told_seconds_ < kMostProcessorSeconds && held() < kMostMemory;
  }
  [[nodiscard]] const std::string& digest() const { return digest_; }
  [[nodiscard]] pid_t id() const { return child_.id(); }
  [[nodiscard]] std::array<int, 3> channels() {
    return {child_.input().get(), child_.output().get(), child_.messages().get()};
  }
  // They are another process's from now on.
  void close_channels() {
    child_.input().close();
    child_.output().close();
    child_.messages().close();
  }
  [[nodiscard]] std::optional<Ending> ending() { return child_.wait_until(Clock::now()); }
  // Does not wait for its end: a driver takes a while to take a device back.
  void kill() const { ::kill(-child_.id(), SIGKILL); }

 private:
  [[nodiscard]] static std::filesystem::path temporary_folder(const Variables& variables) {
    const auto named = variables.find("TMPDIR");
    return named == variables.end() || named->second.empty() ? "/tmp" : named->second;
  }
  [[nodiscard]] Variables variables(const RunnerRecipe& recipe) const {
    Variables all = recipe.variables;
    all["TMPDIR"] = scratch_.path().string();
    return all;
  }
  template <typename Add>
  void each_process(Add add) const {
    add(child_.id());
    for (const pid_t launcher : children_of(child_.id())) add(launcher);
  }
  [[nodiscard]] double used_seconds() const {
    double sum = 0;
    each_process([&](pid_t process) { sum += processor_seconds(process); });
    return sum;
  }
  [[nodiscard]] std::uint64_t held() const {
    std::uint64_t sum = 0;
    each_process([&](pid_t process) { sum += held_bytes(process); });
    return sum;
  }

  std::string digest_;
  ScratchDirectory scratch_;
  Child child_;
  std::string unsent_;
  double told_seconds_ = 0;
};

struct Client {
  explicit Client(Descriptor connection) : socket(std::move(connection)) {}

  Descriptor socket;
  LineBuffer lines;
  std::unique_ptr<Waiting> lent;
  bool is_ending = false;  // what it was lent
  Clock::time_point end_lent_at;
  Clock::time_point heard_at = Clock::now();
  bool is_over = false;
};

class Resident {
 public:
  explicit Resident(Descriptor first) : listening_(listen_on(resident_name())) {
    if (first.is_open()) clients_.emplace_back(std::move(first));
  }

  int run() {
    // Another was there sooner: it is asked from the next trial on.
    if (!listening_.is_open()) return 0;
    while (!interrupts_.next() && wants_to_stay()) {
      wait();
      for (Descriptor next = next_connection(listening_); next.is_open();
           next = next_connection(listening_)) {
        if (is_one_of_us(next)) clients_.emplace_back(std::move(next));
        if (clients_.size() == kMostClients) break;
      }
      for (Client& client : clients_) serve(client);
      std::erase_if(clients_, [](const Client& client) { return client.is_over; });
      look_after_the_waiting();
    }
    return 0;
  }

 private:
  [[nodiscard]] bool wants_to_stay() {
    if (Clock::now() < next_look_) return true;
    next_look_ = Clock::now() + kLook;
    std::erase_if(clients_, [](const Client& client) {
      return !client.lent && Clock::now() - client.heard_at > kLongestSilence;
    });
    const bool is_asked = !clients_.empty() || Clock::now() < leaves_at_;
    // Whoever has a runner of the old program keeps it until its trial is over.
    if (our_program_was_replaced()) {
      waiting_.clear();
      return !clients_.empty();
    }
    return is_asked;
  }

  // Whoever is confined in some way that this process is not must gain nothing from it: it would
  // be this process that starts what it asks for.
  [[nodiscard]] bool is_one_of_us(const Descriptor& connection) const {
    const auto peer = peer_of(connection);
    return peer && peer->user == ::getuid() &&
           digest_of_surroundings(peer->process) == surroundings_;
  }

  void wait() {
    std::vector<pollfd> watched{{interrupts_.descriptor(), POLLIN, 0}};
    if (clients_.size() < kMostClients) watched.push_back({listening_.get(), POLLIN, 0});
    milliseconds patience = kLook;
    for (const Client& client : clients_) {
      watched.push_back({client.socket.get(), POLLIN, 0});
      if (client.is_ending) patience = kShortWait;
    }
    for (const auto& each : waiting_) {
      if (each->has_unsent()) patience = kShortWait;
    }
    if (!ending_.empty()) patience = kShortWait;
    ::poll(watched.data(), watched.size(), static_cast<int>(patience.count()));
  }

  void serve(Client& client) {
    Received received = receive_from(client.socket);
    client.lines.add(received.bytes);
    if (!received.bytes.empty()) client.heard_at = Clock::now();
    try {
      while (const auto line = client.lines.next()) {
        Ask ask = decode_ask(*line);
        std::visit([&](auto& what) { take(client, what); }, ask);
      }
    } catch (const Error&) {
      client.is_over = true;  // it speaks another language
    }
    if (client.is_ending) see_to_its_end(client);
    client.is_over = client.is_over || received.is_over || client.lines.unfinished() > kLargestAsk;
    if (!client.is_over || !client.lent) return;
    // The runner that it had goes with it.
    client.lent->kill();
    ending_.push_back(std::move(client.lent));
  }

  void take(Client& client, const GetReady& ask) {
    tell(client, Noted{});
    // What would change what is measured is never passed on.
    if (runner_environment(ask.recipe.variables).variables != ask.recipe.variables) return;
    leaves_at_ = Clock::now() + std::clamp(seconds(ask.stay_seconds), seconds{0}, kLongestStay);
    const std::string digest = digest_of(ask.recipe);
    for (const auto& each : waiting_) {
      if (each->digest() == digest) return each->expect(ask.recipe);
    }
    try {
      waiting_.push_back(std::make_unique<Waiting>(ask.recipe, digest));
    } catch (const Error&) {
      return;  // whoever needs one starts it, and learns why that fails
    }
    if (waiting_.size() > kMostWaiting) waiting_.pop_front();
  }
  void take(Client& client, const Wanted& ask) {
    const auto found = std::ranges::find_if(
        waiting_, [&](const auto& each) { return each->digest() == ask.digest; });
    const bool has_one =
        found != waiting_.end() && !(*found)->has_unsent() && !client.lent && (*found)->is_sound();
    if (!has_one) return tell(client, NoneReady{});
    client.lent = std::move(*found);
    waiting_.erase(found);
    const std::array<int, 3> channels = client.lent->channels();
    tell(client, Lent{client.lent->id()}, channels);
    client.lent->close_channels();
  }
  void take(Client& client, const Over& ask) {
    client.is_ending = true;
    client.end_lent_at = Clock::now() + milliseconds(std::clamp(ask.patience_ms, 0, 60'000));
  }

  void see_to_its_end(Client& client) {
    std::optional<Ending> ending;
    if (client.lent) {
      ending = client.lent->ending();
      if (!ending && Clock::now() >= client.end_lent_at) client.lent->kill();
      if (!ending) return;
      client.lent.reset();
    }
    client.is_ending = false;
    const Ending how = ending.value_or(Ending{.code = 0, .signal = SIGKILL});
    tell(client, Ended{.code = how.code, .signal = how.signal});
  }

  void tell(Client& client, const Answer& answer, std::span<const int> descriptors = {}) {
    if (!send_to(client.socket, encode(answer), Clock::now() + kLongestSend, descriptors)) {
      client.is_over = true;
    }
  }

  void look_after_the_waiting() {
    for (const auto& each : waiting_) each->send();
    std::erase_if(ending_, [](const auto& each) { return each->ending().has_value(); });
    if (Clock::now() < next_care_) return;
    next_care_ = Clock::now() + kLook;
    std::erase_if(waiting_, [](const auto& each) { return !each->is_sound(); });
    end_orphans();
  }
  // What has outlived a runner, which nothing does for long: all ends with its parent.
  void end_orphans() const {
    for (const pid_t child : children_of(::getpid())) {
      const auto is_it = [&](const auto& runner) { return runner && runner->id() == child; };
      if (std::ranges::any_of(waiting_, is_it) || std::ranges::any_of(ending_, is_it)) continue;
      if (std::ranges::any_of(clients_, is_it, &Client::lent)) continue;
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, WNOHANG);
    }
  }

  Interrupts interrupts_;
  // What outlives its runner becomes ours, and ends with us.
  ProcessTree tree_;
  const std::string surroundings_ = digest_of_surroundings(::getpid());
  Descriptor listening_;
  std::list<std::unique_ptr<Waiting>> waiting_;
  std::list<std::unique_ptr<Waiting>> ending_;  // killed, and not gone yet
  std::list<Client> clients_;
  Clock::time_point leaves_at_ = Clock::now() + kLook;
  Clock::time_point next_look_ = Clock::now() + kLook;
  Clock::time_point next_care_ = Clock::now() + kLook;
};

}  // namespace

int run_resident(Descriptor first_connection) {
  return Resident(std::move(first_connection)).run();
}

}  // namespace autokernel::trial
