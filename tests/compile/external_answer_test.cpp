#include <gmock/gmock.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "autokernel/base/base64.h"
#include "autokernel/base/error.h"
#include "autokernel/compile/confined_python.h"
#include "autokernel/compile/external_compiler.h"
#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// What somebody else's compiler made of a kernel.
[[nodiscard]] const Program& original() {
  static const Program built = program(
      "#include <autokernel.cuh>\n"
      "AUTOKERNEL_LAUNCH({.kernel = \"add\", .grid = {2}, .block = {64}, .arguments = \"x, y\"});\n"
      "__device__ int calls = 7;\n"
      "extern \"C\" __global__ void add(float* x, float* y) {\n"
      "  y[threadIdx.x] = x[threadIdx.x] + calls;\n"
      "}\n");
  return built;
}

[[nodiscard]] json answer() {
  const auto& cubin = original().cubin;
  return {{"ptx", original().ptx},
          {"cubin", base64({reinterpret_cast<const char*>(cubin.data()), cubin.size()})},
          {"log", "made"},
          {"launches",
           {{{"kernel", "add"},
             {"grid", {2}},
             {"block", {64, 1, 1}},
             {"arguments", {"x", {{"type", "pointer"}, {"value", 0}}}}}}}};
}

[[nodiscard]] Request request() {
  Request request{{"kernel.py", "launch()"}, "sm_90a", {}};
  request.compiler = {.name = "stand-in", .script = "", .python = ""};
  return request;
}
[[nodiscard]] Compilation read(const std::string& text) {
  return compilation_of_answer(request(), text);
}
[[nodiscard]] Program program_of(const json& answer) {
  Compilation compilation = read(answer.dump());
  if (const auto* refusal = std::get_if<Refusal>(&compilation))
    throw std::runtime_error(refusal->reason);
  return std::get<Program>(std::move(compilation));
}
[[nodiscard]] std::string reason(const json& answer) {
  Compilation compilation = read(answer.dump());
  if (std::holds_alternative<Program>(compilation)) return "it is read";
  return std::get<Refusal>(std::move(compilation)).reason;
}
[[nodiscard]] std::string reason_with(const std::string& pointer, const json& value) {
  json changed = answer();
  changed[json::json_pointer(pointer)] = value;
  return reason(changed);
}

