// Which workloads there are, and what is read of them.
#include "autokernel/programs/workload.h"

#include <gmock/gmock.h>

#include "programs/workload_sample.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> models(const std::vector<ListedWorkload>& listed) {
  std::vector<std::string> names;
  names.reserve(listed.size());
  for (const ListedWorkload& each : listed) names.push_back(each.model);
  return names;
}

TEST(WorkloadBox, HoldsSixModels) {
  EXPECT_THAT(
      models(list_workloads(box())),
      ElementsAre("bert-base", "gemma-3-12b", "gpt2", "llama-3.1-8b", "llama-7b", "qwen3-30b-a3b"));
}

TEST(WorkloadBox, HasPrefillAndDecodeOfADecoder) {
  const Workload llama = read_workload("llama-7b", {}, box());

  EXPECT_EQ(llama.model, "llama-7b");
  EXPECT_EQ(llama.scenario, "decode");
  EXPECT_THAT(llama.scenarios, ElementsAre("decode", "prefill"));
  EXPECT_EQ(llama.batch, 1);
  EXPECT_EQ(llama.sequence, 2048);
  EXPECT_FALSE(llama.sources.empty());
}

TEST(WorkloadBox, HasPrefillAloneOfAnEncoder) {
  EXPECT_THAT(read_workload("bert-base", {}, box()).scenarios, ElementsAre("prefill"));
  EXPECT_EQ(refusal_of([] { return read_workload("bert-base", {.scenario = "decode"}, box()); }),
            R"(bert-base has no scenario "decode"; it has prefill)");
}

TEST(WorkloadBox, GivesTheSizesOfTheCaseThatAnOperationIs) {
  const Workload prefill = read_workload("llama-7b", {.scenario = "prefill"}, box());

  const WorkloadOperation& down = operation_called(prefill, "mlp_down");
  EXPECT_EQ(down.operation, "gemm");
  EXPECT_EQ(down.dtype, "bf16");
  EXPECT_EQ(down.count, 32);
  EXPECT_THAT(down.sizes, ElementsAre(Pair("K", 11008), Pair("LAYOUT_A", 1), Pair("LAYOUT_B", 2),
                                      Pair("M", 2048), Pair("N", 4096)));
}

TEST(WorkloadBox, SaysWhereItHasNoCaseForAnOperation) {
  const Workload gemma = read_workload("gemma-3-12b", {.scenario = "prefill"}, box());

  EXPECT_EQ(operation_called(gemma, "attention_local").kind, "windowed_attention");
  EXPECT_EQ(operation_called(gemma, "attention_local").operation, "");
}

TEST(WorkloadBox, DecodesAWindowByPlainAttentionOverIt) {
  const Workload gemma = read_workload("gemma-3-12b", {}, box());
  const Workload shorter = read_workload("gemma-3-12b", {.sequence = 500}, box());

  EXPECT_EQ(operation_called(gemma, "attention_local").operation, "flash_attention");
  EXPECT_EQ(operation_called(gemma, "attention_local").sizes.at("KEYS"), 1024);
  EXPECT_EQ(operation_called(gemma, "attention_global").sizes.at("KEYS"), 8192);
  EXPECT_EQ(operation_called(shorter, "attention_local").sizes.at("KEYS"), 500);
}

TEST(WorkloadBox, UsesAsManyExpertsAsTokensChoose) {
  const auto experts = [](std::int64_t batch) {
    const Workload qwen = read_workload("qwen3-30b-a3b", {.batch = batch}, box());
    return operation_called(qwen, "experts_down").sizes.at("EXPERTS");
  };
  EXPECT_EQ(experts(1), 8);
  EXPECT_EQ(experts(2), 16);  // 15.5, rounded
  EXPECT_EQ(experts(16), 82);
  EXPECT_EQ(experts(1024), 128);
}

TEST(Workload, TakesTheBatchAndTheSequenceOfTheUser) {
  const Workload prefill =
      read_workload("llama-7b", {.scenario = "prefill", .batch = 3, .sequence = 100}, box());
  const Workload decode = read_workload("llama-7b", {.batch = 3, .sequence = 100}, box());

  EXPECT_EQ(prefill.batch, 3);
  EXPECT_EQ(prefill.sequence, 100);
  EXPECT_EQ(operation_called(prefill, "qkv").sizes.at("M"), 300);
  EXPECT_EQ(operation_called(decode, "qkv").sizes.at("M"), 3);
  EXPECT_EQ(operation_called(decode, "attention").sizes.at("KEYS"), 100);
  EXPECT_EQ(operation_called(decode, "attention").sizes.at("FIRST_SEES"), 100);
}

TEST(Workload, RefusesABatchOrASequenceOutOfRange) {
  EXPECT_EQ(refusal_of([] { return read_workload("gpt2", {.batch = 0}, box()); }),
            "the batch is 0; write a whole number from 1 to 1048576");
  EXPECT_EQ(refusal_of([] { return read_workload("gpt2", {.sequence = -1}, box()); }),
            "the sequence is -1; write a whole number from 1 to 16777216");
}

