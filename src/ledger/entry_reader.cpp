#include "ledger/entry_reader.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "ledger/checksum.h"
#include "ledger/entry_json.h"

namespace autokernel::ledger {
namespace {

[[nodiscard]] IndexRow row_without_entry(const Line& line, std::uint64_t number) {
  return {.line = number,
          .offset = line.offset,
          .length = line.length,
          .sum = checksum(line.text),
          .entry = std::nullopt};
}

[[nodiscard]] ParsedLine parse_whole_line(const Line& line) {
  if (line.text.empty()) return Damage{"it is too long"};
  if (line.text.back() != '\n') return Damage{"it has no end"};
  return parse_line(line.text);
}

// An index has no measurements.
[[nodiscard]] std::optional<Entry> entry_without_measurement(ParsedLine& parsed) {
  auto* entry = std::get_if<Entry>(&parsed);
  if (entry == nullptr) return std::nullopt;
  if (auto* experiment = std::get_if<Experiment>(entry)) experiment->result.clear();
  return std::move(*entry);
}

}  // namespace

std::optional<IndexRow> entry_row_of(const Line& line, std::uint64_t number) {
  IndexRow row = row_without_entry(line, number);
  ParsedLine parsed = parse_whole_line(line);
  row.entry = entry_without_measurement(parsed);
  if (!row.entry) return std::nullopt;
  return row;
}

std::optional<ReadLine> EntryReader::next() {
  const std::optional<Line> line = lines_.next();
  if (!line) return std::nullopt;
  ReadLine read{.row = row_without_entry(*line, last_.line + 1), .damage = {}};
  const bool repeats = read.row.length == last_.length && read.row.sum == last_.sum;
  last_ = read.row;
  if (repeats) {
    read.damage = "it repeats the line before it";
    return read;
  }
  ParsedLine parsed = parse_whole_line(*line);
  if (const auto* later = std::get_if<LaterVersion>(&parsed)) {
    throw Error(
        Stop::repository,
        fmt::format("cannot read {}: line {} has schema_version {}, and this program reads "
                    "{}; use the autokernel that wrote it, or a later one",
                    ledger_.path().string(), read.row.line, later->version, kSchemaVersion));
  }
  if (auto* damage = std::get_if<Damage>(&parsed)) read.damage = std::move(damage->why);
  read.row.entry = entry_without_measurement(parsed);
  return read;
}

}  // namespace autokernel::ledger
