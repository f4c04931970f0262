#include "api/graph_exec.h"

#include <algorithm>
#include <utility>

#include "api/activity_record.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

// Whether two nodes at the same place of two orders wait for the same places.
bool wait_alike(const std::vector<Node*>& a, const std::vector<Node*>& b, std::size_t place) {
  const auto places = [&](const std::vector<Node*>& order) {
    const Node& node = *order[place];
    std::vector<std::pair<std::ptrdiff_t, EdgeKind>> found;
    found.reserve(node.dependencies.size());
    for (std::size_t i = 0; i < node.dependencies.size(); ++i) {
      found.emplace_back(std::ranges::find(order, node.dependencies[i]) - order.begin(),
                         node.edges[i]);
    }
    std::ranges::sort(found);
    return found;
  };
  return places(a) == places(b);
}

struct Difference {
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  const Node* node = nullptr;
};

// Of their forms; pairs of nodes that mean the same go to `pairs`.
Difference compare(const Graph& now, const Graph& next,
                   std::vector<std::pair<Node*, const Node*>>& pairs) {
  const std::vector<Node*> a = now.ordered();
  const std::vector<Node*> b = next.ordered();
  if (a.size() != b.size()) return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr};
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!wait_alike(a, b, i)) return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b[i]};
    if (type_of(a[i]->operation) != type_of(b[i]->operation)) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, b[i]};
    }
    if (const auto* child = std::get_if<ChildOperation>(&a[i]->operation)) {
      const Difference inside =
          compare(*child->graph, *std::get<ChildOperation>(b[i]->operation).graph, pairs);
      if (inside.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return inside;
    } else {
      pairs.emplace_back(a[i], b[i]);
    }
  }
  return {};
}

}  // namespace

GraphExec::GraphExec(const Graph& graph, Context& context, std::uint64_t flags)
    : flags_(flags), graph_(graph.clone(Graph::Owner::node)) {
  add_steps(*graph_);
  prepare_for(context);
}

void GraphExec::add_steps(const Graph& graph) {
  for (Node* node : graph.ordered()) {
    if (const auto* child = std::get_if<ChildOperation>(&node->operation)) {
      add_steps(*child->graph);
    } else {
      steps_.push_back({node, {}, true});
    }
  }
}

void GraphExec::prepare_for(Context& context) {
  if (context_id_ == context.id()) return;
  for (Step& step : steps_)
    step.submission = prepare_step(context, *step.node, step.node->operation);
  context_id_ = context.id();
}

void GraphExec::launch(Context& context, Stream& stream) {
  prepare_for(context);
  const GraphCall call;
  for (const Step& step : steps_) {
    if (step.enabled) {
      step.submission(stream);
    } else {
      // What comes behind it must not join the node before it.
      stream.close_joinable();
    }
  }
  stream.close_joinable();
}

Submission GraphExec::prepare_step(Context& context, const Node& node, Operation operation) {
  if (auto* const kernel = std::get_if<KernelOperation>(&operation)) {
    kernel->order = is_programmatic(node) ? StreamOrder::programmatic : StreamOrder::serial;
  }
  return prepare(context, operation);
}

GraphExec::Step& GraphExec::step_of(const Node& node) {
  const auto found = std::ranges::find_if(
      steps_, [&](const Step& step) { return step.node->original == node.original; });
  require(found != steps_.end());
  return *found;
}

void GraphExec::set_operation(const Node& node, Operation operation, Context& context) {
  prepare_for(context);
  Step& step = step_of(node);
  operation = successor_of(step.node->operation, std::move(operation));
  step.submission = prepare_step(context, *step.node, operation);
  step.node->operation = std::move(operation);
}

void GraphExec::set_enabled(const Node& node, bool enabled) {
  Step& step = step_of(node);
  const CUgraphNodeType type = type_of(step.node->operation);
  require(type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
          type == CU_GRAPH_NODE_TYPE_MEMSET);
  step.enabled = enabled;
}

bool GraphExec::is_enabled(const Node& node) { return step_of(node).enabled; }

GraphExec::Update GraphExec::update(const Graph& graph, Context& context) {
  prepare_for(context);
  std::vector<std::pair<Node*, const Node*>> pairs;
  const Difference difference = compare(*graph_, graph, pairs);
  if (difference.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    return {difference.result, difference.node};
  }
  // All or nothing: what cannot be prepared changes nothing.
  std::vector<Submission> submissions;
  submissions.reserve(pairs.size());
  for (const auto& [now, next] : pairs)
    submissions.push_back(prepare_step(context, *now, next->operation));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [now, next] = pairs[i];
    const auto step = std::ranges::find(steps_, now, &Step::node);
    step->submission = std::move(submissions[i]);
    step->node->operation = next->operation;
  }
  return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr};
}

}  // namespace emulator::api