TEST(Workload, EvaluatesTheFormulasOfAnOwnFile) {
  const Workload sample =
      parse_workload(workload_sample(), "some/own.toml", {.scenario = "prefill"});

  EXPECT_EQ(sample.model, "own");
  const WorkloadOperation& up = operation_called(sample, "up");
  EXPECT_EQ(up.count, 3);
  EXPECT_DOUBLE_EQ(up.flops, 2.0 * 20 * 256 * 64);
  EXPECT_DOUBLE_EQ(up.bytes_read, 2.0 * (20 * 64 + 64 * 256));
  EXPECT_DOUBLE_EQ(up.bytes_written, 2.0 * 20 * 256);
  EXPECT_DOUBLE_EQ(up.parameters, 64.0 * 256);
  EXPECT_EQ(up.unit, driver::Unit::tensor_bf16);
}

TEST(Workload, TakesTheCostOfACustomOperationFromTheFile) {
  const Workload sample = parse_workload(workload_sample(), "own.toml");

  const WorkloadOperation& own = operation_called(sample, "own");
  EXPECT_EQ(own.operation, "conv2d");
  EXPECT_EQ(own.unit, driver::Unit::fp32);
  EXPECT_THAT(own.sizes, ElementsAre(Pair("C", 7), Pair("N", 5)));
  EXPECT_DOUBLE_EQ(own.flops, 3.0 * 5 * 7);
  EXPECT_DOUBLE_EQ(own.bytes(), 2.0 * 5 * 7 + 8.0 * 5);
  EXPECT_DOUBLE_EQ(own.parameters, 256);
}

TEST(Workload, OfATypeThatTheCaseLacksHasNoCase) {
  const std::string text = replaced(workload_sample(), R"("linear")", R"("fused_mlp")");
  const std::string sizes = replaced(text, R"(M = "TOKENS", N = "WIDE", K = "HIDDEN")",
                                     R"(TOKENS = 1, HIDDEN = 2, INTER = 3)");
  const Workload bf16 = parse_workload(sizes, "own.toml");
  const Workload f16 = parse_workload(replaced(sizes, R"("bf16")", R"("f16")"), "own.toml");

  EXPECT_EQ(operation_called(bf16, "up").operation, "fused_mlp");
  EXPECT_EQ(operation_called(f16, "up").operation, "");
  EXPECT_EQ(operation_called(f16, "up").unit, driver::Unit::tensor_fp16);
}

TEST(Workload, OfAQuantisedKindHasTheTypeOfIt) {
  const Workload fp8 =
      parse_workload(replaced(workload_sample(), R"("linear")", R"("linear_fp8")"), "own.toml");

  EXPECT_EQ(operation_called(fp8, "up").dtype, "e4m3");
  EXPECT_EQ(operation_called(fp8, "up").unit, driver::Unit::tensor_fp8);
  EXPECT_EQ(operation_called(fp8, "up").operation, "gemm_fp8");
}

TEST(WorkloadNames, ThatAreUnknownGetTheNearestAndAllThatThereAre) {
  EXPECT_EQ(
      refusal_of([] { return read_workload("llama-7", {}, box()); }),
      "there is no workload llama-7, did you mean llama-7b?; there are bert-base, "
      "gemma-3-12b, gpt2, llama-3.1-8b, llama-7b, qwen3-30b-a3b, or write the path of a file");
  EXPECT_EQ(refusal_of([] { return read_workload("mamba", {}, box()); }),
            "there is no workload mamba; there are bert-base, gemma-3-12b, gpt2, llama-3.1-8b, "
            "llama-7b, qwen3-30b-a3b, or write the path of a file");
}

TEST(WorkloadNames, AreRefusedWhereThereAreNone) {
  EXPECT_EQ(refusal_of([] { return read_workload("gpt2", {}, {}); }),
            "there is no workload gpt2, and none at all beside this program; write the path of a "
            "workload file");
  EXPECT_EQ(refusal_of([] { return read_workload("", {}, {}); }),
            "the workload has no name; write a model or the path of a file");
}

TEST(WorkloadNames, MayBeThePathOfAFile) {
  const test::ScratchFolder folder;
  const auto file = folder.write("mine.toml", workload_sample());

  EXPECT_EQ(read_workload(file.string(), {}, {}).model, "mine");
  EXPECT_THAT(
      refusal_of([&] { return read_workload((folder.path() / "no.toml").string(), {}, {}); }),
      testing::HasSubstr("no.toml"));
}

TEST(WorkloadFolders, ThatComeFirstHideTheSameModelInLaterOnes) {
  const test::ScratchFolder first;
  const test::ScratchFolder second;
  first.write("b.toml", workload_sample());
  second.write("a.toml", workload_sample());
  second.write("b.toml", "broken");
  second.write("notes.md", "no workload");
  second.write(".hidden.toml", "no workload");

  const auto listed = list_workloads({first.path(), second.path(), second.path() / "missing"});
  EXPECT_THAT(models(listed), ElementsAre("a", "b"));
  EXPECT_EQ(listed[1].file, first.path() / "b.toml");
}

TEST(WorkloadFolders, BeginWithThatOfTheUser) {
  const test::ScratchFolder here;
  const auto folder = here.folder("workloads");

  const auto folders = workload_folders(here.path());
  ASSERT_FALSE(folders.empty());
  EXPECT_EQ(folders.front(), folder);
}

}  // namespace
}  // namespace autokernel::programs
