// An event of a Chrome trace as PyTorch's profiler writes it, as far as it says something about the
// work of GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace autokernel::programs {

// What a field may hold: nothing, something else than it should, or what it should.
enum class Given : std::uint8_t { no, wrong, yes };

struct Number {
  Given given = Given::no;
  std::int64_t value = 0;

  [[nodiscard]] bool is_given() const { return given == Given::yes; }
  [[nodiscard]] std::int64_t value_or(std::int64_t other) const {
    return is_given() ? value : other;
  }
};

struct Triple {
  Given given = Given::no;
  std::array<std::int64_t, 3> values = {1, 1, 1};
};

// A list with one element for each input of an operation. An input may be a list of tensors, each
// of which is then an element. `input` says whose an element is.
template <typename Element>
struct PerInput {
  Given given = Given::no;
  std::vector<Element> elements;
  std::vector<std::size_t> input;  // of each element
  std::size_t inputs = 0;
};
using Shapes = PerInput<std::vector<std::int64_t>>;
using Texts = PerInput<std::string>;

enum class EventKind : std::uint8_t {
  other,
  kernel,
  copy,
  fill,
  call,        // of CUDA, by the program
  operation,   // of PyTorch
  annotation,  // of the program
  process_name
};

struct TraceEvent {
  EventKind kind = EventKind::other;
  std::string phase, category;
  Given named = Given::no;
  std::string name;
  // A text in place of a number has a number of its own, below kUnknown (TraceReader).
  Number process, thread;
  Number start, duration;  // nanoseconds
  Number device, stream, correlation, registers, shared, bytes, graph_node;
  Number operation;  // "External id": that of the operation which it was launched for
  Triple grid, block;
  Shapes dims, strides;
  Texts types, values;
  std::string copy_kind;
  std::string label;  // of a process
};

}  // namespace autokernel::programs
