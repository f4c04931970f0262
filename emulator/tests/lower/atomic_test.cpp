// Atomic operations, by every engine: on each type and in each space, with the old value and
// without, by some lanes of a warp and by all, on one address and on several.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using lower::EngineChoice;
using Word = std::uint64_t;

struct Operation {
  const char* text;  // as in PTX, with its type
  unsigned bits;
  std::function<Word(Word old, Word operand)> apply;
};

template <typename T>
Operation of(const char* text, T (*apply)(T old, T operand)) {
  return {text, sizeof(T) * 8, [apply](Word old, Word operand) {
            return static_cast<Word>(std::bit_cast<std::make_unsigned_t<T>>(
                apply(static_cast<T>(old), static_cast<T>(operand))));
          }};
}

std::vector<Operation> operations() {
  using U = std::uint32_t;
  using S = std::int32_t;
  using W = std::uint64_t;
  using L = std::int64_t;
  return {of<U>("add.u32", [](U a, U b) { return a + b; }),
          of<U>("add.s32", [](U a, U b) { return a + b; }),
          of<W>("add.u64", [](W a, W b) { return a + b; }),
          of<U>("min.u32", [](U a, U b) { return std::min(a, b); }),
          of<S>("min.s32", [](S a, S b) { return std::min(a, b); }),
          of<W>("min.u64", [](W a, W b) { return std::min(a, b); }),
          of<L>("min.s64", [](L a, L b) { return std::min(a, b); }),
          of<U>("max.u32", [](U a, U b) { return std::max(a, b); }),
          of<S>("max.s32", [](S a, S b) { return std::max(a, b); }),
          of<W>("max.u64", [](W a, W b) { return std::max(a, b); }),
          of<L>("max.s64", [](L a, L b) { return std::max(a, b); }),
          of<U>("inc.u32", [](U a, U b) { return a >= b ? 0 : a + 1; }),
          of<U>("dec.u32", [](U a, U b) { return a == 0 || a > b ? b : a - 1; }),
          of<U>("and.b32", [](U a, U b) { return a & b; }),
          of<W>("and.b64", [](W a, W b) { return a & b; }),
          of<U>("or.b32", [](U a, U b) { return a | b; }),
          of<W>("or.b64", [](W a, W b) { return a | b; }),
          of<U>("xor.b32", [](U a, U b) { return a ^ b; }),
          of<W>("xor.b64", [](W a, W b) { return a ^ b; }),
          of<U>("exch.b32", [](U, U b) { return b; }),
          of<W>("exch.b64", [](W, W b) { return b; }),
          // Compared with 1234567, which some words hold.
          of<U>("cas.b32", [](U a, U b) { return a == 1234567 ? b : a; }),
          of<W>("cas.b64", [](W a, W b) { return a == 1234567 ? b : a; }),
          {"add.f32", 32,
           [](Word a, Word b) -> Word {
             return std::bit_cast<U>(std::bit_cast<float>(static_cast<U>(a)) +
                                     std::bit_cast<float>(static_cast<U>(b)));
           }},
          {"add.f64", 64, [](Word a, Word b) {
             return std::bit_cast<Word>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
           }}};
}

constexpr unsigned kThreads = 64;
constexpr unsigned kWords = 8;  // that the threads' addresses are among

// By the number of a thread; small numbers, so that sums of floats are exact.
Word operand_of(unsigned thread, const std::string& type) {
  const int number = static_cast<int>((thread * 37 + 11) % 29) - 14;
  if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (type == "f64") return std::bit_cast<Word>(static_cast<double>(number));
  return thread % 3 == 0 ? static_cast<Word>(number) : static_cast<Word>(number) * 1000003;
}
Word word_at_first(unsigned index, const std::string& type) {
  if (type == "f32" || type == "f64") return 0;
  return index % 2 == 0 ? 1234567 : index * 99991;
}
unsigned index_of(unsigned thread, unsigned distinct) { return thread * 5 % distinct; }

struct Way {
  const char* name;
  const char* space;
  bool old;           // atom, whose result is used; else red, or where there is none atom
  unsigned distinct;  // words
  const char* guard;  // of the lanes that take part
  bool (*takes_part)(unsigned thread);
};
constexpr Way kWays[] = {
    {"GlobalOld", "global", true, 8, "", [](unsigned) { return true; }},
    {"GlobalNoOld", "global", false, 8, "", [](unsigned) { return true; }},
    {"GlobalOneWord", "global", true, 1, "", [](unsigned) { return true; }},
    {"SharedOld", "shared", true, 8, "", [](unsigned) { return true; }},
    {"SharedNoOld", "shared", false, 4, "", [](unsigned) { return true; }},
    {"SharedOddLanes", "shared", true, 8, "@%p1 ", [](unsigned t) { return t % 2 == 1; }},
    {"GlobalOddLanes", "global", true, 8, "@%p1 ", [](unsigned t) { return t % 2 == 1; }},
    {"GenericToShared", "", true, 8, "", [](unsigned) { return true; }},
};

