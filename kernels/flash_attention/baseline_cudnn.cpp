#include <autokernel_cudnn.cuh>
#include <cmath>

namespace autokernel_cudnn {
namespace {

// Heads are the second extent, and lie within a token.
Extents extents(std::int64_t tokens, std::int64_t heads) { return {BATCH, heads, tokens, DIM}; }
Extents strides(std::int64_t tokens, std::int64_t heads) {
  return {tokens * heads * DIM, DIM, heads * DIM, 1};
}

}  // namespace

std::string describe(Graph& graph) {
  const Tensor q = tensor(graph, 0, extents(QUERIES, HEADS), strides(QUERIES, HEADS));
  const Tensor k = tensor(graph, 1, extents(KEYS, KV_HEADS), strides(KEYS, KV_HEADS));
  const Tensor v = tensor(graph, 2, extents(KEYS, KV_HEADS), strides(KEYS, KV_HEADS));
  fe::graph::SDPA_attributes attention;
  attention.set_name("attention").set_generate_stats(false).set_attn_scale(1 / std::sqrt(DIM));
  static_assert(FIRST_SEES == KEYS || FIRST_SEES == KEYS - QUERIES + 1,
                "cuDNN knows no mask but the causal one");
  constexpr bool is_causal = FIRST_SEES != KEYS;
  if (is_causal) attention.set_causal_mask_bottom_right(true);
  const auto outputs = graph.sdpa(q, k, v, attention);
  give(outputs[0], 3, extents(QUERIES, HEADS), strides(QUERIES, HEADS));
  return is_causal ? "attention, causal" : "attention";
}

}  // namespace autokernel_cudnn
