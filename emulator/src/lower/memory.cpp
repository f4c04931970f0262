// ld and st. Most accesses of a warp are one address, or consecutive ones, or a few groups of them,
// and are known to be so when the kernel is compiled; they become one scalar or a few vector
// instructions behind one check of the whole span. All others, and every access that fails its
// check, go to the runtime's emu_load and emu_store, which look at each lane and raise the fault if
// there is one. Where the ranges of registers claim that a span lies inside shared or local memory,
// the check is one comparison with its end, which a right claim passes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lower/access_form.h"
#include "lower/access_strategy.h"
#include "lower/address.h"
#include "lower/bulk_copy.h"
#include "lower/check_groups.h"
#include "lower/mbarrier.h"
#include "lower/parameters.h"
#include "lower/vector_access.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Space;

using Inside = AccessAddress::Inside;

class Access {
 public:
  Access(Writer& writer, const Instruction& instruction, bool stores)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        space_(instruction.space),
        element_(integer_of(instruction.type())),
        bytes_(ptx::bits(instruction.type()) / 8),
        count_(instruction.vector_width),
        address_(writer, instruction.operands.at(stores ? 0 : 1), instruction.space),
        registers_(elements_of(instruction.operands.at(stores ? 1 : 0))) {
    if (bytes_ == 0 || registers_.size() != count_) unsupported(instruction);
    way_ = way_of(writer, instruction, address_);
    site_ = site_of(instruction);
    if (stores && leaves_out()) {
      writer.store_elements(site_, stored_elements());
      if (way_.kind != AccessWay::Kind::uniform) way_.kind = AccessWay::Kind::lanes;
    }
    inside_ = address_.inside(span());
  }

  void load() {
    if (in_cluster()) return load_lanes();
    switch (way_.kind) {
      case AccessWay::Kind::uniform:
        return load_uniform();
      case AccessWay::Kind::lanes:
        return load_lanes();
      case AccessWay::Kind::vectors:
      case AccessWay::Kind::guess:
        break;
    }
    if (writer_.check_group(instruction_) != nullptr) return load_checked();

    if (writer_.parts_frame() != nullptr && address_.lane_values().is_vector() && count_ == 1 &&
        bytes_ <= sizeof(std::uint64_t)) {
      return load_by_function();
    }
    const std::string fast = ir_.label("load.fast");
    const std::string slow = ir_.label("load.slow");
    const std::string done = ir_.label("load.done");
    check_claim();
    const Value base = span_address();
    ir_.branch(span_is_bad(base), slow, fast, true);

    ir_.begin_block(fast);
    std::vector<Value> loaded = VectorAccess(ir_, instruction_, way_).load(host_pointer(base));
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
    // The runtime looks whether a product is reading what is there.
    const bool watched =
        writer_.has_products() && (space_ == Space::shared || space_ == Space::generic);
    const bool by_runtime = watched || in_cluster();
    const std::vector<Value> values = stored_values();
    if (way_.kind == AccessWay::Kind::uniform && !by_runtime) return store_uniform(values);
    std::vector<Value> lanes;
    lanes.reserve(values.size());
    for (const ptx::Operand& operand : registers_) lanes.push_back(stored_value(operand, kLanes));
    if (way_.kind == AccessWay::Kind::lanes || by_runtime) return store_lanes(lanes);

    const std::string fast = ir_.label("store.fast");
    const std::string slow = ir_.label("store.slow");
    const std::string done = ir_.label("store.done");
    check_claim();
    const Value base = span_address();
    Value bad = span_is_bad(base);
    if (!writer_.mask_is_full()) {
      const Value partial = ir_.compare("icmp ne", writer_.mask(), ~std::uint64_t{0});
      bad = ir_.binary("or", bad, partial);
    }
    ir_.branch(bad, slow, fast, true);
    ir_.begin_block(fast);
    VectorAccess(ir_, instruction_, way_).store(host_pointer(base), lanes);
    ir_.jump(done);
    ir_.begin_block(slow);
    store_lanes(lanes);
    ir_.jump(done);
    ir_.begin_block(done);
  }

