// PTX as a typed tree: what the parser gives and the lowering takes. Names are resolved: a register
// is an index into its function's list however many scopes re-used its name, a label is an
// instruction index, a variable is an index into the function's or the module's list. Nothing here
// knows how a kernel is run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "ptx/words.h"

namespace emulator::ptx {

// Where something stands in the PTX text; both count from 1.
struct Location {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// The text is not PTX, or is PTX that the emulator does not support. what() is a sentence without
// the location; located() puts "line L, column C: " before it, which is how it goes into the JIT
// log.
class Error : public std::runtime_error {
 public:
  Error(Location where, const std::string& what) : std::runtime_error(what), where_(where) {}
  [[nodiscard]] Location where() const noexcept { return where_; }
  [[nodiscard]] std::string located() const;

 private:
  Location where_;
};

// State space of a variable or a memory access. `generic` is an access that names none.
enum class Space : std::uint8_t { generic, constant, global, local, param, shared };

// The enumerators stand together by kind, which clang-format would undo.
// clang-format off

// A fundamental type, packed types included. `none` is an instruction that has no such type (bra,
// ret, bar).
enum class Type : std::uint8_t {
  none, pred,
  b8, b16, b32, b64, b128,
  u8, u16, u32, u64,
  s8, s16, s32, s64,
  f16, f16x2, bf16, bf16x2, tf32, f32, f64,
  e4m3, e5m2, e4m3x2, e5m2x2, u16x2, s16x2,
  f32x2, u8x4, s8x4, b1, b4, u2, s2, u4, s4,
  e2m1, e2m3, e3m2, ue4m3, ue8m0, e2m1x2, e2m3x2, e3m2x2, ue8m0x2,
  e2m1x4, e2m3x4, e3m2x4, e4m3x4, e5m2x4,
};

// clang-format on

// Width in bits; 1 for pred, 0 for none.
[[nodiscard]] unsigned bits(Type type);
[[nodiscard]] bool is_signed(Type type);
// f16, bf16, tf32, f32, f64, the 4, 6 and 8 bit floats and the packed forms.
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_half(Type type);       // f16, bf16
[[nodiscard]] bool is_half_pair(Type type);  // f16x2, bf16x2

// clang-format off
// Special registers that can be read; the vector ones carry a dimension (0 = x, 1 = y, 2 = z,
// 3 = w, of which PTX makes no use).
enum class Special : std::uint8_t {
  tid, ntid, ctaid, nctaid, laneid, warpid, nwarpid, smid, nsmid, gridid,
  lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi,
  dynamic_smem_size, total_smem_size, clusterid, nclusterid, cluster_ctaid, cluster_nctaid,
  cluster_ctarank, cluster_nctarank, is_explicit_cluster, current_graph_exec,
  aggr_smem_size, reserved_smem_offset_begin, reserved_smem_offset_end, reserved_smem_offset_cap,
  reserved_smem_offset, envreg, pm, pm_64,  // these four are numbered: `dimension` is the number
};

// clang-format on

struct Register {
  std::uint32_t index;  // into Function::registers
};

// An integer, 0f.., 0d.. or decimal floating literal. A floating literal holds its IEEE bits: f32
// for 0f, f64 for 0d and for decimal ones.
struct Immediate {
  enum class Form : std::uint8_t { integer, f32, f64 };
  std::uint64_t bits;
  Form form;
};

// A variable or function named as a value: its address.
struct Symbol {
  enum class Where : std::uint8_t {
    module_variable,
    local_variable,
    parameter,
    return_parameter,
    function
  };
  Where where;
  std::uint32_t index;  // Module::variables, Function::variables, ::parameters, ::returns, or
                        // Module::functions
};

struct SpecialRegister {
  Special which;
  std::uint8_t dimension;
};

// [base + offset]; base monostate is an absolute address. Without brackets, `sym+8` and `sym[2]`
// are the same: an address as a value. A tensor address `[base, {x, y}]` is a Vector of this and of
// the Vector of coordinates.
struct Address {
  std::variant<std::monostate, Register, Symbol> base;
  std::int64_t offset = 0;
};

struct LabelReference {
  std::uint32_t
      instruction;  // index into Function::body; == body.size() is the end of the function
};

struct Sink {};  // `_`: a result that is not wanted

// .b0, .h1, .b3210 behind a register: the bytes or halves of it that a video instruction takes or
// writes.
struct Selector {
  std::uint8_t part_bits;            // 8 or 16
  std::vector<std::uint8_t> digits;  // which parts, the lowest first: written last
};

struct Operand;
struct Vector {
  std::vector<Operand> elements;  // {a, b, ..}, and the parenthesised lists of call
};

// Two destinations joined by `|`, as in setp's p|q and shfl's d|p.
struct Pair {
  std::vector<Operand> both;  // exactly two
};

struct Operand {
  std::variant<Register, Immediate, Symbol, SpecialRegister, Address, LabelReference, Sink, Vector,
               Pair>
      value;
  // A source predicate may be written !p; a register or immediate may be written -a (rare, accepted
  // by ptxas).
  bool negated = false;
  Location where;
  std::optional<Selector> selector = std::nullopt;
};

// @p or @!p before an instruction.
struct Guard {
  Register predicate;
  bool negated;
};

// opcode.modifier.modifier.type operands; -- `modifiers` holds every dotted word that is neither a
// type nor a state space, in the order written; `types` every type, in the order written (cvt and
// set have two, mma four); `space` the first state space, `second_space` the second (cvta.to.X has
// one, cp.async two).
struct Instruction {
  Opcode opcode;
  std::vector<Modifier> modifiers;
  std::vector<Type> types;
  Space space = Space::generic;
  Space second_space = Space::generic;
  bool names_space = false;
  bool cluster_shared = false;    // one of the spaces is .shared::cluster
  bool cta_shared = false;        // one of them is written .shared::cta
  std::uint8_t vector_width = 1;  // .v2, .v4, .v8
  std::optional<Guard> guard;
  std::vector<Operand> operands;
  Location where;
  std::string text;  // the statement as written, white space folded, for messages

