#include "programs/profile/chrome_trace_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "autokernel/base/error.h"
#include "programs/profile/enclosing_operations.h"
#include "programs/profile/kept_memory.h"
#include "programs/profile/launch_calls.h"
#include "programs/profile/name_table.h"
#include "programs/profile/operation_table.h"
#include "programs/profile/order_of_time.h"
#include "programs/profile/trace_reader.h"

namespace autokernel::programs {
namespace {

// More than any program of one machine has. Looking for the call of a kernel takes a step for each.
constexpr std::size_t kMostProcesses = 1024;
constexpr std::size_t kMostDevices = 4096;

// What ties the work of a device to the call it is from.
struct Tie {
  std::int64_t correlation = 0;
  std::int64_t operation = 0;
};

[[nodiscard]] Extent extent_of(const Triple& triple) {
  const auto [x, y, z] = triple.values;
  return {.x = static_cast<std::uint32_t>(x),
          .y = static_cast<std::uint32_t>(y),
          .z = static_cast<std::uint32_t>(z)};
}

// "Memcpy HtoD (Pageable -> Device)", or "HtoD", or ROCm's "CopyHostToDevice".
[[nodiscard]] std::string copy_kind(const TraceEvent& event) {
  static constexpr std::array<std::string_view, 10> kKinds = {
      "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA"};
  static constexpr std::array<std::pair<std::string_view, const char*>, 4> kLongKinds = {
      {{"HostToDevice", "HtoD"},
       {"DeviceToHost", "DtoH"},
       {"DeviceToDevice", "DtoD"},
       {"HostToHost", "HtoH"}}};
  for (const std::string* text : {&event.name, &event.copy_kind}) {
    for (const std::string_view kind : kKinds) {
      if (text->find(kind) != std::string::npos) return std::string(kind);
    }
    for (const auto& [spelling, kind] : kLongKinds) {
      if (text->find(spelling) != std::string::npos) return kind;
    }
  }
  return "other";
}

// A stream is also the thread of its work.
[[nodiscard]] std::int64_t stream_of(const TraceEvent& event) {
  if (event.stream.is_given()) return event.stream.value;
  return std::max(event.thread.value_or(kUnknown), kUnknown);
}

[[nodiscard]] bool is_wrong(const Number& number) { return number.given == Given::wrong; }
[[nodiscard]] bool is_wrong(const Triple& triple) { return triple.given == Given::wrong; }

[[nodiscard]] bool has_span(const TraceEvent& event) {
  return event.named == Given::yes && event.start.is_given() && event.duration.is_given() &&
         event.duration.value >= 0;
}

[[nodiscard]] bool is_sound_work(const TraceEvent& event) {
  return has_span(event) && !is_wrong(event.device) && !is_wrong(event.stream) &&
         !is_wrong(event.correlation) && !is_wrong(event.operation) &&
         !is_wrong(event.graph_node) && !is_wrong(event.bytes) && !is_wrong(event.grid) &&
         !is_wrong(event.block) && !is_wrong(event.registers) && !is_wrong(event.shared) &&
         event.bytes.value_or(0) >= 0;
}

[[nodiscard]] bool is_sound_call(const TraceEvent& event) {
  return has_span(event) && event.process.is_given() && event.thread.is_given() &&
         !is_wrong(event.correlation) && !is_wrong(event.operation);
}

class TraceImport {
 public:
  explicit TraceImport(const std::string& attempt) : attempt_(attempt), memory_(attempt) {}

  void take(TraceEvent& event) {
    switch (event.kind) {
      case EventKind::kernel:
        return count_unless(is_sound_work(event) && take_kernel(event));
      case EventKind::copy:
      case EventKind::fill:
        return count_unless(is_sound_work(event) && take_transfer(event));
      case EventKind::call:
        return count_unless(is_sound_call(event) && take_call(event));
      case EventKind::operation:
      case EventKind::annotation:
        return count_unless(is_sound_call(event) && take_execution(event));
      case EventKind::process_name:
        return take_process_name(event);
      case EventKind::other:
        return;
    }
  }

