#include "serve/judge_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/sources.h"

namespace autokernel::serve {
namespace {

// A kernel that includes a library has some hundred kilobytes.
constexpr std::size_t kLargestSources = std::size_t{4} << 20U;
constexpr std::size_t kMostFiles = 256;
constexpr int kMostSamples = 10'000;
// A recording of noise takes half a minute.
constexpr double kLongestRecording = 300;
constexpr std::size_t kMostNoise = 64;
// As `bench --timeout` for a kernel that needs long; more would keep the others waiting.
constexpr double kLongestPhase = 600;
constexpr std::size_t kLongestName = 300;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Stop::usage, "cannot judge that: " + why);
}

[[nodiscard]] std::size_t bytes_of(const std::string& source,
                                   const std::map<std::string, std::string>& files) {
  std::size_t bytes = source.size();
  for (const auto& [path, text] : files) bytes += path.size() + text.size();
  return bytes;
}

void require_kernel(const std::string& source, const std::map<std::string, std::string>& files) {
  if (files.size() > kMostFiles) refuse(fmt::format("it has more than {} files", kMostFiles));
  if (bytes_of(source, files) > kLargestSources)
    refuse(fmt::format("its sources have more than {} bytes", kLargestSources));
}

[[nodiscard]] double bounded(double seconds, double usual) {
  return seconds > 0 ? std::min(seconds, kLongestPhase) : usual;
}

}  // namespace

trial::TrialOrder judged_order(const trial::TrialOrder& asked, const RegisteredCase& own) {
  const trial::Request& from = asked.request;
  if (std::ranges::find(own.sizes, from.size) == own.sizes.end())
    refuse(fmt::format("the case {} has no size '{}'", own.name, visible_line(from.size)));
  require_kernel(from.source, from.files);
  trial::Request request;
  request.case_directory = own.directory;
  // Its name alone: it says which language it is in, and messages name it.
  request.kernel_file = own.directory / from.kernel_file.filename();
  request.source = from.source;
  request.files = from.files;
  request.device = {.kind = from.device.kind, .ordinal = from.device.ordinal, .place = {}};
  if (from.architecture.size() > kLongestName) refuse("it names no architecture");
  request.architecture = from.architecture;
  request.size = from.size;
  request.depth = from.depth;
  request.cached = from.cached;
  request.baselines = from.baselines;
  request.only_baseline = from.only_baseline;
  if (from.samples) request.samples = std::clamp(*from.samples, 1, kMostSamples);
  if (from.recording_seconds)
    request.recording_seconds = std::clamp(*from.recording_seconds, 0.0, kLongestRecording);
  request.known_device = from.known_device;
  if (from.noise.size() <= kMostNoise) request.noise = from.noise;
  const auto require_name = [](const std::string& name, const char* what) {
    if (name.size() > kLongestName) refuse(fmt::format("{} is too long", what));
  };
  require_name(from.only_baseline, "the name of the baseline");
  if (from.known_device) {
    require_name(from.known_device->name, "the name of the device");
    require_name(from.known_device->driver_version, "the driver's version");
  }
  for (const trial::DeviceNoise& noise : request.noise) {
    require_name(noise.device, "the name of a device");
    require_name(noise.driver_version, "a driver's version");
  }
  if (from.incumbent) {
    require_name(from.incumbent->name, "the incumbent's name");
    require_name(from.incumbent->kernel_name, "the name of the incumbent's file");
    require_kernel(from.incumbent->source, from.incumbent->files);
    request.incumbent = from.incumbent;
    request.incumbent->headers.clear();
  }
  trial::Request with_files = request;
  with_files.case_files = own.request.case_files;
  if (trial::runs_python(with_files))
    refuse("a kernel in Python is compiled by its author's code, which a judge does not run");
  const trial::Limits usual;
  trial::Limits limits;
  limits.compile_seconds = bounded(asked.limits.compile_seconds, usual.compile_seconds);
  limits.check_seconds = bounded(asked.limits.check_seconds, usual.check_seconds);
  limits.time_seconds = bounded(asked.limits.time_seconds, usual.time_seconds);
  return {.limits = limits, .request = std::move(request)};
}

trial::TrialOrder with_case(trial::TrialOrder order, const RegisteredCase& own,
                            const driver::DeviceChoice& device) {
  trial::Request& request = order.request;
  request.case_files = own.request.case_files;
  request.case_images = own.request.case_images;
  request.header_folders = own.request.header_folders;
  request.device = {.kind = device.kind, .ordinal = device.ordinal, .place = {}};
  request = trial::with_reachable_headers(std::move(request));
  return order;
}

Wanted wanted_by(const trial::Request& asked) {
  Wanted wanted{.kind = asked.device.kind};
  // "cuda" is any GPU of a judge's, as "cuda:0" is the first.
  if (asked.device.kind == driver::DeviceChoice::Kind::cuda && asked.device.ordinal > 0)
    wanted.ordinal = asked.device.ordinal;
  if (asked.known_device) wanted.device = asked.known_device->name;
  return wanted;
}

}  // namespace autokernel::serve
