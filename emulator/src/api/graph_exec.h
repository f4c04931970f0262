// A graph made ready to be launched, which later changes of the graph leave alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/graph.h"

namespace emulator::api {

class GraphExec {
 public:
  // Prepares every operation in the context. Throws Refusal.
  GraphExec(const Graph& graph, Context& context, std::uint64_t flags);

  [[nodiscard]] std::uint64_t flags() const { return flags_; }
  // What a capture of its launch holds.
  [[nodiscard]] const Graph& graph() const { return *graph_; }

  // Gives the stream all operations, each behind those it depends on. Throws Refusal.
  void launch(Context& context, Stream& stream);

  // Of the node that a step was made of. Throw Refusal(CUDA_ERROR_INVALID_VALUE) where there is
  // none, or where the operation is of another type.
  void set_operation(const Node& node, Operation operation, Context& context);
  void set_enabled(const Node& node, bool enabled);
  [[nodiscard]] bool is_enabled(const Node& node);

  // Takes over the operations of a graph of the same form. Changes nothing if the form is another.
  struct Update {
    CUgraphExecUpdateResult result;
    const Node* node;  // where the difference was seen; null where it is in their number
  };
  [[nodiscard]] Update update(const Graph& graph, Context& context);

 private:
  struct Step {
    Node* node;  // of graph_, or of a child's graph in it
    Submission submission;
    bool enabled;
  };
  void add_steps(const Graph& graph);
  Step& step_of(const Node& node);
  // With what the node's edges say of when it begins.
  [[nodiscard]] static Submission prepare_step(Context& context, const Node& node,
                                               Operation operation);
  void prepare_for(Context& context);

  std::uint64_t flags_;
  std::shared_ptr<Graph> graph_;
  unsigned long long context_id_ = 0;  // for which the steps are prepared
  std::vector<Step> steps_;
};

}  // namespace emulator::api
