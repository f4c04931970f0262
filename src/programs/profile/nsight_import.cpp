// The tables that are read, and their columns: see each below. Which there are, and which columns
// they have, differs by version and by what was recorded. A process is a globalPid, and a thread a
// globalTid: both have the number of the process in bits 24 to 47, and that of the thread below.
#include "programs/profile/nsight_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "autokernel/base/error.h"
#include "programs/profile/kept_memory.h"
#include "programs/profile/launch_calls.h"
#include "programs/profile/name_table.h"
#include "programs/profile/nsight_devices.h"
#include "programs/profile/nsight_values.h"
#include "programs/profile/order_of_time.h"
#include "programs/profile/sqlite_file.h"

namespace autokernel::programs {
namespace {

constexpr std::size_t kMostReportProcesses = 1024;
constexpr std::size_t kMostReportDevices = 4096;
constexpr unsigned kThreadBits = 24;
constexpr std::int64_t kThreadMask = (std::int64_t{1} << kThreadBits) - 1;
[[nodiscard]] std::int64_t process_part(std::int64_t global) { return global >> kThreadBits; }
[[nodiscard]] std::int64_t process_number(std::int64_t global) {
  return process_part(global) & kThreadMask;
}

// NVTX_EVENTS.eventType
constexpr std::int64_t kPushedRange = 59;
constexpr std::int64_t kStartedRange = 60;

// What ties the work of a device to the call it is from, once all calls are known.
struct ReportTie {
  std::int64_t correlation = 0;
  std::optional<std::uint32_t> process;
};

class ReportImport {
 public:
  ReportImport(const std::filesystem::path& file, const std::string& attempt)
      : attempt_(attempt), report_(file, attempt), memory_(attempt) {}

  [[nodiscard]] Profile profile() {
    read_texts();
    read_kernels();
    read_transfers("CUPTI_ACTIVITY_KIND_MEMCPY");
    read_transfers("CUPTI_ACTIVITY_KIND_MEMSET");
    if (profile_.launches.empty() && profile_.transfers.empty()) throw no_work();
    read_calls();
    read_ranges();
    profile_.source = "Nsight Systems";
    name_processes();
    profile_.names = names_.take();
    tie();
    sort_by_time(profile_);
    warn();
    return std::move(profile_);
  }

 private:
  void read_texts() {
    SqliteTable texts = report_.table("StringIds", {"id", "value"});
    while (const auto row = texts.next()) {
      const std::optional<std::int64_t> id = row->integer(0);
      if (!id) continue;
      std::string text = row->text(1);
      memory_.take(text.size() + sizeof(std::pair<std::int64_t, std::string>) + kTextNode);
      texts_.try_emplace(*id, std::move(text));
    }
  }

  [[nodiscard]] const std::string* text_of(std::optional<std::int64_t> id) const {
    const auto found = id ? texts_.find(*id) : texts_.end();
    return found == texts_.end() || found->second.empty() ? nullptr : &found->second;
  }

  // None where there are too many. `global` is a globalPid or a globalTid.
  [[nodiscard]] std::optional<std::uint32_t> process_of(std::int64_t global) {
    const auto [entry, is_new] = processes_.try_emplace(
        process_part(global), static_cast<std::uint32_t>(profile_.processes.size()));
    if (!is_new) return entry->second;
    if (processes_.size() > kMostReportProcesses) {
      processes_.erase(entry);
      return std::nullopt;
    }
    profile_.processes.push_back({.id = process_number(global), .command = {}});
    return entry->second;
  }

  // By the process, too: two may use the same number for different devices.
  [[nodiscard]] std::optional<std::uint32_t> device_of(std::optional<std::int64_t> global,
                                                       std::int64_t number) {
    const std::int64_t process = process_number(global.value_or(0));
    const auto known = device_numbers_.find({process, number});
    if (known != device_numbers_.end()) return known->second;
    if (device_numbers_.size() == kMostReportDevices) return std::nullopt;
    driver::DeviceInfo device = nsight_device(report_, process, number);
    // The same device for several processes is one: it has one address.
    const auto same = std::ranges::find_if(profile_.devices, [&](const driver::DeviceInfo& other) {
      return other.address.empty() && device.address.empty() ? other.ordinal == device.ordinal
                                                             : other.address == device.address;
    });
    const auto index = static_cast<std::uint32_t>(same - profile_.devices.begin());
    if (same == profile_.devices.end()) profile_.devices.push_back(std::move(device));
    device_numbers_.emplace(std::pair(process, number), index);
    return index;
  }