 private:
  [[nodiscard]] unsigned span() const { return bytes_ * count_; }  // of one lane
  // Of another block's shared memory: the runtime knows where that is, and whether it is there.
  [[nodiscard]] bool in_cluster() const {
    return instruction_.cluster_shared && writer_.layout().clustered;
  }
  [[nodiscard]] std::int64_t lowest() const { return *std::ranges::min_element(way_.offset); }
  [[nodiscard]] std::uint32_t site_of(const Instruction& instruction) {
    const bool stores = instruction.opcode == Opcode::st;
    return writer_.site_of(
        instruction, stores ? runtime::AccessKind::store : runtime::AccessKind::load,
        instruction.space, ptx::bits(instruction.type()) / 8, instruction.vector_width);
  }

  // The address of the lowest lane of the span.
  Value span_address() {
    Value base;
    if (address_.lane_values().is_vector()) {
      if (lane_addresses_.name.empty()) lane_addresses_ = address_.lanes();
      base = ir_.binary("sub", ir_.extract(lane_addresses_, 0),
                        static_cast<std::uint64_t>(way_.offset[0]));
    } else {
      base = address_.scalar();
    }
    return further(base, lowest());
  }

  // Whether the span from `base` must be looked at lane by lane: it lies not in one allocation, is
  // misaligned, or its lanes are not where they were guessed to be.
  Value span_is_bad(const Value& base) {
    const std::int64_t highest = *std::ranges::max_element(way_.offset);
    Value bad = outside(base, static_cast<std::uint64_t>(highest - lowest()) + span());
    if (address_.lane_values().is_vector()) {
      LaneOffsets from_base = way_.offset;
      for (std::int64_t& o : from_base) o -= lowest();
      const Value expected =
          ir_.binary("add", ir_.splat(base, kLanes), Ir::lane_constants(from_base, "i64"));
      const Value matching = ir_.to_mask(ir_.compare("icmp eq", lane_addresses_, expected));
      bad = ir_.binary("or", bad, ir_.compare("icmp ne", matching, ~std::uint64_t{0}));
    }
    return bad;
  }

  Value further(const Value& address, std::int64_t distance) {
    return distance == 0 ? address
                         : ir_.binary("add", address, static_cast<std::uint64_t>(distance));
  }

  // Whether [address, address + bytes) is outside what the site may use, or misaligned.
  Value outside(const Value& address, std::uint64_t bytes) {
    Value bad = Ir::constant(0, "i1", 1);
    if (inside_ == Inside::unknown) bad = beyond_bounds(address, bytes);
    if (!address_.surely_aligned(span())) bad = ir_.binary("or", bad, misaligned(address, span()));
    return bad;
  }

  Value misaligned(const Value& address, unsigned alignment) {
    return ir_.compare("icmp ne", ir_.binary("and", address, alignment - 1), 0);
  }

  Value beyond_bounds(const Value& address, std::uint64_t bytes) {
    if (space_ == Space::shared) {
      const Value offset =
          writer_.layout().clustered ? ir_.binary("sub", address, writer_.shared_begin()) : address;
      return ir_.binary(
          "or", ir_.compare("icmp ugt", ir_.binary("add", offset, bytes), writer_.shared_bytes()),
          ir_.compare("icmp ugt", offset, writer_.shared_bytes()));
    }
    const Value end = ir_.binary("add", address, bytes);
    Value range_begin;
    Value range_end;
    if (space_ == Space::local && writer_.by_thread()) {
      range_begin = ir_.cast("ptrtoint", writer_.local_base(), "i64");
      range_end = ir_.binary("add", range_begin, writer_.local_window_bytes());
    } else {
      const Value range = range_of_site();
      range_begin = ir_.load(range, "i64", 1, 8);
      range_end = ir_.load(ir_.pointer_offset(range, 8), "i64", 1, 8);
    }
    // Near the top of the address space the end comes out small, and the address is still too
    // large.
    const Value past = ir_.binary("or", ir_.compare("icmp ugt", end, range_end),
                                  ir_.compare("icmp ugt", address, range_end));
    return ir_.binary("or", ir_.compare("icmp ult", address, range_begin), past);
  }