  [[nodiscard]] Profile finish(TraceHeader header) {
    header_ = std::move(header);
    if (profile_.launches.empty() && profile_.transfers.empty()) throw no_work();
    profile_.source = "PyTorch trace";
    name_processes();
    describe_devices();
    tie();
    profile_.names = names_.take();
    sort_by_time(profile_);
    warn();
    return std::move(profile_);
  }

 private:
  void count_unless(bool taken) {
    if (!taken) ++damaged_;
  }

  [[nodiscard]] std::optional<std::uint32_t> device_of(const TraceEvent& event) {
    // The process of a device's work is the device.
    const std::int64_t number = event.device.value_or(event.process.value_or(0));
    const auto [entry, is_new] =
        devices_.try_emplace(number, static_cast<std::uint32_t>(devices_.size()));
    if (is_new && devices_.size() > kMostDevices) {
      devices_.erase(entry);
      return std::nullopt;
    }
    return entry->second;
  }

  [[nodiscard]] std::optional<std::uint32_t> process_of(const TraceEvent& event) {
    const auto [entry, is_new] = processes_.try_emplace(
        event.process.value, static_cast<std::uint32_t>(profile_.processes.size()));
    if (!is_new) return entry->second;
    if (processes_.size() > kMostProcesses) {
      processes_.erase(entry);
      return std::nullopt;
    }
    profile_.processes.push_back({.id = event.process.value, .command = {}});
    return entry->second;
  }

  [[nodiscard]] static Tie tie_of(const TraceEvent& event) {
    return {.correlation = event.correlation.value_or(0), .operation = event.operation.value_or(0)};
  }

  [[nodiscard]] bool take_kernel(const TraceEvent& event) {
    const std::optional<std::uint32_t> device = device_of(event);
    if (!device) return false;
    memory_.take(sizeof(Launch) + sizeof(Tie));
    Launch launch;
    launch.name = names_.index_of(event.name);
    launch.place = {.device = *device, .stream = stream_of(event)};
    launch.start = event.start.value;
    launch.end = event.start.value + event.duration.value;
    launch.grid = extent_of(event.grid);
    launch.block = extent_of(event.block);
    launch.registers = event.registers.value_or(kUnknown);
    // Both kinds together, which is all that is recorded.
    launch.dynamic_shared = event.shared.value_or(kUnknown);
    if (launch.dynamic_shared == 0) launch.static_shared = 0;
    launch.in_graph = event.graph_node.value_or(0) != 0;
    profile_.launches.push_back(launch);
    launch_ties_.push_back(tie_of(event));
    return true;
  }

  [[nodiscard]] bool take_transfer(const TraceEvent& event) {
    const std::optional<std::uint32_t> device = device_of(event);
    if (!device) return false;
    memory_.take(sizeof(Transfer) + sizeof(Tie));
    Transfer transfer;
    transfer.kind = event.kind == EventKind::fill ? "fill" : copy_kind(event);
    transfer.place = {.device = *device, .stream = stream_of(event)};
    transfer.start = event.start.value;
    transfer.end = event.start.value + event.duration.value;
    transfer.bytes = static_cast<std::uint64_t>(event.bytes.value_or(0));
    profile_.transfers.push_back(std::move(transfer));
    transfer_ties_.push_back(tie_of(event));
    return true;
  }

  [[nodiscard]] bool take_call(const TraceEvent& event) {
    const std::optional<std::uint32_t> process = process_of(event);
    if (!process) return false;
    const CallKind kind = kind_of_call(event.name);
    if (kind == CallKind::other && event.correlation.value_or(0) == 0) return true;
    memory_.take(sizeof(Call));
    calls_.push_back({.correlation = event.correlation.value_or(0),
                      .process = *process,
                      .kind = kind,
                      .thread = event.thread.value,
                      .start = event.start.value,
                      .operation = event.operation.value_or(0)});
    return true;
  }

