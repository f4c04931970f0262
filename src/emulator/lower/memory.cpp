// ld and st. Most accesses of a warp are one address, or consecutive ones, or a few groups of them,
// and are known to be so when the kernel is compiled; they become one scalar or a few vector
// instructions behind one check of the whole span. All others, and every access that fails its
// check, go to the runtime's emu_load and emu_store, which look at each lane and raise the fault if
// there is one.
#include <algorithm>
#include <numeric>

#include "emulator/lower/address.h"
#include "emulator/lower/mbarrier.h"
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Space;

// More runs than this and the access is taken lane by lane: each costs a load and a shuffle.
constexpr std::size_t kMostRuns = 8;

// Loads read over gaps up to this size, so that a strided access is one wide load and a shuffle:
// what lies between is inside the span that is checked. A cache line.
constexpr std::int64_t kBridgedGap = 64;

class Access {
 public:
  Access(Writer& writer, const Instruction& instruction, bool stores)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        stores_(stores),
        space_(instruction.space),
        element_(integer_of(instruction.type())),
        bytes_(ptx::bits(instruction.type()) / 8),
        count_(instruction.vector_width),
        address_(writer, instruction.operands.at(stores ? 0 : 1), instruction.space),
        registers_(elements_of(instruction.operands.at(stores ? 1 : 0))) {
    if (bytes_ == 0 || registers_.size() != count_ || span() > 16) unsupported(instruction);
    site_ = writer.add_site(instruction,
                            stores ? runtime::AccessKind::store : runtime::AccessKind::load, space_,
                            bytes_, count_);
  }

  void load() {
    const Form& form = address_.form();
    if (form.is_uniform() && !writer_.result(instruction_).is_vector()) return load_uniform();
    LaneOffsets offset = form.offset;
    if (form.is_vector() && !form.guess) offset = consecutive();
    if (!is_worth_it(offset)) return load_lanes();

    const std::string fast = ir_.label("load.fast");
    const std::string slow = ir_.label("load.slow");
    const std::string done = ir_.label("load.done");
    const Value base = span_address(offset);
    ir_.branch(span_is_bad(base, offset), slow, fast, true);

    ir_.begin_block(fast);
    std::vector<Value> loaded = load_runs(host_pointer(base), offset);
    ir_.jump(done);
    ir_.begin_block(slow);
    std::vector<Value> fetched = fetch_lanes();
    ir_.jump(done);
    ir_.begin_block(done);
    // All of them before the first is written: phis stand at the top of their block.
    std::vector<Value> values;
    values.reserve(count_);
    for (unsigned e = 0; e < count_; ++e) {
      values.push_back(ir_.phi(loaded[e], fast, fetched[e], slow));
    }
    for (unsigned e = 0; e < count_; ++e) write(e, values[e]);
  }

  void store() {
    const Form& form = address_.form();
    const std::vector<Value> values = stored_values();
    const bool scalars = std::ranges::all_of(values, [](const Value& v) { return v.lanes == 1; });
    if (form.is_uniform() && scalars) return store_uniform(values);
    std::vector<Value> lanes;
    lanes.reserve(values.size());
    for (std::size_t e = 0; e < values.size(); ++e) {
      lanes.push_back(writer_.read_bits(registers_[e], instruction_.type(), kLanes));
    }
    LaneOffsets offset = form.offset;
    if (form.is_vector() && !form.guess) offset = consecutive();
    if (!is_worth_it(offset) || distinct(offset) != kLanes) return store_lanes(lanes);

    const std::string fast = ir_.label("store.fast");
    const std::string slow = ir_.label("store.slow");
    const std::string done = ir_.label("store.done");
    const Value base = span_address(offset);
    Value bad = span_is_bad(base, offset);
    if (!writer_.mask_is_full()) {
      const Value partial = ir_.compare("icmp ne", writer_.mask(), ~std::uint64_t{0});
      bad = ir_.binary("or", bad, partial);
    }
    ir_.branch(bad, slow, fast, true);
    ir_.begin_block(fast);
    store_runs(host_pointer(base), offset, lanes);
    ir_.jump(done);
    ir_.begin_block(slow);
    store_lanes(lanes);
    ir_.jump(done);
    ir_.begin_block(done);
  }

 private:
  [[nodiscard]] unsigned span() const { return bytes_ * count_; }  // of one lane
  [[nodiscard]] std::int64_t gap() const { return stores_ ? 0 : kBridgedGap; }
  [[nodiscard]] bool is_volatile() const {
    return instruction_.has(Modifier::volatile_) || instruction_.has(Modifier::relaxed) ||
           instruction_.has(Modifier::acquire) || instruction_.has(Modifier::release) ||
           instruction_.has(Modifier::mmio);
  }

