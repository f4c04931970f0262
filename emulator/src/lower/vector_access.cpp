#include "lower/vector_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "lower/writer.h"

namespace emulator::lower {

VectorAccess::VectorAccess(Ir& ir, const ptx::Instruction& instruction, const AccessWay& way)
    : ir_(ir),
      offset_(way.offset),
      element_(integer_of(instruction.type())),
      bytes_(ptx::bits(instruction.type()) / 8),
      count_(instruction.vector_width),
      gathers_(way.gathers),
      volatile_(is_volatile(instruction)),
      lowest_(*std::ranges::min_element(way.offset)),
      runs_(runs_of(way.offset, lane_bytes(instruction), bridged_gap(instruction))) {}

std::vector<Value> VectorAccess::load(const Value& base) {
  if (!gathers_) return load_runs(base);
  std::vector<Value> values;
  values.reserve(count_);
  for (unsigned e = 0; e < count_; ++e) values.push_back(gather(base, e));
  return values;
}

// Each lane by itself.
Value VectorAccess::gather(const Value& base, unsigned element) {
  LaneOffsets from_base = offset_;
  for (std::int64_t& o : from_base) o += static_cast<std::int64_t>(element) * bytes_ - lowest_;
  // With narrow offsets LLVM finds the instructions that take them.
  const bool narrow =
      *std::ranges::max_element(from_base) <= std::numeric_limits<std::int32_t>::max();
  const Value index = Ir::lane_constants(from_base, narrow ? "i32" : "i64");
  const Value addresses = ir_.define(
      fmt::format("getelementptr i8, {}, {}", base.typed(), index.typed()), "ptr", kLanes);
  if (bytes_ >= sizeof(std::uint32_t)) return gather_words(addresses, element_);
  // There are none for less than 32 bits: the aligned word around it, which lies in the same page.
  const Value bits = ir_.cast("ptrtoint", addresses, "i64");
  const Value word = ir_.binary("and", bits, ~std::uint64_t{3});
  const Value shift = ir_.cast("trunc", ir_.binary("shl", ir_.binary("and", bits, 3), 3), "i32");
  const Value words = gather_words(ir_.cast("inttoptr", word, "ptr"), "i32");
  return ir_.cast("trunc", ir_.binary("lshr", words, shift), element_);
}

Value VectorAccess::gather_words(const Value& addresses, const std::string& element) {
  const std::string type = type_of(element, kLanes);
  const unsigned alignment = told_alignment(bits_of(element) / 8);
  const std::string name = fmt::format("@llvm.masked.gather.v{}{}.v{}p0", kLanes, element, kLanes);
  const Value all = Ir::constant(1, "i1", kLanes);
  ir_.declare(fmt::format("declare {} {}(<{} x ptr>, i32, <{} x i1>, {})", type, name, kLanes,
                          kLanes, type));
  return ir_.define(fmt::format("call {} {}({}, i32 {}, {}, {} poison)", type, name,
                                addresses.typed(), alignment, all.typed(), type),
                    element, kLanes);
}

// Loads every run and deals its elements out to the lanes.
std::vector<Value> VectorAccess::load_runs(const Value& base) {
  std::vector<Value> result;
  for (const Run& run : runs_) {
    const Value pointer = ir_.pointer_offset(base, static_cast<std::uint64_t>(run.start - lowest_));
    const auto width = static_cast<unsigned>(run.bytes() / bytes_);
    const Value data = ir_.load(pointer, element_, width, told_alignment(bytes_), volatile_);
    for (unsigned e = 0; e < count_; ++e) {
      std::vector<int> picks(kLanes, -1);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!run.holds(offset_[lane])) continue;
        picks[lane] = static_cast<int>((offset_[lane] - run.start) / bytes_ + e);
      }
      merge(result, e, picked(data, picks), picks);
    }
  }
  return result;
}

Value VectorAccess::picked(const Value& data, const std::vector<int>& picks) {
  if (data.lanes == 1) return ir_.splat(data, kLanes);
  std::vector<int> identity(kLanes);
  std::iota(identity.begin(), identity.end(), 0);
  if (data.lanes == kLanes && picks == identity) return data;
  return ir_.shuffle(data, {"poison", data.element, data.lanes}, picks);
}

// Adds the lanes that `picks` names to what earlier runs gave.
void VectorAccess::merge(std::vector<Value>& result, unsigned element, const Value& value,
                         const std::vector<int>& picks) {
  if (result.size() <= element) {
    result.push_back(value);
    return;
  }
  std::vector<int> choice(kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    choice[lane] = static_cast<int>(picks[lane] < 0 ? lane : kLanes + lane);
  }
  result[element] = ir_.shuffle(result[element], value, choice);
}

void VectorAccess::store(const Value& base, const std::vector<Value>& values) {
  const Value all = concatenated(values);
  for (const Run& run : runs_) {
    std::vector<int> picks(static_cast<std::size_t>(run.bytes() / bytes_));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (!run.holds(offset_[lane])) continue;
      const auto at = static_cast<std::size_t>((offset_[lane] - run.start) / bytes_);
      for (unsigned e = 0; e < count_; ++e) picks[at + e] = static_cast<int>(e * kLanes + lane);
    }
    const Value pointer = ir_.pointer_offset(base, static_cast<std::uint64_t>(run.start - lowest_));
    const Value data = picks.size() == 1
                           ? ir_.extract(all, static_cast<unsigned>(picks[0]))
                           : ir_.shuffle(all, {"poison", all.element, all.lanes}, picks);
    ir_.store(data, pointer, told_alignment(bytes_), volatile_);
  }
}

// The elements of all lanes end to end: element 0 of 32 lanes, element 1, ..
Value VectorAccess::concatenated(std::vector<Value> values) {
  while (values.size() > 1) {
    std::vector<Value> joined;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
      std::vector<int> picks(std::size_t{values[i].lanes} * 2);
      std::iota(picks.begin(), picks.end(), 0);
      joined.push_back(ir_.shuffle(values[i], values[i + 1], picks));
    }
    values = std::move(joined);
  }
  return values[0];
}

}  // namespace emulator::lower
