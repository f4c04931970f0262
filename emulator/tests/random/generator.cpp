#include "random/generator.h"

#include <map>
#include <random>

#include "lower/reference_floats.h"

namespace emulator::testing::random {
namespace {

constexpr unsigned kStatements = 45;
constexpr unsigned kDeepest = 3;
// Operations of a program that are taken in turn, at least: programs that follow each other use
// all.
constexpr std::uint64_t kTurns = 8;
// A prime number, and so no divisor of how many operations there are: neighbours in turn differ.
constexpr std::uint64_t kStride = 7919;

// The standard's distributions differ between libraries, its engine does not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t word() { return engine_(); }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool once_in(unsigned n) { return below(n) == 0; }
  template <typename T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

// Operations by the first word of their instruction, so that those with many forms do not crowd
// out the others.
const std::vector<std::vector<std::size_t>>& families() {
  static const std::vector<std::vector<std::size_t>> kAll = [] {
    std::map<std::string, std::vector<std::size_t>> by_word;
    for (std::size_t i = 0; i < operations().size(); ++i) {
      const std::string& text = operations()[i].text;
      by_word[text.substr(0, text.find('.'))].push_back(i);
    }
    std::vector<std::vector<std::size_t>> all;
    all.reserve(by_word.size());
    for (const auto& [word, family] : by_word) all.push_back(family);
    return all;
  }();
  return kAll;
}

std::uint64_t number(Dice& dice) {
  static const std::vector<std::uint64_t> kNumbers = {
      0,      1,      2,      3,          5,          7,          8,          15,
      16,     31,     32,     33,         63,         64,         127,        255,
      0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~0ULL >> 1, ~0ULL};
  return dice.once_in(3) ? dice.word() : dice.one_of(kNumbers);
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : dice_(seed) {
    static const std::vector<std::array<std::uint32_t, 3>> kBlocks = {
        {32, 1, 1}, {64, 1, 1}, {16, 4, 1}, {8, 4, 2},   {32, 2, 1},
        {40, 1, 1}, {5, 3, 2},  {96, 1, 1}, {128, 1, 1}, {32, 8, 1}};
    program_.seed = seed;
    program_.order = seed % 2 == 0 ? TextOrder::of_statements : TextOrder::shuffled;
    program_.block = dice_.one_of(kBlocks);
    program_.blocks = 2;
    program_.cluster = dice_.once_in(2) ? 2 : 1;
    program_.spread = dice_.once_in(3) ? Spread::blocks : Spread::lanes;
    program_.reduction = dice_.below(reductions().size());
  }

  Program run() {
    left_ = kStatements;
    while (left_ > 0) program_.body.push_back(statement(0, true));
    return std::move(program_);
  }

 private:
  // `together`: all threads of the block come here, at the same time.
  Statement statement(unsigned depth, bool together) {
    if (left_ > 0) --left_;
    const std::uint64_t kind = dice_.below(25);
    if (depth < kDeepest && kind < 2) return {branch(depth)};
    if (depth < kDeepest && kind == 2) return {loop(depth, together)};
    if (kind >= 3 && kind < 6) return {access()};
    if (kind == 6) return {reduce()};
    if (kind == 7 && together) return {exchange()};
    if ((kind == 8 || kind == 9) && together && program_.threads() % 32 == 0) return {meeting()};
    if (kind == 10 && together) return {gather()};
    return {compute()};
  }

  Statements some(unsigned most, unsigned depth, bool together) {
    Statements statements;
    for (std::uint64_t n = 1 + dice_.below(most); n > 0; --n) {
      statements.push_back(statement(depth, together));
    }
    return statements;
  }

  Register any(Kind kind) {
    return {kind, static_cast<unsigned>(dice_.below(kRegisters[static_cast<std::size_t>(kind)]))};
  }
  std::optional<Guard> perhaps() {
    if (!dice_.once_in(6)) return std::nullopt;
    return guard();
  }
  Guard guard() { return {any(Kind::pred).index, dice_.once_in(2)}; }

  Compute compute() {
    // By family, which gives the rare ones, or in turn, which leaves none out.
    const std::size_t chosen = dice_.once_in(2) ? dice_.one_of(dice_.one_of(families())) : turn();
    const Operation& operation = operations()[chosen];
    Compute compute{chosen, any(operation.result), {}, std::nullopt};
    for (const Kind kind : operation.operands)
      compute.operands.push_back({any(kind), std::nullopt});
    if (operation.takes_number && dice_.once_in(4)) compute.operands.back().number = number(dice_);
    if (operation.single()) compute.guard = perhaps();
    return compute;
  }

  std::size_t turn() { return (program_.seed * kTurns + turns_++) * kStride % operations().size(); }

  Branch branch(unsigned depth) {
    Branch branch{guard(), {}, {}};
    branch.then = some(4, depth + 1, false);
    if (dice_.once_in(2)) branch.otherwise = some(4, depth + 1, false);
    return branch;
  }

  Loop loop(unsigned depth, bool together) {
    Loop loop{depth, dice_.once_in(2) ? 3U : 1U, std::nullopt, std::nullopt, {}};
    if (!dice_.once_in(3)) loop.how = any(Kind::b32);
    if (dice_.once_in(3)) loop.leave = guard();
    loop.body = some(5, depth + 1, together && !loop.how && !loop.leave);
    return loop;
  }

  Access access() {
    Access access{static_cast<Place>(dice_.below(3)),
                  dice_.below(widths().size()),
                  dice_.once_in(2),
                  any(Kind::b32),
                  {},
                  perhaps()};
    if (access.place == Place::input) access.stores = false;
    const Width& width = widths()[access.width];
    const unsigned registers = kRegisters[static_cast<std::size_t>(width.kind)];
    const auto first = static_cast<unsigned>(dice_.below(registers));
    for (unsigned i = 0; i < width.count; ++i) {
      access.values.push_back({width.kind, (first + i) % registers});
    }
    return access;
  }

  Exchange exchange() {
    return {any(Kind::b32), static_cast<unsigned>(dice_.below(program_.threads())), any(Kind::b32)};
  }
  Together meeting() {
    const std::size_t chosen = dice_.below(collectives().size());
    const Collective& collective = collectives()[chosen];
    Together together{chosen, any(collective.result), {}};
    for (const Kind kind : collective.operands) together.operands.push_back(any(kind));
    return together;
  }
  Gather gather() {
    std::size_t chosen = dice_.below(gatherings().size());
    while (!possible(gatherings()[chosen], program_)) chosen = (chosen + 1) % gatherings().size();
    Gather gather{chosen, any(Kind::b32), {}};
    for (const Kind kind : gatherings()[chosen].operands) gather.operands.push_back(any(kind));
    return gather;
  }
  Reduce reduce() { return {program_.reduction, any(Kind::b32), any(Kind::b32), perhaps()}; }

  Dice dice_;
  Program program_{};
  unsigned left_ = 0;
  std::uint64_t turns_ = 0;
};

std::uint64_t edge(Dice& dice, const std::vector<std::uint64_t>& edges) {
  return dice.one_of(edges);
}

}  // namespace

Program generate(std::uint64_t seed) { return Generator(seed).run(); }

std::vector<std::uint64_t> input_of(const Program& program) {
  // Another stream of numbers than the program's.
  Dice dice(~program.seed);
  const auto ordinary = [&dice](int digits, int bias) {
    // A number between 2^-8 and 2^8 of either sign.
    const std::uint64_t exponent = static_cast<std::uint64_t>(bias) - 8 + dice.below(17);
    const std::uint64_t fraction = dice.below(std::uint64_t{1} << digits);
    return exponent << digits | fraction;
  };
  const auto wanted = [&](Kind kind) -> std::uint64_t {
    if (dice.once_in(4)) return dice.word();
    switch (kind) {
      case Kind::f32:
        return dice.once_in(2) ? edge(dice, f32_edges()) : ordinary(23, 127) | dice.below(2) << 31;
      case Kind::f64:
        return dice.once_in(2) ? edge(dice, f64_edges()) : ordinary(52, 1023) | dice.below(2) << 63;
      case Kind::b16:
        return dice.once_in(2) ? edge(dice, dice.once_in(2) ? f16_edges() : bf16_edges())
                               : number(dice);
      default:
        return number(dice);
    }
  };
  std::vector<std::uint64_t> input;
  input.reserve(kCommonBytes / 8 + std::size_t{program.threads()} * program.blocks * kAllRegisters);
  for (unsigned i = 0; i < kCommonBytes / 8; ++i)
    input.push_back(wanted(Kind::f32) << 32 | wanted(Kind::b32) % 4096);
  for (std::uint32_t item = 0; item < program.threads() * program.blocks; ++item) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (unsigned i = 0; i < kRegisters[kind]; ++i) {
        input.push_back(wanted(static_cast<Kind>(kind)));
      }
    }
  }
  return input;
}

}  // namespace emulator::testing::random
