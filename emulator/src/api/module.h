// A loaded PTX module: its variables in memory, and its kernels.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/source_names.h"
#include "jit/compiler.h"
#include "ptx/ast.h"
#include "runtime/memory.h"

namespace emulator::api {

class Module;

// One entry of a module, as a CUfunction means it.
class Kernel {
 public:
  Kernel(const ptx::Module& module, const ptx::Function& function,
         std::shared_ptr<jit::Compiler> compiler, lower::EngineChoice engine,
         std::shared_ptr<const SourceNames> names);

  [[nodiscard]] const ptx::Function& function() const { return function_; }
  [[nodiscard]] const jit::KernelLayout& layout() const { return layout_; }
  // Threads in a block at most: 1024 or what .maxntid or .reqntid say.
  [[nodiscard]] std::uint32_t max_threads() const;
  // Of blocks, as .reqnctapercluster says, or else the program; zeros: neither.
  [[nodiscard]] std::array<std::uint32_t, 3> required_cluster() const;
  // Whether the module calls malloc or free.
  [[nodiscard]] bool has_heap_calls() const { return has_heap_calls_; }
  // Whether it may let the next launch begin before it has ended.
  [[nodiscard]] bool launches_dependents() const { return launches_dependents_; }
  // "sm_90a" -> 90
  [[nodiscard]] int target() const { return target_; }
  [[nodiscard]] const SourceNames& names() const { return *names_; }
  [[nodiscard]] std::shared_ptr<const jit::CompiledKernel> compile(const jit::Shape& shape) const {
    return compiler_->compile(function_, shape);
  }

  // What the program has set with cuFuncSetAttribute.
  std::atomic<int> max_dynamic_shared_bytes;
  std::atomic<bool> non_portable_clusters = false;
  // In the place of .reqnctapercluster.
  std::array<std::atomic<std::uint32_t>, 3> program_cluster = {};
  std::atomic<int> carveout = -1;
  // The handle of its module; set when the module gets one.
  std::atomic<void*> owner = nullptr;

 private:
  const ptx::Function& function_;  // the compiler keeps the module alive
  std::shared_ptr<jit::Compiler> compiler_;
  jit::KernelLayout layout_;
  bool has_heap_calls_;
  bool launches_dependents_;
  int target_;
  std::shared_ptr<const SourceNames> names_;
};

class Module {
 public:
  // Gives every variable memory of its own with its initial value. Throws ptx::Error.
  Module(ptx::Module text, runtime::Memory& memory, jit::KeptCode kept,
         const std::shared_ptr<const SourceNames>& names);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  // Gives the memory of the variables back. No kernel of the module may be running.
  void unload(runtime::Memory& memory);

  struct Variable {
    std::uint64_t address;
    std::uint64_t bytes;
    runtime::AllocationKind kind;
  };
  // Null where there is none of that name.
  [[nodiscard]] const Variable* find_variable(const std::string& name) const;
  [[nodiscard]] std::shared_ptr<Kernel> find_kernel(const std::string& name) const;
  // In the order of the text. Handles by which the program knows them are in the context's table.
  [[nodiscard]] const std::vector<std::shared_ptr<Kernel>>& kernels() const { return kernels_; }

 private:
  void place_variables(runtime::Memory& memory);
  void initialize_variables();
  // Of a variable, or of a function as pointers hold it; none where there is none of that name.
  [[nodiscard]] std::optional<std::uint64_t> find_address(const std::string& name) const;

  std::shared_ptr<const ptx::Module> text_;
  std::map<std::string, Variable> variables_;
  std::shared_ptr<jit::Compiler> compiler_;
  std::vector<std::shared_ptr<Kernel>> kernels_;
};

}  // namespace emulator::api