  // A step of the profiler is an annotation, which was an operation before PyTorch 1.12. An
  // annotation with inputs is also an operation: NCCL's are.
  [[nodiscard]] bool take_execution(TraceEvent& event) {
    const std::optional<std::uint32_t> process = process_of(event);
    if (!process) return false;
    const bool is_range =
        event.kind == EventKind::annotation || event.name.starts_with("ProfilerStep");
    if (!is_range || event.dims.given != Given::no) take_operation(event, *process);
    if (is_range) {
      memory_.take(sizeof(Range) + event.name.size());
      profile_.ranges.push_back({.text = std::move(event.name),
                                 .process = *process,
                                 .thread = event.thread.value,
                                 .start = event.start.value,
                                 .end = event.start.value + event.duration.value});
    }
    const bool is_damaged = event.dims.given == Given::wrong;
    return !is_damaged;
  }

  void take_operation(const TraceEvent& event, std::uint32_t process) {
    if (event.dims.given == Given::wrong) return;
    memory_.take(sizeof(OperationSpan) + 2 * sizeof(std::uint32_t));
    executions_.push_back({.process = process,
                           .operation = operations_.index_of(event),
                           .has_shapes = !event.dims.elements.empty(),
                           .thread = event.thread.value,
                           .start = event.start.value,
                           .end = event.start.value + event.duration.value,
                           .number = event.operation.value_or(0)});
  }

  void take_process_name(TraceEvent& event) {
    if (!event.process.is_given() || event.label.empty()) return;
    if (labels_.size() == kMostProcesses) return;
    memory_.take(event.label.size());
    labels_.try_emplace(event.process.value, std::move(event.label));
  }

  void name_processes() {
    // A trace of the device alone tells nothing of the program.
    if (profile_.processes.empty()) profile_.processes.emplace_back();
    for (Process& process : profile_.processes) {
      const auto label = labels_.find(process.id);
      if (label != labels_.end()) process.command = label->second;
      if (process.id > kFirstText) continue;
      const auto text = static_cast<std::size_t>(kFirstText - process.id);
      process.id = 0;
      if (text >= header_.texts.size()) continue;
      if (!process.command.empty()) process.command += ' ';
      process.command += header_.texts[text];
    }
    if (header_.rank && profile_.processes.size() == 1) {
      std::string& command = profile_.processes.front().command;
      command += fmt::format("{}(rank {})", command.empty() ? "" : " ", *header_.rank);
    }
  }

  // Those that were used: the others of the machine say nothing about the program.
  void describe_devices() {
    profile_.devices.resize(devices_.size());
    for (const auto& [number, index] : devices_) {
      driver::DeviceInfo& device = profile_.devices[index];
      const auto found = std::ranges::find(
          header_.devices, number,
          [](const driver::DeviceInfo& described) { return std::int64_t{described.ordinal}; });
      if (found != header_.devices.end()) device = *found;
      const bool is_ordinal = number >= 0 && number <= std::numeric_limits<int>::max();
      device.ordinal = is_ordinal ? static_cast<int>(number) : 0;
    }
  }

  void tie() {
    const LaunchCalls calls(std::move(calls_));
    const EnclosingOperations operations(std::move(executions_));
    count_launches(calls, profile_);
    for (std::size_t i = 0; i < profile_.launches.size(); ++i) {
      tie_launch(launch_ties_[i], calls, operations, profile_.launches[i]);
    }
    for (std::size_t i = 0; i < profile_.transfers.size(); ++i) {
      Transfer& transfer = profile_.transfers[i];
      tie_to_call(calls.of(transfer_ties_[i].correlation, std::nullopt, transfer.start), transfer);
    }
    has_calls_ = profile_.asked != kUnknown;
  }