// Without the old values nothing is known of operations that the order matters to.
bool gives_old(const Operation& operation, const Way& way) {
  const std::string text = operation.text;
  return way.old || text.starts_with("exch") || text.starts_with("cas") ||
         text.starts_with("inc") || text.starts_with("dec");
}

// Threads 0 to 7 set the words up and read them at the end; each thread leaves its old value, or
// zero, behind them.
std::string kernel(const Operation& operation, const Way& way, const std::string& type) {
  const unsigned bytes = operation.bits / 8;
  const std::string text = operation.text;
  const bool is_shared = std::string(way.space) != "global";
  const bool old = gives_old(operation, way);
  const std::string space = *way.space == '\0' ? "" : std::string(".") + way.space;
  const std::string words = is_shared ? ".shared" : ".global";
  std::string body = "ld.param.u64 %rd10, [k_out]; mov.u32 %r10, %tid.x;\n";
  body += is_shared ? "mov.u64 %rd11, words;\n" : "mov.u64 %rd11, %rd10;\n";
  body += "setp.lt.u32 %p2, %r10, 8; mul.wide.u32 %rd12, %r10, 8; add.u64 %rd13, %rd11, %rd12;\n";
  body +=
      "ld.param.u64 %rd14, [k_in]; add.u64 %rd14, %rd14, %rd12; ld.global.u64 %rd15, [%rd14];\n";
  body += "ld.global.u64 %rd16, [%rd14+64];\n";
  body += "@%p2 st" + words + ".u64 [%rd13], %rd15; bar.sync 0;\n";
  body += "and.b32 %r11, %r10, 1; setp.eq.u32 %p1, %r11, 1;\n";
  body += "mul.lo.u32 %r12, %r10, 5; rem.u32 %r12, %r12, " + std::to_string(way.distinct) +
          "; mul.wide.u32 %rd17, %r12, 8; add.u64 %rd18, %rd11, %rd17;\n";
  if (*way.space == '\0') body += "cvta.shared.u64 %rd18, %rd18;\n";
  const std::string reg = bytes == 8 ? "%rd20" : "%r20";
  const std::string operand = bytes == 8 ? "%rd21" : "%r21";
  const std::string as = "b" + std::to_string(operation.bits);
  body += "mov.u64 %rd20, 0; mov.u32 %r20, 0; mov.u64 %rd21, %rd16; cvt.u32.u64 %r21, %rd16;\n";
  const std::string compared = text.starts_with("cas") ? "1234567, " : "";
  const std::string is_float = type == "f32" ? "%f" : type == "f64" ? "%d" : "";
  std::string d = reg;
  std::string b = operand;
  if (!is_float.empty()) {
    d = is_float + "20";
    b = is_float + "21";
    body += "mov." + as + " " + d + ", " + reg + "; mov." + as + " " + b + ", " + operand + ";\n";
  }
  body += way.guard +
          (old ? "atom" + space + "." + text + " " + d + ", [%rd18], " + compared + b
               : "red" + space + "." + text + " [%rd18], " + b) +
          ";\n";
  if (!is_float.empty()) body += "mov." + as + " " + reg + ", " + d + ";\n";
  if (bytes == 4) body += "cvt.u64.u32 %rd20, %r20;\n";
  if (!old) body += "mov.u64 %rd20, 0;\n";
  body += "bar.sync 0; add.u64 %rd22, %rd10, %rd12; st.global.u64 [%rd22+64], %rd20;\n";
  if (is_shared) body += "@%p2 ld.shared.u64 %rd23, [%rd13]; @%p2 st.global.u64 [%rd22], %rd23;\n";
  return kernel_of(body, ".shared .align 8 .b64 words[8];");
}

std::string by(EngineChoice engine) {
  return engine == EngineChoice::warps ? "ByWarps" : "ByThreads";
}

class Atomics : public ::testing::TestWithParam<std::tuple<Way, EngineChoice>> {};
INSTANTIATE_TEST_SUITE_P(
    Each, Atomics,
    ::testing::Combine(::testing::ValuesIn(kWays),
                       ::testing::Values(EngineChoice::warps, EngineChoice::threads)),
    [](const auto& test) { return std::get<0>(test.param).name + by(std::get<1>(test.param)); });

// What each operation found and what it left, as steps from the word's first value to its last:
// every value is left as often as it is found, but for those two.
struct Steps {
  std::multiset<Word> found;
  std::multiset<Word> left;
};