  [[nodiscard]] LaneOffsets consecutive() const {
    LaneOffsets offset{};
    for (std::size_t lane = 0; lane < offset.size(); ++lane) {
      offset[lane] = static_cast<std::int64_t>(lane * span());
    }
    return offset;
  }
  [[nodiscard]] static std::size_t distinct(const LaneOffsets& offset) {
    std::vector<std::int64_t> sorted(offset.begin(), offset.end());
    std::ranges::sort(sorted);
    return sorted.size() - std::ranges::unique(sorted).size();
  }
  [[nodiscard]] bool is_worth_it(const LaneOffsets& offset) const {
    const bool aligned =
        std::ranges::all_of(offset, [&](std::int64_t o) { return (o - offset[0]) % span() == 0; });
    const std::size_t runs = runs_of(offset, span(), gap()).size();
    return aligned && (runs <= kMostRuns || (count_ == 1 && !stores_));
  }

  // The address of the lowest lane of the span.
  Value span_address(const LaneOffsets& offset) {
    const std::int64_t lowest = *std::ranges::min_element(offset);
    Value base;
    if (address_.form().is_vector()) {
      lane_addresses_ = address_.lanes();
      base =
          ir_.binary("sub", ir_.extract(lane_addresses_, 0), static_cast<std::uint64_t>(offset[0]));
    } else {
      base = address_.scalar();
    }
    return lowest == 0 ? base : ir_.binary("add", base, static_cast<std::uint64_t>(lowest));
  }

  // Whether the span from `base` must be looked at lane by lane: it lies not in one allocation, is
  // misaligned, or its lanes are not where they were guessed to be.
  Value span_is_bad(const Value& base, const LaneOffsets& offset) {
    const auto [lowest, highest] = std::ranges::minmax(offset);
    Value bad = outside(base, static_cast<std::uint64_t>(highest - lowest) + span());
    if (address_.form().is_vector()) {
      LaneOffsets from_base = offset;
      for (std::int64_t& o : from_base) o -= lowest;
      const Value expected =
          ir_.binary("add", ir_.splat(base, kLanes), Ir::lane_constants(from_base, "i64"));
      const Value matching = ir_.to_mask(ir_.compare("icmp eq", lane_addresses_, expected));
      bad = ir_.binary("or", bad, ir_.compare("icmp ne", matching, ~std::uint64_t{0}));
    }
    return bad;
  }

  // Whether [address, address + bytes) is outside what the site may use, or misaligned.
  Value outside(const Value& address, std::uint64_t bytes) {
    Value bad = Ir::constant(0, "i1", 1);
    if (!address_.surely_inside(span())) {
      const Value end = ir_.binary("add", address, bytes);
      if (space_ == Space::shared) {
        bad = ir_.binary("or", ir_.compare("icmp ugt", end, writer_.shared_bytes()),
                         ir_.compare("icmp ugt", address, writer_.shared_bytes()));
      } else if (space_ == Space::local && writer_.by_thread()) {
        const Value begin = ir_.cast("ptrtoint", writer_.local_base(), "i64");
        const Value limit = ir_.binary("add", begin, writer_.local_window_bytes());
        bad = ir_.binary("or", ir_.compare("icmp ult", address, begin),
                         ir_.compare("icmp ugt", end, limit));
      } else {
        const Value range =
            ir_.pointer_offset(writer_.ranges(), std::uint64_t{site_} * sizeof(runtime::Range));
        const Value range_begin = ir_.load(range, "i64", 1, 8);
        const Value range_end = ir_.load(ir_.pointer_offset(range, 8), "i64", 1, 8);
        bad = ir_.binary("or", ir_.compare("icmp ult", address, range_begin),
                         ir_.compare("icmp ugt", end, range_end));
      }
    }
    if (!address_.surely_aligned(span())) {
      const Value misplaced = ir_.binary("and", address, span() - 1);
      bad = ir_.binary("or", bad, ir_.compare("icmp ne", misplaced, 0));
    }
    return bad;
  }

  Value host_pointer(const Value& address) {
    if (space_ == Space::shared) return ir_.pointer_add(writer_.shared_base(), address);
    return ir_.cast("inttoptr", address, "ptr");
  }

  void write(unsigned element, const Value& value) {
    writer_.write(registers_[element], value, Form::any(), ptx::is_signed(instruction_.type()));
  }

  void check_uniform(const Value& address) {
    const std::string bad = ir_.label("access.bad");
    const std::string good = ir_.label("access.good");
    ir_.branch(outside(address, span()), bad, good, true);
    ir_.begin_block(bad);
    writer_.cold_call("emu_check", {Ir::constant(site_, "i32", 1), writer_.mask(), address,
                                    Ir::constant(span(), "i64", 1)});
    ir_.jump(good);
    ir_.begin_block(good);
  }

  void load_uniform() {
    const Value address = address_.scalar();
    check_uniform(address);
    const Value pointer = host_pointer(address);
    for (unsigned e = 0; e < count_; ++e) {
      const Value value = ir_.load(ir_.pointer_offset(pointer, std::uint64_t{e} * bytes_), element_,
                                   1, bytes_, is_volatile());
      writer_.write(registers_[e], value, Form::uniform(64), ptx::is_signed(instruction_.type()));
    }
  }

  void store_uniform(const std::vector<Value>& values) {
    const Value address = address_.scalar();
    check_uniform(address);
    const Value pointer = host_pointer(address);
    for (unsigned e = 0; e < count_; ++e) {
      ir_.store(values[e], ir_.pointer_offset(pointer, std::uint64_t{e} * bytes_), bytes_,
                is_volatile());
    }
  }

