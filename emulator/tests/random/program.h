// A random program: statements that nest, so that it can be run by walking it, printed as PTX, and
// made smaller by leaving statements out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "random/operations.h"

namespace emulator::testing::random {

// How many registers of each Kind a program has.
inline constexpr std::array<unsigned, kKinds> kRegisters = {4, 6, 10, 8, 8, 6};
inline constexpr unsigned kAllRegisters = 4 + 6 + 10 + 8 + 8 + 6;
// Each thread's array in local memory, and its part of shared memory.
inline constexpr unsigned kOwnBytes = 64;
// Of the input that all threads may read.
inline constexpr unsigned kCommonBytes = 256;
// The kernel has a tensor map of that input, as rows of 32-bit words; zeros lie around it.
inline constexpr std::array<std::uint32_t, 2> kMapDims = {16, kCommonBytes / 64};
inline constexpr std::array<std::uint32_t, 2> kMapBox = {8, 4};
// Words of shared memory that all threads of a block add to.
inline constexpr unsigned kSums = 8;
// 64-bit words that each thread leaves: its registers, its arrays, a sum and a zero.
inline constexpr unsigned kOutputs = kAllRegisters + 2 * kOwnBytes / 8 + 2;
static_assert(kAllRegisters % 2 == 0);

struct Register {
  Kind kind;
  unsigned index;
};
struct Guard {
  unsigned predicate;
  bool negated;
};
struct Operand {
  Register from;
  std::optional<std::uint64_t> number;  // instead of the register
};

struct Statement;
using Statements = std::vector<Statement>;

struct Compute {
  std::size_t operation;  // of operations()
  Register result;
  std::vector<Operand> operands;
  std::optional<Guard> guard;
};
struct Branch {
  Guard condition;
  Statements then;
  Statements otherwise;
};
struct Loop {
  unsigned depth;               // which counter it uses
  unsigned most;                // rounds: a power of two less one
  std::optional<Register> how;  // the word whose lowest bits say how many; none: `most`
  std::optional<Guard> leave;   // at the end of a round
  Statements body;
};

enum class Place : std::uint8_t { local, own_shared, input };
// Of memory as an access sees it.
struct Width {
  const char* type;
  unsigned bytes;  // of an element
  unsigned count;
  Kind kind;
  bool is_signed;
};
[[nodiscard]] const std::vector<Width>& widths();
struct Access {
  Place place;
  std::size_t width;  // of widths()
  bool stores;
  Register index;
  std::vector<Register> values;
  std::optional<Guard> guard;
};

// A word of another thread of the block, by way of shared memory and two barriers.
struct Exchange {
  Register value;
  unsigned distance;
  Register result;
};
// What the lanes of a warp do together, all of them.
struct Collective {
  std::string text;  // as in Operation, with M for the mask of all lanes
  Kind result;
  std::vector<Kind> operands;
  // Of a lane, by the operands of all.
  std::uint64_t (*compute)(const std::array<Operands, 32>& lanes, unsigned lane);
};
[[nodiscard]] const std::vector<Collective>& collectives();
struct Together {
  std::size_t collective;
  Register result;
  std::vector<Register> operands;
};
// Who does something together.
enum class Among : std::uint8_t { warp, warpgroup, block, cluster };
// What the threads of a cluster bring, block by block.
struct Gathered {
  std::vector<Operands> operands;
  std::size_t block;                     // threads of one
  std::span<const std::uint64_t> input;  // that all threads may read
};
struct Gathering {
  std::string form;  // what it is there for
  // As in Operation. %t is the thread's number in its block, %other the rank of the other block,
  // %ex and %land are the thread's words of `exchanged` and `landing`, which have %words bytes that
  // threads use and %room bytes; %lead is true of a block's first thread, %first of the cluster's;
  // `full` is an mbarrier that %lead arrives at, in phase %phase.
  std::string text;
  Among among;
  std::vector<Kind> operands;
  std::function<std::uint64_t(const Gathered& all, std::size_t thread)> compute;
};
[[nodiscard]] const std::vector<Gathering>& gatherings();
struct Gather {
  std::size_t gathering;
  Register result;  // a b32
  std::vector<Register> operands;
};
// An addition and its like to a sum of the block, whose old value nobody looks at.
struct Reduce {
  std::size_t reduction;  // of reductions()
  Register index;
  Register value;
  std::optional<Guard> guard;
};
struct Reduction {
  const char* text;
  std::uint32_t (*apply)(std::uint32_t old, std::uint32_t value);
};
[[nodiscard]] const std::vector<Reduction>& reductions();

struct Statement {
  std::variant<Compute, Branch, Loop, Access, Exchange, Together, Gather, Reduce> what;
};

// Which operands the registers begin with.
enum class Spread : std::uint8_t {
  lanes,   // every thread has its own
  blocks,  // the threads of a block have the same: a warp may compute with scalars
};

// Where the blocks between branches stand in the PTX: as the statements do, or anywhere.
enum class TextOrder : std::uint8_t { of_statements, shuffled };

struct Program {
  std::uint64_t seed;
  TextOrder order;
  std::array<std::uint32_t, 3> block;
  std::uint32_t blocks;
  std::uint32_t cluster;  // blocks of one: a divisor of `blocks`
  Spread spread;
  Statements body;
  std::size_t reduction;  // the only one used: different ones do not commute

  [[nodiscard]] std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
};

// Whether the program has the threads for it.
[[nodiscard]] bool possible(const Gathering& gathering, const Program& program);

// The module with the program as its kernel "k", which takes the addresses of input and output and
// the tensor map.
[[nodiscard]] std::string ptx_of(const Program& program);

}  // namespace emulator::testing::random
