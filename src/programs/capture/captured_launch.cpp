#include "autokernel/programs/captured_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/number.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;

// Attributes of a launch, as cuda.h numbers them, and where their values lie.
constexpr int kClusterDimension = 4;
constexpr int kProgrammaticStreamSerialization = 6;
// Of blocks that have changed; the writer's (inject/driver/capture.cpp).
constexpr std::size_t kBlock = std::size_t{64} << 10U;
constexpr std::uint64_t kLargestMemory = std::uint64_t{64} << 30U;
constexpr std::uint64_t kLargestImage = std::uint64_t{4} << 30U;

class Damaged : public std::exception {};

struct Line {
  std::string what;
  std::vector<std::string> fields;

  [[nodiscard]] std::string text(std::size_t field) const {
    if (field >= fields.size()) throw Damaged();
    return fields[field];
  }
  template <typename Number>
  [[nodiscard]] Number number(std::size_t field) const {
    Number value{};
    if (!read_number(text(field), value)) throw Damaged();
    return value;
  }
};

[[nodiscard]] std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) throw Damaged();
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(end + 1);
    Line line;
    for (bool is_first = true;; is_first = false) {
      const std::size_t tab = rest.find('\t');
      const std::string field(rest.substr(0, tab));
      if (is_first) {
        line.what = field;
      } else {
        line.fields.push_back(field);
      }
      if (tab == std::string_view::npos) break;
      rest.remove_prefix(tab + 1);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

[[nodiscard]] std::vector<std::byte> bytes_of_hexadecimal(std::string_view digits) {
  if (digits.size() % 2 != 0) throw Damaged();
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2) throw Damaged();
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

[[nodiscard]] std::vector<std::byte> as_bytes(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

[[nodiscard]] Extent extent_of(const Line& line) {
  return {.x = line.number<std::uint32_t>(0),
          .y = line.number<std::uint32_t>(1),
          .z = line.number<std::uint32_t>(2)};
}

void read_attribute(const Line& line, CapturedLaunch& launch) {
  const int id = line.number<int>(0);
  const std::vector<std::byte> value = bytes_of_hexadecimal(line.text(1));
  if (id == kClusterDimension) {
    std::array<std::uint32_t, 3> dimensions{};
    if (value.size() < sizeof dimensions) throw Damaged();
    std::memcpy(dimensions.data(), value.data(), sizeof dimensions);
    launch.cluster = {.x = dimensions[0], .y = dimensions[1], .z = dimensions[2]};
  }
  if (id == kProgrammaticStreamSerialization && !value.empty()) {
    launch.programmatic = value.front() != std::byte{0};
  }
}

void read_line(const Line& line, CapturedLaunch& launch, std::vector<std::uint64_t>& kept) {
  const std::string& what = line.what;
  if (what == "kernel") launch.kernel = line.text(0);
  if (what == "occurrence") launch.occurrence = line.number<std::uint64_t>(0);
  if (what == "grid") launch.grid = extent_of(line);
  if (what == "block") launch.block = extent_of(line);
  if (what == "dynamic_shared") launch.dynamic_shared = line.number<std::uint32_t>(0);
  if (what == "most_dynamic_shared") launch.most_dynamic_shared = line.number<std::int64_t>(0);
  if (what == "image") launch.digest = line.text(0);
  if (what == "cooperative") launch.cooperative = line.text(0) == "1";
  if (what == "stream") launch.default_stream = line.text(0) == "default";
  if (what == "attribute") read_attribute(line, launch);
  if (what == "capability") {
    launch.major = line.number<int>(0);
    launch.minor = line.number<int>(1);
  }
  if (what == "parameter") {
    launch.parameters.push_back(
        {.offset = line.number<std::size_t>(0), .bytes = line.number<std::size_t>(1)});
  }
  if (what == "bytes") launch.bytes = bytes_of_hexadecimal(line.text(0));
  if (what == "pointer") {
    launch.pointers.push_back(
        {.offset = line.number<std::size_t>(0), .address = line.number<std::uint64_t>(1)});
  }
  if (what == "range") {
    launch.ranges.push_back({.base = line.number<std::uint64_t>(0),
                             .bytes = line.number<std::uint64_t>(1),
                             .kept = line.number<std::uint64_t>(2),
                             .before = {},
                             .after = {}});
    kept.push_back(line.number<std::uint64_t>(3));
  }
  if (what == "end" && line.text(0) != "whole") launch.trouble = line.text(1);
}

// Whether what the lines say of each other is true.
void require_consistent(const CapturedLaunch& launch, const std::vector<std::uint64_t>& kept) {
  for (const CapturedParameter& parameter : launch.parameters) {
    if (parameter.bytes > launch.bytes.size() ||
        parameter.offset > launch.bytes.size() - parameter.bytes) {
      throw Damaged();
    }
  }
  for (std::size_t i = 0; i < launch.ranges.size(); ++i) {
    const CapturedRange& range = launch.ranges[i];
    const bool is_within = range.kept >= range.base && kept[i] <= range.bytes &&
                           range.kept - range.base <= range.bytes - kept[i] &&
                           range.bytes <= kLargestMemory;
    const bool is_sorted =
        i == 0 || launch.ranges[i - 1].base + launch.ranges[i - 1].bytes <= range.base;
    if (!is_within || !is_sorted) throw Damaged();
  }
  for (const CapturedPointer& pointer : launch.pointers) {
    if (launch.bytes.size() < sizeof pointer.address ||
        pointer.offset > launch.bytes.size() - sizeof pointer.address) {
      throw Damaged();
    }
  }
}

// The blocks that have changed are put over a copy of what was there before.
void apply_changes(const std::string& changes, CapturedRange& range) {
  range.after = range.before;
  std::size_t at = 0;
  while (at < changes.size()) {
    std::uint64_t number = 0;
    if (changes.size() - at < sizeof number) throw Damaged();
    std::memcpy(&number, changes.data() + at, sizeof number);
    at += sizeof number;
    if (number > range.after.size() / kBlock) throw Damaged();
    const std::size_t begin = static_cast<std::size_t>(number) * kBlock;
    const std::size_t count = std::min(kBlock, range.after.size() - begin);
    if (count == 0 || changes.size() - at < count) throw Damaged();
    std::memcpy(range.after.data() + begin, changes.data() + at, count);
    at += count;
  }
}

}  // namespace

CapturedLaunch read_capture(const fs::path& folder, Memory memory) {
  const auto file = [&](const std::string& name, std::uint64_t most) {
    return read_file(folder / name, "a captured launch", most);
  };
  try {
    CapturedLaunch launch;
    launch.folder = folder;
    std::vector<std::uint64_t> kept;
    const std::vector<Line> lines = lines_of(file("launch.txt", kLargestFile));
    const bool is_known = !lines.empty() && lines[0].what == "autokernel-capture" &&
                          lines[0].text(0) == "1" && lines.back().what == "end";
    if (!is_known) throw Damaged();
    for (const Line& line : lines) read_line(line, launch, kept);
    if (!launch.trouble.empty()) return launch;
    require_consistent(launch, kept);
    launch.image = as_bytes(file("image.bin", kLargestImage));
    if (memory == Memory::left) return launch;
    for (std::size_t i = 0; i < launch.ranges.size(); ++i) {
      CapturedRange& range = launch.ranges[i];
      range.before = as_bytes(file(fmt::format("memory-{}-before.bin", i), kLargestMemory));
      if (range.before.size() != kept[i]) throw Damaged();
      apply_changes(file(fmt::format("memory-{}-after.bin", i), 2 * kLargestMemory), range);
    }
    return launch;
  } catch (const Damaged&) {
    throw Error(Stop::usage, fmt::format("cannot read the captured launch in {}: it is damaged; "
                                         "capture it again",
                                         folder.string()));
  }
}

}  // namespace autokernel::programs
