// Any bytes are either a profile, which then holds what the layers above take for granted, or an
// error of usage that is one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "autokernel/base/error.h"
#include "programs/profile/chrome_trace_import.h"

namespace {

namespace programs = autokernel::programs;
using programs::kUnknown;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_place(const programs::Place& place, const programs::Profile& profile) {
  require(place.process < profile.processes.size() && place.device < profile.devices.size());
  require(place.stream >= kUnknown);
}

void check_profile(const programs::Profile& profile) {
  require(!profile.launches.empty() || !profile.transfers.empty());
  programs::Nanoseconds before = profile.launches.empty() ? 0 : profile.launches.front().start;
  for (const programs::Launch& launch : profile.launches) {
    check_place(launch.place, profile);
    require(launch.name < profile.names.size() && launch.start <= launch.end);
    require(before <= launch.start);
    require(launch.operation >= kUnknown &&
            launch.operation < static_cast<std::int64_t>(profile.operations.size()));
    before = launch.start;
  }
  for (const programs::Transfer& transfer : profile.transfers) {
    check_place(transfer.place, profile);
    require(transfer.start <= transfer.end && !transfer.kind.empty());
  }
  for (const programs::Operation& operation : profile.operations) {
    require(operation.types.empty() || operation.types.size() == operation.dims.size());
  }
  for (const programs::Range& range : profile.ranges) {
    require(range.process < profile.processes.size() && range.start <= range.end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string json(data, data + size);
  // So that something lies across the end of a piece.
  constexpr std::size_t kAtOnce = 64;
  try {
    check_profile(programs::chrome_trace_profile(
        programs::pieces_of(std::string_view(json), kAtOnce), "cannot import it"));
  } catch (const autokernel::Error& error) {
    const std::string what = error.what();
    require(error.stop() == autokernel::Stop::usage);
    require(what.starts_with("cannot import it: ") && what.find('\n') == std::string::npos);
  }
  return 0;
}
