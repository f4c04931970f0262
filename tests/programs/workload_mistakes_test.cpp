// Each mistake that a workload file can hold gets a message with its place, and a damaged file is
// read or refused: it never crashes.
#include <gmock/gmock.h>

#include "programs/workload_sample.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

struct WorkloadMistake {
  std::string name;
  std::string part;     // of the sample
  std::string by;       // what stands there instead
  std::string message;  // after the name of the file
};

std::vector<WorkloadMistake> workload_mistakes() {
  return {
      {"AnUnknownSymbolInASize", R"(M = "TOKENS")", R"(M = "TOKEN")",
       "22:15: [[operation]] up sizes M: cannot evaluate \"TOKEN\": \"TOKEN\" is not a size "
       "symbol; "
       "write BATCH, HIDDEN, KEYS, LAYERS, QUERIES, SEQUENCE, TOKENS or WIDE"},
      {"AFormulaThatIsNone", R"(M = "TOKENS")", R"(M = "2*")",
       "22:15: [[operation]] up sizes M: cannot evaluate \"2*\": Unexpected end of expression at "
       "position 3"},
      {"AFormulaThatIsNotFinite", R"(M = "TOKENS")", R"(M = "1/0")",
       "22:15: [[operation]] up sizes M: cannot evaluate \"1/0\": the result is not a finite "
       "number"},
      {"ANegativeSizeByAFormula", R"(M = "TOKENS")", R"(M = "TOKENS - 100")",
       "22:15: [[operation]] up sizes M: \"TOKENS - 100\" gives -95; it must give from 1 to "
       "1099511627776"},
      {"ANegativeSize", R"(M = "TOKENS")", "M = -1",
       "22:15: [[operation]] up sizes M is -1; write a whole number from 0 to "
       "1099511627776"},
      {"AFractionOfASize", R"(M = "TOKENS")", R"(M = "TOKENS/2")",
       "22:15: [[operation]] up sizes M: \"TOKENS/2\" gives 2.5; it must give a whole number, as "
       "floor() does"},
      {"AFractionInTheArchitecture", "LAYERS = 3", "LAYERS = 3.5",
       "7:10: [architecture] LAYERS is 3.5; write a whole number from 1 to "
       "1099511627776"},
      {"ANegativeNumberInTheArchitecture", "LAYERS = 3", "LAYERS = -3",
       "7:10: [architecture] LAYERS is -3; write a whole number from 1 to "
       "1099511627776"},
      {"ASymbolThatAScenarioSets", "LAYERS = 3", "LAYERS = 3\nTOKENS = 4",
       "8:10: [architecture] TOKENS is what a scenario sets; write another name"},
      {"ASymbolThatIsAFunction", "LAYERS = 3", "LAYERS = 3\nmin = 4",
       "8:7: [architecture] min cannot be a symbol; write up to 40 capitals, digits and _, a "
       "capital first"},
      {"ADerivedSymbolThatIsGiven", "WIDE = \"4*HIDDEN\"", "HIDDEN = \"4\"",
       "9:10: [derived] HIDDEN is in [architecture], too; leave one out"},
      {"ADerivedSymbolOfAnotherOne", "WIDE = \"4*HIDDEN\"",
       "WIDE = \"4*HIDDEN\"\nWIDER = \"2*WIDE\"",
       "10:9: [derived] WIDER: cannot evaluate \"2*WIDE\": \"WIDE\" is not a size symbol; write "
       "BATCH, HIDDEN, KEYS, LAYERS, QUERIES, SEQUENCE or TOKENS"},
      {"ACountOfZero", "count = \"LAYERS\"", "count = 0",
       "21:9: [[operation]] up count: \"0\" gives 0; it must give from 1 to 1000000"},
      {"AnUnknownKind", R"(kind = "linear")", R"(kind = "lineer")",
       "20:8: [[operation]] up kind is \"lineer\"; write \"linear\", \"linear_bias\", "
       "\"linear_fp8\", \"linear_int8\", \"linear_w4a16\", \"fused_mlp\", \"moe_gemm\", "
       "\"attention\", \"windowed_attention\", \"cache_append\", \"rotary_embedding\", "
       "\"rmsnorm\", \"layernorm\", \"add_rmsnorm\", \"add\", \"activation\", "
       "\"gated_activation\", \"softmax\", \"embedding\", \"add_embedding\", \"moe_dispatch\", "
       "\"moe_combine\", \"topk\", \"sampling\", \"cross_entropy\" or \"custom\" (did you mean "
       "\"linear\"?)"},
      {"ASizeThatIsMissing", R"(, K = "HIDDEN")", "",
       "22:9: [[operation]] up sizes K is missing; write a number, or a formula in quotes"},
      {"ASizeThatTheKindLacks", R"(K = "HIDDEN")", R"(K = "HIDDEN", L = 1)",
       "22:51: [[operation]] up sizes L is not known here; known are K, LAYOUT_A, LAYOUT_B, M or "
       "N"},
      {"NoSizes", R"(sizes = { M = "TOKENS", N = "WIDE", K = "HIDDEN" })", "",
       "18:1: [[operation]] up sizes is missing or no table; write sizes = { M = \"TOKENS\", N = "
       "4096 }"},
      {"AnUnknownKeyOfAnOperation", "count = \"LAYERS\"", "cuont = \"LAYERS\"",
       "21:1: [[operation]] up cuont is not known here, did you mean count?; known are count, "
       "dtype, kind, name, parameters, phase or sizes"},
      {"TwoOperationsOfOneName", R"(name = "own")", R"(name = "up")",
       "24:8: [[operation]] name is \"up\" for a second time; every operation of a phase has a "
       "name of its own"},
      {"ATypeBesideAKindThatHasOne", R"(kind = "linear")",
       "kind = \"linear_int8\"\ndtype = \"f16\"",
       "21:9: [[operation]] up dtype cannot go with kind linear_int8, which is in i8; leave it "
       "out"},
      {"AnUnknownType", R"(dtype = "bf16")", R"(dtype = "fp16")",
       "4:9: dtype is \"fp16\"; write \"bf16\", \"f16\", \"f32\", \"e4m3\", \"e5m2\" or \"i8\" "
       "(did "
       "you mean \"f16\"?)"},
      {"AnUnknownScenario", R"(scenario = "decode")", R"(scenario = "decod")",
       R"(3:12: scenario is "decod"; write "decode" or "prefill" (did you mean "decode"?))"},
      {"AScenarioWithoutABatch", "batch = 5\n", "",
       "14:1: [scenarios.decode] batch is missing; write a whole number from 1 to 1048576"},
      {"ACustomOperationWithoutBytes", "reads = \"ELEMENT*N*C\"\n", "",
       "23:1: [[operation]] own reads is missing; write a number, or a formula in quotes"},
      {"ACostBelowZero", R"(flops = "3*N*C")", R"(flops = "0 - N")",
       "29:9: [[operation]] own flops: \"0 - N\" gives -5; it must give from 0 to 1e+27"},
      {"ACostThatOverflows", R"(flops = "3*N*C")", R"(flops = "N^300*10^30")",
       "29:9: [[operation]] own flops: \"N^300*10^30\" gives 4.909093465297727e+239; it must give "
       "from 0 to 1e+27"},
      {"ACostOfNothing", "flops = \"3*N*C\"\nreads = \"ELEMENT*N*C\"\nwrites = \"8*N\"",
       "flops = 0\nreads = 0\nwrites = 0",
       "30:9: [[operation]] own reads: it computes nothing and moves nothing; give it reads or "
       "writes"},
      {"ParametersThatItDoesNotHold", "scenario = \"decode\"\n",
       "scenario = \"decode\"\nparameters = 50000\n",
       "4:14: parameters is 50000, but the operations of scenario decode hold 49408 weights; "
       "correct the one or the others"},
  };
}

