// The device says of a launch what the judge on the host says of it.
#include "trial/check/device_judge.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "autokernel/compile/compiler.h"
#include "support/present.h"
#include "trial/check/judge.h"
#include "trial/inputs/case_text.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/element_text.h"
#include "trial/runner/compilations.h"

namespace autokernel::trial {
namespace {

using Look = DeviceJudge::Look;

constexpr Key kKey{{0x12345678, 0x9abcdef0}};

[[nodiscard]] compile::Program for_emulated(compile::Program program) {
  // The emulated device takes no machine code.
  const auto ptx = std::as_bytes(std::span(program.ptx.c_str(), program.ptx.size() + 1));
  program.cubin.assign(ptx.begin(), ptx.end());
  return program;
}
[[nodiscard]] compile::Program compiled(const compile::Request& request) {
  auto compilation = compile::Compiler::open().compile(request);
  if (const auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    ADD_FAILURE() << refusal->reason;
    return {};
  }
  return for_emulated(std::get<compile::Program>(std::move(compilation)));
}
[[nodiscard]] const compile::Program& judging_program() {
  static const compile::Program program = compiled(device_judge_source("sm_90a"));
  return program;
}

// y = x in that type, of a length that is a multiple of nothing, and in fp64 where that is asked
// for.
constexpr int kCount = 5003;
struct Copying {
  std::string dtype;
  std::string cpp_name;
  bool exact = false;
  bool has_fp64 = false;
};
void PrintTo(const Copying& copying, std::ostream* out) {
  *out << copying.dtype << (copying.exact ? ", exact" : "") << (copying.has_fp64 ? ", fp64" : "");
}

[[nodiscard]] cases::Case case_of(const Copying& copying) {
  const bool is_whole = !copying.cpp_name.starts_with("__") && copying.dtype[0] != 'f';
  std::map<std::string, std::string> files;
  std::string text =
      "name = \"Copy\"\nproblem = \"a copy\"\n[sizes.default]\nN = " + std::to_string(kCount) +
      "\n[sizes.check]\nN = 300\n";
  for (const char* role : {"in", "out"}) {
    text += "[[tensor]]\nname = \"" + std::string(role == std::string("in") ? "x" : "y") +
            "\"\nrole = \"" + role + "\"\ndtype = \"" + copying.dtype + "\"\nshape = [\"N\"]\n";
    if (role == std::string("in")) {
      text += is_whole ? "fill = \"integers\"\nlow = 0\nhigh = 1\n" : "fill = \"normal\"\n";
    }
  }
  text += "[reference]\nkind = \"kernel\"\nfile = \"reference.cu\"\n";
  if (copying.has_fp64) text += "fp64_file = \"fp64.cu\"\n";
  text += copying.exact ? "[check]\nexact = \"always\"\n"
                        : "[check]\nabsolute = 1e-3\nrelative = 1e-2\nexact = \"never\"\n";
  text +=
      "[cost]\nflops = \"N\"\nbytes = \"N\"\n[timing]\nsamples = 1\nwarmups = 1\ncap_seconds = 1\n";
  const auto kernel = [&](const std::string& to, const std::string& value) {
    return "#include <autokernel.cuh>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include "
           "<cuda_fp8.h>\nAUTOKERNEL_LAUNCH({.kernel = \"copy\", .grid = {(N + 255) / 256}, .block "
           "= {256}});\nextern \"C\" __global__ void copy(const " +
           copying.cpp_name + "* x, " + to +
           "* y) {\n  const int i = blockIdx.x * 256 + "
           "threadIdx.x;\n  if (i < N) y[i] = " +
           value + ";\n}\n";
  };
  files["case.toml"] = text;
  files["reference.cu"] = kernel(copying.cpp_name, "x[i]");
  files["fp64.cu"] = kernel("double", "static_cast<double>(static_cast<float>(x[i]))");
  return cases::parse(cases::CaseFiles{"/copy", files});
}

class Judging : public testing::TestWithParam<Copying> {
 protected:
  Judging()
      : problem_(case_of(GetParam())),
        sized_(problem_, "default"),
        kernels_(device_, judging_program(), maker_) {
    const auto& reference = std::get<cases::KernelReference>(problem_.reference);
    programs_.emplace("default",
                      compiled({{"reference.cu", reference.source}, "sm_90a", sized_.sizes}));
    reference_ = std::make_unique<KernelReference>(device_, programs_);
    if (reference.fp64_file.empty()) return;
    fp64_programs_.emplace("default",
                           compiled({{"fp64.cu", reference.fp64_source}, "sm_90a", sized_.sizes}));
    fp64_ = std::make_unique<Fp64Reference>(device_, fp64_programs_);
  }

