// Runs a kernel given as PTX text through parser, lowering, JIT and runtime, without the driver
// API; or, to see whether what the tests expect is what a GPU does, on a GPU (driver_run.h).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "jit/compiler.h"
#include "ptx/ast.h"
#include "runtime/engine.h"
#include "runtime/memory.h"
#include "runtime/tensor_map.h"
#include "support/driver_run.h"
#include "support/kept_ptx.h"
#include "support/outcome.h"

namespace emulator::testing {

// A kernel's parameters: the input, the output and a map of the input, if the launch has one.
struct Parameters {
  std::uint64_t in;
  std::uint64_t out;
  alignas(64) runtime::TensorMap map;
};
[[nodiscard]] inline Parameters parameters_of(std::uint64_t in, std::uint64_t out,
                                              const std::optional<TensorOfWords>& tensor) {
  Parameters parameters{in, out, {}};
  if (!tensor) return parameters;
  runtime::TensorMap& map = parameters.map;
  map.magic = runtime::TensorMap::kMagic;
  map.rank = 2;
  map.type = runtime::TensorType::u32;
  map.address = in;
  map.strides[0] = std::uint64_t{tensor->dims[0]} * 4;
  for (std::size_t i = 0; i < 2; ++i) {
    map.dims[i] = tensor->dims[i];
    map.box[i] = static_cast<std::uint16_t>(tensor->box[i]);
    map.element_strides[i] = 1;
  }
  return parameters;
}

// Runs the first entry of `ptx`, whose parameters are two pointers: `input`, and an output of
// `output_words` 32-bit words that are all 0xcdcdcdcd before, and the map of the launch.
[[nodiscard]] inline Outcome run_kernel(
    const std::string& ptx, const std::vector<std::uint32_t>& input, std::size_t output_words,
    const Grid& launch = {}, lower::EngineChoice engine_choice = jit::engine_of_environment(),
    jit::Compilation compilation = jit::compilation_of_environment()) {
  keep_ptx(ptx);
  if (const char* driver = driver_to_test()) {
    return run_on_driver(driver, ptx, input, output_words, launch);
  }
  auto module = std::make_shared<const ptx::Module>(ptx::parse(ptx));
  const ptx::Function* entry = nullptr;
  for (const ptx::Function& function : module->functions) {
    if (function.entry && entry == nullptr) entry = &function;
  }
  runtime::Memory memory;
  jit::SymbolAddresses globals;
  for (const ptx::Variable& variable : module->variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const std::uint64_t address = memory.allocate(variable.size,
                                                  variable.space == ptx::Space::constant
                                                      ? runtime::AllocationKind::constant_variable
                                                      : runtime::AllocationKind::global_variable,
                                                  variable.name);
    std::memset(std::bit_cast<void*>(address), 0, variable.size);
    if (!variable.initial.empty()) {
      std::memcpy(std::bit_cast<void*>(address), variable.initial.data(), variable.initial.size());
    }
    globals[variable.name] = address;
  }
  jit::Compiler compiler(module, globals, engine_choice, {}, compilation);
  compiler.check();
  const bool clustered = launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1};
  const auto kernel = compiler.compile(
      *entry, {launch.block, launch.grid, launch.dynamic_shared_bytes, clustered, clustered});

  const std::size_t input_bytes = std::max<std::size_t>(input.size(), 1) * sizeof(std::uint32_t);
  const std::uint64_t in = memory.allocate(input_bytes, runtime::AllocationKind::device);
  const std::uint64_t out =
      memory.allocate(output_words * sizeof(std::uint32_t), runtime::AllocationKind::device);
  if (!input.empty()) std::memcpy(std::bit_cast<void*>(in), input.data(), input_bytes);
  std::memset(std::bit_cast<void*>(out), 0xcd, output_words * sizeof(std::uint32_t));
  const Parameters parameters = parameters_of(in, out, launch.map);

  runtime::PrintBuffer prints;
  runtime::DeviceHeap heap(std::size_t{8} << 20);
  const auto addresses = memory.snapshot();
  runtime::Launch run;
  run.function = kernel->function;
  run.sites = kernel->sites;
  run.parameters = {reinterpret_cast<const std::uint8_t*>(&parameters),
                    launch.map ? sizeof parameters : 2 * sizeof in};
  run.grid = launch.grid;
  run.block = launch.block;
  run.cluster = launch.cluster;
  run.shared_bytes = kernel->static_shared_bytes + launch.dynamic_shared_bytes;
  run.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  run.unit = kernel->unit;
  run.local_bytes_per_thread =
      kernel->local_bytes_per_thread + (kernel->grows_stack ? launch.stack_bytes : 0);
  run.addresses = addresses.get();
  run.prints = &prints;
  run.heap = &heap;
  runtime::ClaimCounts claims;
  run.claims = &claims;
  runtime::Engine engine(2);
  Outcome outcome;
  outcome.unit = kernel->unit;
  if (const auto fault = engine.run(run)) {
    outcome.fault = fault->text;
    outcome.kind = fault->kind;
  }
  outcome.claims_compared = claims.compared();
  outcome.claims_wrong = claims.wrong();
  outcome.wrong_claims = claims.texts();
  outcome.words.resize(output_words);
  std::memcpy(outcome.words.data(), std::bit_cast<void*>(out),
              output_words * sizeof(std::uint32_t));
  return outcome;
}

// A module of one kernel `k` with registers of every kind, whose thread's linear index is in %r0,
// its input word (of that index) in %r1, and whose output address is in %rd1. `body` ends in a
// store to [%rd1] or has its own.
[[nodiscard]] inline std::string kernel_of(const std::string& body,
                                           const std::string& module_scope = "") {
  return ".version 8.7\n.target sm_90\n.address_size 64\n" + module_scope +
         "\n.visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n"
         ".reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n"
         ".reg .f32 %f<32>;\n.reg .f64 %d<32>;\n"
         "ld.param.u64 %rd2, [k_in];\nld.param.u64 %rd3, [k_out];\n"
         "mov.u32 %r60, %ctaid.x;\nmov.u32 %r61, %ntid.x;\nmov.u32 %r62, %tid.x;\n"
         "mad.lo.u32 %r0, %r60, %r61, %r62;\nmul.wide.u32 %rd4, %r0, 4;\n"
         "add.s64 %rd0, %rd2, %rd4;\nadd.s64 %rd1, %rd3, %rd4;\nld.global.u32 %r1, [%rd0];\n" +
         body + "\nret;\n}\n";
}

}  // namespace emulator::testing
