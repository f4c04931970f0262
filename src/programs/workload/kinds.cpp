#include "programs/workload/kinds.h"

#include <algorithm>

namespace autokernel::programs {
namespace {

constexpr std::array<const char*, 3> kAnyFloat = {"bf16", "f16", "f32"};

// How operations are counted:
// - A multiply-add is two. Where a case below kernels/ computes the same, flops and bytes are those
//   of its [cost] (tests/programs compares them); arithmetic that bytes hide, such as that of an
//   activation, is counted as one operation for each element it takes.
// - Bytes are those that must cross the memory at least: each input read once, each output written
//   once. What a cache keeps between two operations is not taken off.
constexpr std::array kKinds = {
    // y = x w^T. M tokens, N outputs, K inputs. A layer's weights are stored [N, K] (LAYOUT_B = 2);
    // GPT-2 has them [K, N] (1).
    OperationKind{.name = "linear",
                  .operation = "gemm",
                  .types = kAnyFloat,
                  .symbols = {{{"M"}, {"N"}, {"K"}, {"LAYOUT_A", 1}, {"LAYOUT_B", 2}}},
                  .computes_with = ComputesWith::tensor_cores,
                  .flops = "2*M*N*K",
                  .reads = "ELEMENT*(M*K + K*N)",
                  .writes = "ELEMENT*M*N",
                  .parameters = "K*N"},
    // The same and a bias for each output, added as the product is written.
    OperationKind{.name = "linear_bias",
                  .operation = "gemm",
                  .types = kAnyFloat,
                  .symbols = {{{"M"}, {"N"}, {"K"}, {"LAYOUT_A", 1}, {"LAYOUT_B", 2}}},
                  .computes_with = ComputesWith::tensor_cores,
                  .flops = "2*M*N*K + M*N",
                  .reads = "ELEMENT*(M*K + K*N + N)",
                  .writes = "ELEMENT*M*N",
                  .parameters = "K*N + N"},
    // Quantised products: e4m3 with a scale of fp32 for each row of both, int8 to int32, and
    // weights
    // of 4 bits with a bf16 scale for each GROUP of them.
    OperationKind{.name = "linear_fp8",
                  .operation = "gemm_fp8",
                  .types = {"e4m3"},
                  .is_of_one_type = true,
                  .symbols = {{{"M"}, {"N"}, {"K"}}},
                  .computes_with = ComputesWith::tensor_cores,
                  .flops = "2*M*N*K",
                  .reads = "M*K + N*K + 4*(M + N)",
                  .writes = "2*M*N",
                  .parameters = "N*K"},
    OperationKind{.name = "linear_int8",
                  .operation = "gemm_int8",
                  .types = {"i8"},
                  .is_of_one_type = true,
                  .symbols = {{{"M"}, {"N"}, {"K"}}},
                  .computes_with = ComputesWith::tensor_cores,
                  .flops = "2*M*N*K",
                  .reads = "M*K + N*K",
                  .writes = "4*M*N",
                  .parameters = "N*K"},
    OperationKind{.name = "linear_w4a16",
                  .operation = "gemm_w4a16",
                  .is_of_one_type = true,
                  .symbols = {{{"M"}, {"N"}, {"K"}, {"GROUP", 128}}},
                  .computes_with = ComputesWith::tensor_cores,
                  .flops = "2*M*N*K",
                  .reads = "2*M*K + N*K/2 + 2*N*K/GROUP",
                  .writes = "2*M*N",
                  .parameters = "N*K"},
    // silu(x gate^T) * (x up^T): two products; the activation is not counted.
    OperationKind{.name = "fused_mlp",
                  .operation = "fused_mlp",
                  .symbols = {{{"TOKENS"}, {"HIDDEN"}, {"INTER"}}},
                  .computes_with = ComputesWith::tensor_cores,
                  .flops = "4*TOKENS*HIDDEN*INTER",
                  .reads = "ELEMENT*(TOKENS*HIDDEN + 2*HIDDEN*INTER)",
                  .writes = "ELEMENT*TOKENS*INTER",
                  .parameters = "2*HIDDEN*INTER"},
    // A product of each token with the weights of its expert. TOKENS counts a token once for each
    // of
    // its experts, EXPERTS those that have tokens: only their weights are read.
    OperationKind{.name = "moe_gemm",
                  .operation = "moe_gemm",
                  .symbols = {{{"TOKENS"}, {"EXPERTS"}, {"HIDDEN"}, {"INTER"}}},
                  .computes_with = ComputesWith::tensor_cores,
                  .flops = "2*TOKENS*HIDDEN*INTER",
                  .reads = "ELEMENT*(TOKENS*HIDDEN + EXPERTS*INTER*HIDDEN) + 4*EXPERTS + 4",
                  .writes = "ELEMENT*TOKENS*INTER",
                  .parameters = "EXPERTS*INTER*HIDDEN"},
    // softmax(q k^T * DIM^-0.5) v: two products of DIM for each query and each key that it sees.
    // The
    // first query sees FIRST_SEES keys, each one after it one more, up to KEYS.
    OperationKind{
        .name = "attention",
        .operation = "flash_attention",
        .symbols =
            {{{"BATCH"}, {"QUERIES"}, {"KEYS"}, {"HEADS"}, {"KV_HEADS"}, {"DIM"}, {"FIRST_SEES"}}},
        .computes_with = ComputesWith::tensor_cores,
        .flops = "4*BATCH*HEADS*DIM*(QUERIES*KEYS - (KEYS - FIRST_SEES)*(KEYS - FIRST_SEES + 1)/2)",
        .reads = "ELEMENT*BATCH*DIM*(QUERIES*HEADS + 2*KEYS*KV_HEADS)",
        .writes = "ELEMENT*BATCH*DIM*QUERIES*HEADS"},
    // The same with a causal mask of which only the last WINDOW keys are seen, the query's own
    // among
    // them (Beltagy et al., "Longformer", arXiv:2004.05150, section 3.1). The causal triangle, less
    // one triangle of keys that lie too far back; less that of the queries before the first.
    OperationKind{
        .name = "windowed_attention",
        .symbols =
            {{{"BATCH"}, {"QUERIES"}, {"KEYS"}, {"HEADS"}, {"KV_HEADS"}, {"DIM"}, {"WINDOW"}}},
        .computes_with = ComputesWith::tensor_cores,
        .flops = "4*BATCH*HEADS*DIM*(QUERIES*KEYS - QUERIES*(QUERIES - 1)/2"
                 " - max(0, KEYS - WINDOW)*(max(0, KEYS - WINDOW) + 1)/2"
                 " + max(0, KEYS - QUERIES - WINDOW)*"
                 "(max(0, KEYS - QUERIES - WINDOW) + 1)/2)",
        .reads = "ELEMENT*BATCH*DIM*(QUERIES*HEADS"
                 " + 2*min(KEYS, QUERIES + WINDOW - 1)*KV_HEADS)",
        .writes = "ELEMENT*BATCH*DIM*QUERIES*HEADS"},
    // Keys and values of the new tokens, copied to where later steps find them.
    OperationKind{.name = "cache_append",
                  .symbols = {{{"TOKENS"}, {"KV_HEADS"}, {"DIM"}}},
                  .reads = "ELEMENT*2*TOKENS*KV_HEADS*DIM",
                  .writes = "ELEMENT*2*TOKENS*KV_HEADS*DIM"},
    // Pairs turned by the angle of their position; cosines and sines are fp32.
    OperationKind{.name = "rotary_embedding",
                  .operation = "rotary_embedding",
                  .symbols = {{{"TOKENS"}, {"HEADS"}, {"HALF"}, {"POSITIONS"}}},
                  .flops = "6*TOKENS*HEADS*HALF",
                  .reads = "ELEMENT*2*TOKENS*HEADS*HALF + 8*TOKENS*HALF + 4*TOKENS",
                  .writes = "ELEMENT*2*TOKENS*HEADS*HALF"},
    OperationKind{.name = "rmsnorm",
                  .operation = "rmsnorm",
                  .types = kAnyFloat,
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "4*ROWS*COLS",
                  .reads = "ELEMENT*(ROWS*COLS + COLS)",
                  .writes = "ELEMENT*ROWS*COLS",
                  .parameters = "COLS"},
    // Weight and bias.
    OperationKind{.name = "layernorm",
                  .operation = "layernorm",
                  .types = kAnyFloat,
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "7*ROWS*COLS",
                  .reads = "ELEMENT*(ROWS*COLS + 2*COLS)",
                  .writes = "ELEMENT*ROWS*COLS",
                  .parameters = "2*COLS"},
    // The residual is added, and both the sum and its norm are written.
    OperationKind{.name = "add_rmsnorm",
                  .operation = "add_rmsnorm",
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "5*ROWS*COLS",
                  .reads = "ELEMENT*(2*ROWS*COLS + COLS)",
                  .writes = "ELEMENT*2*ROWS*COLS",
                  .parameters = "COLS"},
    OperationKind{.name = "add",
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "ROWS*COLS",
                  .reads = "ELEMENT*2*ROWS*COLS",
                  .writes = "ELEMENT*ROWS*COLS"},
    // gelu, silu, tanh.
    OperationKind{.name = "activation",
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "ROWS*COLS",
                  .reads = "ELEMENT*ROWS*COLS",
                  .writes = "ELEMENT*ROWS*COLS"},
    // act(gate) * up of rows that hold both, 2*COLS elements: an activation and a product.
    OperationKind{.name = "gated_activation",
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "2*ROWS*COLS",
                  .reads = "ELEMENT*2*ROWS*COLS",
                  .writes = "ELEMENT*ROWS*COLS"},
    OperationKind{.name = "softmax",
                  .operation = "softmax",
                  .types = {"bf16", "f16"},
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "4*ROWS*COLS",
                  .reads = "ELEMENT*ROWS*COLS",
                  .writes = "ELEMENT*ROWS*COLS"},
    // A row of the table for each token. Ids are i32.
    OperationKind{.name = "embedding",
                  .operation = "embedding",
                  .symbols = {{{"TOKENS"}, {"HIDDEN"}, {"VOCABULARY"}}},
                  .flops = "TOKENS*HIDDEN",
                  .reads = "ELEMENT*TOKENS*HIDDEN + 4*TOKENS",
                  .writes = "ELEMENT*TOKENS*HIDDEN",
                  .parameters = "VOCABULARY*HIDDEN"},
    // x + a row of a table, of positions or of segments: one row serves many tokens, and is read
    // once.
    OperationKind{.name = "add_embedding",
                  .symbols = {{{"TOKENS"}, {"HIDDEN"}, {"VOCABULARY"}}},
                  .flops = "TOKENS*HIDDEN",
                  .reads = "ELEMENT*(TOKENS + min(TOKENS, VOCABULARY))*HIDDEN + 4*TOKENS",
                  .writes = "ELEMENT*TOKENS*HIDDEN",
                  .parameters = "VOCABULARY*HIDDEN"},
    // Each token copied behind those of the same expert, once for each of its TOP_K experts; where
    // to is i32.
    OperationKind{.name = "moe_dispatch",
                  .symbols = {{{"TOKENS"}, {"TOP_K"}, {"HIDDEN"}}},
                  .reads = "ELEMENT*TOKENS*HIDDEN + 4*TOKENS*TOP_K",
                  .writes = "ELEMENT*TOKENS*TOP_K*HIDDEN"},
    // The weighted sum of what a token's experts gave.
    OperationKind{.name = "moe_combine",
                  .symbols = {{{"TOKENS"}, {"TOP_K"}, {"HIDDEN"}}},
                  .flops = "2*TOKENS*TOP_K*HIDDEN",
                  .reads = "ELEMENT*TOKENS*TOP_K*(HIDDEN + 1) + 4*TOKENS*TOP_K",
                  .writes = "ELEMENT*TOKENS*HIDDEN"},
    // The K largest of a row and their columns, which are i32.
    OperationKind{.name = "topk",
                  .operation = "topk",
                  .symbols = {{{"ROWS"}, {"COLS"}, {"K"}}},
                  .flops = "ROWS*COLS",
                  .reads = "ELEMENT*ROWS*COLS",
                  .writes = "(ELEMENT + 4)*ROWS*K"},
    // A token for each row of logits, with noise in fp32.
    OperationKind{.name = "sampling",
                  .operation = "sampling",
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "3*ROWS*COLS",
                  .reads = "(ELEMENT + 4)*ROWS*COLS",
                  .writes = "4*ROWS"},
    OperationKind{.name = "cross_entropy",
                  .operation = "cross_entropy",
                  .symbols = {{{"ROWS"}, {"COLS"}}},
                  .flops = "3*ROWS*COLS",
                  .reads = "ELEMENT*ROWS*COLS + 4*ROWS",
                  .writes = "4*ROWS"},
};

}  // namespace

const OperationKind* kind_called(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kKinds, [&](const OperationKind& kind) { return name == kind.name; });
  return found == kKinds.end() ? nullptr : found;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  names.reserve(kKinds.size() + 1);
  for (const OperationKind& kind : kKinds) names.emplace_back(kind.name);
  names.emplace_back(kCustomKind);
  return names;
}

}  // namespace autokernel::programs