  Value range_of_site() {
    if (!given_) {
      return ir_.pointer_offset(writer_.ranges(), std::uint64_t{site_} * sizeof(runtime::Range));
    }
    const Value distance =
        ir_.binary("mul", ir_.resize(given_->site, "i64", false), sizeof(runtime::Range));
    return ir_.pointer_add(writer_.ranges(), distance);
  }
  Value site() { return given_ ? given_->site : Ir::constant(site_, "i32", 1); }
  Value mask() { return given_ ? given_->mask : writer_.mask(); }

  // Of an access that ranges claim to be inside: a claim is not what keeps a kernel within its
  // memory. In a group, the first one does it for all.
  void check_claim() {
    if (inside_ != Inside::claimed) return;
    if (const CheckGroup* group = writer_.check_group(instruction_)) {
      if (group->members.front().instruction == &instruction_) {
        check_claim(group->low, group->high);
      }
      return;
    }
    const auto [low, high] = std::ranges::minmax(address_.window_offsets());
    check_claim(low, high + span());
  }

  // That [low, high) from the scalar address on lies in the memory.
  void check_claim(std::int64_t low, std::int64_t high) {
    const std::uint64_t bytes = address_.window_bytes();
    const auto stretch = static_cast<std::uint64_t>(high - low);
    const Value begin = further(address_.window_scalar(), low);
    const std::string bad = ir_.label("claim.wrong");
    const std::string good = ir_.label("claim.right");
    // Unsigned: what lies before the memory is far behind its end.
    const Value wrong = stretch > bytes ? Ir::constant(1, "i1", 1)
                                        : ir_.compare("icmp ugt", begin, bytes - stretch);
    ir_.branch(wrong, bad, good, true);
    ir_.begin_block(bad);
    const Value address = further(address_.scalar(), low);
    writer_.call("emu_outside", {site(), mask(), address, Ir::constant(stretch, "i64", 1)});
    ir_.line("unreachable");
    ir_.begin_block(good);
  }

  // What the instruction's group touches, where it leads one; otherwise another has done it.
  void check_group(const CheckGroup& group, const Value& scalar) {
    if (group.claimed) return check_claim();
    if (group.members.front().instruction != &instruction_) return;
    const std::string bad = ir_.label("group.bad");
    const std::string good = ir_.label("group.good");
    Value wrong = beyond_bounds(further(scalar, group.low),
                                static_cast<std::uint64_t>(group.high - group.low));
    if (!address_.surely_aligned(group.alignment)) {
      wrong = ir_.binary("or", wrong, misaligned(further(scalar, lowest()), group.alignment));
    }
    ir_.branch(wrong, bad, good, true);
    ir_.begin_block(bad);
    check_one_by_one(group, scalar);
    ir_.jump(good);
    ir_.begin_block(good);
  }

  // In their order: what comes back from this may be accessed. A loop over a table, since the group
  // may be long.
  void check_one_by_one(const CheckGroup& group, const Value& scalar) {
    if (group.members.size() == 1) return check_alone(scalar);
    constexpr std::uint64_t kSite = 0;
    constexpr std::uint64_t kDistance = 8;
    constexpr std::uint64_t kBytes = 16;
    constexpr std::uint64_t kRow = 24;
    std::vector<std::uint64_t> table;
    for (const CheckGroup::Member& member : group.members) {
      table.push_back(site_of(*member.instruction));
      table.push_back(static_cast<std::uint64_t>(member.distance));
      table.push_back(lane_bytes(*member.instruction));
    }
    const bool uniform = way_.kind == AccessWay::Kind::uniform;
    const Value lanes = uniform ? Value() : address_.lanes();
    const Value rows = ir_.table(table);
    const Value offset = ir_.slot("i64", 1);
    const std::string next = ir_.label("group.next");
    const std::string done = ir_.label("group.done");
    ir_.store(Ir::constant(0, "i64", 1), offset, 8);
    ir_.jump(next);
    ir_.begin_block(next);
    const Value at = ir_.load(offset, "i64", 1, 8);
    const Value row = ir_.pointer_add(rows, at);
    const auto column = [&](std::uint64_t bytes) {
      return ir_.load(ir_.pointer_offset(row, bytes), "i64", 1, 8);
    };
    const Value site = ir_.cast("trunc", column(kSite), "i32");
    const Value distance = column(kDistance);
    if (uniform) {
      writer_.cold_call(
          "emu_check", {site, writer_.mask(), ir_.binary("add", scalar, distance), column(kBytes)});
    } else {
      ir_.store(ir_.binary("add", lanes, ir_.splat(distance, kLanes)), writer_.address_area(), 64);
      // What it loads is not wanted, and does no harm.
      writer_.cold_call("emu_load", {site, writer_.mask()});
    }
    const Value following = ir_.binary("add", at, kRow);
    ir_.store(following, offset, 8);
    ir_.branch(ir_.compare("icmp ult", following, kRow * group.members.size()), next, done);
    ir_.begin_block(done);
  }

