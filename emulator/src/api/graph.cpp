#include "api/graph.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/error_translation.h"
#include "api/graph_exec.h"

namespace emulator::api {
namespace {

std::uint64_t next_graph_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

CUgraphNode handle_of(const Node& node) {
  return reinterpret_cast<CUgraphNode>(const_cast<Node*>(&node));  // NOLINT(*-const-cast)
}

CUgraph handle_of(const Graph& graph) {
  return reinterpret_cast<CUgraph>(const_cast<Graph*>(&graph));  // NOLINT(*-const-cast)
}

CUgraphNodeType type_of(const Operation& operation) {
  // In the order of the variant's alternatives.
  static constexpr std::array kTypes = {
      CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY,       CU_GRAPH_NODE_TYPE_MEMSET,
      CU_GRAPH_NODE_TYPE_HOST,   CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
      CU_GRAPH_NODE_TYPE_GRAPH,  CU_GRAPH_NODE_TYPE_EMPTY};
  static_assert(kTypes.size() == std::variant_size_v<Operation>);
  return kTypes.at(operation.index());
}

Operation successor_of(const Operation& before, Operation next) {
  require(type_of(before) == type_of(next));
  if (auto* const kernel = std::get_if<KernelOperation>(&next)) {
    kernel->cooperation = std::get<KernelOperation>(before).cooperation;
  }
  return next;
}

void require_plain(const CUgraphEdgeData* edges, std::size_t count) {
  for (std::size_t i = 0; edges != nullptr && i < count; ++i) {
    require(edges[i].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT && edges[i].from_port == 0 &&
                edges[i].to_port == 0,
            CUDA_ERROR_NOT_SUPPORTED);
  }
}

Graph::~Graph() {
  for (const auto& node : nodes_) forget(*node);
}

void Graph::forget(const Node& node) {
  if (const auto* child = std::get_if<ChildOperation>(&node.operation)) {
    (void)tables_.graphs.take(handle_of(*child->graph));
  }
  (void)tables_.nodes.take(handle_of(node));
}

Node& Graph::add(Operation operation, std::span<Node* const> dependencies) {
  const std::uint64_t id = next_graph_id();
  auto node = std::make_shared<Node>(Node{id, id, this, std::move(operation), {}, {}, {}});
  for (Node* before : dependencies) connect(*before, *node);
  (void)tables_.nodes.add(node);
  nodes_.push_back(std::move(node));
  return *nodes_.back();
}

void Graph::remove(Node& node) {
  for (Node* before : node.dependencies) std::erase(before->dependents, &node);
  for (Node* after : node.dependents) std::erase(after->dependencies, &node);
  forget(node);
  std::erase_if(nodes_, [&](const auto& one) { return one.get() == &node; });
}

void Graph::connect(Node& from, Node& to) {
  require(&from != &to && std::ranges::find(to.dependencies, &from) == to.dependencies.end());
  to.dependencies.push_back(&from);
  from.dependents.push_back(&to);
}

void Graph::disconnect(Node& from, Node& to) {
  require(std::ranges::find(to.dependencies, &from) != to.dependencies.end());
  std::erase(to.dependencies, &from);
  std::erase(from.dependents, &to);
}

std::vector<Node*> Graph::ordered() const {
  std::unordered_map<const Node*, std::size_t> missing;
  for (const auto& node : nodes_) missing[node.get()] = node->dependencies.size();
  std::vector<Node*> order;
  for (const auto& node : nodes_) {
    if (node->dependencies.empty()) order.push_back(node.get());
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (Node* after : order[i]->dependents) {
      if (--missing[after] == 0) order.push_back(after);
    }
  }
  require(order.size() == nodes_.size());
  return order;
}

std::shared_ptr<Graph> Graph::clone(Owner owner) const {
  auto copy = std::make_shared<Graph>(tables_, owner);
  std::unordered_map<const Node*, Node*> copies;
  for (const auto& node : nodes_) {
    Operation operation = node->operation;
    if (auto* child = std::get_if<ChildOperation>(&operation)) {
      child->graph = child->graph->clone(Owner::node);
      (void)tables_.graphs.add(child->graph);
    }
    Node& made = copy->add(std::move(operation), {});
    made.original = node->original;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes_) {
    for (const Node* before : node->dependencies) connect(*copies[before], *copies[node.get()]);
  }
  return copy;
}

Graph& GraphTables::graph(CUgraph handle) const {
  const std::shared_ptr<Graph> found = graphs.find(handle);
  require(found != nullptr);
  return *found;  // the table keeps it
}

Node& GraphTables::node(CUgraphNode handle) const {
  const std::shared_ptr<Node> found = nodes.find(handle);
  require(found != nullptr);
  return *found;
}

GraphExec& GraphTables::exec(CUgraphExec handle) const {
  const std::shared_ptr<GraphExec> found = execs.find(handle);
  require(found != nullptr);
  return *found;
}

std::vector<Node*> GraphTables::nodes_of(const Graph& graph, const CUgraphNode* handles,
                                         std::size_t count) const {
  require(count == 0 || handles != nullptr);
  std::vector<Node*> found;
  for (std::size_t i = 0; i < count; ++i) {
    Node& one = node(handles[i]);
    require(one.graph == &graph && std::ranges::find(found, &one) == found.end());
    found.push_back(&one);
  }
  return found;
}

}  // namespace emulator::api
