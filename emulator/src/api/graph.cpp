#include "api/graph.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/error_translation.h"
#include "api/graph_exec.h"

namespace emulator::api {
namespace {

bool is_kernel(const Node& node) { return std::holds_alternative<KernelOperation>(node.operation); }

void require_ends(EdgeKind kind, const Node& from, const Node& to) {
  require(kind == EdgeKind::full || (is_kernel(from) && is_kernel(to)));
}

std::uint64_t next_graph_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// The end of the edge that the second one knows of.
void take_edge(const Node& from, Node& to) {
  const auto place = std::ranges::find(to.dependencies, &from) - to.dependencies.begin();
  to.dependencies.erase(to.dependencies.begin() + place);
  to.edges.erase(to.edges.begin() + place);
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

bool is_programmatic(const Node& node) {
  return node.edges.size() == 1 && node.edges.front() == EdgeKind::programmatic;
}

EdgeKind kind_of(const CUgraphEdgeData& edge) {
  require(edge.to_port == CU_GRAPH_KERNEL_NODE_PORT_DEFAULT);
  if (edge.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT) {
    require(edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_DEFAULT);
    return EdgeKind::full;
  }
  require(edge.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  if (edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER) return EdgeKind::launch_order;
  require(edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
  return EdgeKind::programmatic;
}

CUgraphEdgeData data_of(EdgeKind kind) {
  CUgraphEdgeData data{};
  if (kind == EdgeKind::full) return data;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  data.from_port = kind == EdgeKind::programmatic ? CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
                                                  : CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
  return data;
}

void require_plain(const CUgraphEdgeData* edges, std::size_t count) {
  for (std::size_t i = 0; edges != nullptr && i < count; ++i) {
    require(kind_of(edges[i]) == EdgeKind::full, CUDA_ERROR_NOT_SUPPORTED);
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

Node& Graph::add(Operation operation, std::span<Node* const> dependencies,
                 std::span<const EdgeKind> edges) {
  const std::uint64_t id = next_graph_id();
  auto node = std::make_shared<Node>(Node{id, id, this, std::move(operation), {}, {}, {}, {}});
  // All are checked before one knows of the node.
  for (std::size_t i = 0; i < edges.size(); ++i) require_ends(edges[i], *dependencies[i], *node);
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    connect(*dependencies[i], *node, edges.empty() ? EdgeKind::full : edges[i]);
  }
  (void)tables_.nodes.add(node);
  nodes_.push_back(std::move(node));
  return *nodes_.back();
}

void Graph::remove(Node& node) {
  for (Node* before : node.dependencies) std::erase(before->dependents, &node);
  for (Node* after : node.dependents) take_edge(node, *after);
  forget(node);
  std::erase_if(nodes_, [&](const auto& one) { return one.get() == &node; });
}

void Graph::connect(Node& from, Node& to, EdgeKind kind) {
  require(&from != &to && std::ranges::find(to.dependencies, &from) == to.dependencies.end());
  require_ends(kind, from, to);
  to.dependencies.push_back(&from);
  to.edges.push_back(kind);
  from.dependents.push_back(&to);
}

void Graph::disconnect(Node& from, Node& to, EdgeKind kind) {
  const auto found = std::ranges::find(to.dependencies, &from);
  require(found != to.dependencies.end() &&
          to.edges[static_cast<std::size_t>(found - to.dependencies.begin())] == kind);
  take_edge(from, to);
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
      if (--missing[after] != 0) continue;
      const auto behind = order.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      order.insert(is_programmatic(*after) ? behind : order.end(), after);
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
    for (std::size_t i = 0; i < node->dependencies.size(); ++i) {
      connect(*copies[node->dependencies[i]], *copies[node.get()], node->edges[i]);
    }
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
