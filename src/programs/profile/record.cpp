#include "programs/profile/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"
#include "autokernel/base/sort_stably.h"
#include "programs/profile/product_json.h"

namespace autokernel::programs {
namespace {

// The fields of a line, taken from the front; once one is missing or is no number, none is right.
class Line {
 public:
  explicit Line(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] std::string_view word() {
    if (at_end_) is_right_ = false;
    const std::size_t tab = rest_.find('\t');
    const std::string_view found = rest_.substr(0, tab);
    at_end_ = tab == std::string_view::npos;
    rest_.remove_prefix(at_end_ ? rest_.size() : tab + 1);
    return found;
  }
  [[nodiscard]] std::string text();
  template <typename Number = std::int64_t>
  [[nodiscard]] Number number() {
    Number value = 0;
    if (!read_number(word(), value)) is_right_ = false;
    return value;
  }
  [[nodiscard]] bool is_right() const { return is_right_; }

 private:
  std::string_view rest_;
  bool at_end_ = false;
  bool is_right_ = true;
};

std::string Line::text() {
  const std::string_view escaped = word();
  std::string text;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '\\' || i + 1 == escaped.size()) {
      text += escaped[i];
      continue;
    }
    const char letter = escaped[++i];
    text += letter == 't' ? '\t' : letter == 'n' ? '\n' : letter;
  }
  return text;
}

// In nanoseconds since 1970, the year 2116: sums and differences of such times stay whole numbers.
constexpr std::int64_t kLatest = std::int64_t{1} << 62;
[[nodiscard]] bool are_times(Nanoseconds start, Nanoseconds end) {
  return start >= 0 && end >= start && end <= kLatest;
}

}  // namespace

struct RecordReader::State {
  struct Call {
    std::int64_t thread;
    Nanoseconds time;
    bool graph;
  };

  Profile& profile;
  std::unordered_map<std::string, std::uint32_t> names;
  std::map<std::pair<std::string, std::int64_t>, std::uint32_t> devices;  // by name and number
  std::map<std::int64_t, std::uint32_t> processes;                        // by id
  std::int64_t unreadable = 0;
  std::int64_t ended_early = 0;

  // Of the process whose record is being read.
  std::uint32_t process = 0;
  std::unordered_map<std::int64_t, std::uint32_t> name_of_id;
  std::unordered_map<std::int64_t, std::uint32_t> device_of_number;
  std::unordered_map<std::int64_t, std::uint32_t> operation_of_id;

  // Of all, by file: a process that becomes another program writes to a new one, and may count
  // from the beginning again.
  using Correlation = std::pair<std::uint32_t, std::int64_t>;
  std::uint32_t file = 0;
  std::map<Correlation, Call> calls;
  std::map<Correlation, std::uint32_t> operations;
  std::vector<Correlation> launch_correlations, transfer_correlations;

  explicit State(Profile& filled) : profile(filled) {}

  [[nodiscard]] bool begin(Line line);
  [[nodiscard]] bool read(char letter, Line line);
  [[nodiscard]] bool device(Line line);
  [[nodiscard]] bool name(Line line);
  [[nodiscard]] bool kernel(Line line);
  [[nodiscard]] bool transfer(Line line);
  [[nodiscard]] bool call(Line line);
  [[nodiscard]] bool range(Line line);
  [[nodiscard]] bool operation(Line line);
  [[nodiscard]] std::optional<std::uint32_t> known_device(std::int64_t number);
};

bool RecordReader::State::begin(Line line) {
  if (line.word() != "autokernel-profile" || line.word() != "1") return false;
  const std::string writer = line.text();
  const std::int64_t id = line.number();
  if (!line.is_right()) return false;
  const auto [found, is_new] =
      processes.try_emplace(id, static_cast<std::uint32_t>(profile.processes.size()));
  if (is_new) profile.processes.push_back({.id = id, .command = {}});
  process = found->second;
  name_of_id.clear();
  device_of_number.clear();
  operation_of_id.clear();
  if (writer.starts_with("emulated")) profile.source = "emulated device";
  if (writer.starts_with("CUPTI") && profile.source.empty()) profile.source = "CUPTI";
  return true;
}