  // Where work ran. A report of before 2020 does not say for which process.
  [[nodiscard]] bool set_place(std::optional<std::int64_t> global, std::int64_t device,
                               std::optional<std::int64_t> stream, Place& place, ReportTie& tie) {
    if (global) {
      tie.process = process_of(*global);
      if (!tie.process) return false;
    }
    const std::optional<std::uint32_t> index = device_of(global, device);
    if (!index) return false;
    place = {
        .process = tie.process.value_or(0), .device = *index, .stream = stream.value_or(kUnknown)};
    return true;
  }

  void read_kernels() {
    SqliteTable kernels = report_.table(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "mangledName",
         "demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
         "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "graphNodeId"});
    while (const auto row = kernels.next()) {
      if (!read_kernel(*row)) ++damaged_;
    }
  }

  [[nodiscard]] bool read_kernel(const SqliteRow& row) {
    constexpr int kColumns = 19;
    const std::optional<Span> span = span_of(row.integer(0), row.integer(1));
    const std::optional<Extent> grid = extent_in(row, 9);
    const std::optional<Extent> block = extent_in(row, 12);
    const std::string* const name = name_in(row);
    if (!is_sound(row, 0, kColumns) || !span || !grid || !block || name == nullptr) {
      return false;
    }
    Launch launch;
    ReportTie tie{.correlation = row.integer(5).value_or(0), .process = std::nullopt};
    const std::int64_t device = row.integer(3).value_or(0);
    if (!set_place(row.integer(2), device, row.integer(4), launch.place, tie)) return false;
    memory_.take(sizeof(Launch) + sizeof(ReportTie));
    launch.name = names_.index_of(*name);
    launch.start = span->start;
    launch.end = span->end;
    launch.grid = *grid;
    launch.block = *block;
    launch.registers = row.integer(15).value_or(kUnknown);
    launch.static_shared = row.integer(16).value_or(kUnknown);
    launch.dynamic_shared = row.integer(17).value_or(kUnknown);
    launch.in_graph = row.integer(18).value_or(0) != 0;
    profile_.launches.push_back(launch);
    launch_ties_.push_back(tie);
    return true;
  }

  // As the driver has it; only reports since 2022 do.
  [[nodiscard]] const std::string* name_in(const SqliteRow& row) const {
    for (const int column : {6, 7, 8}) {
      if (const std::string* const name = text_of(row.integer(column))) return name;
    }
    return nullptr;
  }

  void read_transfers(const std::string& table) {
    SqliteTable transfers =
        report_.table(table, {"start", "end", "globalPid", "deviceId", "streamId", "correlationId",
                              "bytes", "copyKind"});
    const bool is_fill = table == "CUPTI_ACTIVITY_KIND_MEMSET";
    while (const auto row = transfers.next()) {
      if (!read_transfer(*row, is_fill ? Filling::yes : Filling::no)) ++damaged_;
    }
  }

  enum class Filling : std::uint8_t { no, yes };

  [[nodiscard]] bool read_transfer(const SqliteRow& row, Filling filling) {
    constexpr int kColumns = 8;
    const std::optional<Span> span = span_of(row.integer(0), row.integer(1));
    const std::int64_t bytes = row.integer(6).value_or(0);
    if (!is_sound(row, 0, kColumns) || !span || bytes < 0) return false;
    Transfer transfer;
    ReportTie tie{.correlation = row.integer(5).value_or(0), .process = std::nullopt};
    const std::int64_t device = row.integer(3).value_or(0);
    if (!set_place(row.integer(2), device, row.integer(4), transfer.place, tie)) return false;
    memory_.take(sizeof(Transfer) + sizeof(ReportTie));
    transfer.kind = filling == Filling::yes ? "fill" : copy_kind_of(row.integer(7).value_or(0));
    transfer.start = span->start;
    transfer.end = span->end;
    transfer.bytes = static_cast<std::uint64_t>(bytes);
    profile_.transfers.push_back(std::move(transfer));
    transfer_ties_.push_back(tie);
    return true;
  }

  void read_calls() {
    SqliteTable calls =
        report_.table("CUPTI_ACTIVITY_KIND_RUNTIME",
                      {"start", "globalTid", "correlationId", "nameId", "returnValue"});
    while (const auto row = calls.next()) {
      if (!read_call(*row)) ++damaged_;
    }
  }

  [[nodiscard]] bool read_call(const SqliteRow& row) {
    const std::optional<Span> span = span_of(row.integer(0), row.integer(0));
    const std::int64_t thread = row.integer(1).value_or(0);
    if (!is_sound(row, 0, 5) || !span) return false;
    const std::optional<std::uint32_t> process = process_of(thread);
    if (!process) return false;
    const std::string* const name = text_of(row.integer(3));
    // A call that failed launched nothing.
    const bool has_failed = row.integer(4).value_or(0) != 0;
    memory_.take(sizeof(Call));
    calls_.push_back({.correlation = row.integer(2).value_or(0),
                      .process = *process,
                      .kind = name == nullptr || has_failed ? CallKind::other : kind_of_call(*name),
                      .thread = thread & kThreadMask,
                      .start = span->start});
    return true;
  }

  void read_ranges() {
    SqliteTable ranges =
        report_.table("NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "textId", "text"});
    while (const auto row = ranges.next()) {
      const std::optional<std::int64_t> type = row->integer(2);
      if (type != kPushedRange && type != kStartedRange) continue;
      if (!read_range(*row, *type)) ++damaged_;
    }
  }

  [[nodiscard]] bool read_range(const SqliteRow& row, std::int64_t type) {
    const std::optional<std::int64_t> start = row.integer(0);
    // One that was still open when the recording ended ends with it.
    const std::optional<std::int64_t> end =
        row.is_null(1) ? std::max(start, last_end()) : row.integer(1);
    const std::optional<Span> span = span_of(start, end);
    const std::string* const registered = text_of(row.integer(4));
    if (!is_sound(row, 0, 5) || !span) return false;
    const std::int64_t thread = row.integer(3).value_or(0);
    const std::optional<std::uint32_t> process = process_of(thread);
    if (!process) return false;
    std::string text = registered != nullptr ? *registered : row.text(5);
    memory_.take(sizeof(Range) + text.size());
    profile_.ranges.push_back({.text = std::move(text),
                               .process = *process,
                               .thread = type == kPushedRange ? thread & kThreadMask : kUnknown,
                               .start = span->start,
                               .end = span->end});
    return true;
  }

  [[nodiscard]] std::optional<std::int64_t> last_end() {
    if (!last_end_) {
      std::int64_t last = 0;
      for (const Launch& launch : profile_.launches) last = std::max(last, launch.end);
      for (const Transfer& transfer : profile_.transfers) last = std::max(last, transfer.end);
      last_end_ = last;
    }
    return last_end_;
  }

  void name_processes() {
    if (profile_.processes.empty()) profile_.processes.emplace_back();
    SqliteTable names = report_.table("PROCESSES", {"globalPid", "name"});
    while (const auto row = names.next()) {
      const auto known = processes_.find(process_part(row->integer(0).value_or(0)));
      if (known != processes_.end()) profile_.processes[known->second].command = row->text(1);
    }
  }

  void tie() {
    const LaunchCalls calls(std::move(calls_));
    count_launches(calls, profile_);
    for (std::size_t i = 0; i < profile_.launches.size(); ++i) {
      Launch& launch = profile_.launches[i];
      const Call* const call = tied(launch_ties_[i], calls, launch);
      if (call == nullptr) ++without_call_;
      if (call != nullptr && call->kind == CallKind::graph_launch) launch.in_graph = true;
    }
    for (std::size_t i = 0; i < profile_.transfers.size(); ++i) {
      static_cast<void>(tied(transfer_ties_[i], calls, profile_.transfers[i]));
    }
  }

  template <typename Work>
  [[nodiscard]] static const Call* tied(const ReportTie& tie, const LaunchCalls& calls,
                                        Work& work) {
    const Call* const call = calls.of(tie.correlation, tie.process, work.start);
    if (call == nullptr) return nullptr;
    work.place.process = call->process;
    work.thread = call->thread;
    work.called = call->start;
    return call;
  }

  [[nodiscard]] std::int64_t whole_graphs() const {
    SqliteTable graphs = report_.table("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {});
    std::int64_t count = 0;
    while (graphs.next()) ++count;
    return count;
  }

  void warn() {
    std::vector<std::string>& warnings = profile_.warnings;
    if (damaged_ > 0) {
      warnings.push_back(fmt::format("{} damaged row{} of the report {} left out.", damaged_,
                                     damaged_ == 1 ? "" : "s", damaged_ == 1 ? "was" : "were"));
    }
    if (report_.has_unread_log()) {
      warnings.emplace_back(
          "A file -wal beside the report has changes that were not read: sqlite3 REPORT \"PRAGMA "
          "wal_checkpoint(TRUNCATE)\" brings them into it.");
    }
    if (const std::int64_t graphs = whole_graphs(); graphs > 0) {
      warnings.push_back(
          fmt::format("The report has {} CUDA graph{} as a whole, without {} kernels: nsys profile "
                      "--cuda-graph-trace=node records them.",
                      graphs, graphs == 1 ? "" : "s", graphs == 1 ? "its" : "their"));
    }
    if (profile_.launches.empty()) warnings.emplace_back("The report has copies, but no kernels.");
    if (profile_.asked != kUnknown && without_call_ > 0) {
      warnings.push_back(fmt::format("The report does not say what launched {} of its {} kernels.",
                                     without_call_, profile_.launches.size()));
    }
  }

  [[nodiscard]] Error no_work() const {
    if (whole_graphs() > 0) {
      return {Stop::usage, attempt_ +
                               ": it has CUDA graphs without their kernels; record with nsys "
                               "profile --cuda-graph-trace=node"};
    }
    if (damaged_ > 0) {
      return {Stop::usage,
              fmt::format("{}: its {} rows are damaged; export it again", attempt_, damaged_)};
    }
    if (report_.has_table("StringTable")) {
      return {Stop::usage,
              attempt_ + ": it is of nvprof; record with nsys profile and export that report"};
    }
    if (!report_.has_table("StringIds")) {
      return {Stop::usage, attempt_ +
                               ": it is a SQLite file, but not of Nsight Systems; give what nsys "
                               "export --type sqlite has written"};
    }
    if (report_.has_table("CUPTI_ACTIVITY_KIND_RUNTIME")) {
      return {Stop::usage,
              attempt_ +
                  ": it has calls of CUDA, but no kernels; record until some have run, "
                  "and see what nsys status --environment says"};
    }
    return {Stop::usage,
            attempt_ + ": it has no kernels; record with nsys profile --trace=cuda,nvtx"};
  }

  static constexpr std::uint64_t kTextNode = 32;  // of the map, about

  const std::string& attempt_;
  SqliteFile report_;
  KeptMemory memory_;
  NameTable names_{memory_};
  Profile profile_;
  std::unordered_map<std::int64_t, std::string> texts_;
  std::map<std::int64_t, std::uint32_t> processes_;  // by process_part(): index
  // By number of the process, and by the number it has for the device: index.
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> device_numbers_;
  std::vector<ReportTie> launch_ties_, transfer_ties_;
  std::vector<Call> calls_;
  std::optional<std::int64_t> last_end_;
  std::int64_t damaged_ = 0;
  std::int64_t without_call_ = 0;
};

}  // namespace

Profile nsight_profile(const std::filesystem::path& file, const std::string& attempt) {
  return ReportImport(file, attempt).profile();
}

}  // namespace autokernel::programs