  [[nodiscard]] bool has(Modifier modifier) const;
  [[nodiscard]] Type type() const { return types.empty() ? Type::none : types.back(); }
};

struct RegisterDeclaration {
  std::string name;  // as written, "%r7"
  Type type;
};

// An initial value that is an address: 8 bytes at `offset` hold the address of `symbol` + addend.
// `generic` is generic(symbol).
struct Relocation {
  std::uint64_t offset;
  std::string symbol;
  std::int64_t addend;
  bool generic;
};

// Who else may mean a name: nobody, every module it is linked with, or those where nothing stronger
// of that name is defined. `external` is a declaration of what another module defines.
enum class Linkage : std::uint8_t { internal, visible, weak, external };

struct Variable {
  std::string name;
  Space space;
  Type type;
  std::uint32_t alignment;  // bytes; the type's natural one where none is written
  std::uint64_t size;       // bytes; 0 for an unsized extern array (dynamic shared memory)
  bool external = false;    // .extern
  Linkage linkage = Linkage::internal;
  std::vector<std::uint8_t> initial;  // empty: zeros; else exactly `size` bytes, zero-extended
  std::vector<Relocation> relocations;
  Location where;
};

struct Function {
  std::string name;
  bool entry = false;
  Linkage linkage = Linkage::internal;
  bool defined = false;  // false: a declaration only (vprintf, __assertfail, malloc ..)
  bool no_return = false;
  std::vector<Variable> parameters;
  std::vector<Variable> returns;
  std::vector<RegisterDeclaration> registers;
  std::vector<Variable> variables;  // .shared, .local, .param and .const ones of the body
  std::vector<Instruction> body;
  std::optional<std::array<std::uint32_t, 3>> max_threads;       // .maxntid
  std::optional<std::array<std::uint32_t, 3>> required_threads;  // .reqntid
  std::optional<std::array<std::uint32_t, 3>> required_cluster;  // .reqnctapercluster
  std::optional<std::uint32_t> max_cluster;                      // .maxclusterrank
  bool explicit_cluster = false;                                 // .explicitcluster
  bool blocks_are_clusters = false;            // a launch's grid counts clusters, not blocks
  std::optional<std::uint32_t> max_registers;  // .maxnreg
  Location where;
};
// Whether both are kernels or both are not, with parameters and results of the same sizes.
[[nodiscard]] bool same_call(const Function& a, const Function& b);

struct Module {
  unsigned version_major = 0;
  unsigned version_minor = 0;
  std::string target;  // "sm_90a"
  std::vector<Variable> variables;
  std::vector<Function> functions;

  // Null where there is none of that name.
  [[nodiscard]] const Function* find_function(const std::string& name) const;
  [[nodiscard]] const Variable* find_variable(const std::string& name) const;
};

// Reads one PTX module. Throws Error at the first thing that is not PTX, is not 64-bit, or uses a
// word (opcode, modifier, special register, directive) that the emulator does not know; the message
// says which.
[[nodiscard]] Module parse(const std::string& text);

}  // namespace emulator::ptx
