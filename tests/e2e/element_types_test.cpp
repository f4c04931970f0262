// A tensor of each type: drawn, handed over, compared.
#include <gmock/gmock.h>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

struct ElementType {
  const char* name;
  const char* in_cpp;
  const char* wide;  // what holds its values and can be compared
  const char* fill;
};
void PrintTo(const ElementType& type, std::ostream* out) { *out << type.name; }

constexpr const char* kWhole = "fill = \"integers\"\nlow = 0\nhigh = 100";
constexpr const char* kNormal = "fill = \"normal\"";

class EachType : public Workplace, public testing::WithParamInterface<ElementType> {
 protected:
  // The smaller one of x[i] and x[N - 1 - i], or what stands there instead.
  [[nodiscard]] static std::string source(const std::string& chosen, const std::string& loop) {
    return "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n"
           "#include <autokernel.cuh>\nusing Element = " +
           std::string(GetParam().in_cpp) + ";\nusing Wide = " + GetParam().wide +
           ";\nAUTOKERNEL_LAUNCH({.kernel = \"smaller\", .grid = {4}, .block = {64}});\n"
           "extern \"C\" __global__ void smaller(const Element* x, Element* y) {\n" +
           loop +
           "    const Wide left = Wide(x[i]), right = Wide(x[N - 1 - i]);\n    y[i] = " + chosen +
           " ? x[i] : x[N - 1 - i];\n  }\n}\n";
  }
  static constexpr const char* kStrided =
      "  for (int i = blockIdx.x * 64 + threadIdx.x; i < N; i += 256) {\n";
  static constexpr const char* kInOneThread =
      "  if (blockIdx.x + threadIdx.x == 0) for (int i = 0; i < N; ++i) {\n";

  [[nodiscard]] Outcome bench_of(const std::string& kernel) const {
    const std::string tensor =
        "\ndtype = \"" + std::string(GetParam().name) + "\"\nshape = [\"N\"]\n";
    scratch_.write("types/case.toml",
                   "name = \"Smaller\"\nproblem = \"the smaller one of {N}\"\n"
                   "[sizes.default]\nN = 3001\n[sizes.check]\nN = 77\n"
                   "[[tensor]]\nname = \"x\"\nrole = \"in\"" +
                       tensor + GetParam().fill + "\n[[tensor]]\nname = \"y\"\nrole = \"out\"" +
                       tensor +
                       "[reference]\nkind = \"kernel\"\nfile = \"reference.cu\"\n"
                       "[check]\nexact = \"always\"\n[cost]\nflops = \"N\"\nbytes = \"N\"\n"
                       "[timing]\nsamples = 3\n");
    scratch_.write("types/reference.cu", source("left <= right", kInOneThread));
    scratch_.write("types/kernel.cu", kernel);
    return run_autokernel(
        {"bench", "--case", (scratch_.path() / "types").string(), "--device", "cpu"});
  }
};

TEST_P(EachType, IsDrawnAndCompared) {
  const Outcome right = bench_of(source("left <= right", kStrided));
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const Outcome wrong = bench_of(source("(left <= right) != (i >= 2000 && i < 2100)", kStrided));
  expect_rejection(wrong, 11, "incorrect");
  EXPECT_THAT(value_of("reason", wrong.out), testing::HasSubstr("y[20")) << wrong.out;
}

INSTANTIATE_TEST_SUITE_P(
    Of, EachType,
    testing::Values(
        ElementType{"f64", "double", "double", kNormal},
        ElementType{"f32", "float", "float", kNormal},
        ElementType{"f16", "__half", "float", kNormal},
        ElementType{"bf16", "__nv_bfloat16", "float", kNormal},
        ElementType{"e4m3", "__nv_fp8_e4m3", "float", kNormal},
        ElementType{"e5m2", "__nv_fp8_e5m2", "float", kNormal},
        ElementType{"i64", "long long", "double",
                    "fill = \"integers\"\nlow = 9007199254740000\nhigh = 9007199254740991"},
        ElementType{"i32", "int", "double", kWhole}, ElementType{"i16", "short", "double", kWhole},
        ElementType{"i8", "signed char", "double", "fill = \"integers\"\nlow = -128\nhigh = 127"},
        ElementType{"u32", "unsigned", "double", "fill = \"integers\"\nlow = 0\nhigh = 4294967295"},
        ElementType{"u8", "unsigned char", "double", kWhole},
        ElementType{"bool", "bool", "double", "fill = \"integers\"\nlow = 0\nhigh = 1"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace autokernel::test