TEST(ExternalAnswer, IsTheProgramThatItsImagesAreMadeOf) {
  const Program program = program_of(answer());
  EXPECT_EQ(program.ptx, original().ptx);
  EXPECT_EQ(program.cubin, original().cubin);
  EXPECT_EQ(program.parameters, original().parameters);
  EXPECT_EQ(program.objects, original().objects);
  EXPECT_EQ(program.log, "made\n");
  ASSERT_THAT(program.declaration.launches, SizeIs(1));
  const Launch& launch = program.declaration.launches[0];
  EXPECT_THAT(launch.grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(launch.block, ElementsAre(64, 1, 1));
  EXPECT_THAT(launch.arguments, ElementsAre("x", "#0"));
}

TEST(ExternalAnswer, ArgumentsArePlacesInBuffersAndTensorMaps) {
  json changed = answer();
  changed["launches"].push_back(changed["launches"][0]);
  const json place = {{"buffer", "x"}, {"offset", 1024}};
  changed["launches"][0]["arguments"] = {place, "y"};
  changed["launches"][1]["arguments"] = {place,
                                         {{"map", "y"},
                                          {"dims", {64, 8}},
                                          {"strides", {80}},
                                          {"offset", 16},
                                          {"box", {32, 4}},
                                          {"swizzle", 128}}};
  const Declaration declaration = program_of(changed).declaration;
  EXPECT_THAT(declaration.launches[0].arguments, ElementsAre("x+1024", "y"));
  EXPECT_THAT(declaration.launches[1].arguments, ElementsAre("x+1024", "map 0 of y"));
  ASSERT_THAT(declaration.offset_pointers, SizeIs(1));
  EXPECT_EQ(declaration.offset_pointers[0].offset, 1024);
  ASSERT_THAT(declaration.tensor_maps, SizeIs(1));
  const TensorMap& map = declaration.tensor_maps[0];
  EXPECT_EQ(map.tensor, "y");
  EXPECT_THAT(map.view.dims, ElementsAre(64, 8, 0, 0, 0));
  EXPECT_THAT(map.view.strides, ElementsAre(80, 0, 0, 0));
  EXPECT_EQ(map.view.offset, 16);
  EXPECT_THAT(map.box, ElementsAre(32, 4, 0, 0, 0));
  EXPECT_EQ(map.swizzle, 128);
  EXPECT_EQ(map.oob_fill, "zeros");
}

TEST(ExternalAnswer, OfPtxAloneHasItsParametersAndVariables) {
  json without = answer();
  without.erase("cubin");
  const Program program = program_of(without);
  EXPECT_EQ(program.parameters.at("add"), original().parameters.at("add"));
  EXPECT_THAT(program.objects, SizeIs(original().objects.size()));
}

TEST(ExternalAnswer, NumbersAreHandedOverAsTheirTypeHasThem) {
  json numbers = answer();
  json& arguments = numbers["launches"][0]["arguments"];
  arguments = json::array({{{"type", "f32"}, {"value", 1.0}},
                           {{"type", "i32"}, {"value", -2}},
                           {{"type", "u64"}, {"value", 0xFFFFFFFFFFFFFFFFULL}},
                           {{"type", "i8"}, {"value", 1}}});
  const auto constants = program_of(numbers).declaration.constants;
  ASSERT_THAT(constants, SizeIs(4));
  const auto hex = [](const Constant& constant) {
    std::string text;
    for (const std::byte byte : constant.bytes) {
      std::array<char, 3> digits{};
      std::snprintf(digits.data(), digits.size(), "%02x", std::to_integer<unsigned>(byte));
      text += digits.data();
    }
    return text;
  };
  EXPECT_EQ(hex(constants[0]), "0000803f");
  EXPECT_EQ(hex(constants[1]), "feffffff");
  EXPECT_EQ(hex(constants[2]), "ffffffffffffffff");
  EXPECT_EQ(hex(constants[3]), "01");
}

TEST(ExternalAnswer, ErrorIsTheKernels) {
  EXPECT_EQ(reason({{"error", "kernel.py:3: no such thing"}}), "kernel.py:3: no such thing");
}

TEST(ExternalAnswer, BrokenCompilerIsNotTheKernelsFault) {
  try {
    static_cast<void>(read(json{{"broken", "there is no Triton"}}.dump()));
    FAIL() << "it is read";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("stand-in"), HasSubstr("there is no Triton")));
  }
}

