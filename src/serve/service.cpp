#include "serve/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "autokernel/base/visible_text.h"
#include "serve/judge_request.h"

namespace autokernel::serve {
namespace {

// What nobody has said a deadline for waits through a night.
constexpr double kUsualDeadline = 12 * 3600;
constexpr double kLongestDeadline = 30 * 24 * 3600;
constexpr double kSecondsPerMinute = 60;
constexpr std::size_t kLongestKey = 200;
// Of a request; a kernel and its incumbent have some tens of kilobytes.
constexpr std::size_t kBytesOfOne = std::size_t{64} << 10U;

}  // namespace

void Service::require_room(const Task& task) {
  const std::string& client = task.client;
  if (!ledger_.has_room()) {
    throw Refusal{.status = 503,
                  .what =
                      "the judge's disk is nearly full: nothing more is taken before there is "
                      "room"};
  }
  if (dispatcher_.waiting_of(client) >= limits_.waiting) {
    throw Refusal{.status = 429,
                  .what = fmt::format("{} trials of yours wait already: let them be measured, or "
                                      "cancel some",
                                      limits_.waiting)};
  }
  const double now = clock_();
  const auto [place, is_new] = buckets_.try_emplace(client, Bucket{limits_.submissions, now});
  Bucket& bucket = place->second;
  bucket.tokens =
      std::min(limits_.submissions,
               bucket.tokens + (now - bucket.filled) * limits_.submissions / kSecondsPerMinute);
  bucket.filled = now;
  const std::size_t pieces = 1 + task.order.size() / kBytesOfOne;
  const double cost = std::min(limits_.submissions, static_cast<double>(pieces));
  if (bucket.tokens < cost) {
    throw Refusal{.status = 429,
                  .what = fmt::format("more than {:.0f} trials a minute, of {} KiB each",
                                      limits_.submissions, kBytesOfOne >> 10U)};
  }
  bucket.tokens -= cost;
}

void Service::require_device(Wanted wanted) const {
  wanted.device.clear();  // which of them it is turns out when it is measured there
  const bool is_there = std::ranges::any_of(
      workers, [&](const auto& worker) { return worker->offered().suits(wanted); });
  if (is_there || workers.empty()) return;
  throw Refusal{.status = 422, .what = "it has no such device; 'auto' takes any that it has"};
}

double Service::deadline_in(double seconds) const {
  const bool is_given = std::isfinite(seconds) && seconds > 0;
  return clock_() + (is_given ? std::min(seconds, kLongestDeadline) : kUsualDeadline);
}

TrialId Service::submit(const std::string& client, const std::string& key,
                        const RegisteredCase& own, const trial::TrialOrder& order,
                        double deadline_seconds) {
  if (key.size() > kLongestKey) throw Refusal{.what = "its key is too long"};
  const trial::TrialOrder judged = judged_order(order, own);
  const Wanted wanted = wanted_by(judged.request);
  Task task{.client = client,
            .key = key,
            .case_name = own.name,
            .order = trial::encode(judged),
            .wanted = wanted};
  if (const auto known = ledger_.find(client, key)) {
    const auto earlier = ledger_.find(*known);
    if (earlier && earlier->case_name == task.case_name && earlier->order == task.order)
      return *known;
    throw Refusal{.status = 409,
                  .what = fmt::format("the key '{}' is that of another trial of yours, {}",
                                      visible_line(key), *known)};
  }
  require_device(wanted);
  return submit(std::move(task), deadline_seconds);
}

TrialId Service::submit(const std::string& client, const std::string& key,
                        const RegisteredCase& own, const std::string& solution_order,
                        double deadline_seconds) {
  if (const auto known = ledger_.find(client, key)) return *known;
  return submit(Task{.kind = TaskKind::solution,
                     .client = client,
                     .key = key,
                     .case_name = own.name,
                     .order = solution_order},
                deadline_seconds);
}

TrialId Service::submit(Task task, double deadline_seconds) {
  require_room(task);
  task.received = clock_();
  task.deadline = deadline_in(deadline_seconds);
  return dispatcher_.submit(task);
}

std::vector<DeviceWorker::Status> Service::devices() const {
  std::vector<DeviceWorker::Status> devices;
  devices.reserve(workers.size());
  for (const auto& worker : workers) devices.push_back(worker->status());
  return devices;
}

}  // namespace autokernel::serve
