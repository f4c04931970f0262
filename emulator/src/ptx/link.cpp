#include "ptx/link.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ptx/symbols.h"

namespace emulator::ptx {
namespace {

using Indices = std::vector<std::uint32_t>;  // from a module's to those of the whole

bool is_definition(const Function& function) { return function.defined; }
bool is_definition(const Variable& variable) { return !variable.external; }

bool agree(const Function& a, const Function& b) { return same_call(a, b); }
// The size of an array may be left open where it is declared. The type is not compared, as by
// NVIDIA's linker: nvcc declares a pointer as .b64 and defines it as .u64.
bool agree(const Variable& a, const Variable& b) {
  return a.space == b.space &&
         (a.size == b.size || (a.external && a.size == 0) || (b.external && b.size == 0));
}

// sm_90 < sm_90a < sm_100
std::pair<std::ptrdiff_t, std::string> rank(const std::string& target) {
  const std::ptrdiff_t digits =
      std::ranges::count_if(target, [](char c) { return c >= '0' && c <= '9'; });
  return {digits, target};
}

class Linker {
 public:
  explicit Linker(const std::vector<Module>& modules) {
    for (const Module& module : modules) {
      for (const Function& function : module.functions) note(function);
      for (const Variable& variable : module.variables) note(variable);
    }
  }

  void add(Module module) {
    std::unordered_map<std::string, std::string> renamed;
    const Indices functions = place(whole_.functions, module.functions, renamed);
    const Indices variables = place(whole_.variables, module.variables, renamed);
    const auto change = [&](Symbol& symbol) {
      if (symbol.where == Symbol::Where::function) symbol.index = functions[symbol.index];
      if (symbol.where == Symbol::Where::module_variable) symbol.index = variables[symbol.index];
    };
    for (const std::uint32_t index : taken_functions_) {
      for (Instruction& instruction : whole_.functions[index].body) {
        for (Operand& operand : instruction.operands) change_symbols(operand, change);
      }
    }
    for (const std::uint32_t index : taken_variables_) {
      for (Relocation& relocation : whole_.variables[index].relocations) {
        const auto found = renamed.find(relocation.symbol);
        if (found != renamed.end()) relocation.symbol = found->second;
      }
    }
    const auto version = [](const Module& of) {
      return std::tie(of.version_major, of.version_minor);
    };
    if (version(whole_) < version(module)) {
      std::tie(whole_.version_major, whole_.version_minor) = version(module);
    }
    if (rank(whole_.target) < rank(module.target)) whole_.target = module.target;
  }

  [[nodiscard]] Module finish() { return std::move(whole_); }

 private:
  template <typename Item>
  void note(const Item& item) {
    if (item.linkage != Linkage::internal) used_.insert(item.name);
  }

  // A name that nothing else has, for an item without linkage.
  std::string own_name(const std::string& name) {
    std::string own = name;
    for (int i = 2; !used_.insert(own).second; ++i) own = name + "$" + std::to_string(i);
    return own;
  }

  Indices& taken(const std::vector<Function>&) { return taken_functions_; }
  Indices& taken(const std::vector<Variable>&) { return taken_variables_; }

  // Moves the items of a module to where they lie in the whole; notes which ones were needed.
  template <typename Item>
  Indices place(std::vector<Item>& whole, std::vector<Item>& items,
                std::unordered_map<std::string, std::string>& renamed) {
    Indices indices;
    Indices& now = taken(whole);
    now.clear();
    for (Item& item : items) {
      if (item.linkage == Linkage::internal && is_definition(item)) {
        std::string own = own_name(item.name);
        if (own != item.name) renamed.emplace(item.name, own);
        item.name = std::move(own);
      }
      const auto next = static_cast<std::uint32_t>(whole.size());
      const auto [found, is_new] = places_.try_emplace(item.name, next);
      indices.push_back(found->second);
      if (is_new) {
        now.push_back(next);
        whole.push_back(std::move(item));
      } else if (replaces(item, at(whole, found->second, item))) {
        now.push_back(found->second);
        whole[found->second] = std::move(item);
      }
    }
    return indices;
  }

  // A function and a variable of one name are told from each other by the name at the place.
  template <typename Item>
  static const Item& at(const std::vector<Item>& whole, std::uint32_t index, const Item& item) {
    if (index < whole.size() && whole[index].name == item.name) return whole[index];
    throw Error(item.where,
                "'" + item.name + "' is a function in one module and a variable in another");
  }

  template <typename Item>
  static bool replaces(const Item& item, const Item& before) {
    if (!agree(item, before)) {
      throw Error(item.where, "'" + item.name + "' is declared differently in another module");
    }
    if (!is_definition(item) || !is_definition(before)) return is_definition(item);
    if (item.linkage == Linkage::weak) return false;
    if (before.linkage == Linkage::weak) return true;
    throw Error(item.where, "'" + item.name + "' is defined in more than one module");
  }

  Module whole_;
  std::set<std::string> used_;  // names with linkage, and those already given to items without
  std::unordered_map<std::string, std::uint32_t> places_;
  Indices taken_functions_;  // of the module that is being added
  Indices taken_variables_;
};

}  // namespace

Module link(std::vector<Module> modules) {
  if (modules.size() == 1) return std::move(modules.front());
  Linker linker(modules);
  for (Module& module : modules) linker.add(std::move(module));
  return linker.finish();
}

}  // namespace emulator::ptx