  // What an honest kernel leaves.
  [[nodiscard]] LaunchRecord honest(InputKind kind) const {
    LaunchRecord launch{&sized_, kind, kKey, "launch", {}};
    launch.outputs.resize(2);
    maker_.make_one(sized_, 0, kind, kKey, launch.outputs[1]);
    return launch;
  }
  // The two of them on the same launch.
  struct Said {
    Look device;
    bool host_accepts;
    Differences of_device;
    Differences of_host;
  };
  [[nodiscard]] Said judged(const LaunchRecord& launch) {
    const bool is_stress = launch.input_kind != InputKind::declared;
    Closeness closeness;
    if (!GetParam().exact) {
      closeness.kind = Closeness::Kind::within;
      closeness.tolerance = problem_.tolerance;
    }
    DeviceJudge device(kernels_, *reference_, fp64_.get());
    Differences differences;
    const Look look = device.look(
        launch, [&](std::size_t /*tensor*/) { return closeness; }, is_stress, differences);
    Judge host(*reference_, nullptr, maker_, fp64_.get());
    const bool accepts = !host.judge(std::span(&launch, 1)).has_value();
    return {look, accepts, differences, host.differences()};
  }
  [[nodiscard]] cases::DType dtype() const { return problem_.tensors[1].dtype; }
  [[nodiscard]] std::size_t width() const { return cases::size_of(dtype()); }

