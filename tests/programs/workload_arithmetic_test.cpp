// The arithmetic of the workload files, held against numbers from elsewhere: what the models'
// authors publish, what is known of transformers, and the cost of the cases below kernels/.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "autokernel/cases/case.h"
#include "autokernel/programs/known_devices.h"
#include "autokernel/programs/workload_floor.h"
#include "programs/workload/kinds.h"
#include "programs/workload_sample.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

Workload at(const std::string& model, const std::string& scenario) {
  return read_workload(model, {.scenario = scenario}, box());
}

WorkloadTotal total(const std::string& model, const std::string& scenario = {}) {
  const Workload workload =
      scenario.empty() ? read_workload(model, {}, box()) : at(model, scenario);
  return total_of(workload);
}

// Of the operations of one kind, or of one case.
double flops_of(const Workload& workload, const std::string& kind) {
  double sum = 0;
  for (const WorkloadOperation& each : workload.operations) {
    if (each.kind == kind) sum += static_cast<double>(each.count) * each.flops;
  }
  return sum;
}

testing::Matcher<double> within_percent(double percent, double expected) {
  return testing::DoubleNear(expected, std::abs(expected) * percent / 100);
}

// To the last one: sums of the sizes of the tensors in the checkpoints.
TEST(WorkloadParameters, AreThoseOfTheCheckpoints) {
  EXPECT_EQ(total("gpt2").parameters, 124'439'808);
  EXPECT_EQ(total("bert-base").parameters, 109'482'240);
  EXPECT_EQ(total("llama-7b").parameters, 6'738'415'616);
  EXPECT_EQ(total("llama-3.1-8b").parameters, 8'030'261'248);
  EXPECT_EQ(total("qwen3-30b-a3b").parameters, 30'532'122'624);
}

// As the papers and model cards round them.
TEST(WorkloadParameters, AreThePublishedNumbers) {
  EXPECT_THAT(total("gpt2").parameters, within_percent(0.5, 124e6));
  EXPECT_THAT(total("bert-base").parameters, within_percent(0.5, 110e6));
  EXPECT_THAT(total("llama-7b").parameters, within_percent(0.5, 6.74e9));
  EXPECT_THAT(total("llama-3.1-8b").parameters, within_percent(0.5, 8.03e9));
  EXPECT_THAT(total("qwen3-30b-a3b").parameters, within_percent(0.5, 30.5e9));
  // arXiv:2503.19786, table 1, without the vision encoder.
  EXPECT_THAT(total("gemma-3-12b").parameters, within_percent(0.5, 1012e6 + 10759e6));
}

TEST(WorkloadParameters, AreTheSameInEachScenario) {
  EXPECT_EQ(total("gpt2", "prefill").parameters, total("gpt2", "decode").parameters);
  EXPECT_EQ(total("llama-7b", "prefill").parameters, total("llama-7b", "decode").parameters);
  EXPECT_EQ(total("gemma-3-12b", "prefill").parameters, total("gemma-3-12b", "decode").parameters);
  EXPECT_EQ(total("qwen3-30b-a3b", "prefill").parameters,
            total("qwen3-30b-a3b", "decode").parameters);
}

// Two operations for each token and each weight but those of embeddings (Kaplan et al., "Scaling
// laws for neural language models", arXiv:2001.08361, table 1), and half of 4 T^2 hidden for each
// layer by the causal mask. Logits are of one token.
TEST(WorkloadFlops, OfAPromptAreTwicePerParameterAndTokenAndAttention) {
  constexpr double kTokens = 2048;
  constexpr double kEmbedding = 32000.0 * 4096;
  constexpr double kInLayers = 6'738'415'616 - 2 * kEmbedding;
  constexpr double kAttention = 32 * 2.0 * kTokens * kTokens * 4096;
  EXPECT_THAT(total("llama-7b", "prefill").flops,
              within_percent(0.5, 2 * kInLayers * kTokens + 2 * kEmbedding + kAttention));
}

TEST(WorkloadFlops, OfGroupedHeadsAreThoseOfAllHeadsOfQueries) {
  constexpr double kTokens = 8192;
  constexpr double kInLayers = 8'030'261'248 - 2 * 128256.0 * 4096;
  constexpr double kAttention = 32 * 2.0 * kTokens * kTokens * 32 * 128;
  EXPECT_THAT(total("llama-3.1-8b", "prefill").flops,
              within_percent(0.5, 2 * kInLayers * kTokens + kAttention));
}

TEST(WorkloadFlops, OfAnEncoderAreThoseOfAllPairsOfTokens) {
  constexpr double kTokens = 16 * 512;
  constexpr double kInLayers = 12 * 12 * 768.0 * 768;
  constexpr double kAttention = 12 * 4.0 * kTokens * 512 * 768;
  EXPECT_THAT(total("bert-base", "prefill").flops,
              within_percent(0.5, 2 * kInLayers * kTokens + kAttention));
}

// The model card says 3.3B of 30.5B, the embedding among them.
TEST(WorkloadFlops, OfAMixtureAreThoseOfTheActivatedParameters) {
  const Workload qwen = at("qwen3-30b-a3b", "prefill");
  constexpr double kTokens = 8192;
  constexpr double kEmbeddings = 2 * 151936.0 * 2048;
  const double products = flops_of(qwen, "linear") + flops_of(qwen, "moe_gemm") -
                          operation_called(qwen, "logits").flops;
  EXPECT_THAT(products / (2 * kTokens) + kEmbeddings, within_percent(2, 3.3e9));
}

// As many pairs of query and key as a loop over them counts.
double pairs_in_window(std::int64_t queries, std::int64_t keys, std::int64_t window) {
  double pairs = 0;
  for (std::int64_t query = 0; query < queries; ++query)
    pairs += static_cast<double>(std::min(keys - queries + query + 1, window));
  return pairs;
}

double windowed_flops(std::int64_t queries, std::int64_t keys, std::int64_t window) {
  const std::string text = replaced(
      replaced(workload_sample(), R"("linear")", R"("windowed_attention")"),
      R"(M = "TOKENS", N = "WIDE", K = "HIDDEN")",
      fmt::format(
          "BATCH = 1, QUERIES = {}, KEYS = {}, HEADS = 2, KV_HEADS = 1, DIM = 8, WINDOW = {}",
          queries, keys, window));
  return operation_called(parse_workload(text, "own.toml"), "up").flops;
}

TEST(WorkloadFlops, OfAWindowAreThoseOfTheKeysInIt) {
  constexpr double kEach = 4.0 * 2 * 8;
  EXPECT_DOUBLE_EQ(windowed_flops(9, 9, 4), kEach * pairs_in_window(9, 9, 4));
  EXPECT_DOUBLE_EQ(windowed_flops(9, 9, 9), kEach * pairs_in_window(9, 9, 9));
  EXPECT_DOUBLE_EQ(windowed_flops(9, 9, 100), kEach * pairs_in_window(9, 9, 100));
  EXPECT_DOUBLE_EQ(windowed_flops(9, 9, 1), kEach * pairs_in_window(9, 9, 1));
  EXPECT_DOUBLE_EQ(windowed_flops(5, 30, 4), kEach * pairs_in_window(5, 30, 4));
  EXPECT_DOUBLE_EQ(windowed_flops(5, 30, 28), kEach * pairs_in_window(5, 30, 28));
  EXPECT_DOUBLE_EQ(windowed_flops(1, 30, 7), kEach * pairs_in_window(1, 30, 7));
}

// Each step reads all weights but the table of the tokens, and keys and values of all of them.
TEST(WorkloadBytes, OfAStepOfDecodingAreTheWeightsAndTheCache) {
  constexpr double kWeights = 2 * (6'738'415'616 - 32000.0 * 4096);
  constexpr double kCache = 32 * 2 * 2.0 * 2048 * 4096;
  EXPECT_THAT(total("llama-7b", "decode").bytes, within_percent(0.5, kWeights + kCache));
}

TEST(WorkloadBytes, OfGroupedHeadsAreThoseOfTheHeadsOfKeys) {
  constexpr double kWeights = 2 * (8'030'261'248 - 128256.0 * 4096);
  constexpr double kCache = 16 * 32 * 2 * 2.0 * 8192 * 8 * 128;
  EXPECT_THAT(total("llama-3.1-8b", "decode").bytes, within_percent(0.5, kWeights + kCache));
}

// The table of the tokens is that of the logits, so it is read. Local layers keep 1024 tokens. What
// 16 tokens bring along themselves is 1 %.
TEST(WorkloadBytes, OfAWindowAreThoseThatItKeeps) {
  constexpr double kWeights = 2 * 11'766'034'176.0;
  constexpr double kCache = 16 * 2 * 2.0 * (8 * 8192 + 40 * 1024) * 8 * 256;
  EXPECT_THAT(total("gemma-3-12b", "decode").bytes, within_percent(1, kWeights + kCache));
}

TEST(WorkloadBytes, OfAMixtureAreThoseOfTheExpertsWithTokens) {
  constexpr double kOfExperts = 48 * 128 * 3 * 2048.0 * 768;
  constexpr double kOthers = 30'532'122'624 - kOfExperts - 151936.0 * 2048;
  constexpr double kCache = 16 * 48 * 2 * 2.0 * 8192 * 4 * 128;
  EXPECT_THAT(total("qwen3-30b-a3b", "decode").bytes,
              within_percent(1, 2 * (kOthers + kOfExperts * 82 / 128) + kCache));
}

// A kind and the case below kernels/ that it is.
class KindWithACase : public testing::TestWithParam<std::string> {
 protected:
  // A workload of this operation at the sizes of the case.
  [[nodiscard]] static WorkloadOperation at_size(const cases::Case& problem,
                                                 const std::string& size) {
    std::string sizes;
    for (const auto& [symbol, value] : problem.sizes.at(size))
      sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", symbol, value);
    std::string text = replaced(workload_sample(), R"("linear")", '"' + GetParam() + '"');
    text = replaced(text, R"(M = "TOKENS", N = "WIDE", K = "HIDDEN")", sizes);
    const auto types = problem.types.find(size);
    if (types != problem.types.end()) {
      text = replaced(text, R"(dtype = "bf16")",
                      fmt::format(R"(dtype = "{}")", cases::spelling(types->second.at("TYPE"))));
    }
    return operation_called(parse_workload(text, "own.toml"), "up");
  }
  [[nodiscard]] static cases::Case problem() {
    return cases::load(std::filesystem::path(AUTOKERNEL_SOURCE_DIR) / "kernels" /
                       kind_called(GetParam())->operation);
  }
  // What the bias of a kind adds to its case, which has none.
  [[nodiscard]] static double bias_of(const WorkloadOperation& each, double per_element) {
    return GetParam() == "linear_bias" ? per_element * static_cast<double>(each.sizes.at("N")) : 0;
  }
};

TEST_P(KindWithACase, HasItsSizeSymbols) {
  const WorkloadOperation each = at_size(problem(), "default");
  EXPECT_EQ(each.operation, kind_called(GetParam())->operation);
  EXPECT_EQ(each.sizes, problem().sizes.at("default"));
}

TEST_P(KindWithACase, CostsWhatTheCaseCosts) {
  const cases::Case of_kind = problem();
  for (const std::string& size : cases::size_names(of_kind)) {
    const WorkloadOperation each = at_size(of_kind, size);
    const double rows = each.sizes.contains("M") ? static_cast<double>(each.sizes.at("M")) : 0;
    const double element = each.dtype == "f32" ? 4 : 2;
    EXPECT_DOUBLE_EQ(each.flops, cases::flops_at(of_kind, size) + bias_of(each, rows)) << size;
    EXPECT_DOUBLE_EQ(each.bytes(), cases::bytes_at(of_kind, size) + bias_of(each, element)) << size;
  }
}

std::vector<std::string> kinds_with_a_case() {
  std::vector<std::string> kinds;
  for (const std::string& name : kind_names()) {
    const OperationKind* const kind = kind_called(name);
    if (kind != nullptr && *kind->operation != '\0') kinds.push_back(name);
  }
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Any, KindWithACase, testing::ValuesIn(kinds_with_a_case()),
                         [](const auto& tested) { return tested.param; });

// The table of docs/workloads.md, as it must stand there.
class WorkloadDocument : public testing::TestWithParam<std::string> {};

TEST_P(WorkloadDocument, HasTheTotalsOfTheModel) {
  const std::string document =
      test::contents(std::filesystem::path(AUTOKERNEL_SOURCE_DIR) / "docs" / "workloads.md");
  for (const std::string& scenario : read_workload(GetParam(), {}, box()).scenarios) {
    const Workload workload = at(GetParam(), scenario);
    const WorkloadTotal sum = total_of(workload);
    double least_us = 0;
    for (const OperationFloor& floor : floors_of(workload, known_device("h100-sxm")))
      least_us += floor.total_us;
    EXPECT_THAT(document,
                testing::HasSubstr(fmt::format(
                    "| `{}` | {} | {} x {} | {:.4g} | {:.4g} | {:.4g} | {:.3g} |", GetParam(),
                    scenario, workload.batch, workload.sequence, sum.parameters / 1e9,
                    sum.flops / 1e9, sum.bytes / 1e9, least_us / 1e3)));
  }
}

std::vector<std::string> models_in_the_box() {
  std::vector<std::string> models;
  for (const ListedWorkload& each : list_workloads(box())) models.push_back(each.model);
  return models;
}

INSTANTIATE_TEST_SUITE_P(Any, WorkloadDocument, testing::ValuesIn(models_in_the_box()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(WorkloadDocument, HasEachKindOfOperation) {
  const std::string document =
      test::contents(std::filesystem::path(AUTOKERNEL_SOURCE_DIR) / "docs" / "workloads.md");
  for (const std::string& kind : kind_names())
    EXPECT_THAT(document, testing::HasSubstr("| `" + kind + "` |"));
}

TEST(WorkloadDocument, HasAnExampleThatIsRead) {
  const std::string document =
      test::contents(std::filesystem::path(AUTOKERNEL_SOURCE_DIR) / "docs" / "workloads.md");
  const std::string fence = "```toml\n";
  const std::size_t begin = document.find(fence) + fence.size();
  const std::string example = document.substr(begin, document.find("```", begin) - begin);
  const Workload mixture = parse_workload(example, "mixture.toml");

  EXPECT_EQ(total_of(mixture).parameters, 33'558'528);
  EXPECT_EQ(operation_called(mixture, "experts").sizes.at("EXPERTS"), 4);
  EXPECT_DOUBLE_EQ(operation_called(mixture, "hash").bytes(), (2.0 + 4.0) * 4 * 1024);
}

}  // namespace
}  // namespace autokernel::programs