  template <typename Work>
  static void tie_to_call(const Call* call, Work& work) {
    if (call == nullptr) return;
    work.place.process = call->process;
    work.thread = call->thread;
    work.called = call->start;
  }

  void tie_launch(const Tie& tie, const LaunchCalls& calls, const EnclosingOperations& operations,
                  Launch& launch) {
    const Call* const call = calls.of(tie.correlation, std::nullopt, launch.start);
    tie_to_call(call, launch);
    if (call == nullptr) ++without_call_;
    if (call != nullptr && call->kind == CallKind::graph_launch) launch.in_graph = true;
    // What launched a graph says nothing about its kernels.
    if (launch.in_graph) return;
    const OperationSpan* const span = call != nullptr
                                          ? operations.around(*call)
                                          : operations.numbered(tie.operation, launch.start);
    if (span == nullptr) return;
    has_shapes_ = has_shapes_ || span->has_shapes;
    launch.operation = kept_operation(span->operation);
  }

  // Only operations that launched something are part of the profile.
  [[nodiscard]] std::int64_t kept_operation(std::uint32_t operation) {
    const auto [entry, is_new] = kept_operations_.try_emplace(
        operation, static_cast<std::int64_t>(profile_.operations.size()));
    if (is_new) profile_.operations.push_back(operations_.operation(operation));
    return entry->second;
  }

  void warn() {
    std::vector<std::string>& warnings = profile_.warnings;
    if (damaged_ > 0) {
      warnings.push_back(fmt::format("{} damaged event{} of the trace {} left out.", damaged_,
                                     damaged_ == 1 ? "" : "s", damaged_ == 1 ? "was" : "were"));
    }
    if (header_.is_cut) warnings.emplace_back("The trace ends early: later events are missing.");
    if (profile_.launches.empty()) warnings.emplace_back("The trace has copies, but no kernels.");
    if (has_calls_ && without_call_ > 0) {
      warnings.push_back(fmt::format("The trace does not say what launched {} of its {} kernels.",
                                     without_call_, profile_.launches.size()));
    }
    if (!profile_.operations.empty() && !has_shapes_) {
      warnings.emplace_back(
          "The trace has no shapes of inputs: profile(record_shapes=True) records them.");
    }
  }

  [[nodiscard]] Error no_work() const {
    if (!header_.is_trace) {
      return {Stop::usage, attempt_ +
                               ": it is JSON, but no trace: it has no list \"traceEvents\"; give "
                               "the file that export_chrome_trace() has written"};
    }
    if (damaged_ > 0) {
      return {Stop::usage,
              fmt::format("{}: its {} events are damaged; record again", attempt_, damaged_)};
    }
    return {Stop::usage, attempt_ +
                             ": it has no work of a GPU; record with profile(activities="
                             "[ProfilerActivity.CPU, ProfilerActivity.CUDA])"};
  }

  const std::string& attempt_;
  KeptMemory memory_;
  NameTable names_{memory_};
  OperationTable operations_{memory_};
  Profile profile_;
  TraceHeader header_;
  std::map<std::int64_t, std::uint32_t> devices_;    // by number: index
  std::map<std::int64_t, std::uint32_t> processes_;  // by number: index
  std::map<std::int64_t, std::string> labels_;       // of processes
  std::vector<Tie> launch_ties_, transfer_ties_;     // of the launches and transfers
  std::vector<Call> calls_;
  std::vector<OperationSpan> executions_;
  std::map<std::uint32_t, std::int64_t> kept_operations_;  // by index in the table
  std::int64_t damaged_ = 0;
  std::int64_t without_call_ = 0;
  bool has_calls_ = false;
  bool has_shapes_ = false;
};

}  // namespace

Profile chrome_trace_profile(Pieces json, const std::string& attempt) {
  TraceImport events(attempt);
  TraceHeader header =
      read_trace(std::move(json), attempt, [&events](TraceEvent& event) { events.take(event); });
  return events.finish(std::move(header));
}

}  // namespace autokernel::programs