TEST(ExternalAnswer, ThatCannotBeUsedSaysWhy) {
  EXPECT_THAT(reason(json::array()), HasSubstr("kernel.py: the answer of its compiler stand-in"));
  EXPECT_THAT(reason(json::object()), HasSubstr("launches"));
  EXPECT_THAT(reason_with("/ptx", 7), HasSubstr("\"ptx\" is no text"));
  EXPECT_THAT(reason_with("/ptx", ""), HasSubstr("no \"ptx\""));
  EXPECT_THAT(reason_with("/cubin", "=?"), HasSubstr("base64"));
  EXPECT_THAT(reason_with("/cubin", base64("no image")), HasSubstr("cannot be read"));
  EXPECT_THAT(reason_with("/launches", json::array()), HasSubstr("launches"));
  EXPECT_THAT(reason_with("/launches/0/grid", {0}), HasSubstr("from 1 to"));
  EXPECT_THAT(reason_with("/launches/0/grid", {1, 1, 1, 1}), HasSubstr("one to three"));
  EXPECT_THAT(reason_with("/launches/0/grid", {1.5}), HasSubstr("1.5"));
  EXPECT_THAT(reason_with("/launches/0/block", {2048}), HasSubstr("more than 1024 threads"));
  EXPECT_THAT(reason_with("/launches/0/shared_bytes", -1), HasSubstr("shared_bytes"));
  EXPECT_THAT(reason_with("/launches/0/shared_bytes", 1 << 20), HasSubstr("232448"));
  EXPECT_THAT(reason_with("/launches/0/cooperative", 1), HasSubstr("neither true nor false"));
  EXPECT_THAT(reason_with("/launches/0/arguments", json::array()), HasSubstr("arguments"));
  EXPECT_THAT(reason_with("/launches/0/arguments/0", 7), HasSubstr("neither a name"));
  EXPECT_THAT(reason_with("/launches/0/arguments/1/type", "i7"), HasSubstr("\"i7\""));
  EXPECT_THAT(reason_with("/launches/0/arguments/1/value", 1024), HasSubstr("other than null"));
  EXPECT_THAT(reason_with("/launches/0/arguments/1", {{"buffer", "x"}}),
              HasSubstr("no \"offset\""));
  EXPECT_THAT(reason_with("/launches/0/arguments/1", {{"buffer", 7}, {"offset", 1}}),
              HasSubstr("no name of it"));
  EXPECT_THAT(reason_with("/launches/0/arguments/1", {{"buffer", "x"}, {"offset", -4}}),
              HasSubstr("\"offset\" is no whole number"));
  EXPECT_THAT(reason_with("/launches/0/arguments/1", {{"map", 7}}),
              HasSubstr("\"map\" is no text"));
  EXPECT_THAT(reason_with("/launches/0/arguments/1", {{"map", "x"}, {"box", {1, 2, 3, 4, 5, 6}}}),
              HasSubstr("\"box\" is no list of at most 5"));
  EXPECT_THAT(reason_with("/launches/0/arguments/1", {{"map", "x"}, {"dims", {-1}}}),
              HasSubstr("\"dims\" is no list"));
  EXPECT_THAT(reason_with("/workspace_bytes", -5), HasSubstr("workspace_bytes"));
  json two = answer();
  two["launches"] = std::vector<json>(17, answer()["launches"][0]);
  EXPECT_THAT(reason(two), HasSubstr("1 to 16"));
}

TEST(ExternalAnswer, ImagesWithDifferentVariablesAreRefused) {
  // What only one of the two has would not be restored where the device loads that one.
  EXPECT_THAT(reason_with("/ptx", original().ptx + "\n.global .align 4 .u32 hidden;\n"),
              HasSubstr("has no variable hidden"));
  // Nor what a reader of declarations passes by.
  EXPECT_THAT(reason_with("/ptx", original().ptx + "\n.global .align 4 .u32 one, other;\n"),
              HasSubstr("several at once"));
  std::string inside = original().ptx;
  inside.insert(inside.find('{', inside.find(".entry")) + 1, "\n.global .align 4 .u32 inner;\n");
  EXPECT_THAT(reason_with("/ptx", inside), HasSubstr("in a function"));
  json hidden = answer();
  auto cubin = original().cubin;
  const std::string_view bytes(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  const std::size_t name = bytes.find(".nv.global.init");
  ASSERT_NE(name, std::string_view::npos);
  std::memcpy(cubin.data() + name, ".nv.shared.init", 15);
  hidden["cubin"] = base64({reinterpret_cast<const char*>(cubin.data()), cubin.size()});
  EXPECT_THAT(reason(hidden), HasSubstr("which is no kernel's"));
  std::string renamed = original().ptx;
  for (std::size_t at = renamed.find("calls"); at != std::string::npos; at = renamed.find("calls"))
    renamed.replace(at, 5, "count");
  EXPECT_THAT(reason_with("/ptx", renamed), HasSubstr("variable count"));
}

TEST(ExternalAnswer, CutAnywhereIsRefused) {
  const std::string whole = answer().dump();
  for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 37) {
    EXPECT_TRUE(std::holds_alternative<Refusal>(read(whole.substr(0, size)))) << size;
  }
}

TEST(ExternalAnswer, CommandSurvivesItsFile) {
  const ConfinedCommand command{.words = {"/usr/bin/python3", "a b", ""},
                                .readable = {"/usr", "/x y"}};
  const ConfinedCommand again = unpacked_command(packed(command));
  EXPECT_EQ(again.words, command.words);
  EXPECT_EQ(again.readable, command.readable);
  const std::string bytes = packed(command);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(static_cast<void>(unpacked_command(bytes.substr(0, size))), Error) << size;
}

}  // namespace
}  // namespace autokernel::compile
