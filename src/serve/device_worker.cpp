#include "serve/device_worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/order.h"
#include "autokernel/trial/place_link.h"
#include "serve/judge_request.h"
#include "serve/solution_run.h"

namespace autokernel::serve {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::seconds;

constexpr seconds kFirstPause{1};
constexpr seconds kLongestPause{60};
// Trials in a row that the machine has failed, after which it is the device that is left alone.
constexpr int kMostFailures = 6;
// What was told to end, and does not, is killed.
constexpr seconds kToEnd{10};

}  // namespace

class DeviceWorker::Implementation : public std::enable_shared_from_this<Implementation> {
 public:
  Implementation(asio::io_context& context, Dispatcher& dispatcher, const RegisteredCases& cases,
                 Dispatcher::WorkerId id, driver::DeviceChoice device, Note note, Worker& worker)
      : context_(context),
        dispatcher_(dispatcher),
        cases_(cases),
        id_(id),
        device_(std::move(device)),
        note_(std::move(note)),
        worker_(worker),
        pause_timer_(context),
        end_timer_(context) {
    offered_ = {.kind = device_.kind,
                .ordinal = device_.ordinal,
                .label = driver::spelling(device_),
                .name = {},
                .is_not = {}};
  }

  void open() {
    if (is_closed_) return;
    try {
      link_ = std::make_unique<trial::PlaceLink>(device_.place);
    } catch (const Error& error) {
      return fail(error.what());
    }
    has_greeted_ = false;
    watch();
  }

  void close(bool at_once) {
    is_closed_ = true;
    pause_timer_.cancel();
    if (at_once || !is_busy_) end_link();
  }

  void start(const Task& task) {
    is_busy_ = true;
    const RegisteredCase* own = cases_.named(task.case_name);
    if (own == nullptr)
      return answer_later(State::failed, failure(Stop::usage, "the judge does not have the case " +
                                                                  task.case_name + " any more"));
    try {
      if (task.kind == TaskKind::solution) return run_solution(task, *own);
      send(trial::encode(with_case(trial::decode_trial_order(task.order), *own, device_)));
    } catch (const Error& error) {
      answer_later(State::failed, failure(error.stop(), error.what()));
    }
  }

  void abort() {
    if (solution_) return solution_->abort();
    end_link();
  }

  // The process goes with the judge.
  void drop() {
    is_closed_ = true;
    pause_timer_.cancel();
    drop_link();
  }

  [[nodiscard]] const Offered& offered() const { return offered_; }
  [[nodiscard]] Status status() const {
    return {.device = offered_.label,
            .name = offered_.name,
            .is_ready = has_greeted_,
            .trouble = trouble_};
  }

 private:
  [[nodiscard]] static std::string failure(Stop stop, const std::string& what) {
    return trial::encode(trial::Event(trial::Failure{.stop = stop, .what = what}));
  }

  // The dispatcher is never called from within its own calls.
  void answer_later(State state, std::string answer) {
    asio::post(context_, [self = shared_from_this(), state, answer = std::move(answer)] {
      self->finish_trial(state, answer);
    });
  }

  void send(const std::string& line) {
    link_->send(line);
    asio::post(context_, [self = shared_from_this()] { self->exchange(); });
  }

  // ---- the link's descriptors -----------------------------------------------------------------
  void watch() {
    waits_.clear();
    ++generation_;
    for (const trial::PlaceLink::Wait& wait : link_->waits_for()) {
      const int copy = ::dup(wait.descriptor);  // Asio closes what it waits on
      if (copy < 0) continue;
      waits_.push_back(std::make_unique<asio::posix::stream_descriptor>(context_, copy));
      const auto what = wait.events == POLLIN ? asio::posix::stream_descriptor::wait_read
                                              : asio::posix::stream_descriptor::wait_write;
      waits_.back()->async_wait(
          what, [self = shared_from_this(), generation = generation_](error_code failed) {
            if (!failed && generation == self->generation_) self->exchange();
          });
    }
  }

  void exchange() {
    if (!link_) return;
    link_->exchange();
    while (link_) {
      const auto line = link_->next_line();
      if (!line) break;
      take(*line);
    }
    if (!link_) return;
    if (link_->is_over()) return lose_link();
    watch();
  }