class MistakenWorkload : public testing::TestWithParam<WorkloadMistake> {};

TEST_P(MistakenWorkload, IsRefusedWithItsPlace) {
  const std::string text = replaced(workload_sample(), GetParam().part, GetParam().by);
  EXPECT_EQ(refusal_of([&] { return parse_workload(text, "own.toml"); }),
            "own.toml:" + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Any, MistakenWorkload, testing::ValuesIn(workload_mistakes()),
                         [](const auto& tested) { return tested.param.name; });

TEST(MistakenWorkload, OfManyOperationsIsRefused) {
  std::string text = workload_sample();
  for (int i = 0; i < 255; ++i)
    text += "[[operation]]\nname = \"n" + std::to_string(i) +
            "\"\nkind = \"rmsnorm\"\nsizes = { ROWS = 1, COLS = 1 }\n";
  EXPECT_EQ(refusal_of([&] { return parse_workload(text, "own.toml"); }),
            "own.toml:1049:1: [[operation]]: this is the 257th; a workload has at most 256");
}

TEST(MistakenWorkload, OfManyBytesIsRefused) {
  const std::string text = std::string(300'000, '#');
  EXPECT_EQ(refusal_of([&] { return parse_workload(text, "own.toml"); }),
            "own.toml: it has 300000 bytes; a workload file has at most 262144");
}

TEST(MistakenWorkload, AtTheLargestChoiceHasAMessage) {
  const std::string text = replaced(workload_sample(), R"(M = "TOKENS")", R"(M = "TOKENS^2")");
  EXPECT_EQ(refusal_of([&] {
              return parse_workload(text, "own.toml", {.batch = 1 << 20, .sequence = 1 << 24});
            }),
            "");
  EXPECT_THAT(refusal_of([&] {
                return parse_workload(
                    text, "own.toml",
                    {.scenario = "prefill", .batch = 1 << 20, .sequence = 1 << 24});
              }),
              testing::StartsWith("own.toml:22:15: [[operation]] up sizes M: \"TOKENS^2\" gives "));
}

// How reading went: "read", "refused" (with one line that begins with a place), or what else
// happened.
std::string outcome_of(const std::string& text) {
  try {
    static_cast<void>(parse_workload(text, "own.toml"));
    return "read";
  } catch (const Error& error) {
    const std::string what = error.what();
    const bool clear = error.stop() == Stop::usage && what.find('\n') == std::string::npos &&
                       what.starts_with("own.toml:");
    return clear ? "refused" : "an error that is not clear: " + what;
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
}

class DamagedWorkload : public testing::TestWithParam<std::string> {};

TEST_P(DamagedWorkload, CutAtAnyByteIsReadOrRefused) {
  const std::string text = test::contents(box().front() / (GetParam() + ".toml"));
  for (std::size_t size = 0; size <= text.size(); ++size) {
    ASSERT_THAT(outcome_of(text.substr(0, size)), testing::AnyOf("read", "refused"))
        << "cut after " << size;
  }
  EXPECT_EQ(outcome_of(text), "read");
}

INSTANTIATE_TEST_SUITE_P(Any, DamagedWorkload, testing::Values("gpt2", "gemma-3-12b"),
                         [](const auto& tested) {
                           return tested.param == "gpt2" ? "Gpt2" : "Gemma";
                         });

TEST(DamagedWorkload, WithAnyByteReplacedIsReadOrRefused) {
  const std::string text = workload_sample();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '"', '[', '\n', '=', '9', '-', '\xff'}) {
      std::string damaged = text;
      damaged[at] = byte;
      ASSERT_THAT(outcome_of(damaged), testing::AnyOf("read", "refused")) << "byte " << at;
    }
  }
}

TEST(DamagedWorkload, WithAnyLineMissingOrDoubledIsReadOrRefused) {
  const std::string text = workload_sample();
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::size_t length = text.find('\n', begin) + 1 - begin;
    std::string missing = text;
    missing.erase(begin, length);
    std::string doubled = text;
    doubled.insert(begin, text.substr(begin, length));
    ASSERT_THAT(outcome_of(missing), testing::AnyOf("read", "refused")) << "at " << begin;
    ASSERT_THAT(outcome_of(doubled), testing::AnyOf("read", "refused")) << "at " << begin;
  }
}

TEST(DamagedWorkload, WithThousandsOfBracketsOrDotsIsRefused) {
  EXPECT_EQ(outcome_of("a = " + std::string(20000, '[')), "refused");
  EXPECT_EQ(outcome_of("a = " + std::string(20000, '{')), "refused");
  std::string dots;
  for (int i = 0; i < 20000; ++i) dots += "a.";
  EXPECT_EQ(outcome_of(dots + "a = 1"), "refused");
}

}  // namespace
}  // namespace autokernel::programs