TEST_P(Atomics, ComputeWhatPtxSays) {
  const auto& [way, engine] = GetParam();
  for (const Operation& operation : operations()) {
    const std::string text = operation.text;
    const std::string type = text.substr(text.find('.') + 1);
    const Word mask = operation.bits == 64 ? ~Word{0} : 0xffffffff;
    std::vector<std::uint32_t> input;
    const auto add = [&](Word word) {
      input.push_back(static_cast<std::uint32_t>(word));
      input.push_back(static_cast<std::uint32_t>(word >> 32U));
    };
    for (unsigned i = 0; i < kWords; ++i) add(word_at_first(i, type) & mask);
    for (unsigned t = 0; t < kThreads; ++t) add(operand_of(t, type) & mask);
    for (unsigned i = 0; i < kThreads; ++i) add(0);
    const Outcome outcome =
        run_kernel(kernel(operation, way, type), input, 2 * (std::size_t{kWords} + kThreads),
                   {.block = {kThreads, 1, 1}}, engine);
    ASSERT_EQ(outcome.fault, "") << text;
    const auto word = [&](std::size_t i) {
      return (outcome.words[2 * i] | Word{outcome.words[2 * i + 1]} << 32U) & mask;
    };
    for (unsigned i = 0; i < kWords; ++i) {
      const Word begin = word_at_first(i, type) & mask;
      Steps steps{{word(i)}, {begin}};
      Word in_order = begin;
      for (unsigned t = 0; t < kThreads; ++t) {
        if (!way.takes_part(t) || index_of(t, way.distinct) != i) continue;
        const Word operand = operand_of(t, type) & mask;
        const Word found = word(kWords + t);
        steps.found.insert(found);
        steps.left.insert(operation.apply(found, operand) & mask);
        in_order = operation.apply(in_order, operand) & mask;
      }
      if (gives_old(operation, way)) {
        EXPECT_EQ(steps.found, steps.left) << text;
      } else {
        EXPECT_EQ(word(i), in_order) << text;  // as in any order
      }
    }
    for (unsigned t = 0; t < kThreads; ++t) {
      if (!way.takes_part(t)) {
        EXPECT_EQ(word(kWords + t), 0U) << text;
      }
    }
  }
}

// A lane that may not, among others that may, once the site knows its memory.
struct Wrong {
  const char* name;
  unsigned lane;
  const char* code;  // %p1 is true of that lane in the second round
};
class AtomicsThatMayNot : public ::testing::TestWithParam<std::tuple<Wrong, EngineChoice>> {};
constexpr Wrong kWrong[] = {
    {"PastSharedMemory", 5,
     "mov.u32 %r10, words; @%p1 add.u32 %r10, %r10, 64; red.shared.add.u32 [%r10], 1;"},
    {"MisalignedInShared", 6,
     "mov.u32 %r10, words; @%p1 add.u32 %r10, %r10, 2; red.shared.add.u32 [%r10], 1;"},
    {"PastTheAllocation", 7, "@%p1 add.u64 %rd1, %rd1, 0x100000; red.global.add.u32 [%rd1], 1;"},
    {"MisalignedInGlobal", 9,
     "@%p1 add.u64 %rd1, %rd1, 1; atom.global.max.u32 %r10, [%rd1], 1; st.global.u32 [%rd3], "
     "%r10;"},
    {"OutsideByAGenericAddress", 3,
     "mov.u64 %rd10, words; cvta.shared.u64 %rd10, %rd10; @%p1 add.u64 %rd10, %rd10, 64; "
     "red.add.u32 [%rd10], 1;"},
};
INSTANTIATE_TEST_SUITE_P(
    Each, AtomicsThatMayNot,
    ::testing::Combine(::testing::ValuesIn(kWrong),
                       ::testing::Values(EngineChoice::warps, EngineChoice::threads)),
    [](const auto& test) { return std::get<0>(test.param).name + by(std::get<1>(test.param)); });

TEST_P(AtomicsThatMayNot, EndInAFaultOfThatLane) {
  const auto& [wrong, engine] = GetParam();
  const std::string lane = std::to_string(wrong.lane);
  const std::string twice =
      "mov.u32 %r50, 0;\nAGAIN:\nsetp.eq.u32 %p9, %r50, 1;\n"
      "setp.eq.and.u32 %p1, %r0, " +
      lane + ", %p9;\n" + wrong.code +
      "\nadd.u32 %r50, %r50, 1; setp.lt.u32 %p2, %r50, 2; @%p2 bra AGAIN;";
  const Outcome outcome = run_kernel(kernel_of(twice, ".shared .align 4 .b32 words[16];"),
                                     std::vector<std::uint32_t>(64), 64, {}, engine);
  EXPECT_NE(outcome.fault.find("thread (" + lane + ",0,0)"), std::string::npos) << outcome.fault;
}

}  // namespace
}  // namespace emulator::testing