bool RecordReader::State::device(Line line) {
  const auto number = line.number();
  driver::DeviceInfo device;
  device.name = line.text();
  device.ordinal = static_cast<int>(number);
  device.major = line.number<int>();
  device.minor = line.number<int>();
  device.multiprocessors = line.number<int>();
  constexpr double kKhzPerMhz = 1000;
  device.clock_mhz = static_cast<double>(line.number()) / kKhzPerMhz;
  device.memory_clock_mhz = static_cast<double>(line.number()) / kKhzPerMhz;
  device.memory_bus_bits = line.number<int>();
  device.l2_bytes = line.number<std::uint64_t>();
  device.memory_bytes = line.number<std::uint64_t>();
  device.emulated = profile.source == "emulated device";
  if (!line.is_right()) return false;
  const auto [found, is_new] = devices.try_emplace(
      {device.name, number}, static_cast<std::uint32_t>(profile.devices.size()));
  if (is_new) profile.devices.push_back(std::move(device));
  device_of_number[number] = found->second;
  return true;
}

bool RecordReader::State::name(Line line) {
  const auto id = line.number();
  const std::string name = line.text();
  if (!line.is_right()) return false;
  const auto [found, is_new] =
      names.try_emplace(name, static_cast<std::uint32_t>(profile.names.size()));
  if (is_new) profile.names.push_back(name);
  name_of_id[id] = found->second;
  return true;
}

// A device that the record did not describe is one without properties: the rest is still true.
std::optional<std::uint32_t> RecordReader::State::known_device(std::int64_t number) {
  constexpr std::int64_t kMostDevices = 1024;
  if (number < 0 || number >= kMostDevices) return std::nullopt;
  const auto found = device_of_number.find(number);
  if (found != device_of_number.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(profile.devices.size());
  driver::DeviceInfo device;
  device.ordinal = static_cast<int>(number);
  profile.devices.push_back(std::move(device));
  device_of_number[number] = index;
  return index;
}

bool RecordReader::State::kernel(Line line) {
  const auto name = name_of_id.find(line.number());
  Launch launch;
  launch.start = line.number();
  launch.end = line.number();
  const std::int64_t device = line.number();
  launch.place.process = process;
  launch.place.stream = line.number();
  const std::int64_t correlation = line.number();
  for (Extent* extent : {&launch.grid, &launch.block}) {
    extent->x = line.number<std::uint32_t>();
    extent->y = line.number<std::uint32_t>();
    extent->z = line.number<std::uint32_t>();
  }
  launch.registers = line.number();
  launch.static_shared = line.number();
  launch.dynamic_shared = line.number();
  launch.in_graph = line.number() != 0;
  if (!line.is_right() || name == name_of_id.end() || !are_times(launch.start, launch.end)) {
    return false;
  }
  const auto known = known_device(device);
  if (!known) return false;
  launch.name = name->second;
  launch.place.device = *known;
  profile.launches.push_back(launch);
  launch_correlations.emplace_back(file, correlation);
  return true;
}

bool RecordReader::State::transfer(Line line) {
  Transfer transfer;
  transfer.kind = line.text();
  transfer.start = line.number();
  transfer.end = line.number();
  const std::int64_t device = line.number();
  transfer.place.process = process;
  transfer.place.stream = line.number();
  const std::int64_t correlation = line.number();
  transfer.bytes = line.number<std::uint64_t>();
  if (!line.is_right() || !are_times(transfer.start, transfer.end)) return false;
  const auto known = known_device(device);
  if (!known) return false;
  transfer.place.device = *known;
  profile.transfers.push_back(std::move(transfer));
  transfer_correlations.emplace_back(file, correlation);
  return true;
}

bool RecordReader::State::call(Line line) {
  const std::int64_t correlation = line.number();
  const std::int64_t thread = line.number();
  const Nanoseconds time = line.number();
  const bool graph = line.word() == "graph";
  if (!line.is_right()) return false;
  calls[{file, correlation}] = {.thread = thread, .time = time, .graph = graph};
  return true;
}

bool RecordReader::State::range(Line line) {
  Range range;
  range.process = process;
  range.thread = line.number();
  range.start = line.number();
  range.end = line.number();
  range.text = line.text();
  if (!line.is_right() || !are_times(range.start, range.end)) return false;
  profile.ranges.push_back(std::move(range));
  return true;
}

bool RecordReader::State::operation(Line line) {
  const auto id = line.number();
  const std::string json = line.text();
  std::optional<Product> product = product_of_json(json);
  if (!line.is_right() || !product) return false;
  Operation operation;
  operation.name = product->call;
  operation.product = std::move(product);
  operation_of_id[id] = static_cast<std::uint32_t>(profile.operations.size());
  profile.operations.push_back(std::move(operation));
  return true;
}

bool RecordReader::State::read(char letter, Line line) {
  switch (letter) {
    case 'P':
      profile.processes[process].command = line.text();
      return line.is_right();
    case 'D':
      return device(line);
    case 'N':
      return name(line);
    case 'K':
      return kernel(line);
    case 'C':
      return transfer(line);
    case 'L':
      return call(line);
    case 'R':
      return range(line);
    case 'O':
      return operation(line);
    case 'A': {
      const std::int64_t correlation = line.number();
      const auto found = operation_of_id.find(line.number());
      if (!line.is_right() || found == operation_of_id.end()) return false;
      operations[{file, correlation}] = found->second;
      return true;
    }
    case 'X': {
      const std::int64_t lost = line.number();
      if (!line.is_right() || lost < 0 || lost > kLatest - profile.lost) return false;
      profile.lost += lost;
      return true;
    }
    case 'W': {
      constexpr std::size_t kMostWarnings = 20;
      std::string warning = line.text();
      const bool is_new = std::ranges::find(profile.warnings, warning) == profile.warnings.end();
      if (is_new && profile.warnings.size() < kMostWarnings) {
        profile.warnings.push_back(std::move(warning));
      }
      return line.is_right();
    }
    case 'E':
      --ended_early;
      return true;
    default:
      return false;
  }
}

RecordReader::RecordReader(Profile& profile) : state_(std::make_unique<State>(profile)) {}
RecordReader::~RecordReader() = default;

void RecordReader::add(std::string_view text) {
  bool has_begun = false;
  ++state_->file;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) break;  // it was being written
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline + 1);
    if (!has_begun) {
      if (!state_->begin(Line(line))) {
        ++state_->unreadable;
        return;
      }
      has_begun = true;
      ++state_->ended_early;
      continue;
    }
    const bool is_event = line.size() > 1 && line[1] == '\t';
    if (!is_event || !state_->read(line[0], Line(line.substr(2)))) ++state_->unreadable;
  }
}

