#include "autokernel/programs/ranking.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "autokernel/base/sort_stably.h"
#include "autokernel/programs/known_devices.h"
#include "programs/profile/kernel_name.h"
#include "programs/profile/operation_limit.h"
#include "programs/profile/scales.h"

namespace autokernel::programs {
namespace {

// What launches have in common that are one row.
struct Key {
  std::uint32_t name;
  std::uint32_t device;
  Extent grid, block;
  std::int64_t dynamic_shared;
  std::int64_t operation;
  bool in_graph;
  friend auto operator<=>(const Key&, const Key&) = default;
};

[[nodiscard]] double microseconds(Nanoseconds begin, Nanoseconds end) {
  return static_cast<double>(end - begin) / kNsPerUs;
}

// Operations with the same content are one, whichever call they were recorded with.
[[nodiscard]] std::vector<std::int64_t> first_equal(const std::vector<Operation>& operations) {
  std::map<
      std::tuple<std::string, std::vector<std::vector<std::int64_t>>, std::vector<std::string>>,
      std::vector<std::int64_t>>
      like;
  std::vector<std::int64_t> first;
  for (const Operation& operation : operations) {
    std::vector<std::int64_t>& same = like[{operation.name, operation.dims, operation.types}];
    const auto found = std::ranges::find_if(same, [&](std::int64_t index) {
      return operations[static_cast<std::size_t>(index)] == operation;
    });
    if (found != same.end()) {
      first.push_back(*found);
      continue;
    }
    same.push_back(static_cast<std::int64_t>(first.size()));
    first.push_back(same.back());
  }
  return first;
}

void describe_times(RankedKernel& kernel, std::vector<double>& times) {
  std::ranges::sort(times);
  kernel.launches = static_cast<std::int64_t>(times.size());
  kernel.total_us = std::accumulate(times.begin(), times.end(), 0.0);
  kernel.mean_us = kernel.total_us / static_cast<double>(times.size());
  kernel.median_us = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
  kernel.least_us = times.front();
  kernel.most_us = times.back();
}

// How long a device was busy between two times: what overlaps counts once.
class Busy {
 public:
  void add(Nanoseconds start, Nanoseconds end) { pieces_.emplace_back(start, end); }
  [[nodiscard]] double us() {
    std::ranges::sort(pieces_);
    double total = 0;
    Nanoseconds reached = pieces_.empty() ? 0 : pieces_.front().first;
    for (const auto& [start, end] : pieces_) {
      if (end <= reached) continue;
      total += microseconds(std::max(start, reached), end);
      reached = end;
    }
    return total;
  }

 private:
  std::vector<std::pair<Nanoseconds, Nanoseconds>> pieces_;
};

[[nodiscard]] Totals totals_of(const Profile& profile) {
  Totals totals;
  std::map<std::uint32_t, Busy> devices;
  Nanoseconds first = 0;
  Nanoseconds last = 0;
  const auto add = [&](const auto& work, double& sum) {
    if (devices.empty() || work.start < first) first = work.start;
    if (devices.empty() || work.end > last) last = work.end;
    devices[work.place.device].add(work.start, work.end);
    sum += microseconds(work.start, work.end);
  };
  for (const Launch& launch : profile.launches) add(launch, totals.kernels_us);
  for (const Transfer& transfer : profile.transfers) {
    add(transfer, totals.transfers_us);
    totals.transfer_bytes += transfer.bytes;
  }
  totals.launches = static_cast<std::int64_t>(profile.launches.size());
  totals.transfers = static_cast<std::int64_t>(profile.transfers.size());
  totals.span_us = microseconds(first, last);
  if (totals.span_us > 0) {
    double busy = 0;
    for (auto& [device, pieces] : devices) busy += pieces.us();
    totals.idle_share = 1 - busy / (totals.span_us * static_cast<double>(devices.size()));
  }
  return totals;
}

[[nodiscard]] std::vector<OriginShare> shares_of(const std::vector<RankedKernel>& kernels) {
  std::map<Origin, OriginShare> shares;
  for (const RankedKernel& kernel : kernels) {
    OriginShare& share = shares[kernel.origin];
    share.origin = kernel.origin;
    share.launches += kernel.launches;
    share.total_us += kernel.total_us;
    share.share += kernel.share;
  }
  std::vector<OriginShare> sorted;
  sorted.reserve(shares.size());
  for (const auto& [origin, share] : shares) sorted.push_back(share);
  sort_stably(sorted, std::greater<>{}, &OriginShare::total_us);
  return sorted;
}

}  // namespace

Ranking ranked(const Profile& profile) {
  Ranking ranking;
  ranking.source = profile.source;
  ranking.program = profile.program;
  ranking.devices = profile.devices;
  ranking.processes = profile.processes;
  ranking.asked = profile.asked;
  ranking.graph_launches = profile.graph_launches;
  ranking.lost = profile.lost;
  ranking.warnings = profile.warnings;
  ranking.totals = totals_of(profile);

  const std::vector<std::int64_t> same_operation = first_equal(profile.operations);
  std::map<Key, std::pair<const Launch*, std::vector<double>>> rows;
  for (const Launch& launch : profile.launches) {
    const Key key{.name = launch.name,
                  .device = launch.place.device,
                  .grid = launch.grid,
                  .block = launch.block,
                  .dynamic_shared = launch.dynamic_shared,
                  .operation = launch.operation == kUnknown
                                   ? kUnknown
                                   : same_operation[static_cast<std::size_t>(launch.operation)],
                  .in_graph = launch.in_graph};
    auto& [first, times] = rows[key];
    if (first == nullptr) first = &launch;
    times.push_back(microseconds(launch.start, launch.end));
  }
  for (auto& [key, row] : rows) {
    const Launch& launch = *row.first;
    RankedKernel kernel;
    kernel.name = profile.names[key.name];
    kernel.demangled = demangled(kernel.name);
    kernel.short_name = short_name(kernel.demangled);
    kernel.origin = origin_of(kernel.name, kernel.demangled);
    describe_times(kernel, row.second);
    if (ranking.totals.kernels_us > 0) kernel.share = kernel.total_us / ranking.totals.kernels_us;
    kernel.grid = launch.grid;
    kernel.block = launch.block;
    kernel.registers = launch.registers;
    kernel.static_shared = launch.static_shared;
    kernel.dynamic_shared = launch.dynamic_shared;
    kernel.in_graph = launch.in_graph;
    kernel.device = launch.place.device;
    if (key.operation != kUnknown) {
      kernel.operation = profile.operations[static_cast<std::size_t>(key.operation)];
      kernel.limit = limit_of(*kernel.operation, completed(profile.devices[key.device]));
    }
    ranking.kernels.push_back(std::move(kernel));
  }
  sort_stably(ranking.kernels, std::greater<>{}, &RankedKernel::total_us);
  ranking.origins = shares_of(ranking.kernels);
  return ranking;
}

}  // namespace autokernel::programs
