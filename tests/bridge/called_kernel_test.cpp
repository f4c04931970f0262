// Kernels of host code that Python calls with tensors and numbers.
#include <gmock/gmock.h>

#include "autokernel/bridge/cuda_source.h"

namespace autokernel::bridge {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kKernel = R"(
template <typename scalar_t>
__global__ void scaled(const scalar_t* x, scalar_t* y, int count, float by) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) y[at] = x[at] * by;
}
)";

HostCall::Operand tensor(const std::string& name, const std::string& dtype) {
  return {.name = name, .dtype = dtype, .shape = {"N", "4"}};
}

HostCall::Operand number(double value, bool is_whole, const std::string& symbol = "") {
  return {.name = {},
          .dtype = {},
          .is_tensor = false,
          .shape = {},
          .number = value,
          .is_whole = is_whole,
          .symbol = symbol};
}

// f(x, by), which returns the tensor y of the case.
std::variant<CalledKernel, std::string> called(const std::string& body, const std::string& dtype,
                                               std::vector<HostCall::Operand> more = {}) {
  HostCall call{
      .function = "f", .parameters = {tensor("x", dtype)}, .returned = {"y"}, .sizes = {{"N", 64}}};
  call.parameters.insert(call.parameters.end(), more.begin(), more.end());
  return import_called_kernel("f.cu", kKernel + body, {}, call);
}

std::string kernel_text(const std::variant<CalledKernel, std::string>& found) {
  const auto* const kernel = std::get_if<CalledKernel>(&found);
  return kernel == nullptr ? "refused: " + std::get<std::string>(found) : kernel->text;
}

TEST(CalledKernels, AreGivenNumbersOfTheCall) {
  const std::string body = R"(torch::Tensor f(torch::Tensor x, double by, int64_t rows) {
    auto out = torch::empty_like(x);
    const int count = rows * 4;
    scaled<float><<<(count + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), count,
                                                static_cast<float>(by));
    return out;
  })";
  EXPECT_THAT(kernel_text(called(body, "f32", {number(0.5, false), number(64, true, "N")})),
              AllOf(HasSubstr("scaled<float>(x, y, static_cast<int>(N * 4), static_cast<float>("),
                    HasSubstr(".grid = {static_cast<unsigned>((N * 4 + 127) / 128)}"),
                    Not(HasSubstr("write_zeros"))));
  EXPECT_THAT(kernel_text(called(body, "f32", {number(0.5, false), number(64, true)})),
              HasSubstr("scaled<float>(x, y, static_cast<int>("));
}

TEST(CalledKernels, OfADispatchAreOfTheTypeOfItsTensor) {
  const std::string body = R"(torch::Tensor f(torch::Tensor x) {
    auto out = torch::empty_like(x);
    const int count = x.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "f", ([&] {
      scaled<scalar_t><<<(count + 127) / 128, 128>>>(x.data_ptr<scalar_t>(),
                                                     out.data_ptr<scalar_t>(), count, 2.0f);
    }));
    return out;
  })";
  EXPECT_THAT(kernel_text(called(body, "f32")), HasSubstr("scaled<float>(x, y"));
  EXPECT_THAT(kernel_text(called(body, "f64")), HasSubstr("scaled<double>(x, y"));
  EXPECT_THAT(kernel_text(called(body, "f16")),
              AllOf(HasSubstr("#include <cuda_fp16.h>"), HasSubstr("scaled<__half>(x, y")));
  std::string other = body;
  other.replace(other.find("AT_DISPATCH_FLOATING_TYPES_AND_HALF"), 35, "for_each_of_three");
  EXPECT_THAT(kernel_text(called(other, "f32")),
              HasSubstr("is a loop or a lambda around the launch"));
}

TEST(CalledKernels, AreRefusedWhereAConditionIsNotTold) {
  const auto body = [](const std::string& threads, const std::string& before = "") {
    return before + "torch::Tensor f(torch::Tensor x) {\n  auto out = torch::empty_like(x);\n" +
           "  int n = x.numel();\n  int threads = 64;\n  " + threads +
           "\n  scaled<float><<<8, threads>>>(x.data_ptr<float>(), out.data_ptr<float>(), n, "
           "2.0f);\n  return out;\n}\n";
  };
  const std::string helper =
      "int chosen(int n) { if (n < 64) return 32; if (n < 256) return 128; return 1024; }\n";
  EXPECT_THAT(kernel_text(called(body("if (n > 128) threads = 256;"), "f32")),
              HasSubstr("refused: "));
  EXPECT_THAT(kernel_text(called(body("threads = n > 128 ? 256 : 32;"), "f32")),
              HasSubstr("refused: "));
  EXPECT_THAT(kernel_text(called(body("threads = chosen(n);", helper), "f32")),
              HasSubstr("refused: "));
  EXPECT_THAT(kernel_text(called(body("threads = chosen(100);", helper), "f32")),
              HasSubstr(".block = {threads}"));
  EXPECT_THAT(kernel_text(called(body("if (2 > 1) threads = 256;"), "f32")),
              HasSubstr("threads = 256;"));
}

