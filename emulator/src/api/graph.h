// Graphs of operations: what there is to do, and what has to be done before what.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "api/cuda_api.h"
#include "api/handle_table.h"
#include "api/operation.h"

namespace emulator::api {

class Graph;
class GraphExec;
struct GraphTables;

// When the node at the end of an edge may begin: once the one it comes from has ended, or, of two
// kernels, once all blocks of that have let it, or have begun (which here is taken for ended).
enum class EdgeKind : std::uint8_t { full, programmatic, launch_order };

struct Node {
  // Never used twice. A node of a clone keeps that of the node it was made of as `original`.
  std::uint64_t id;
  std::uint64_t original;
  Graph* graph;
  Operation operation;
  std::vector<Node*> dependencies;
  std::vector<EdgeKind> edges;  // by dependency
  std::vector<Node*> dependents;
  // What cuGraphKernelNodeGetParams points to.
  std::vector<void*> argument_pointers;
};

[[nodiscard]] CUgraphNode handle_of(const Node& node);
[[nodiscard]] CUgraph handle_of(const Graph& graph);
[[nodiscard]] CUgraphNodeType type_of(const Operation& operation);

// Gives a node, or what was made of one, another operation of its type. A kernel stays cooperative:
// the parameters of nodes do not say. Throws Refusal(CUDA_ERROR_INVALID_VALUE) for another type.
[[nodiscard]] Operation successor_of(const Operation& before, Operation next);

// Whether it may begin while the only node that it depends on is under way.
[[nodiscard]] bool is_programmatic(const Node& node);

// Edges as the API has them. Throws Refusal(CUDA_ERROR_INVALID_VALUE) for what is none.
[[nodiscard]] EdgeKind kind_of(const CUgraphEdgeData& edge);
[[nodiscard]] CUgraphEdgeData data_of(EdgeKind kind);
// Throws Refusal(CUDA_ERROR_NOT_SUPPORTED) for edges that say more than that one node follows
// another. `edges` may be null.
void require_plain(const CUgraphEdgeData* edges, std::size_t count);

class Graph {
 public:
  enum class Owner : std::uint8_t { program, node };

  Graph(GraphTables& tables, Owner owner) : tables_(tables), owner_(owner) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  // `edges` may be empty: they are full.
  Node& add(Operation operation, std::span<Node* const> dependencies,
            std::span<const EdgeKind> edges = {});
  void remove(Node& node);
  // Throw Refusal(CUDA_ERROR_INVALID_VALUE) where there is such an edge already, or none, or where
  // it is for kernels.
  static void connect(Node& from, Node& to, EdgeKind kind = EdgeKind::full);
  static void disconnect(Node& from, Node& to, EdgeKind kind);

  [[nodiscard]] const std::vector<std::shared_ptr<Node>>& nodes() const { return nodes_; }
  // Each node behind all it depends on, directly behind it where they may overlap; otherwise in the
  // order of their making. Throws Refusal(CUDA_ERROR_INVALID_VALUE) where nodes wait for each other
  // in a circle.
  [[nodiscard]] std::vector<Node*> ordered() const;
  // Graphs of child nodes are cloned along.
  [[nodiscard]] std::shared_ptr<Graph> clone(Owner owner) const;
  // Whose it is to destroy.
  [[nodiscard]] Owner owner() const { return owner_; }

 private:
  // Takes its handles away.
  void forget(const Node& node);

  GraphTables& tables_;
  Owner owner_;
  std::vector<std::shared_ptr<Node>> nodes_;
};

// The handles of all graphs of the process, which belong to no context, and the lock of everything
// about graphs and captures: calls about them are short.
struct GraphTables {
  mutable std::recursive_mutex mutex;
  HandleTable<CUgraph, Graph> graphs;
  HandleTable<CUgraphNode, Node> nodes;
  HandleTable<CUgraphExec, GraphExec> execs;

  // What handles mean. Throw Refusal(CUDA_ERROR_INVALID_VALUE).
  [[nodiscard]] Graph& graph(CUgraph handle) const;
  [[nodiscard]] Node& node(CUgraphNode handle) const;
  [[nodiscard]] GraphExec& exec(CUgraphExec handle) const;
  // All of them of one graph, each once.
  [[nodiscard]] std::vector<Node*> nodes_of(const Graph& graph, const CUgraphNode* handles,
                                            std::size_t count) const;
};

}  // namespace emulator::api
