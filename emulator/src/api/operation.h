// What a stream can be given, and what a node of a graph does: the same things, described before
// anything is done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "api/cluster_size.h"
#include "api/context.h"
#include "api/kernel_parameters.h"

namespace emulator::api {

class Graph;

// Whether all blocks of the grid have to be on the device at once.
enum class Cooperation : std::uint8_t { none, whole_grid };
// Whether a launch may begin while the one before it in its stream is under way.
enum class StreamOrder : std::uint8_t { serial, programmatic };

struct KernelOperation {
  std::shared_ptr<Kernel> kernel;
  Extents grid;  // as the program says it, as is the block
  Extents block;
  std::uint32_t dynamic_shared_bytes;
  KernelParameters parameters;
  Cooperation cooperation = Cooperation::none;
  std::optional<Extents> cluster;  // nothing: the blocks form none
  StreamOrder order = StreamOrder::serial;
};
struct CopyOperation {
  CUDA_MEMCPY3D copy;
};
struct FillOperation {
  CUDA_MEMSET_NODE_PARAMS fill;
};
struct HostOperation {
  CUhostFn function;
  void* data;
};
struct RecordOperation {
  CUevent handle;
  std::shared_ptr<Event> event;
};
struct WaitOperation {
  CUevent handle;
  std::shared_ptr<Event> event;
};
struct ChildOperation {
  std::shared_ptr<Graph> graph;
};
struct EmptyOperation {};

using Operation = std::variant<KernelOperation, CopyOperation, FillOperation, HostOperation,
                               RecordOperation, WaitOperation, ChildOperation, EmptyOperation>;

// Gives a stream of the context what was prepared; any number of times.
using Submission = std::function<void(Stream&)>;

// Does once what takes time, such as compiling a kernel. Throws Refusal where the operation cannot
// be carried out in this context. Of a child graph nothing is prepared: its operations are.
[[nodiscard]] Submission prepare(Context& context, const Operation& operation);

// Gives the operation to the stream, or to the graph that it is capturing. Throws Refusal.
void enqueue(Context& context, CUstream stream, const Operation& operation);

}  // namespace emulator::api
