// Tensors of elements that the harness knows by another name, and with padding behind their rows.
#include <gmock/gmock.h>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Layouts : public Workplace {
 protected:
  // y = f(x), of ROWS x COLS elements.
  [[nodiscard]] Outcome bench_of(const std::string& tensors, const std::string& reference,
                                 const std::string& kernel) const {
    scratch_.write("layout/case.toml",
                   "name = \"Layout\"\nproblem = \"{ROWS} x {COLS}\"\n"
                   "[sizes.default]\nROWS = 37\nCOLS = 50\n[sizes.check]\nROWS = 3\nCOLS = 7\n" +
                       tensors +
                       "[reference]\nkind = \"kernel\"\nfile = \"reference.cu\"\n"
                       "[check]\nexact = \"always\"\n[cost]\nflops = \"ROWS*COLS\"\n"
                       "bytes = \"ROWS*COLS\"\n[timing]\nsamples = 3\n");
    scratch_.write("layout/reference.cu", reference);
    scratch_.write("layout/kernel.cu", kernel);
    return run_autokernel(
        {"bench", "--case", (scratch_.path() / "layout").string(), "--device", "cpu"});
  }
  [[nodiscard]] static std::string tensor(const std::string& name, const std::string& role,
                                          const std::string& dtype, const std::string& more) {
    return "[[tensor]]\nname = \"" + name + "\"\nrole = \"" + role + "\"\ndtype = \"" + dtype +
           "\"\nshape = [\"ROWS\", \"COLS\"]\n" + more;
  }
  // A thread for each element `i`, in row `row` and column `col`.
  [[nodiscard]] static std::string source(const std::string& parameters, const std::string& body) {
    return "#include <cuda_fp4.h>\n#include <cuda_fp8.h>\n#include <autokernel.cuh>\n"
           "AUTOKERNEL_LAUNCH({.kernel = \"layout\", .grid = {ROWS}, .block = {64}});\n"
           "extern \"C\" __global__ void layout(" +
           parameters +
           ") {\n  const int row = blockIdx.x, col = threadIdx.x;\n"
           "  const int i = row * COLS + col;\n  if (col >= COLS) return;\n  " +
           body + "\n}\n";
  }
};

TEST_F(Layouts, ComplexNumbersAreTwoFloats) {
  const std::string tensors =
      tensor("x", "in", "complex64", "fill = \"normal\"\n") + tensor("y", "out", "complex64", "");
  const std::string parameters = "const float2* x, float2* y";
  const std::string conjugate = source(parameters, "y[i] = {x[i].x, -x[i].y};");
  EXPECT_EQ(bench_of(tensors, conjugate, conjugate).code, 0);
  const Outcome wrong = bench_of(tensors, conjugate, source(parameters, "y[i] = x[i];"));
  expect_rejection(wrong, 11, "incorrect");
  EXPECT_THAT(value_of("reason", wrong.out), HasSubstr(",1] = "));
}

TEST_F(Layouts, FourBitNumbersComeInPairsWithScales) {
  const std::string tensors =
      tensor("x", "in", "e2m1x2", "fill = \"integers\"\nlow = 0\nhigh = 255\n") +
      tensor("scale", "in", "e8m0", "fill = \"integers\"\nlow = 120\nhigh = 134\n") +
      tensor("y", "out", "f32", "");
  const std::string parameters = "const __nv_fp4x2_e2m1* x, const __nv_fp8_e8m0* scale, float* y";
  const std::string right = source(parameters,
                                   "const float2 pair = static_cast<float2>(x[i]);\n"
                                   "  y[i] = (pair.x + pair.y) * static_cast<float>(scale[i]);");
  const Outcome run = bench_of(tensors, right, right);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const Outcome stale =
      bench_of(tensors, right,
               source(parameters,
                      "const float2 pair = static_cast<float2>(x[i]);\n"
                      "  y[i] = (pair.x + pair.y) * static_cast<float>(scale[row * COLS]);"));
  expect_rejection(stale, 11, "incorrect");
}

class PaddedRows : public Layouts {
 protected:
  [[nodiscard]] Outcome bench_of_body(const std::string& body) const {
    const std::string tensors =
        tensor("x", "in", "f32", "fill = \"normal\"\npitch = \"COLS + 6\"\n") +
        tensor("y", "out", "f32", "pitch = \"COLS + 14\"\n");
    return bench_of(tensors, source("const float* x, float* y", kRight),
                    source("const float* x, float* y", body));
  }
  static constexpr const char* kRight =
      "y[row * (COLS + 14) + col] = 2 * x[row * (COLS + 6) + col];";
};

TEST_F(PaddedRows, AreReadAndWrittenAtTheirPitch) {
  const Outcome run = bench_of_body(kRight);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

TEST_F(PaddedRows, EndBeforeTheirPadding) {
  const Outcome written =
      bench_of_body(std::string(kRight) + "\n  if (col == 3) y[row * (COLS + 14) + COLS] = 0;");
  expect_rejection(written, 11, "incorrect");
  EXPECT_THAT(value_of("reason", written.out),
              AllOf(HasSubstr("was written, which is padding"), HasSubstr("a row has")));
  const Outcome dense = bench_of_body("y[i] = 2 * x[i];");
  expect_rejection(dense, 11, "incorrect");
  const Outcome hole = bench_of_body("if (i != 5) " + std::string(kRight));
  expect_rejection(hole, 11, "incorrect");
}

TEST_F(PaddedRows, AreAtLeastAsLongAsARow) {
  const Outcome run =
      bench_of(tensor("x", "in", "f32", "fill = \"normal\"\npitch = \"COLS - 1\"\n") +
                   tensor("y", "out", "f32", ""),
               "", "");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("the pitch \"COLS - 1\" of tensor x is"));
}

}  // namespace
}  // namespace autokernel::test
