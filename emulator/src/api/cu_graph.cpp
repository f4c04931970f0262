// Graphs: making them, and what is in them. Their nodes are made in cu_graph_node.cpp.
#include <algorithm>
#include <fstream>
#include <string>

#include "api/driver.h"
#include "api/error_translation.h"
#include "api/graph.h"

namespace emulator::api {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

// How the API lists things: `count` is the room in, what there is out; without room, the count
// alone.
template <typename Put>
void list(std::size_t found, std::size_t* count, bool has_room, const Put& put) {
  require(count != nullptr);
  if (has_room) {
    const std::size_t room = *count;
    for (std::size_t i = 0; i < room && i < found; ++i) put(i);
    *count = std::min(room, found);
  } else {
    *count = found;
  }
}

void list_nodes(const std::vector<Node*>& found, CUgraphNode* nodes, std::size_t* count) {
  list(found.size(), count, nodes != nullptr,
       [&](std::size_t i) { nodes[i] = handle_of(*found[i]); });
}

struct Edge {
  const Node* from;
  const Node* to;
  EdgeKind kind;
};

void add_edges_to(const Node& node, std::vector<Edge>& found) {
  for (std::size_t i = 0; i < node.dependencies.size(); ++i) {
    found.push_back({node.dependencies[i], &node, node.edges[i]});
  }
}

// Either end may be left out. Without room for what edges say, none may say anything.
void list_edges(const std::vector<Edge>& found, CUgraphNode* from, CUgraphNode* to,
                CUgraphEdgeData* edges, std::size_t* count) {
  const bool has_room = from != nullptr || to != nullptr;
  const auto is_full = [](const Edge& edge) { return edge.kind == EdgeKind::full; };
  require(!has_room || edges != nullptr || std::ranges::all_of(found, is_full),
          CUDA_ERROR_LOSSY_QUERY);
  list(found.size(), count, has_room, [&](std::size_t i) {
    if (from != nullptr) from[i] = handle_of(*found[i].from);
    if (to != nullptr) to[i] = handle_of(*found[i].to);
    if (edges != nullptr) edges[i] = data_of(found[i].kind);
  });
}

void change_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, std::size_t count,
                  const CUgraphEdgeData* edges, void (*change)(Node&, Node&, EdgeKind)) {
  const Lock lock(graph_tables().mutex);
  const Graph& graph = graph_tables().graph(handle);
  require(count == 0 || (from != nullptr && to != nullptr));
  for (std::size_t i = 0; i < count; ++i) {
    Node& before = graph_tables().node(from[i]);
    Node& after = graph_tables().node(to[i]);
    require(before.graph == &graph && after.graph == &graph);
    change(before, after, edges == nullptr ? EdgeKind::full : kind_of(edges[i]));
  }
}

const char* name_of(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return "kernel";
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return "memcpy";
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return "memset";
    case CU_GRAPH_NODE_TYPE_HOST:
      return "host";
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return "graph";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return "wait";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return "record";
    default:
      return "empty";
  }
}

std::string dot_of(const Graph& graph) {
  std::string text = "digraph graph {\n";
  for (const auto& node : graph.nodes()) {
    const std::string id = std::to_string(node->id);
    std::string label = name_of(type_of(node->operation));
    if (const auto* kernel = std::get_if<KernelOperation>(&node->operation)) {
      label += " " + kernel->kernel->function().name;
    }
    text.append("  n").append(id).append(" [label=\"").append(label).append("\"];\n");
    for (const Node* before : node->dependencies) {
      text.append("  n")
          .append(std::to_string(before->id))
          .append(" -> n")
          .append(id)
          .append(";\n");
    }
  }
  return text + "}\n";
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::Graph;
using emulator::api::graph_tables;
using emulator::api::handle_of;
using emulator::api::Lock;
using emulator::api::Node;
using emulator::api::require;

CUresult cuGraphCreate(CUgraph* graph, unsigned int flags) {
  return answer([&] {
    auto& all = graph_tables();
    require(graph != nullptr && flags == 0);
    *graph = all.graphs.add(std::make_shared<Graph>(all, Graph::Owner::program));
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(graph_tables().graph(graph).owner() == Graph::Owner::program);
    (void)graph_tables().graphs.take(graph);
  });
}

CUresult cuGraphClone(CUgraph* copy, CUgraph graph) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(copy != nullptr);
    *copy = graph_tables().graphs.add(graph_tables().graph(graph).clone(Graph::Owner::program));
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph copy) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(found != nullptr);
    const Node& wanted = graph_tables().node(original);
    const auto& nodes = graph_tables().graph(copy).nodes();
    const auto node = std::ranges::find_if(
        nodes, [&](const auto& one) { return one->original == wanted.original; });
    require(node != nodes.end());
    *found = handle_of(**node);
  });
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    std::vector<Node*> found;
    for (const auto& node : graph_tables().graph(handle).nodes()) found.push_back(node.get());
    emulator::api::list_nodes(found, nodes, count);
  });
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    std::vector<Node*> found;
    for (const auto& node : graph_tables().graph(handle).nodes()) {
      if (node->dependencies.empty()) found.push_back(node.get());
    }
    emulator::api::list_nodes(found, nodes, count);
  });
}

CUresult cuGraphGetEdges_v2(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edges, size_t* count) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    std::vector<emulator::api::Edge> found;
    for (const auto& node : graph_tables().graph(handle).nodes())
      emulator::api::add_edges_to(*node, found);
    require((from == nullptr) == (to == nullptr));
    emulator::api::list_edges(found, from, to, edges, count);
  });
}

CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return cuGraphGetEdges_v2(handle, from, to, nullptr, count);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edges, size_t count) {
  return answer(
      [&] { emulator::api::change_edges(graph, from, to, count, edges, &Graph::connect); });
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* edges, size_t count) {
  return answer(
      [&] { emulator::api::change_edges(graph, from, to, count, edges, &Graph::disconnect); });
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges,
                                       size_t* count) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    std::vector<emulator::api::Edge> found;
    emulator::api::add_edges_to(graph_tables().node(node), found);
    emulator::api::list_edges(found, nodes, nullptr, edges, count);
  });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return cuGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes,
                                         CUgraphEdgeData* edges, size_t* count) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    const Node& from = graph_tables().node(node);
    std::vector<emulator::api::Edge> found;
    for (const Node* after : from.dependents) emulator::api::add_edges_to(*after, found);
    std::erase_if(found, [&](const auto& edge) { return edge.from != &from; });
    emulator::api::list_edges(found, nullptr, nodes, edges, count);
  });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(type != nullptr);
    *type = type_of(graph_tables().node(node).operation);
  });
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    Node& node = graph_tables().node(handle);
    node.graph->remove(node);
  });
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned int) {
  return answer([&] {
    const Lock lock(graph_tables().mutex);
    require(path != nullptr);
    std::ofstream file(path);
    file << emulator::api::dot_of(graph_tables().graph(graph)) << std::flush;
    require(file.good(), CUDA_ERROR_OPERATING_SYSTEM);
  });
}
