// A GPU makes the same operands as the host, to the bit: who judges makes them there once more.
#include "trial/launch/device_operands.h"

#include <gmock/gmock.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "autokernel/compile/compiler.h"
#include "trial/inputs/captured_case.h"
#include "trial/time/gpu_tools.h"

namespace autokernel::trial {
namespace {

constexpr Key kKey{{0x12345678, 0x9abcdef0}};
// No multiple of anything.
constexpr int kCount = 10'007;

class OnADevice : public testing::Test {
 protected:
  static const compile::Program& tools() {
    static const compile::Program compiled = [] {
      auto program =
          std::get<compile::Program>(compile::Compiler::open().compile(gpu_tools_source("sm_90a")));
      // The emulated device takes no machine code.
      const auto ptx = std::as_bytes(std::span(program.ptx.c_str(), program.ptx.size() + 1));
      program.cubin.assign(ptx.begin(), ptx.end());
      return program;
    }();
    return compiled;
  }

  // Makes the operands of a launch there and holds them against the host's.
  void expect_same(const cases::Case& problem, InputKind kind) {
    const SizedCase sized(problem, "default");
    DeviceMemory memory(device_, Operands::required_bytes(device_, sized, kExtras));
    Operands operands(device_, sized, kExtras, memory);
    source_.load(operands, {&sized, kind, kKey}, stream_);
    ASSERT_FALSE(stream_.wait());
    std::vector<Bytes> inputs;
    maker_.make(sized, kind, kKey, inputs);
    for (std::size_t b = 0; b < operands.buffer_count(); ++b) {
      Bytes wanted(operands.bytes(b));
      if (operands.is_read(b)) {
        wanted = inputs[b];
      } else {
        random_bytes({kKey, static_cast<std::uint32_t>(b), Purpose::noise}, wanted);
      }
      Bytes found(operands.bytes(b));
      device_.copy_out(found, operands.address(b));
      EXPECT_EQ(first_difference(found, wanted), wanted.size()) << "in buffer " << b;
    }
    EXPECT_FALSE(source_.disturbed(operands, {&sized, kind, kKey}, stream_));
  }

  const Extras kExtras{.workspace_bytes = 1001, .maps = {}, .constants = {}};
  const driver::Driver driver_ = driver::Driver::open(driver::parse_device("cpu"));
  const driver::Device device_{driver_};
  const driver::Stream stream_ = device_.make_stream();
  InputMaker maker_;
  DeviceOperands source_{device_, tools(), maker_};
};

class OfOneKind : public OnADevice, public testing::WithParamInterface<InputKind> {};

TEST_P(OfOneKind, TheyAreTheHosts) {
  for (const char* dtype : {"f32", "f16", "bf16", "f64", "e4m3", "e5m2"}) {
    for (const char* fill : {"fill = \"normal\"", "fill = \"uniform\"\nlow = -3.7\nhigh = 11.1",
                             "fill = \"integers\"\nlow = -8\nhigh = 7"}) {
      SCOPED_TRACE(std::string(dtype) + " " + fill);
      expect_same(unary_case(dtype, fill, kCount), GetParam());
    }
  }
  for (const char* dtype : {"i64", "i32", "i16", "i8", "u32", "u8"}) {
    SCOPED_TRACE(dtype);
    expect_same(unary_case(dtype, "fill = \"integers\"\nlow = 3\nhigh = 120", kCount), GetParam());
  }
  expect_same(
      unary_case("i64", "fill = \"integers\"\nlow = 9007199254740000\nhigh = 9007199254740991",
                 kCount),
      GetParam());
  expect_same(unary_case("i16", "fill = \"integers\"\nlow = -32768\nhigh = -3", kCount),
              GetParam());
  expect_same(unary_case("bool", "fill = \"integers\"\nlow = 0\nhigh = 1", kCount), GetParam());
}

TEST_F(OnADevice, IndicesAreTheHosts) {
  for (const char* dtype : {"i32", "i64", "u32"}) {
    for (const char* fill : {"fill = \"permutation\"", "fill = \"sorted\"\nlow = 3\nhigh = 70000",
                             "fill = \"offsets\"\nlow = 0\nhigh = 4000000000"}) {
      SCOPED_TRACE(std::string(dtype) + " " + fill);
      if (std::string(dtype) == "i32" && std::string(fill).ends_with("4000000000")) continue;
      expect_same(unary_case(dtype, fill, kCount), InputKind::declared);
    }
  }
  expect_same(unary_case("i32", "fill = \"permutation\"", 1), InputKind::declared);
}

TEST_F(OnADevice, CapturedValuesAreTheHosts) {
  constexpr int kSets = 3;
  const test::ScratchFolder scratch;
  for (const char* dtype : {"f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i64", "i32", "u8"}) {
    for (const char* values : {"drawn", "kept", "perturbed"}) {
      SCOPED_TRACE(std::string(dtype) + " " + values);
      const std::size_t element = cases::size_of(
          unary_case(dtype, "fill = \"integers\"\nlow = 0\nhigh = 1", 1).tensors[0].dtype);
      const cases::Case problem =
          captured_case(scratch, dtype, values, kCount, random_values(kCount * kSets * element));
      maker_.read_captured(problem);
      for (const InputKind kind : {InputKind::declared, InputKind::very_large}) {
        expect_same(problem, kind);
      }
    }
  }
}

std::string name_of_kind(const testing::TestParamInfo<InputKind>& kind) {
  constexpr std::array kNames = {"Declared", "Exact", "VeryLarge", "VerySmall",
                                 "Mixed",    "Zeros", "Constant"};
  return kNames.at(static_cast<std::size_t>(kind.param));
}
INSTANTIATE_TEST_SUITE_P(All, OfOneKind,
                         testing::Values(InputKind::declared, InputKind::very_large,
                                         InputKind::very_small, InputKind::mixed, InputKind::zeros,
                                         InputKind::constant),
                         name_of_kind);

TEST_F(OnADevice, ExactFactorsAreTheHosts) {
  for (const auto& [input, output] : {std::pair{"bf16", "bf16"}, {"f16", "f32"}, {"f32", "f32"}}) {
    SCOPED_TRACE(input);
    expect_same(product_case(input, output, 33, 70, 129), InputKind::exact);
  }
}

TEST_F(OnADevice, AChangedInputIsFoundAndNamed) {
  const cases::Case problem = product_case("bf16", "bf16", 33, 70, 129);
  const SizedCase sized(problem, "default");
  DeviceMemory memory(device_, Operands::required_bytes(device_, sized, {}));
  Operands operands(device_, sized, {}, memory);
  const Occasion occasion{&sized, InputKind::exact, kKey};
  source_.load(operands, occasion, stream_);
  ASSERT_FALSE(stream_.wait());
  Bytes element(1);
  const driver::Address last = operands.address(1) + operands.bytes(1) - 1;
  device_.copy_out(element, last);
  element[0] ^= std::byte{0x40};
  device_.copy_in(last, element);
  const auto disturbed = source_.disturbed(operands, occasion, stream_);
  EXPECT_THAT(disturbed,
              testing::Optional(testing::FieldsAre(
                  testing::StartsWith("it changed its input B[128,69] = "), Cause::input_changed)));
}

}  // namespace
}  // namespace autokernel::trial