  void check_alone(const Value& scalar) {
    if (way_.kind != AccessWay::Kind::uniform) {
      put_addresses();
      return writer_.cold_call("emu_load", {site(), mask()});
    }
    writer_.cold_call("emu_check", {site(), mask(), scalar, Ir::constant(span(), "i64", 1)});
  }

  void load_checked() {
    const Value scalar = address_.scalar();
    check_group(*writer_.check_group(instruction_), scalar);
    const std::vector<Value> values =
        VectorAccess(ir_, instruction_, way_).load(host_pointer(further(scalar, lowest())));
    for (unsigned e = 0; e < count_; ++e) write(e, values[e]);
  }

  Value host_pointer(const Value& address) {
    if (space_ == Space::shared) return ir_.pointer_add(writer_.shared_base(), address);
    return ir_.cast("inttoptr", address, "ptr");
  }

  void write(unsigned element, const Value& value) {
    writer_.write(registers_[element], value, LaneValues::any(),
                  ptx::is_signed(instruction_.type()));
  }

  void check_uniform(const Value& address) {
    if (const CheckGroup* group = writer_.check_group(instruction_)) {
      return check_group(*group, address);
    }
    check_claim();
    const std::string bad = ir_.label("access.bad");
    const std::string good = ir_.label("access.good");
    ir_.branch(outside(address, span()), bad, good, true);
    ir_.begin_block(bad);
    check_alone(address);
    ir_.jump(good);
    ir_.begin_block(good);
  }

  void load_uniform() {
    const Value address = address_.scalar();
    check_uniform(address);
    const Value pointer = host_pointer(address);
    for (unsigned e = 0; e < count_; ++e) {
      const Value value = ir_.load(ir_.pointer_offset(pointer, std::uint64_t{e} * bytes_), element_,
                                   1, told_alignment(bytes_), is_volatile(instruction_));
      writer_.write(registers_[e], value, LaneValues::uniform(64),
                    ptx::is_signed(instruction_.type()));
    }
  }

  void store_uniform(const std::vector<Value>& values) {
    const Value address = address_.scalar();
    check_uniform(address);
    const Value pointer = host_pointer(address);
    for (unsigned e = 0; e < count_; ++e) {
      if (is_sink(registers_[e])) continue;
      ir_.store(values[e], ir_.pointer_offset(pointer, std::uint64_t{e} * bytes_),
                told_alignment(bytes_), is_volatile(instruction_));
    }
  }

  void put_addresses() {
    const Value addresses = lane_addresses_.name.empty() ? address_.lanes() : lane_addresses_;
    ir_.store(addresses, writer_.address_area(), 64);
  }

  std::vector<Value> fetch_lanes() {
    put_addresses();
    writer_.cold_call("emu_load", {site(), mask()});
    std::vector<Value> values;
    values.reserve(count_);
    for (unsigned e = 0; e < count_; ++e)
      values.push_back(ir_.load(writer_.value_area(e), element_, kLanes, 64));
    return values;
  }

