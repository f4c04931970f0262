#include "random/mixed_widths.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <random>

namespace emulator::testing::random {
namespace {

constexpr unsigned kStatements = 70;
constexpr unsigned kDeepest = 2;
constexpr unsigned kInputWords = 64;

// Registers by width; those of 8 bits are the ones that no compiler writes.
struct Bank {
  const char* name;
  unsigned bits;
  unsigned count;
};
constexpr std::array<Bank, 4> kBanks = {
    {{"%b", 8, 4}, {"%h", 16, 12}, {"%r", 32, 20}, {"%l", 64, 20}}};
constexpr unsigned kPredicates = 4;

// D is where the result goes, S a register or a number, R a register, N a number, P a predicate,
// and <a|b> one of the two. The registers are of any width, those in braces of the same.
constexpr const char* kStatementsOf[] = {
    "<add|sub|min|max>.<u16|s16|u32|s32|u64|s64> D, S, S;",
    "<add|sub|min|max>.<u16|s16|u32|s32|u64|s64> D, S, S;",
    "<add|sub|mul.lo>.<u32|u64> D, R, S;",
    "<add|sub>.sat.s32 D, S, S;",
    "<add|min|max>.<u16x2|s16x2> D, R, R;",
    "mul.<lo|hi>.<u16|s16|u32|s32|u64|s64> D, R, S;",
    "mul.wide.<u16|s16|u32|s32> D, R, S;",
    "mad.<lo|hi>.<u16|s16|u32|s32|u64|s64> D, R, S, S;",
    "mad.wide.<u16|s16|u32|s32> D, R, S, R;",
    "mul24.<lo|hi>.<u32|s32> D, R, S;",
    "mad24.<lo|hi>.<u32|s32> D, R, S, S;",
    "<div|rem>.<u16|s16|u32|s32|u64|s64> D, R, S;",
    "<abs|neg>.<s16|s32|s64> D, R;",
    "<and|or|xor>.<b16|b32|b64> D, R, S;",
    "<and|or>.<b32|b64> D, R, N;",
    "<and|or>.<b32|b64> D, R, N;",
    "<not|cnot>.<b16|b32|b64> D, R;",
    "<shl|shr>.<b16|b32|b64> D, R, S;",
    "<shl|shr>.<b16|b32|b64> D, R, S;",
    "shr.<u16|s16|u32|s32|u64|s64> D, R, S;",
    "shr.<u16|s16|u32|s32|u64|s64> D, R, S;",
    "shf.<l|r>.<wrap|clamp>.b32 D, R, R, S;",
    "cvt.<u8|s8|u16|s16|u32|s32|u64|s64>.<u8|s8|u16|s16|u32|s32|u64|s64> D, R;",
    "cvt.<u8|s8|u16|s16|u32|s32|u64|s64>.<u8|s8|u16|s16|u32|s32|u64|s64> D, R;",
    "cvt.<u8|s8|u16|s16|u32|s32|u64|s64>.<u8|s8|u16|s16|u32|s32|u64|s64> D, R;",
    "cvt.sat.<u8|u16|u32>.s64 D, R;",
    "cvt.sat.<s8|s16>.s32 D, R;",
    "slct.<b16|u16|b32|s32|b64|u64>.s32 D, S, S, R;",
    "selp.<b16|u16|b32|s32|b64|u64> D, S, S, P;",
    "prmt.b32 D, R, R, S;",
    "bfe.<u32|s32|u64|s64> D, R, S, S;",
    "bfi.<b32|b64> D, R, R, S, S;",
    "sad.<u16|s16|u32|s32|u64|s64> D, R, R, S;",
    "<popc|clz>.<b32|b64> D, R;",
    "brev.<b32|b64> D, R;",
    "bfind.<u32|s32|u64|s64> D, R;",
    "dp4a.<u32|s32>.<u32|s32> D, R, R, S;",
    "lop3.b32 D, R, R, R, 0x<96|e8|80|fe>;",
    "bmsk.<clamp|wrap>.b32 D, R, S;",
    "szext.<clamp|wrap>.<u32|s32> D, R, S;",
    "mov.<b16|b32|b64|u32|s64> D, S;",
    "mov.<b32|b64> D, R;",
    "mov.b32 D, {R, R};",
    "mov.b64 D, {R, R};",
    "mov.b32 {D, D}, R;",
    "mov.b64 {D, D}, R;",
    "mov.u32 D, <%tid.x|%tid.y|%laneid|%ctaid.x|%ntid.x|%nctaid.x|%warpid|%lanemask_lt>;",
    "mov.u32 D, <%tid.x|%laneid|%ctaid.x>;",
    "mov.u64 D, window;",
    "setp.<eq|ne|lt|ge>.<u16|s16|u32|s32|u64|s64> P, R, S;",
    "setp.<lt|ge>.<u32|s64> P, R, S;",
    "set.<lt|ge>.u32.<s32|u64> D, R, S;",
    "and.pred P, P, P;",
    "mov.pred P, P;",
    "ld.global.<u8|s8|u16|s16|u32|s32|u64|b64> D, [%in+<0|8|16|24|40|56>];",
    "ld.global.<u8|s8|u16|s16|u32|s32|u64|b64> D, [%in+<0|8|16|24|40|56>];",
    "ld.global.<u8|s16|u32> D, [%own];",
    "ld.global.v2.<u16|u32> {D, D}, [%in+<8|32>];",
};

// Where all lanes run.
constexpr const char* kVote = "vote.sync.<any|all>.pred P, P, -1;";
// Of programs that may compute with host addresses.
constexpr const char* kOfAddresses[] = {"cvta.shared.u64 D, R;", "cvta.to.shared.u64 D, R;",
                                        "mov.u64 D, %own;", "cvt.u32.u64 D, %own;"};

// Numbers at which some width or sign ends.
constexpr const char* kNumbers[] = {"0",
                                    "1",
                                    "2",
                                    "3",
                                    "7",
                                    "8",
                                    "15",
                                    "16",
                                    "31",
                                    "32",
                                    "33",
                                    "62",
                                    "63",
                                    "64",
                                    "127",
                                    "128",
                                    "255",
                                    "256",
                                    "32767",
                                    "32768",
                                    "65535",
                                    "65536",
                                    "0x7fffffff",
                                    "0x80000000",
                                    "0xffffffff",
                                    "0x100000000",
                                    "0x3fffffffffffffff",
                                    "0x4000000000000000",
                                    "0x7fffffffffffffff",
                                    "0x8000000000000000",
                                    "-1",
                                    "-2",
                                    "-8",
                                    "-16",
                                    "-128",
                                    "-32768",
                                    "-2147483648"};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  MixedWidths run() {
    static constexpr std::array<std::array<std::uint32_t, 3>, 6> kBlocks = {
        {{64, 1, 1}, {32, 4, 1}, {16, 4, 1}, {8, 8, 1}, {128, 1, 1}, {40, 1, 1}}};
    MixedWidths program;
    addresses_ = below(3) == 0;
    program.repeatable = !addresses_;
    program.launch.block = one_of(kBlocks);
    program.launch.grid = {below(2) == 0 ? 16U : 64U, 1, 1};
    left_ = kStatements;
    while (left_ > 0) statement(0);
    const std::uint32_t threads = program.launch.block[0] * program.launch.block[1];
    for (unsigned i = 0; i < kInputWords; ++i) program.input.push_back(input_word());
    program.output_words = std::size_t{threads} * program.launch.grid[0] * 2;
    program.ptx = head() + body_ + tail();
    return program;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  template <typename Range>
  auto one_of(const Range& range) -> decltype(*std::begin(range)) {
    return *std::next(std::begin(range), static_cast<std::ptrdiff_t>(below(std::size(range))));
  }

  std::uint32_t input_word() {
    static constexpr std::array<std::uint32_t, 8> kEdges = {0,     1,     127,        128,
                                                            32768, 40000, 0x80000000, 0xffffffff};
    return below(3) == 0 ? static_cast<std::uint32_t>(engine_()) : one_of(kEdges);
  }

  std::string register_of(const Bank& bank) {
    return fmt::format("{}{}", bank.name, below(bank.count));
  }
  std::string any_register() { return register_of(one_of(kBanks)); }
  std::string predicate() { return fmt::format("%p{}", below(kPredicates)); }

  void statement(unsigned depth) {
    if (left_ > 0) --left_;
    const std::uint64_t kind = below(14);
    if (depth < kDeepest && kind == 0) return branch(depth);
    if (depth < kDeepest && kind == 1) return loop(depth);
    if (depth == 0 && kind == 2) {
      body_ += filled(kVote) + "\n";
      return;
    }
    std::string guard;
    const std::string text =
        filled(addresses_ && kind == 3 ? one_of(kOfAddresses) : one_of(kStatementsOf));
    if (below(5) == 0) {
      guard = fmt::format("@{}{} ", below(2) == 0 ? "!" : "", predicate());
    }
    body_ += guard + text + "\n";
  }
  void some(unsigned depth) {
    for (std::uint64_t n = 1 + below(4); n > 0; --n) statement(depth);
  }

  void branch(unsigned depth) {
    const unsigned id = labels_++;
    body_ += fmt::format("@{} bra ELSE{};\n", predicate(), id);
    some(depth + 1);
    body_ += fmt::format("bra END{0};\nELSE{0}:\n", id);
    if (below(2) == 0) some(depth + 1);
    body_ += fmt::format("END{}:\n", id);
  }
  // As many rounds for all, or in each lane as its index says.
  void loop(unsigned depth) {
    const unsigned id = labels_++;
    const std::string counter = fmt::format("%n{}", depth);
    body_ += below(2) == 0 ? fmt::format("mov.u32 {}, 3;\n", counter)
                           : fmt::format("mov.u32 {0}, %tid.x; and.b32 {0}, {0}, 3;\n", counter);
    body_ += fmt::format("LOOP{1}: setp.eq.u32 %q, {0}, 0; @%q bra DONE{1};\n", counter, id);
    some(depth + 1);
    body_ += fmt::format("sub.u32 {0}, {0}, 1; bra LOOP{1};\nDONE{1}:\n", counter, id);
  }

  std::string filled(const std::string& pattern) {
    std::string text;
    const Bank& bank_of_vector = one_of(kBanks);
    bool in_vector = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const char c = pattern[i];
      const bool alone = i > 0 && (pattern[i - 1] == ' ' || pattern[i - 1] == '{') &&
                         std::string_view(",;}").find(pattern[i + 1]) != std::string_view::npos;
      if (c == '{' || c == '}') in_vector = c == '{';
      if (c == '<') {
        const std::size_t end = pattern.find('>', i);
        text += choice(pattern.substr(i + 1, end - i - 1));
        i = end;
      } else if (alone && (c == 'D' || c == 'R')) {
        text += in_vector ? register_of(bank_of_vector) : any_register();
      } else if (alone && c == 'S') {
        text += below(3) == 0 ? std::string(one_of(kNumbers)) : any_register();
      } else if (alone && c == 'N') {
        text += one_of(kNumbers);
      } else if (alone && c == 'P') {
        text += predicate();
      } else {
        text += c;
      }
    }
    return text;
  }
  std::string choice(const std::string& choices) {
    std::vector<std::string> all(1);
    for (const char c : choices) {
      if (c == '|') {
        all.emplace_back();
      } else {
        all.back() += c;
      }
    }
    return one_of(all);
  }

