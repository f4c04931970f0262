#include "autokernel/http/transfers.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/error.h"
#include "autokernel/base/system_error.h"

namespace autokernel::http {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Events that one call of epoll_wait returns: as many as can be handled in a millisecond or two.
constexpr int kMostEvents = 256;
// Connections that libcurl keeps for later requests; by default it keeps four times as many as
// there are transfers, and closes some when transfers become fewer.
constexpr long kMostKeptConnections = 20'000;
// A wait shorter than this did not wait: what it found may have been there before.
constexpr std::chrono::microseconds kNoWait{20};
// Pieces of an answer are small, and each transfer has its own buffer.
constexpr long kReadBuffer = 16L << 10;

[[nodiscard]] TransferEnding ending_of(CurlCode code) {
  switch (code) {
    case kCurlOk:
      return TransferEnding::complete;
    case kCurlNoHost:
    case kCurlNoConnection:
      return TransferEnding::refused;
    case kCurlTimedOut:
      return TransferEnding::timed_out;
    case kCurlPartialFile:
    case kCurlGotNothing:
    case kCurlSendError:
    case kCurlReceiveError:
      return TransferEnding::disconnected;
    case kCurlWriteError:
      return TransferEnding::broken_off;
    default:
      return TransferEnding::failed;
  }
}

[[nodiscard]] itimerspec alarm_at(std::optional<TransferTime> time) {
  itimerspec alarm{};
  if (!time) return alarm;
  const auto since = std::chrono::duration_cast<nanoseconds>(time->time_since_epoch());
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
  alarm.it_value.tv_sec = whole.count();
  alarm.it_value.tv_nsec = (since - whole).count();
  return alarm;
}

// One request at a time, with a handle that is used again for the next.
struct Slot {
  const CurlLibrary* curl = nullptr;
  Owned<CurlEasy*> easy;
  std::string body;
  std::array<char, kCurlErrorSize> words{};
  TransferListener* listener = nullptr;  // null: free
  int status = 0;

  // A CurlBytes.
  static std::size_t take(char* bytes, std::size_t /*one*/, std::size_t count, void* data) {
    Slot& slot = *static_cast<Slot*>(data);
    if (slot.status == 0) {
      slot.status = static_cast<int>(slot.curl->info(slot.easy.get(), CurlInfoLong::response_code));
    }
    return slot.listener->on_bytes(slot.status, {bytes, count}) ? count : 0;
  }
};

}  // namespace

class Transfers::Implementation {
 public:
  Implementation(const CurlLibrary& curl, TransferTarget target)
      : curl_(curl), target_(std::move(target)), multi_(curl_.make_multi()) {
    poll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    if (!poll_.is_open()) {
      throw system_failure(Stop::environment, "cannot wait for answers", "epoll_create1");
    }
    alarm_ = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!alarm_.is_open()) {
      throw system_failure(Stop::environment, "cannot make a timer", "timerfd_create");
    }
    wake_on(alarm_.get());
    for (const std::string& line : target_.header_lines) curl_.append(header_, line);
    // libcurl would ask first whether it may send a large body, and wait for the answer.
    curl_.append(header_, "Expect:");
    curl_.set(multi_.get(), CurlMultiLong::most_kept_connections, kMostKeptConnections);
    curl_.set(multi_.get(), CurlMultiPointer::socket_data, this);
    curl_.set(multi_.get(), CurlMultiPointer::timer_data, this);
    curl_.set(multi_.get(), &Implementation::watch_socket);
    curl_.set(multi_.get(), &Implementation::plan_timer);
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  Implementation(Implementation&&) = delete;
  Implementation& operator=(Implementation&&) = delete;
  ~Implementation() {
    for (const auto& slot : slots_) {
      if (slot->listener != nullptr) curl_.multi_remove_handle(multi_.get(), slot->easy.get());
    }
  }

  void start(std::string body, TransferListener& listener) {
    Slot& slot = free_slot();
    slot.body = std::move(body);
    slot.listener = &listener;
    slot.status = 0;
    slot.words.front() = '\0';
    CurlEasy* easy = slot.easy.get();
    if (slot.body.empty()) {
      curl_.set(easy, CurlLong::http_get, 1L);
    } else {
      curl_.set(easy, CurlLong::post, 1L);
      curl_.set(easy, CurlText::post_fields, slot.body.c_str());
      curl_.set(easy, CurlSize::post_field_size, static_cast<std::int64_t>(slot.body.size()));
    }
    require(curl_.multi_add_handle(multi_.get(), easy), "curl_multi_add_handle");
    ++under_way_;
    // Now rather than at the next wait: the request goes out before another is started.
    timer_.reset();
    act(kCurlSocketTimeout, 0);
  }