  const driver::Driver driver_ = driver::Driver::open(driver::parse_device("cpu"));
  const driver::Device device_{driver_};
  const InputMaker maker_;
  const cases::Case problem_;
  const SizedCase sized_;
  JudgingKernels kernels_;
  ReferencePrograms programs_;
  ReferencePrograms fp64_programs_;
  std::unique_ptr<KernelReference> reference_;
  std::unique_ptr<Fp64Reference> fp64_;
};

class JudgingFloats : public Judging {};
class JudgingWithinATolerance : public Judging {};
class JudgingByFp64 : public Judging {};

TEST_P(Judging, AcceptsWhatIsRight) {
  for (const InputKind kind : {InputKind::declared, InputKind::zeros, InputKind::very_small}) {
    const Said said = judged(honest(kind));
    EXPECT_TRUE(said.host_accepts);
    EXPECT_EQ(said.device, Look::is_right);
  }
}

TEST_P(Judging, SeesAWrongElementWhereverItIs) {
  for (const std::size_t element : std::initializer_list<std::size_t>{0, 1, 31, 32, 2501, 5002}) {
    LaunchRecord launch = honest(InputKind::declared);
    // The lowest bits of a float change too little where a tolerance is allowed.
    launch.outputs[1][element * width() + width() - 1] ^= std::byte{0x41};
    const Said said = judged(launch);
    EXPECT_FALSE(said.host_accepts) << element;
    EXPECT_EQ(said.device, Look::is_doubtful) << element;
  }
}

TEST_P(JudgingFloats, SeesWhatIsNoNumber) {
  LaunchRecord launch = honest(InputKind::declared);
  for (std::size_t i = 0; i < width(); ++i) {
    launch.outputs[1][77 * width() + i] = i + 1 == width() ? std::byte{0x7f} : std::byte{0xff};
  }
  ASSERT_FALSE(std::isfinite(value_at(dtype(), launch.outputs[1], 77)));
  const Said said = judged(launch);
  EXPECT_FALSE(said.host_accepts);
  EXPECT_EQ(said.device, Look::is_doubtful);
}

TEST_P(JudgingWithinATolerance, FindsTheSameDifferences) {
  LaunchRecord launch = honest(InputKind::declared);
  std::vector<float> values(kCount);
  to_floats(dtype(), launch.outputs[1], values);
  for (float& value : values) value *= 1.004F;
  from_floats(dtype(), values, launch.outputs[1]);
  const Said said = judged(launch);
  EXPECT_TRUE(said.host_accepts);
  EXPECT_EQ(said.device, Look::is_right);
  EXPECT_GT(said.of_host.max_abs, 0);
  EXPECT_NEAR(said.of_device.max_abs, said.of_host.max_abs, 1e-6 * said.of_host.max_abs);
  EXPECT_NEAR(said.of_device.max_rel, said.of_host.max_rel, 1e-6 * said.of_host.max_rel);
}

// Each within the tolerance, and all of them worse than fp32 makes them.
TEST_P(JudgingByFp64, SeesErrorsThatAreTooLargeOnTheWhole) {
  LaunchRecord launch = honest(InputKind::declared);
  std::vector<float> values(kCount);
  to_floats(dtype(), launch.outputs[1], values);
  for (float& value : values) value *= 1.009F;
  from_floats(dtype(), values, launch.outputs[1]);
  const Said said = judged(launch);
  EXPECT_FALSE(said.host_accepts);
  EXPECT_EQ(said.device, Look::is_doubtful);
}

TEST_P(Judging, ComparesRepeats) {
  const LaunchRecord one = honest(InputKind::declared);
  LaunchRecord other = one;
  EXPECT_TRUE(kernels_.are_same(one, other));
  other.outputs[1].back() ^= std::byte{1};
  EXPECT_FALSE(kernels_.are_same(one, other));
}

// As it comes from a launcher that shares memory with its runner.
TEST_P(Judging, TakesOutputsThatAreOnTheDevice) {
  LaunchRecord launch = honest(InputKind::declared);
  std::vector<driver::Buffer> on_device(2);
  on_device[1] = device_.allocate(launch.outputs[1].size());
  device_.copy_in(on_device[1].address(), launch.outputs[1]);
  LaunchRecord there = launch;
  there.outputs.clear();
  there.on_device = std::make_shared<const std::vector<driver::Buffer>>(std::move(on_device));
  EXPECT_EQ(kernels_.fetch(there).outputs, (std::vector<Bytes>{Bytes(), launch.outputs[1]}));

  DeviceJudge device(kernels_, *reference_, fp64_.get());
  Judge judge(*reference_, nullptr, maker_, fp64_.get(), &device);
  EXPECT_FALSE(judge.judge(std::span(&there, 1)));
  device_.copy_in(there.on_device->at(1).address(), Bytes(width(), std::byte{0x55}));
  const auto rejected = judge.judge(std::span(&there, 1));
  EXPECT_THAT(test::present(rejected).reason, testing::HasSubstr("y[0]"));
}

const Copying kF32{"f32", "float"};
const Copying kF16{"f16", "__half"};
const Copying kBf16{"bf16", "__nv_bfloat16"};
const Copying kF32ByFp64{"f32", "float", false, true};
const Copying kF16ByFp64{"f16", "__half", false, true};
const Copying kBf16ByFp64{"bf16", "__nv_bfloat16", false, true};
const Copying kE4m3ByFp64{"e4m3", "__nv_fp8_e4m3", false, true};
const Copying kE5m2ByFp64{"e5m2", "__nv_fp8_e5m2", false, true};

[[nodiscard]] std::string name_of_type(const testing::TestParamInfo<Copying>& tested) {
  return tested.param.dtype + (tested.param.exact ? "_exact" : "") +
         (tested.param.has_fp64 ? "_fp64" : "");
}

INSTANTIATE_TEST_SUITE_P(
    OfType, Judging,
    testing::Values(kF32, kF16, kBf16, kF32ByFp64, kF16ByFp64, kBf16ByFp64, kE4m3ByFp64,
                    kE5m2ByFp64, Copying{"f32", "float", true},
                    Copying{"bf16", "__nv_bfloat16", true}, Copying{"f64", "double"},
                    Copying{"e4m3", "__nv_fp8_e4m3"}, Copying{"e4m3", "__nv_fp8_e4m3", true},
                    Copying{"i64", "long long", true}, Copying{"i32", "int", true},
                    Copying{"i16", "short", true}, Copying{"i8", "signed char", true},
                    Copying{"u8", "unsigned char", true}, Copying{"u32", "unsigned", true},
                    Copying{"bool", "bool", true}),
    name_of_type);
INSTANTIATE_TEST_SUITE_P(OfType, JudgingFloats,
                         testing::Values(kF32, kF16, kBf16, kF32ByFp64, kE4m3ByFp64, kE5m2ByFp64,
                                         Copying{"f64", "double"}),
                         name_of_type);
INSTANTIATE_TEST_SUITE_P(OfType, JudgingWithinATolerance, testing::Values(kF32, kF16, kBf16),
                         name_of_type);
INSTANTIATE_TEST_SUITE_P(OfType, JudgingByFp64, testing::Values(kF32ByFp64, kF16ByFp64),
                         name_of_type);

}  // namespace
}  // namespace autokernel::trial
