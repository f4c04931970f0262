// LLVM, second half: object files become code of this process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace emulator::jit {

// Machine code of object files, alive as long as this object.
class MachineCode {
 public:
  virtual ~MachineCode() = default;
  // The address of a function it defines. Throws std::runtime_error where there is none, or where
  // the object wants a symbol that is not to be had.
  [[nodiscard]] virtual std::uint64_t address(const std::string& name) const = 0;
};

// Their code can reach each other's functions, the runtime's entry points, a fixed list of
// mathematical functions and `variables`, by their names in the objects, and nothing else of the
// process. Throws std::runtime_error. Thread-safe.
[[nodiscard]] std::shared_ptr<const MachineCode> link(
    const std::vector<std::string>& objects, const std::map<std::string, std::uint64_t>& variables);

}  // namespace emulator::jit