  void wake_on(int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    if (::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
      throw system_failure(Stop::environment, "cannot wait for a descriptor", "epoll_ctl");
    }
  }

  void wait(std::optional<TransferTime> until) {
    // What ended within start().
    if (tell_ends()) return;
    std::optional<TransferTime> alarm = until;
    if (timer_ && (!alarm || *timer_ < *alarm)) alarm = timer_;
    std::array<epoll_event, kMostEvents> events{};
    const TransferTime begin = steady_clock::now();
    const bool waits = !alarm || *alarm > begin;
    if (waits) set_alarm(alarm);
    const int count = ::epoll_wait(poll_.get(), events.data(), kMostEvents, waits ? -1 : 0);
    if (count < 0 && errno != EINTR) {
      throw system_failure(Stop::environment, "cannot wait for answers", "epoll_wait");
    }
    const TransferTime woken = steady_clock::now();
    const TransferTime known = woken - begin < kNoWait ? woken_ : woken;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (watched(event.data.fd) == 0) continue;  // the alarm, or somebody else's
      note_delay(steady_clock::now() - known);
      act(event.data.fd, selected(event.events));
    }
    if (timer_ && *timer_ <= steady_clock::now()) {
      timer_.reset();
      act(kCurlSocketTimeout, 0);
    }
    tell_ends();
    woken_ = woken;
  }

  std::size_t under_way_ = 0;
  HandlingDelay delay_;

 private:
  void require(CurlCode code, const char* call) const {
    if (code == kCurlOk) return;
    throw Error(Stop::internal, std::string("cannot send requests to ") + target_.url + ": " +
                                    curl_.multi_error(code) + " [" + call + "]");
  }

  [[nodiscard]] Slot& free_slot() {
    if (!free_.empty()) return take_free();
    slots_.push_back(std::make_unique<Slot>());
    Slot& slot = *slots_.back();
    slot.curl = &curl_;
    slot.easy = curl_.make_easy();
    CurlEasy* easy = slot.easy.get();
    curl_.set(easy, CurlText::url, target_.url.c_str());
    // A proxy of the environment would be measured as well.
    curl_.set(easy, CurlText::proxy, "");
    curl_.set(easy, CurlText::user_agent, "autokernel");
    curl_.set(easy, CurlLong::http_version, kCurlHttp11);
    curl_.set(easy, CurlLong::no_signal, 1L);
    curl_.set(easy, CurlLong::no_progress, 1L);
    curl_.set(easy, CurlLong::tcp_no_delay, 1L);
    curl_.set(easy, CurlLong::buffer_size, kReadBuffer);
    curl_.set(easy, CurlLong::timeout_ms, static_cast<long>(target_.deadline.count()));
    curl_.set(easy, CurlPointer::http_header, header_.get());
    curl_.set(easy, CurlPointer::private_data, &slot);
    curl_.set(easy, CurlPointer::error_buffer, slot.words.data());
    curl_.set(easy, CurlPointer::write_data, &slot);
    curl_.set(easy, CurlCallback::write, &Slot::take);
    return slot;
  }

  [[nodiscard]] Slot& take_free() {
    Slot& slot = *free_.back();
    free_.pop_back();
    return slot;
  }

  void act(int socket, int what) {
    int running = 0;
    require(curl_.multi_socket_action(multi_.get(), socket, what, &running),
            "curl_multi_socket_action");
  }

  // Whether there was one.
  bool tell_ends() {
    bool any = false;
    int left = 0;
    while (const CurlMessage* message = curl_.multi_info_read(multi_.get(), &left)) {
      if (message->message != kCurlDone) continue;
      any = true;
      const CurlCode code = message->data.result;
      CurlEasy* easy = message->easy;  // the message goes with the handle
      Slot& slot = *static_cast<Slot*>(curl_.info(easy, CurlInfoPointer::private_data));
      TransferEnd end{.ending = ending_of(code),
                      .status = static_cast<int>(curl_.info(easy, CurlInfoLong::response_code)),
                      .words = {}};
      if (code != kCurlOk) {
        end.words = slot.words.front() != '\0' ? slot.words.data() : curl_.words(code);
      }
      require(curl_.multi_remove_handle(multi_.get(), easy), "curl_multi_remove_handle");
      TransferListener* listener = std::exchange(slot.listener, nullptr);
      free_.push_back(&slot);
      --under_way_;
      listener->on_end(end);
    }
    return any;
  }

  void set_alarm(std::optional<TransferTime> time) {
    // One that has come stays readable until it is set again.
    if (time == alarm_time_) return;
    const itimerspec alarm = alarm_at(time);
    if (::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &alarm, nullptr) != 0) {
      throw system_failure(Stop::environment, "cannot set a timer", "timerfd_settime");
    }
    alarm_time_ = time;
  }

  void note_delay(nanoseconds delay) {
    ++delay_.events;
    if (delay > kLateHandling) ++delay_.late_events;
    delay_.longest = std::max(delay_.longest, delay);
  }

  [[nodiscard]] int watched(int socket) const {
    const auto index = static_cast<std::size_t>(socket);
    return index < watched_.size() ? watched_[index] : 0;
  }

  [[nodiscard]] static int selected(std::uint32_t events) {
    int what = 0;
    if ((events & (EPOLLIN | EPOLLHUP)) != 0) what |= kCurlSelectIn;
    if ((events & EPOLLOUT) != 0) what |= kCurlSelectOut;
    if ((events & EPOLLERR) != 0) what |= kCurlSelectError;
    return what;
  }

  // A CurlSocketCallback.
  static int watch_socket(CurlEasy* /*easy*/, int socket, int what, void* data, void* /*own*/) {
    auto& self = *static_cast<Implementation*>(data);
    const auto index = static_cast<std::size_t>(socket);
    if (index >= self.watched_.size()) self.watched_.resize(index + 1, 0);
    const int before = self.watched_[index];
    const int wanted = what == kCurlPollRemove ? 0 : what;
    if (wanted == before) return 0;
    self.watched_[index] = wanted;
    epoll_event event{};
    event.events = ((wanted & kCurlPollIn) != 0 ? std::uint32_t{EPOLLIN} : 0U) |
                   ((wanted & kCurlPollOut) != 0 ? std::uint32_t{EPOLLOUT} : 0U);
    event.data.fd = socket;
    const int change = wanted == 0 ? EPOLL_CTL_DEL : before == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    // A socket that has been closed already has left by itself; any other failure shows as a
    // request that times out.
    ::epoll_ctl(self.poll_.get(), change, socket, &event);
    return 0;
  }

  // A CurlTimerCallback.
  static int plan_timer(CurlMulti* /*multi*/, long milliseconds, void* data) {
    auto& self = *static_cast<Implementation*>(data);
    if (milliseconds < 0) {
      self.timer_.reset();
    } else {
      self.timer_ = steady_clock::now() + std::chrono::milliseconds(milliseconds);
    }
    return 0;
  }

  const CurlLibrary& curl_;
  TransferTarget target_;
  Owned<CurlList*> header_;
  Descriptor poll_;
  Descriptor alarm_;
  std::vector<int> watched_;  // what libcurl waits for, by socket; 0: nothing
  std::optional<TransferTime> timer_;
  std::optional<TransferTime> alarm_time_;
  TransferTime woken_ = steady_clock::now();
  // In this order: the handles go first, then what they belong to, which calls back.
  Owned<CurlMulti*> multi_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;
};

Transfers::Transfers(const CurlLibrary& curl, TransferTarget target)
    : implementation_(std::make_unique<Implementation>(curl, std::move(target))) {}
Transfers::~Transfers() = default;

void Transfers::start(std::string body, TransferListener& listener) {
  implementation_->start(std::move(body), listener);
}
void Transfers::wake_on(int descriptor) { implementation_->wake_on(descriptor); }
void Transfers::wait(std::optional<TransferTime> until) { implementation_->wait(until); }
std::size_t Transfers::under_way() const { return implementation_->under_way_; }
const HandlingDelay& Transfers::delay() const { return implementation_->delay_; }
void Transfers::reset_delay() { implementation_->delay_ = {}; }

}  // namespace autokernel::http
