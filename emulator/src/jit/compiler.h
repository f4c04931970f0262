// From a parsed module to machine code for one launch: the seam between the driver API and the
// compiler. Lowering (lower/) writes LLVM IR, the engine (jit/engine.h) makes machine code of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jit/code_cache.h"
#include "lower/kernel.h"
#include "ptx/ast.h"
#include "runtime/abi.h"

namespace emulator::jit {

// How a kernel is launched; compiled code is specialised to it. The block decides which lane does
// what; of the grid only the order of magnitude matters (it bounds index arithmetic), so that grids
// of similar size share their code.
struct Shape {
  std::array<std::uint32_t, 3> block;
  std::array<std::uint32_t, 3> grid;
  std::uint32_t dynamic_shared_bytes = 0;
  bool clustered = false;         // in clusters of several blocks
  bool explicit_cluster = false;  // of a size that the launch or the kernel says
};

// Host addresses of the module-scope .global and .const variables.
using SymbolAddresses = std::map<std::string, std::uint64_t>;

// Where the time went.
struct CompileTimes {
  double lower_seconds = 0;
  double optimise_seconds = 0;
  double generate_seconds = 0;
  double link_seconds = 0;
};

// Machine code of one kernel for one shape. Keeps itself alive: hold the shared_ptr while it runs.
struct CompiledKernel {
  runtime::WarpFunction function = nullptr;
  std::vector<runtime::Site> sites;          // texts live as long as this object
  std::uint64_t local_bytes_per_thread = 0;  // the .local frames, a multiple of 16
  runtime::Unit unit = runtime::Unit::warp;  // what `function` runs
  bool grows_stack = false;                  // calls or alloca may take more local memory than that
  std::uint32_t static_shared_bytes = 0;     // dynamic shared memory begins here
  std::uint64_t parameter_bytes = 0;
  bool uses_barriers = false;  // false: no warp is ever suspended
  CompileTimes times;
  bool from_cache = false;           // of an earlier process
  std::shared_ptr<const void> code;  // owner of the machine code and of the texts
};

// What launch and attribute queries need to know of a kernel without compiling it.
struct KernelLayout {
  struct Parameter {
    std::uint64_t offset;
    std::uint64_t size;
  };
  std::vector<Parameter> parameters;  // in order, as PTX lays them out
  std::uint64_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint64_t local_bytes_per_thread = 0;
  std::uint64_t constant_bytes = 0;
  std::vector<lower::SharedVariable> shared;
};
[[nodiscard]] KernelLayout layout_of(const ptx::Module& module, const ptx::Function& entry,
                                     lower::EngineChoice choice = lower::EngineChoice::automatic);

// EMULATED_CUDA_ENGINE: "warps" or "threads" where a person wants the one or the other.
[[nodiscard]] lower::EngineChoice engine_of_environment();

// How machine code is made. What it computes is the same; the others are there to find out where a
// mistake comes from.
enum class Compilation : std::uint8_t {
  automatic,
  whole,  // one function of each kernel, however long
  parts,  // several, as of a long kernel, of every kernel that warps run
  plain,  // one function, which nothing optimises
  // One that compares what is claimed of its registers with what they hold (lower/claims.h), for
  // launches that count it. No name in the environment stands for it.
  comparing,
};
// EMULATED_CUDA_COMPILE: "whole", "parts" or "plain".
[[nodiscard]] Compilation compilation_of_environment();

// Where a module's machine code may be kept, and what it was made from: everything that decides
// what the module is. Without a cache, nothing is kept.
struct KeptCode {
  std::shared_ptr<const CodeCache> cache;
  std::string text;
};

// Compiles the kernels of one module. Thread-safe.
class Compiler {
 public:
  Compiler(std::shared_ptr<const ptx::Module> module, SymbolAddresses globals,
           lower::EngineChoice engine = lower::EngineChoice::automatic, KeptCode kept = {},
           Compilation compilation = Compilation::automatic);
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  // Lowers every entry once and keeps nothing: throws ptx::Error at the first instruction that is
  // not supported, so that a module is refused when it is loaded. A text that the cache knows to be
  // sound is not looked at again.
  void check() const;

  // Machine code of an entry of the module, made once for each shape.
  // Throws ptx::Error.
  [[nodiscard]] std::shared_ptr<const CompiledKernel> compile(const ptx::Function& entry,
                                                              const Shape& shape);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace emulator::jit