// Found by an attacker: each was judged as if only the launch were there.
TEST(CalledKernels, AreRefusedBesideOtherWorkOfTheHost) {
  const auto text = [](const std::string& before, const std::string& after,
                       const std::string& file = "", const std::string& returned = "out") {
    return kernel_text(called(
        file + "torch::Tensor f(torch::Tensor x) {\n  auto out = torch::empty_like(x);\n" + before +
            "\n  scaled<float><<<8, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), 256, "
            "2.0f);\n" +
            after + "\n  return " + returned + ";\n}\n",
        "f32"));
  };
  EXPECT_THAT(text("", ""), HasSubstr("AUTOKERNEL_LAUNCH"));
  EXPECT_THAT(text("CHECK_INPUT(x);", "",
                   "#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x \" on a GPU\")\n"
                   "#define CHECK_INPUT(x) CHECK_CUDA(x)\n"),
              HasSubstr("AUTOKERNEL_LAUNCH"));
  EXPECT_THAT(text("", "FINISH(out);", "#define FINISH(t) t.add_(1)\n"), HasSubstr("refused: "));
  EXPECT_THAT(text("", "check_it(out);", "void check_it(torch::Tensor t) { t.add_(1); }\n"),
              HasSubstr("refused: "));
  EXPECT_THAT(text("", "bits(out);", "void bits(torch::Tensor t) { t.add_(1); }\n"),
              HasSubstr("refused: "));
  EXPECT_THAT(text("", "Finish finish(out);",
                   "struct Finish { Finish(torch::Tensor t) { t.add_(1); } };\n"),
              HasSubstr("refused: "));
  EXPECT_THAT(text("", "out[0] = 7.0;"), HasSubstr("refused: "));
  EXPECT_THAT(text("", "if (x.size(0) > 5) return x;"), HasSubstr("refused: "));
  EXPECT_THAT(text("return torch::zeros_like(x);", ""), HasSubstr("refused: "));
  EXPECT_THAT(text("", "calls++;", "int calls = 0;\n"), HasSubstr("refused: "));
  EXPECT_THAT(text("", "", "", "x"), HasSubstr("returns x in place of y"));
  EXPECT_THAT(text("", "", "", "torch::floor(out)"), HasSubstr("returns more than a variable"));
  EXPECT_THAT(text("{ auto out = torch::empty_like(x); }", ""), HasSubstr("several variables out"));
}

TEST(CalledKernels, AreRefusedWhereAScalarIsConverted) {
  const HostCall::Operand scalar{.name = "by", .dtype = "f32", .is_tensor = false, .shape = {}};
  const auto text = [&](const std::string& before, const std::string& given) {
    return kernel_text(called(
        "torch::Tensor f(torch::Tensor x, double by) {\n  auto out = torch::empty_like(x);\n  " +
            before +
            "\n  scaled<float><<<8, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), 256, " +
            given + ");\n  return out;\n}\n",
        "f32", {scalar}));
  };
  EXPECT_THAT(text("", "by"), HasSubstr("AUTOKERNEL_LAUNCH"));
  EXPECT_THAT(text("", "static_cast<float>(by)"), HasSubstr("AUTOKERNEL_LAUNCH"));
  EXPECT_THAT(text("float t = by;", "t"), HasSubstr("AUTOKERNEL_LAUNCH"));
  EXPECT_THAT(text("", "(int)by"), HasSubstr("refused: "));
  EXPECT_THAT(text("int t = by;", "t"), HasSubstr("refused: "));
  EXPECT_THAT(text("float t = by; t *= 2.0f;", "t"), HasSubstr("refused: "));
  EXPECT_THAT(text("float t = by; t = 0;", "t"), HasSubstr("static_cast<float>(0)"));
  EXPECT_THAT(text("float t = by; float& u = t; u = 1.0f;", "t"), HasSubstr("refused: "));
  const std::string deep(30000, '(');
  EXPECT_THAT(text("", deep + "by" + std::string(30000, ')')), HasSubstr("AUTOKERNEL_LAUNCH"));
}

TEST(CalledKernels, HaveZerosWrittenWhereTheHostHas) {
  const auto body = [](const std::string& made) {
    return "torch::Tensor f(torch::Tensor x) {\n  auto out = " + made +
           ";\n  scaled<float><<<8, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), 256, 2.0f);\n"
           "  return out;\n}\n";
  };
  for (const std::string made :
       {"torch::zeros_like(x)", "torch::zeros({x.size(0), 4}, x.options())"}) {
    EXPECT_THAT(kernel_text(called(body(made), "f32")),
                AllOf(HasSubstr("void write_zeros_to_y(float* y)"), HasSubstr("if (at < N * 4)"),
                      HasSubstr("AUTOKERNEL_LAUNCH({.kernel = \"write_zeros_to_y\""),
                      HasSubstr("{.kernel = \"scaled_launched\"")));
  }
  EXPECT_THAT(kernel_text(called(body("torch::zeros(shape_of(x))"), "f32")),
              HasSubstr("refused: "));
  EXPECT_THAT(kernel_text(called(body("torch::ones_like(x)"), "f32")),
              HasSubstr("calls ones_like(), which is not taken over"));
}

}  // namespace
}  // namespace autokernel::bridge
