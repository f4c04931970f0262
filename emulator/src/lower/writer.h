// The state of lowering one kernel that every instruction needs: operands as IR values, results
// into registers, the mask of the lanes that run. What each instruction does is in the files named
// after the groups (integer.cpp, ..).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lower/analysis.h"
#include "lower/check_groups.h"
#include "lower/data_flow.h"
#include "lower/ir.h"
#include "lower/layout.h"
#include "lower/nan.h"
#include "lower/parts.h"
#include "lower/thread_function.h"
#include "ptx/ast.h"
#include "runtime/abi.h"

namespace emulator::lower {

inline constexpr unsigned kLanes = runtime::kWarpSize;

// The IR element type a PTX type is computed in: i8 to i64, i1 for predicates, float, double;
// 16-bit floats are i16.
[[nodiscard]] std::string element_of(ptx::Type type);
// The same as an integer: i32 for f32.
[[nodiscard]] std::string integer_of(ptx::Type type);

// The elements of a vector operand; another operand is its own one element.
[[nodiscard]] std::vector<ptx::Operand> elements_of(const ptx::Operand& operand);

// Numbers for names, from 1 in the order they are asked for.
class Numbering {
 public:
  std::uint32_t of(const std::string& name) {
    return numbers_.emplace(name, static_cast<std::uint32_t>(numbers_.size() + 1)).first->second;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

// What the functions of one kernel have in common.
struct KernelScope {
  const ThreadProgram* program = nullptr;  // null where warps run: then the kernel is one function
  Numbering kinds;                         // of warp-wide instructions
  Numbering signatures;                    // of functions that pointers may name
  std::uint32_t sites = 0;
  std::map<std::string, Ir> common;  // functions that instructions call, by what they do
  Numbering common_names;
};

class Writer {
 public:
  Writer(const ptx::Module& module, const ptx::Function& function, const LaunchShape& shape,
         const Layout& layout, const SymbolAddresses& symbols, const ControlFlow& flow,
         const Analysis& analysis, KernelScope& scope, PartsFrame* frame = nullptr);

  Ir ir;
  // Begins another function of the same body, which finds in the frame what others left, and gives
  // the IR of the one before.
  Ir next_part();

  [[nodiscard]] const ptx::Module& module() const { return module_; }
  [[nodiscard]] const ptx::Function& function() const { return function_; }
  [[nodiscard]] const LaunchShape& shape() const { return shape_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const ControlFlow& flow() const { return flow_; }
  [[nodiscard]] const Analysis& analysis() const { return analysis_; }
  [[nodiscard]] KernelScope& scope() { return scope_; }
  // Whether the code is that of one thread, which runs by itself.
  [[nodiscard]] bool by_thread() const { return shape_.by_thread(); }
  // Where the body is written in parts: null otherwise.
  [[nodiscard]] const PartsFrame* parts_frame() const { return parts_frame_; }
  // An address in that frame.
  [[nodiscard]] Value in_parts_frame(std::uint64_t offset) {
    return ir.pointer_offset(PartsFrame::pointer(), offset);
  }

  // 1 where the instruction's result is one scalar (plus constants per lane), else 32: how many
  // lanes its operands are to be read with.
  [[nodiscard]] unsigned lanes_of(const ptx::Instruction& instruction) const;
  [[nodiscard]] LaneValues lane_values(const ptx::Operand& operand, unsigned bits) const;
  [[nodiscard]] LaneValues result(const ptx::Instruction& instruction) const;
  // Whether any instruction of the function reads what this one leaves in its first operand.
  [[nodiscard]] bool reads_result(const ptx::Instruction& instruction) const;

  // An operand's value as `element`. With one lane: their scalar, which the caller knows
  // to be enough. An operand wider than the element is truncated, a narrower one extended.
  Value read(const ptx::Operand& operand, const std::string& element, unsigned lanes,
             bool is_signed = false);
  // An operand of this type as an integer of its width; a decimal constant is a number of the type.
  Value read_bits(const ptx::Operand& operand, ptx::Type type, unsigned lanes);
  // A register's content, and a scalar as 32 lanes: the scalar plus the lanes' offsets.
  Value read_register(std::uint32_t index, unsigned lanes);
  Value widen(const Value& scalar, const LaneValues& lane_values);
  // Writes a result to a register, a sink, or nothing; leaves lanes that do not run, or that the
  // guard passes over, as they are where it matters. `lane_values` is what the value stands for
  // when it has one lane.
  void write(const ptx::Operand& destination, const Value& value, const LaneValues& lane_values,
             bool is_signed = false);
  // Operand 0 of the instruction, with what is known of its result.
  void write_result(const ptx::Instruction& instruction, const Value& value,
                    bool is_signed = false);

  // Lanes that run the current instruction (i32): those of the block, less those its guard passes
  // over.
  Value mask();
  // Whether that is known to be all lanes.
  [[nodiscard]] bool mask_is_full() const;
  void enter_block(std::uint32_t block, const Value& mask, bool known_full);
  // The guard of the instruction about to be lowered.
  void set_guard(const ptx::Instruction& instruction);
  void clear_guard() { guard_.reset(); }
  // Whether products of warpgroups may be reading what is stored.
  [[nodiscard]] bool has_products() const { return has_products_; }
  // Whether other blocks may find out when something is stored (inline_atomic.h).
  [[nodiscard]] bool orders_memory() const { return orders_memory_; }
  // Whether reads of the instruction about to be lowered see which NaN a value is.
  void expect_bits_of(const ptx::Instruction& instruction) {
    sees_nan_bits_ = lower::sees_nan_bits(instruction, host_nans_);
  }
  [[nodiscard]] std::uint32_t block() const { return block_; }

  // Registers new access sites; the index selects the runtime's Site and Range.
  std::uint32_t add_site(const ptx::Instruction& instruction, runtime::AccessKind kind,
                         ptx::Space space, unsigned bytes, unsigned elements);
  // The same for the one site that an instruction has, however often it is asked for.
  std::uint32_t site_of(const ptx::Instruction& instruction, runtime::AccessKind kind,
                        ptx::Space space, unsigned bytes, unsigned elements);
  // Says which elements, a bit for each, the site's stores write: all where nothing is said.
  void store_elements(std::uint32_t site, std::uint32_t elements) {
    sites_.at(site - first_site_).site.written = elements;
  }
  struct PendingSite {
    runtime::Site site;  // without its text
    std::string text;
  };
  [[nodiscard]] const std::vector<PendingSite>& sites() const { return sites_; }

  // Which accesses of the block that has been entered are checked together; of one of them, null
  // where it is checked by itself.
  void set_check_groups(CheckGroups groups) { check_groups_ = std::move(groups); }
  [[nodiscard]] const CheckGroup* check_group(const ptx::Instruction& instruction) const;

  // Values of the warp context, read once on entry.
  // Where the addresses of shared memory begin, and which of them is the block's first (i64).
  [[nodiscard]] Value shared_base() const { return bases_.shared; }
  [[nodiscard]] Value shared_begin() const { return bases_.shared_begin; }
  [[nodiscard]] Value shared_bytes() const { return bases_.shared_bytes; }  // i64
  // How much from local_base() on is local memory: of all lanes, or of the thread.
  Value local_window_bytes();  // i64
  [[nodiscard]] Value local_base() const { return bases_.local; }
  [[nodiscard]] Value parameters() const { return bases_.parameters; }
  [[nodiscard]] Value ranges() const { return bases_.ranges; }
  [[nodiscard]] static Value context() { return {"%ctx", "ptr", 1}; }
  Value context_field(std::size_t offset) { return ir.pointer_offset(context(), offset); }
  // context->address and context->value[i], where entry points find and leave vectors.
  Value address_area();
  Value value_area(unsigned index);
  // Where that is in the context.
  [[nodiscard]] static std::uint64_t value_offset(unsigned index) {
    return offsetof(runtime::WarpContext, value) + std::uint64_t{index} * kLanes * 16;
  }
  // The slot of a call's argument or result: one 32-lane value per offset of a .param variable.
  // Refuses the instruction where another piece of the variable, with which this one overlaps, has
  // a slot.
  Value call_slot(const ptx::Instruction& instruction, std::uint32_t variable, std::int64_t offset,
                  const std::string& element);
  // Calls an entry point: `call void @name(ptr %ctx, arguments..)`, or with a result.
  void call(const std::string& name, const std::vector<Value>& arguments);
  Value call(const std::string& name, const std::vector<Value>& arguments,
             const std::string& element);

  // Calls a function of the module that is the same for all instructions of one `key`, and is
  // written by the first of them; `write` gets its arguments, and returns 32 lanes of `element`, of
  // at most 64 bits. It changes no register but those of its arguments and its result.
  Value call_common(const std::string& key, const std::vector<Value>& arguments,
                    const std::string& element,
                    const std::function<void(const std::vector<Value>&)>& write);

  // Calls emu_load, emu_store, emu_check or emu_atomic on the cold side of a check, so that it
  // costs the hot side no register.
  void cold_call(const std::string& name, const std::vector<Value>& arguments);

  // Of 32 lanes' values the thread's own.
  Value own_lane(const Value& lanes);
  // Of one thread, as offsets from local_base(): where the function's frame begins, and the end of
  // all frames, behind which the next one goes.
  [[nodiscard]] const Value& frame() const { return frame_; }
  Value stack_top();
  void set_stack_top(const Value& top);
  // The slot of a vector register that the lanes' values of a warp-wide instruction go to.
  Value register_slot(std::uint32_t index);
  // Where in the parts' frame the 32 lanes of such an operand lie as they are to be read, or may be
  // written as they come; nothing where there is more to do.
  [[nodiscard]] std::optional<std::uint64_t> place_to_read(const ptx::Operand& operand) const;
  [[nodiscard]] std::optional<std::uint64_t> place_to_write(const ptx::Operand& operand) const;
  // From here on results are not written but laid out for all of `lanes`; until end_dealing(),
  // which gives their destinations in order.
  void begin_dealing(const Value& lanes);
  std::vector<ptx::Operand> end_dealing();

  // A register that carries between add.cc and addc, per lane.
  Value carry_slot();

  // What registers are compared with wherever they are read or written; null where nothing is.
  void compare_with(const std::vector<LaneValues>* claims) { claims_ = claims; }
  [[nodiscard]] const std::vector<LaneValues>* claims() const { return claims_; }

  void note_suspension() { suspends_ = true; }
  [[nodiscard]] bool may_suspend() const { return suspends_; }

 private:
  // Where a value is kept from one instruction to the next.
  struct Place {
    std::optional<Value> slot;            // of the function that is being written
    std::optional<std::uint64_t> offset;  // in the frame of a body that is written in parts
  };
  void begin_function();
  Value slot_at(Place& place, const std::string& element, unsigned lanes);
  // The same for what any part may ask for.
  Value shared_slot_at(Place& place, const std::string& element, unsigned lanes);

  Value with_canonical_nan(const Value& value);
  Value read_special(const ptx::SpecialRegister& special, ptx::Location where);
  Value read_lane_register(const ptx::SpecialRegister& special);
  Value symbol_address(const ptx::Symbol& symbol, ptx::Location where);
  void deal(const ptx::Operand& destination, const Value& value);
  [[nodiscard]] DataFlow data_flow() const {
    return {module_, function_, shape_, layout_, symbols_, analysis_.register_values};
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  const LaunchShape& shape_;
  const Layout& layout_;
  const SymbolAddresses& symbols_;
  const ControlFlow& flow_;
  const Analysis& analysis_;
  KernelScope& scope_;

  PartsFrame* parts_frame_;
  std::vector<Place> registers_;
  struct CallSlot {
    std::uint32_t variable;
    std::int64_t offset;
    std::int64_t bytes;
    Place place;
  };
  std::vector<CallSlot> call_slots_;
  std::vector<PendingSite> sites_;
  std::map<const ptx::Instruction*, std::uint32_t> site_of_;
  CheckGroups check_groups_;
  std::uint32_t first_site_;
  struct Bases {
    Value shared, shared_begin, shared_bytes, local, parameters, ranges;
  };
  Bases bases_;
  Value lane_;                     // of a thread, i32
  Value frame_;                    // of a thread, i64
  std::optional<Value> top_slot_;  // where alloca may move the end of the stack
  // Between begin_dealing() and end_dealing().
  bool deals_ = false;
  Value dealt_lanes_;
  std::vector<ptx::Operand> dealt_;  // destinations
  Place carry_;

  std::uint32_t block_ = 0;
  Value block_mask_;
  bool block_mask_full_ = false;
  struct Guard {
    Value predicate;  // one lane or 32
    Value mask;       // the block's mask and the predicate
  };
  std::optional<Guard> guard_;
  bool suspends_ = false;
  bool has_products_;
  bool orders_memory_;
  const std::vector<LaneValues>* claims_ = nullptr;
  std::vector<bool> host_nans_;  // by register (nan.h)
  std::vector<bool> read_;       // by register: whether any instruction does
  bool sees_nan_bits_ = true;
};

// lower_add() and its like: what each row of the table names as its lowering. They throw ptx::Error
// for what they do not support.
#define OPCODE(opcode, spelling, operands, group, result, effect, lanes, nans, value, lowering, \
               ...)                                                                             \
  void lowering(Writer& writer, const ptx::Instruction& instruction);
#include "ptx/opcodes.def"

// "'add.rz.f32' is not supported by the emulator", at the instruction's line.
[[noreturn]] void unsupported(const ptx::Instruction& instruction, const std::string& why = "");

}  // namespace emulator::lower
