#include "ledger/entry_reader.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "ledger/checksum.h"
#include "ledger/entry_json.h"

namespace autokernel::ledger {
namespace {

[[nodiscard]] LinePlace place_of(const Line& line, std::uint64_t number) {
  return {
      .number = number, .offset = line.offset, .length = line.length, .sum = checksum(line.text)};
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
  ParsedLine parsed = parse_whole_line(line);
  std::optional<Entry> entry = entry_without_measurement(parsed);
  if (!entry) return std::nullopt;
  return IndexRow{.line = place_of(line, number), .entry = std::move(entry)};
}

std::optional<ReadLine> EntryReader::next() {
  const std::optional<Line> line = lines_.next();
  if (!line) return std::nullopt;
  const LinePlace place = place_of(*line, last_.number + 1);
  const bool repeats = place.length == last_.length && place.sum == last_.sum;
  last_ = place;
  ReadLine read{.row = {.line = place, .entry = std::nullopt}, .damage = {}};
  if (repeats) {
    read.damage = "it repeats the line before it";
    return read;
  }
  ParsedLine parsed = parse_whole_line(*line);
  if (const auto* later = std::get_if<LaterVersion>(&parsed)) {
    throw Error(Stop::repository,
                fmt::format("cannot read {}: line {} has schema_version {}, and this program reads "
                            "{}; use the autokernel that wrote it, or a later one",
                            ledger_.path().string(), place.number, later->version, kSchemaVersion));
  }
  if (auto* damage = std::get_if<Damage>(&parsed)) read.damage = std::move(damage->why);
  read.row.entry = entry_without_measurement(parsed);
  return read;
}

}  // namespace autokernel::ledger