void RecordReader::finish() {
  Profile& profile = state_->profile;
  profile.asked = 0;
  for (const auto& [correlation, call] : state_->calls) {
    ++(call.graph ? profile.graph_launches : profile.asked);
  }
  const auto tie = [this](auto& work, const State::Correlation& correlation) {
    const auto call = state_->calls.find(correlation);
    if (call == state_->calls.end()) return;
    work.thread = call->second.thread;
    work.called = call->second.time;
  };
  for (std::size_t i = 0; i < profile.launches.size(); ++i) {
    Launch& launch = profile.launches[i];
    const State::Correlation& correlation = state_->launch_correlations[i];
    tie(launch, correlation);
    const auto operation = state_->operations.find(correlation);
    if (operation != state_->operations.end()) launch.operation = operation->second;
  }
  for (std::size_t i = 0; i < profile.transfers.size(); ++i) {
    tie(profile.transfers[i], state_->transfer_correlations[i]);
  }
  sort_stably(profile.launches, {}, &Launch::start);
  sort_stably(profile.transfers, {}, &Transfer::start);
  sort_stably(profile.ranges, {}, &Range::start);
  if (state_->unreadable > 0) {
    profile.warnings.push_back(
        fmt::format("{} line{} of the record could not be read and {} left out", state_->unreadable,
                    state_->unreadable == 1 ? "" : "s", state_->unreadable == 1 ? "was" : "were"));
  }
  if (state_->ended_early > 0) {
    profile.warnings.emplace_back(
        "a process ended without notice (killed, crashed or by _exit): what it launched in its "
        "last moment may be missing");
  }
}

Profile read_records(const std::filesystem::path& folder) {
  Profile profile;
  RecordReader reader(profile);
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    // The program could put anything there.
    const bool is_file = std::filesystem::is_regular_file(entry->symlink_status(unknown));
    if (is_file && entry->path().extension() == ".record") files.push_back(entry->path());
  }
  if (error) {
    throw Error(Stop::environment,
                fmt::format("cannot read the record in {}: {}", folder.string(), error.message()));
  }
  std::ranges::sort(files);  // so that the same records give the same profile
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
      throw Error(Stop::environment, fmt::format("cannot read the record {}", file.string()));
    }
    reader.add(text);
  }
  reader.finish();
  return profile;
}

}  // namespace autokernel::programs
