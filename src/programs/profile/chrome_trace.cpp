#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "autokernel/base/visible_text.h"
#include "autokernel/programs/profile_views.h"
#include "programs/profile/kernel_name.h"
#include "programs/profile/scales.h"

namespace autokernel::programs {
namespace {

[[nodiscard]] std::string quoted(const std::string& text) {
  return nlohmann::json(valid_utf8(text)).dump();
}

// One line of the file for each event.
class Events {
 public:
  explicit Events(Nanoseconds origin) : origin_(origin) {}

  void add(const std::string& name, const char* category, std::int64_t process, std::int64_t row,
           Nanoseconds start, Nanoseconds end, const std::string& arguments) {
    begin();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
                   R"("args":{{{}}}}})",
                   category, name, process, row, static_cast<double>(start - origin_) / kNsPerUs,
                   static_cast<double>(end - start) / kNsPerUs, arguments);
  }
  void label(const char* what, std::int64_t process, std::int64_t row, const std::string& name) {
    begin();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
                   process, row, quoted(name));
  }
  [[nodiscard]] std::string finished() { return std::move(text_) + "\n]}\n"; }

 private:
  void begin() {
    text_ += is_first_ ? "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" : ",\n";
    is_first_ = false;
  }

  Nanoseconds origin_;
  std::string text_;
  bool is_first_ = true;
};

[[nodiscard]] Nanoseconds origin_of(const Profile& profile) {
  Nanoseconds origin = std::numeric_limits<Nanoseconds>::max();
  for (const Launch& launch : profile.launches) origin = std::min(origin, launch.start);
  for (const Transfer& transfer : profile.transfers) origin = std::min(origin, transfer.start);
  for (const Range& range : profile.ranges) origin = std::min(origin, range.start);
  return origin;
}

}  // namespace

std::string chrome_trace(const Profile& profile) {
  Events events(origin_of(profile));
  // Devices come before the processes' own rows, as PyTorch's traces have it.
  const auto device_row = [](const Place& place) {
    return static_cast<std::int64_t>(place.device);
  };
  for (std::size_t i = 0; i < profile.devices.size(); ++i) {
    events.label("process_name", static_cast<std::int64_t>(i), 0,
                 fmt::format("GPU {}: {}", profile.devices[i].ordinal, profile.devices[i].name));
  }
  for (const Process& process : profile.processes) {
    events.label("process_name", process.id, 0, process.command);
  }
  std::vector<std::string> names;
  names.reserve(profile.names.size());
  for (const std::string& name : profile.names) names.push_back(quoted(demangled(name)));
  for (const Launch& launch : profile.launches) {
    const Extent& grid = launch.grid;
    const Extent& block = launch.block;
    events.add(names[launch.name], "kernel", device_row(launch.place), launch.place.stream,
               launch.start, launch.end,
               fmt::format(R"("grid":[{},{},{}],"block":[{},{},{}],"registers per thread":{},)"
                           R"("shared memory":{},"stream":{},"device":{})",
                           grid.x, grid.y, grid.z, block.x, block.y, block.z, launch.registers,
                           std::max<std::int64_t>(launch.static_shared, 0) +
                               std::max<std::int64_t>(launch.dynamic_shared, 0),
                           launch.place.stream, launch.place.device));
  }
  for (const Transfer& transfer : profile.transfers) {
    const bool fills = transfer.kind == "fill";
    events.add(quoted(fills ? "Memset" : "Memcpy " + transfer.kind),
               fills ? "gpu_memset" : "gpu_memcpy", device_row(transfer.place),
               transfer.place.stream, transfer.start, transfer.end,
               fmt::format(R"("bytes":{},"stream":{},"device":{})", transfer.bytes,
                           transfer.place.stream, transfer.place.device));
  }
  for (const Range& range : profile.ranges) {
    const std::int64_t process =
        range.process < profile.processes.size() ? profile.processes[range.process].id : 0;
    events.add(quoted(range.text), "user_annotation", process, range.thread, range.start, range.end,
               "");
  }
  return events.finished();
}

}  // namespace autokernel::programs