  // Loads every run and deals its elements out to the lanes.
  std::vector<Value> load_runs(const Value& base, const LaneOffsets& offset) {
    const std::int64_t lowest = *std::ranges::min_element(offset);
    std::vector<Value> result;
    for (const Run& run : runs_of(offset, span(), gap())) {
      const Value pointer =
          ir_.pointer_offset(base, static_cast<std::uint64_t>(run.start - lowest));
      const auto width = static_cast<unsigned>(run.bytes() / bytes_);
      const Value data = ir_.load(pointer, element_, width, bytes_, is_volatile());
      for (unsigned e = 0; e < count_; ++e) {
        std::vector<int> picks(kLanes, -1);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          if (!run.holds(offset[lane])) continue;
          picks[lane] = static_cast<int>((offset[lane] - run.start) / bytes_ + e);
        }
        merge(result, e, picked(data, picks), picks);
      }
    }
    return result;
  }

  Value picked(const Value& data, const std::vector<int>& picks) {
    if (data.lanes == 1) return ir_.splat(data, kLanes);
    std::vector<int> identity(kLanes);
    std::iota(identity.begin(), identity.end(), 0);
    if (data.lanes == kLanes && picks == identity) return data;
    return ir_.shuffle(data, {"poison", data.element, data.lanes}, picks);
  }

  // Adds the lanes that `picks` names to what earlier runs gave.
  void merge(std::vector<Value>& result, unsigned element, const Value& value,
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

  void store_runs(const Value& base, const LaneOffsets& offset, const std::vector<Value>& values) {
    const std::int64_t lowest = *std::ranges::min_element(offset);
    const Value all = concatenated(values);
    for (const Run& run : runs_of(offset, span(), gap())) {
      std::vector<int> picks(static_cast<std::size_t>(run.bytes() / bytes_));
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!run.holds(offset[lane])) continue;
        const auto at = static_cast<std::size_t>((offset[lane] - run.start) / bytes_);
        for (unsigned e = 0; e < count_; ++e) picks[at + e] = static_cast<int>(e * kLanes + lane);
      }
      const Value pointer =
          ir_.pointer_offset(base, static_cast<std::uint64_t>(run.start - lowest));
      const Value data = picks.size() == 1
                             ? ir_.extract(all, static_cast<unsigned>(picks[0]))
                             : ir_.shuffle(all, {"poison", all.element, all.lanes}, picks);
      ir_.store(data, pointer, bytes_, is_volatile());
    }
  }

  // The elements of all lanes end to end: element 0 of 32 lanes, element 1, ..
  Value concatenated(std::vector<Value> values) {
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

  void put_addresses() {
    const Value addresses = lane_addresses_.name.empty() ? address_.lanes() : lane_addresses_;
    ir_.store(addresses, writer_.address_area(), 64);
  }

  std::vector<Value> fetch_lanes() {
    put_addresses();
    writer_.cold_call("emu_load", {Ir::constant(site_, "i32", 1), writer_.mask()});
    std::vector<Value> values;
    values.reserve(count_);
    for (unsigned e = 0; e < count_; ++e)
      values.push_back(ir_.load(writer_.value_area(e), element_, kLanes, 64));
    return values;
  }

  void load_lanes() {
    const std::vector<Value> values = fetch_lanes();
    for (unsigned e = 0; e < count_; ++e) write(e, values[e]);
  }

  void store_lanes(const std::vector<Value>& values) {
    put_addresses();
    for (unsigned e = 0; e < count_; ++e) ir_.store(values[e], writer_.value_area(e), 64);
    writer_.cold_call("emu_store", {Ir::constant(site_, "i32", 1), writer_.mask()});
  }

  std::vector<Value> stored_values() {
    std::vector<Value> values;
    for (const ptx::Operand& operand : registers_) {
      const bool scalar = writer_.form(operand, bytes_ * 8).is_uniform();
      values.push_back(writer_.read_bits(operand, instruction_.type(), scalar ? 1 : kLanes));
    }
    return values;
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  bool stores_;
  Space space_;
  std::string element_;
  unsigned bytes_;  // of one element
  unsigned count_;  // elements per lane
  AccessAddress address_;
  std::vector<ptx::Operand> registers_;
  std::uint32_t site_ = 0;
  Value lane_addresses_;  // of the current access, where they were computed for a guess
};

}  // namespace

bool lower_memory(Writer& writer, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
      Access(writer, instruction, false).load();
      // No later access may be answered from before.
      if (instruction.has(Modifier::acquire)) writer.ir.line("fence acquire");
      return true;
    case Opcode::st:
      if (instruction.has(Modifier::release)) writer.ir.line("fence release");
      Access(writer, instruction, true).store();
      if (instruction.has(Modifier::async)) complete_transaction(writer, instruction);
      return true;
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
      return true;  // hints
    case Opcode::createpolicy:
      writer.write_result(instruction, Ir::constant(0, "i64", 1));
      return true;
    default:
      return false;
  }
}

}  // namespace emulator::lower
