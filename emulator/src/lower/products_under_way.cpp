#include "lower/products_under_way.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lower/effects.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;

// Groups that wgmma.wait_group can leave under way, and one more.
constexpr std::uint64_t kOldest = 16;

bool is_product(const Instruction& instruction) {
  return instruction.opcode == Opcode::wgmma && instruction.has(Modifier::mma_async);
}

std::set<std::uint32_t> registers_in(const ptx::Operand& operand) {
  std::set<std::uint32_t> registers;
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr) return registers;
  for (const ptx::Operand& element : vector->elements) {
    if (const auto* reg = std::get_if<ptx::Register>(&element.value)) registers.insert(reg->index);
  }
  return registers;
}

// The register that a plain copy reads; it writes one of the same width.
std::optional<std::uint32_t> copied(const ptx::Function& function, const Instruction& instruction) {
  if (instruction.opcode != Opcode::mov || instruction.guard) return std::nullopt;
  const auto* from = std::get_if<ptx::Register>(&instruction.operands.at(1).value);
  const auto* to = std::get_if<ptx::Register>(&instruction.operands.at(0).value);
  if (from == nullptr || to == nullptr) return std::nullopt;
  const auto width = [&](const ptx::Register* reg) {
    return ptx::bits(function.registers.at(reg->index).type);
  };
  return width(from) == width(to) ? std::optional(from->index) : std::nullopt;
}

// What may be under way where a block begins.
struct State {
  // Of each product, how many groups were made since: the fewest on any way here.
  std::map<std::uint32_t, std::uint64_t> age;
  // The products of which a register holds sums, and those that read it.
  std::map<std::uint32_t, std::set<std::uint32_t>> sums;
  std::map<std::uint32_t, std::set<std::uint32_t>> factors;

  bool operator==(const State&) const = default;

  void merge(const State& other) {
    for (const auto& [product, groups] : other.age) {
      const auto [at, is_new] = age.emplace(product, groups);
      if (!is_new) at->second = std::min(at->second, groups);
    }
    for (const auto& [reg, products] : other.sums)
      sums[reg].insert(products.begin(), products.end());
    for (const auto& [reg, products] : other.factors)
      factors[reg].insert(products.begin(), products.end());
  }
};

class Follower {
 public:
  Follower(const ptx::Function& function, const ControlFlow& flow)
      : function_(function),
        flow_(flow),
        states_(flow.blocks.size()),
        reached_(flow.blocks.size()) {}

  Touches touches() {
    std::vector<std::uint32_t> open = {0};
    if (flow_.blocks.empty()) return {};
    reached_[0] = true;
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      State state = states_[block];
      run(block, state);
      for (const std::uint32_t next : flow_.blocks[block].successors) {
        if (next == flow_.exit()) continue;
        State merged = states_[next];
        merged.merge(state);
        if (reached_[next] && merged == states_[next]) continue;
        reached_[next] = true;
        states_[next] = std::move(merged);
        open.push_back(next);
      }
    }
    return std::move(touches_);
  }

 private:
  void run(std::uint32_t block, State& state) {
    const BasicBlock& range = flow_.blocks[block];
    for (std::uint32_t i = range.first; i < range.last; ++i) step(i, state);
  }

  void step(std::uint32_t index, State& state) {
    const Instruction& instruction = function_.body[index];
    if (instruction.opcode == Opcode::wgmma) {
      if (instruction.has(Modifier::commit_group)) {
        for (auto& [product, groups] : state.age) groups = std::min(groups + 1, kOldest);
      } else if (instruction.has(Modifier::wait_group)) {
        wait(instruction, state);
      } else if (is_product(instruction)) {
        begin(index, state);
      }
      return;
    }
    if (state.age.empty()) return;
    const Effects effects = effects_of(instruction);
    const auto from = copied(function_, instruction);
    if (!from) {
      for (const std::uint32_t reg : effects.reads) touch(index, state.sums, reg, state);
    }
    for (const std::uint32_t reg : effects.writes) {
      touch(index, state.factors, reg, state);
      if (!from) {
        touch(index, state.sums, reg, state);
      } else if (const auto held = state.sums.find(*from); held != state.sums.end()) {
        state.sums[reg] = held->second;
      } else {
        state.sums.erase(reg);
      }
    }
  }

  void touch(std::uint32_t index, const std::map<std::uint32_t, std::set<std::uint32_t>>& held,
             std::uint32_t reg, const State& state) {
    const auto found = held.find(reg);
    if (found == held.end()) return;
    for (const std::uint32_t product : found->second) {
      if (state.age.contains(product)) touches_[index].insert(product);
    }
  }

  void begin(std::uint32_t index, State& state) {
    const Instruction& instruction = function_.body[index];
    const std::set<std::uint32_t> sums = registers_in(instruction.operands.front());
    const std::set<std::uint32_t> factors = instruction.operands.size() > 1
                                                ? registers_in(instruction.operands[1])
                                                : std::set<std::uint32_t>();
    for (const std::uint32_t reg : factors) touch(index, state.sums, reg, state);
    for (const std::uint32_t reg : sums) touch(index, state.factors, reg, state);
    state.age[index] = 0;
    for (const std::uint32_t reg : sums) state.sums[reg].insert(index);
    for (const std::uint32_t reg : factors) state.factors[reg].insert(index);
  }

  static void wait(const Instruction& instruction, State& state) {
    const auto* pending = instruction.operands.empty()
                              ? nullptr
                              : std::get_if<ptx::Immediate>(&instruction.operands[0].value);
    if (pending == nullptr) return;
    std::erase_if(state.age, [&](const auto& each) { return each.second > pending->bits; });
    for (auto* held : {&state.sums, &state.factors}) {
      for (auto& [reg, products] : *held)
        std::erase_if(products,
                      [&](std::uint32_t product) { return !state.age.contains(product); });
      std::erase_if(*held, [](const auto& each) { return each.second.empty(); });
    }
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  std::vector<State> states_;  // where each block begins
  std::vector<bool> reached_;
  Touches touches_;
};

}  // namespace

Touches touches_of_products(const ptx::Function& function, const ControlFlow& flow) {
  if (std::ranges::none_of(function.body, is_product)) return {};
  return Follower(function, flow).touches();
}

bool has_products(const ptx::Module& module) {
  return std::ranges::any_of(module.functions, [](const ptx::Function& function) {
    return std::ranges::any_of(function.body, is_product);
  });
}

}  // namespace emulator::lower
