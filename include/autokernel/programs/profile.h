// What a program had its GPUs do, and when: the one form that our own recording, the emulated
// device's and the files of other profilers are brought into. How the time is ranked is
// ranking.h's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/driver/device_info.h"
#include "autokernel/programs/product.h"

namespace autokernel::programs {

// Threads or blocks along x, y and z.
struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;

  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend auto operator<=>(const Extent&, const Extent&) = default;
};

// All times are nanoseconds on one clock; only differences mean anything. kUnknown: not recorded.
using Nanoseconds = std::int64_t;
inline constexpr std::int64_t kUnknown = -1;

// Where work ran, and who asked for it. The numbers are the profiler's own.
struct Place {
  std::uint32_t process = 0;       // index in Profile::processes
  std::uint32_t device = 0;        // index in Profile::devices
  std::int64_t stream = kUnknown;  // of its process
};

// A call of a library or a framework for which work was launched.
struct Operation {
  std::string name;                             // "aten::addmm", "cublasLtMatmul"
  std::vector<std::vector<std::int64_t>> dims;  // of each input; empty for one that is no tensor
  std::vector<std::string> types;               // "c10::BFloat16"; as many as dims, or none
  std::optional<Product> product;               // where it is one

  friend bool operator==(const Operation&, const Operation&) = default;
};

// One execution of a kernel.
struct Launch {
  std::uint32_t name = 0;  // index in Profile::names
  Place place;
  Nanoseconds start = 0, end = 0;  // on the device
  Extent grid, block;
  std::int64_t registers = kUnknown;       // per thread
  std::int64_t static_shared = kUnknown;   // bytes per block
  std::int64_t dynamic_shared = kUnknown;  // bytes per block
  bool in_graph = false;                   // launched as a node of a CUDA graph
  std::int64_t thread = kUnknown;          // that launched it, or its graph
  Nanoseconds called = kUnknown;           // when that thread did
  std::int64_t operation = kUnknown;       // index in Profile::operations
};

// A copy or a fill: work of a device that is no kernel.
struct Transfer {
  std::string kind;  // "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "fill", ...
  Place place;
  Nanoseconds start = 0, end = 0;
  std::uint64_t bytes = 0;
  std::int64_t thread = kUnknown;
  Nanoseconds called = kUnknown;
};

// What a thread of the program did meanwhile, as it said itself: an NVTX range, or a step of a
// framework's profiler.
struct Range {
  std::string text;
  std::uint32_t process = 0;
  std::int64_t thread = kUnknown;  // kUnknown: of the whole process
  Nanoseconds start = 0, end = 0;
};

struct Process {
  std::int64_t id = 0;
  std::string command;
};

struct Profile {
  std::string source;   // "CUPTI", "emulated device", "PyTorch trace", "Nsight Systems"
  std::string program;  // the command, or the file it was read from
  std::vector<Process> processes;
  std::vector<driver::DeviceInfo> devices;  // what the source does not say is 0 or empty
  std::vector<std::string> names;           // of kernels, as the driver has them: mangled
  std::vector<Operation> operations;
  std::vector<Launch> launches;  // by start
  std::vector<Transfer> transfers;
  std::vector<Range> ranges;
  // Launches that the program asked for; fewer than launches.size() where graphs were launched.
  // kUnknown where the source does not count them.
  std::int64_t asked = kUnknown;
  std::int64_t graph_launches = 0;    // of whole graphs
  std::int64_t lost = 0;              // records that the profiler says it could not keep
  std::vector<std::string> warnings;  // what the reader should know: one sentence each
};

}  // namespace autokernel::programs