  // A load whose lanes are where they were guessed to be, or not, by a function that all such loads
  // of a long kernel call: written out, it is the longest of all instructions.
  void load_by_function() {
    const Value lanes = address_.lanes();
    const Value site_number = Ir::constant(site_, "i32", 1);
    const Value running = writer_.mask();
    std::string key = fmt::format("load {} {} {} {} {}", static_cast<int>(space_), element_,
                                  static_cast<int>(inside_), address_.surely_aligned(span()),
                                  is_volatile(instruction_));
    for (const std::int64_t offset : way_.offset) key += fmt::format(" {}", offset);
    const Value value = writer_.call_common(
        key, {lanes, site_number, running}, element_, [&](const std::vector<Value>& given) {
          given_ = Given{given[1], given[2]};
          lane_addresses_ = given[0];
          const std::string fast = ir_.label("fast");
          const std::string slow = ir_.label("slow");
          const Value base = span_address();
          ir_.branch(span_is_bad(base), slow, fast, true);
          ir_.begin_block(slow);
          const Value fetched = fetch_lanes()[0];
          ir_.line("ret " + fetched.typed());
          ir_.begin_block(fast);
          const Value loaded = VectorAccess(ir_, instruction_, way_).load(host_pointer(base))[0];
          ir_.line("ret " + loaded.typed());
        });
    write(0, value);
  }

  void load_lanes() {
    std::vector<Value> values = fetch_lanes();
    if (way_.kind == AccessWay::Kind::uniform) {
      // All lanes that are here have fetched the same; where there is none, nothing is written.
      const Value lane = ir_.binary("and", ir_.lowest_lane(writer_.mask()), kLanes - 1);
      for (Value& value : values) value = ir_.extract(value, lane);
    }
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
      const bool scalar = writer_.lane_values(operand, bytes_ * 8).is_uniform();
      values.push_back(stored_value(operand, scalar ? 1 : kLanes));
    }
    return values;
  }
  // Of a sink nothing is stored, whatever its value.
  Value stored_value(const ptx::Operand& operand, unsigned lanes) {
    if (is_sink(operand)) return Ir::constant(0, element_, lanes);
    return writer_.read_bits(operand, instruction_.type(), lanes);
  }
  static bool is_sink(const ptx::Operand& operand) {
    return std::holds_alternative<ptx::Sink>(operand.value);
  }
  [[nodiscard]] bool leaves_out() const { return std::ranges::any_of(registers_, is_sink); }
  // A bit for each.
  [[nodiscard]] std::uint32_t stored_elements() const {
    std::uint32_t all = 0;
    for (std::size_t e = 0; e < registers_.size(); ++e) {
      if (!is_sink(registers_[e])) all |= 1U << e;
    }
    return all;
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  Space space_;
  std::string element_;
  unsigned bytes_;  // of one element
  unsigned count_;  // elements per lane
  AccessAddress address_;
  std::vector<ptx::Operand> registers_;
  AccessWay way_;
  std::uint32_t site_ = 0;
  Inside inside_ = Inside::unknown;
  Value lane_addresses_;  // of the current access, where they were computed for a guess
  // Of a function that many accesses call: what its caller says of the access.
  struct Given {
    Value site;
    Value mask;
  };
  std::optional<Given> given_;
};

}  // namespace

void lower_ld(Writer& writer, const Instruction& instruction) {
  require_access_form(instruction);
  if (lower_parameter(writer, instruction)) return;
  Access(writer, instruction, false).load();
  // No later access may be answered from before.
  if (instruction.has(Modifier::acquire)) writer.ir.line("fence acquire");
}
void lower_st(Writer& writer, const Instruction& instruction) {
  if (instruction.has(Modifier::bulk)) return fill_in_bulk(writer, instruction);
  require_access_form(instruction);
  if (lower_parameter(writer, instruction)) return;
  const bool at_mbarrier =
      instruction.has(Modifier::async) && completion_of(instruction) == Completion::at_mbarrier;
  if (at_mbarrier && !requires_cluster(writer, instruction)) return;
  if (instruction.has(Modifier::release)) writer.ir.line("fence release");
  Access(writer, instruction, true).store();
  if (at_mbarrier) {
    const unsigned bytes = ptx::bits(instruction.type()) / 8 * instruction.vector_width;
    complete_transaction(writer, instruction, instruction.operands.at(2),
                         Ir::constant(bytes, "i32", kLanes));
  }
}
void lower_createpolicy(Writer& writer, const Instruction& instruction) {
  writer.write_result(instruction, Ir::constant(0, "i64", 1));
}

}  // namespace emulator::lower
