#include "autokernel/notify/notifier.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <exception>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/notify/secret_variables.h"
#include "notify/event_stamp.h"
#include "notify/packet_channel.h"
#include "notify/sender_packets.h"

namespace autokernel::notify {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// For room in the channel, which itself has room for some.
constexpr std::size_t kMostWaitingForRoom = 32;
// Events whose outcome is remembered: those of a run of a day.
constexpr std::size_t kMostRemembered = 256;
// Of each text of an event; messages show less.
constexpr std::size_t kLongestTextOfEvent = 4096;

constexpr const char* kPending = "pending";

void shorten_texts(Event& event) {
  for (std::string* text : {&event.run, &event.problem, &event.description, &event.reason}) {
    if (text->size() > kLongestTextOfEvent) text->resize(kLongestTextOfEvent);
  }
}

// The sender works in the root folder.
void make_plot_absolute(Event& event) {
  if (event.plot.empty()) return;
  std::error_code failed;
  event.plot = fs::absolute(event.plot, failed);
  if (failed) event.plot.clear();
}

}  // namespace

Notifier Notifier::open(const Surroundings& surroundings, Flag flag, const Command& sender) {
  Notifier notifier;
  notifier.flag_ = flag;
  try {
    const Configuration configuration = read_configuration(surroundings);
    if (configuration.targets.empty()) return notifier;
    notifier.enabled_ = true;
    for (const Target& target : configuration.targets) {
      notifier.wanted_.insert(target.events.begin(), target.events.end());
    }
    if (flag == Flag::no_notify) return notifier;
    PacketChannel channel = make_packet_channel();
    Command command = sender;
    // Addresses reach it through the channel, and through nothing that others can look at.
    command.inherits = Inherits::nothing;
    command.environment.merge(without_notify_variables(surroundings.variables));
    start_detached(command, channel.theirs);
    if (hand_packet(channel.ours, packet_of(configuration)) == Handed::over) {
      notifier.channel_ = std::move(channel.ours);
    }
  } catch (const Error& error) {  // a run needs no notifications
    if (flag == Flag::not_given) {
      notifier.remark_ = std::string("notifications are off: ") + error.what();
    }
  }
  return notifier;
}

WebhookRecord Notifier::forecast(std::optional<EventKind> kind) const {
  WebhookRecord record;
  record.enabled_by_config = enabled_;
  record.disabled_by_flag = flag_ == Flag::no_notify;
  if (record.disabled_by_flag) {
    record.status = "disabled by --no-notify";
  } else if (!enabled_) {
    record.status = remark_.empty() ? "not configured" : "the configuration cannot be used";
  } else if (!kind) {
    record.status = "no event";
  } else if (!wanted_.contains(*kind)) {
    record.status = "no target wants it";
  } else {
    record.expected = true;
    record.status = channel_.is_open() ? kPending : "dropped: there is no sender";
  }
  return record;
}

WebhookRecord Notifier::post(Event event) {
  WebhookRecord record = forecast(event.kind);
  if (!record.expected || !channel_.is_open()) return record;
  try {
    stamp(event);
    shorten_texts(event);
    make_plot_absolute(event);
    waiting_.push_back({event.id, packet_of(event)});
    posted_.push_back({.id = event.id, .record = record});
    take_reports();
    hand_over();
    while (waiting_.size() > kMostWaitingForRoom) {
      settle_as(waiting_.front().id, "dropped");
      waiting_.pop_front();
      ++dropped_;
    }
    while (posted_.size() > kMostRemembered) posted_.pop_front();
    return posted_.back().record;
  } catch (const std::exception&) {  // for lack of memory or random numbers: no reason to stop
    record.status = "dropped";
    ++dropped_;
    return record;
  }
}

WebhookRecord Notifier::latest() {
  take_reports();
  hand_over();
  return posted_.empty() ? forecast(std::nullopt) : posted_.back().record;
}

std::vector<WebhookRecord> Notifier::settle(milliseconds patience, int interrupts) {
  const auto deadline = steady_clock::now() + patience;
  const auto is_settled = [](const Posted& posted) { return posted.is_settled; };
  while (true) {
    take_reports();
    hand_over();
    if (!channel_.is_open() || std::ranges::all_of(posted_, is_settled)) break;
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left <= milliseconds::zero()) break;
    const auto for_channel = static_cast<short>(waiting_.empty() ? POLLIN : POLLIN | POLLOUT);
    std::array watched = {pollfd{.fd = channel_.get(), .events = for_channel, .revents = 0},
                          pollfd{.fd = interrupts, .events = POLLIN, .revents = 0}};
    ::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
    if (watched[1].revents != 0) break;
  }
  std::vector<WebhookRecord> records;
  records.reserve(posted_.size());
  for (const Posted& posted : posted_) records.push_back(posted.record);
  return records;
}

void Notifier::hand_over() {
  while (channel_.is_open() && !waiting_.empty()) {
    const Handed handed = hand_packet(channel_, waiting_.front().bytes);
    if (handed == Handed::no_room) return;
    if (handed == Handed::to_nobody) return give_up_on_sender();
    waiting_.pop_front();
  }
}

void Notifier::take_reports() {
  while (channel_.is_open()) {
    const TakenPacket taken = take_packet(channel_);
    if (taken.is_over) return give_up_on_sender();
    if (!taken.bytes) return;
    const auto report = report_of_packet(*taken.bytes);
    if (!report) continue;
    const auto found = std::ranges::find(posted_, report->id, &Posted::id);
    if (found == posted_.end()) continue;
    found->is_settled = true;
    found->record.attempted = report->attempted;
    found->record.sent = report->sent;
    found->record.status = report->status;
  }
}

void Notifier::settle_as(const std::string& id, const std::string& status) {
  const auto found = std::ranges::find(posted_, id, &Posted::id);
  if (found == posted_.end()) return;
  found->is_settled = true;
  found->record.status = status;
}

// Somebody killed it. The next command starts another one.
void Notifier::give_up_on_sender() {
  channel_.close();
  waiting_.clear();
  for (Posted& posted : posted_) {
    if (!posted.is_settled) settle_as(posted.id, "dropped: the sender was ended");
  }
}

}  // namespace autokernel::notify
