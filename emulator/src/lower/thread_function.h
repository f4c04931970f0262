// A kernel, or a function it calls, made ready to be compiled for threads that run by themselves:
// there each call of a function is a call, and its variables lie in a frame on the thread's stack
// of local memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lower/call_graph.h"
#include "lower/layout.h"
#include "ptx/ast.h"

namespace emulator::lower {

// A warp-wide instruction. Each lane hands its operands over; the lane that carries it out runs
// `gathered`, which reads them from registers of its own that hold the values of all lanes.
struct Collective {
  ptx::Instruction gathered;
  struct Source {
    ptx::Operand operand;    // of the lane, an address with its brackets
    std::uint32_t gathered;  // of all lanes
  };
  std::vector<Source> sources;
  ptx::Operand members;  // the lanes it names
  std::string kind;      // lanes meet at instructions of the same kind only
};

struct ThreadFunction {
  // Parameters and results of a function that is no kernel are the first of its variables, and all
  // .param variables of the body are .local ones.
  ptx::Function function;
  Layout layout;
  std::map<std::uint32_t, Collective> collectives;  // by index into the body
};

struct ThreadProgram {
  ThreadFunction kernel;
  std::map<std::uint32_t, ThreadFunction> functions;  // by index into Module::functions
  std::vector<std::uint32_t> addressed;               // those that a pointer may name
  std::uint64_t local_bytes =
      0;               // frames of all of them together: no chain without recursion is longer
  bool grows = false;  // some chain of calls, or alloca, may take more
};
[[nodiscard]] ThreadProgram thread_program(const ptx::Module& module, const ptx::Function& kernel,
                                           const CallGraph& graph);

// How a caller and a function agree on where arguments and results lie in the function's frame: one
// behind the other, arguments first.
struct CallArea {
  std::vector<std::uint64_t> offsets;  // of arguments, then of results
  std::uint64_t bytes = 0;
  std::string signature;  // the same for calls and functions that fit together
};
[[nodiscard]] CallArea call_area(const std::vector<std::uint64_t>& argument_bytes,
                                 const std::vector<std::uint64_t>& result_bytes);
[[nodiscard]] CallArea call_area(const ptx::Function& function);

}  // namespace emulator::lower