  void take(const std::string& line) {
    if (!has_greeted_) {
      if (line != trial::relay_greeting() + "\n") {
        fail("it has another build of autokernel: " + visible_line(line));
        return;
      }
      has_greeted_ = true;
      trouble_.clear();
      offer();
      return;
    }
    if (!is_busy_) return;
    try {
      take_event(line, trial::decode_event(line));
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  void take_event(const std::string& line, const trial::Event& event) {
    if (const auto* result = std::get_if<trial::Result>(&event)) {
      if (result->device) offered_.name = result->device->name;
      pause_ = kFirstPause;
      failures_ = 0;
      finish_trial(State::done, line);
    } else if (const auto* what = std::get_if<trial::Failure>(&event)) {
      take_failure(line, *what);
    } else {
      dispatcher_.progressed(id_, line);
    }
  }

  void take_failure(const std::string& line, const trial::Failure& what) {
    if (!what.is_other_device && what.stop != Stop::environment)
      return finish_trial(State::failed, line);
    if (what.is_other_device) {
      // Times of another kind of device are wanted: it may be found elsewhere.
      if (const auto wanted = dispatcher_.wanted_device(id_)) offered_.is_not.insert(*wanted);
    } else if (++failures_ >= kMostFailures) {
      return fail(what.what);
    }
    // It may be the device that failed, or what was asked of it: one after the other will tell.
    is_busy_ = false;
    dispatcher_.lost(id_, what.what);
    offer();
  }

  void finish_trial(State state, const std::string& answer) {
    if (!is_busy_) return;
    is_busy_ = false;
    solution_.reset();
    dispatcher_.answered(id_, state, answer);
    if (is_closed_) return end_link();
    offer();
  }

  void offer() {
    if (is_closed_ || !has_greeted_ || is_busy_) return;
    dispatcher_.ready(id_, worker_, offered_);
  }

  // ---- its end --------------------------------------------------------------------------------
  // Of itself, as it sees that nothing more comes.
  void end_link() {
    if (!link_) return;
    is_ending_ = true;
    link_->end_input();
    end_timer_.expires_after(kToEnd);
    end_timer_.async_wait([self = shared_from_this()](error_code cancelled) {
      if (!cancelled && self->link_) self->lose_link();
    });
    watch();
  }

  void lose_link() {
    // One that was told to end, for the sake of its trial, has done nothing wrong.
    if (is_ending_ && !is_closed_) {
      drop_link();
      dispatcher_.lost(id_, "its trial was ended");
      return open();
    }
    fail(link_->said().empty() ? "it has ended" : link_->said());
  }

  void drop_link() {
    end_timer_.cancel();
    waits_.clear();
    ++generation_;
    if (link_) link_->kill();
    link_.reset();
    solution_.reset();
    has_greeted_ = is_busy_ = is_ending_ = false;
  }

  void fail(const std::string& why) {
    const bool was_told = std::exchange(trouble_, why) == why;
    drop_link();
    dispatcher_.lost(id_, why);
    if (is_closed_) return;
    if (!was_told) note_(fmt::format("{}: {}", offered_.label, visible_line(why)));
    pause_timer_.expires_after(pause_);
    pause_ = std::min<seconds>(2 * pause_, kLongestPause);
    pause_timer_.async_wait([self = shared_from_this()](error_code cancelled) {
      if (!cancelled) self->open();
    });
  }

  void run_solution(const Task& task, const RegisteredCase& own) {
    solution_ = std::make_unique<SolutionRun>(
        context_, task, own, device_, [weak = weak_from_this()](State state, std::string answer) {
          if (const auto self = weak.lock()) self->answer_later(state, std::move(answer));
        });
  }

  asio::io_context& context_;
  Dispatcher& dispatcher_;
  const RegisteredCases& cases_;
  Dispatcher::WorkerId id_;
  driver::DeviceChoice device_;
  Note note_;
  Worker& worker_;
  Offered offered_;
  std::unique_ptr<trial::PlaceLink> link_;
  std::vector<std::unique_ptr<asio::posix::stream_descriptor>> waits_;
  std::uint64_t generation_ = 0;  // of waits_: one that was given up says nothing any more
  std::unique_ptr<SolutionRun> solution_;
  asio::steady_timer pause_timer_;
  asio::steady_timer end_timer_;
  seconds pause_ = kFirstPause;
  int failures_ = 0;
  std::string trouble_;
  bool has_greeted_ = false;
  bool is_busy_ = false;
  bool is_ending_ = false;
  bool is_closed_ = false;
};

DeviceWorker::DeviceWorker(asio::io_context& context, Dispatcher& dispatcher,
                           const RegisteredCases& cases, Dispatcher::WorkerId id,
                           driver::DeviceChoice device, Note note)
    : implementation_(std::make_shared<Implementation>(
          context, dispatcher, cases, id, std::move(device), std::move(note), *this)) {}
// NOLINTNEXTLINE(bugprone-exception-escape): Asio's cancel and close throw in theory alone
DeviceWorker::~DeviceWorker() { implementation_->drop(); }

void DeviceWorker::open() { implementation_->open(); }
void DeviceWorker::close(bool at_once) { implementation_->close(at_once); }
void DeviceWorker::start(const Task& task) { implementation_->start(task); }
void DeviceWorker::abort() { implementation_->abort(); }
const Offered& DeviceWorker::offered() const { return implementation_->offered(); }
DeviceWorker::Status DeviceWorker::status() const { return implementation_->status(); }

}  // namespace autokernel::serve