  // Some registers have a value before the first statement, and some have none.
  std::string head() {
    std::string text =
        ".version 8.7\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 window[64];\n"
        ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n.reg .pred %p<4>, %q;\n"
        ".reg .b32 %n<2>, %i, %j;\n.reg .b64 %in, %out, %own, %k;\n";
    for (const Bank& bank : kBanks) {
      text += fmt::format(".reg .b{} {}<{}>;\n", bank.bits, bank.name, bank.count);
    }
    text +=
        "ld.param.u64 %in, [k_in];\nld.param.u64 %out, [k_out];\nmov.u32 %i, %tid.x;\n"
        "mov.u32 %j, %tid.y; mov.u32 %n0, %ntid.x; mad.lo.u32 %i, %j, %n0, %i;\n"
        "and.b32 %j, %i, 31; mul.wide.u32 %own, %j, 4; add.u64 %own, %own, %in;\n";
    for (const Bank& bank : kBanks) {
      for (unsigned i = 0; i < bank.count; ++i) {
        const unsigned bits = bank.bits;
        switch (below(5)) {
          case 0:
            text += fmt::format("ld.global.u{0} {1}{2}, [%in+{3}];\n", bits, bank.name, i,
                                8 * below(16));
            break;
          case 1:
            text += fmt::format("cvt.u{0}.u32 {1}{2}, %i;\n", bits, bank.name, i);
            break;
          case 2:
            if (!addresses_) break;
            text += fmt::format("cvt.u{0}.u64 {1}{2}, %own;\n", bits, bank.name, i);
            break;
          case 3:
            text += fmt::format("mov.b64 %k, {3}; cvt.u{0}.u64 {1}{2}, %k;\n", bits, bank.name, i,
                                one_of(kNumbers));
            break;
          default:
            break;
        }
      }
    }
    return text + "setp.lt.u32 %p0, %i, 7;\nsetp.eq.u32 %p1, %n0, 64;\n";
  }

  // A number that all registers of the thread have a part in.
  std::string tail() {
    std::string text =
        "mov.u32 %n0, %ntid.x; mov.u32 %n1, %ntid.y; mul.lo.u32 %n0, %n0, %n1;\n"
        "mov.u32 %n1, %ctaid.x; mad.lo.u32 %i, %n1, %n0, %i;\n"
        "mad.wide.u32 %out, %i, 8, %out; mov.u64 %own, 0;\n";
    for (const Bank& bank : kBanks) {
      for (unsigned i = 0; i < bank.count; ++i) {
        text += fmt::format("cvt.u64.u{} %k, {}{}; mad.lo.u64 %own, %own, 31, %k;\n", bank.bits,
                            bank.name, i);
      }
    }
    return text + "st.global.u64 [%out], %own;\nret;\n}\n";
  }

  std::mt19937_64 engine_;
  std::string body_;
  unsigned left_ = 0;
  unsigned labels_ = 0;
  bool addresses_ = false;
};

}  // namespace

MixedWidths mixed_widths(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace emulator::testing::random
