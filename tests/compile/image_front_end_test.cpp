#include "autokernel/compile/image_front_end.h"

#include <gmock/gmock.h>

#include "autokernel/base/base64.h"
#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

// A kernel as somebody else has compiled it.
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

constexpr const char* kLaunch =
    "[[launch]]\nkernel = \"add\"\ngrid = [2]\nblock = [64]\narguments = [\"x\", \"y\"]\n";

// What becomes of a description with these lines, beside original.cubin and original.ptx.
[[nodiscard]] Compilation described(const std::string& lines) {
  const auto& cubin = original().cubin;
  Request request{
      {"original.toml", kImageDescription + lines}, "sm_90a", {{"M", 64}, {"N", 32}, {"K", 16}}};
  request.source.files["original.cubin"] =
      base64({reinterpret_cast<const char*>(cubin.data()), cubin.size()});
  request.source.files["original.ptx"] = base64(original().ptx);
  request.source.files["torn.cubin"] =
      base64({reinterpret_cast<const char*>(cubin.data()), cubin.size() / 2});
  request.source.files["no.cubin"] = "this is no base64";
  return ImageFrontEnd().compile(request);
}
[[nodiscard]] Program read(const std::string& lines) {
  Compilation compilation = described(lines);
  if (const auto* refusal = std::get_if<Refusal>(&compilation))
    throw std::runtime_error(refusal->reason);
  return std::get<Program>(std::move(compilation));
}
[[nodiscard]] std::string reason(const std::string& lines) {
  Compilation compilation = described(lines);
  if (std::holds_alternative<Program>(compilation)) throw std::runtime_error("it is read");
  return std::get<Refusal>(std::move(compilation)).reason;
}

TEST(ImageDescription, OfACubinIsTheProgramThatItWasMadeOf) {
  const Program program =
      read("cubin = \"original.cubin\"\nptx = \"original.ptx\"\n" + std::string(kLaunch));

  EXPECT_EQ(program.cubin, original().cubin);
  EXPECT_EQ(program.ptx, original().ptx);
  EXPECT_EQ(program.parameters, original().parameters);
  EXPECT_EQ(program.objects, original().objects);
  ASSERT_EQ(program.declaration.launches.size(), 1);
  const Launch& launch = program.declaration.launches[0];
  EXPECT_EQ(launch.kernel, "add");
  EXPECT_THAT(launch.grid, testing::ElementsAre(2, 1, 1));
  EXPECT_THAT(launch.block, testing::ElementsAre(64, 1, 1));
  EXPECT_THAT(launch.arguments, testing::ElementsAre("x", "y"));
}

TEST(ImageDescription, OfPtxAloneHasItsParametersAndVariables) {
  const Program program = read("ptx = \"original.ptx\"\n" + std::string(kLaunch));

  EXPECT_TRUE(program.cubin.empty());
  ASSERT_EQ(program.parameters.at("add").size(), 2);
  EXPECT_EQ(program.parameters.at("add")[1].offset, 8);
  // Those of the declaration are there, too.
  EXPECT_THAT(program.objects,
              testing::Contains(testing::AllOf(testing::Field(&ModuleObject::name, "calls"),
                                               testing::Field(&ModuleObject::bytes, 4))));
}

TEST(ImageDescription, HasLaunchesAsTheyAreWritten) {
  const Program program = read(
      "ptx = \"original.ptx\"\nworkspace_bytes = 512\n"
      "[[launch]]\nkernel = \"add\"\ngrid = [4, 3, 2]\nblock = [32, 2]\ncluster = [2]\n"
      "shared_bytes = 1024\ncooperative = true\n"
      "[[launch]]\nkernel = \"add\"\nprogrammatic = true\n");

  EXPECT_EQ(program.declaration.workspace_bytes, 512);
  ASSERT_EQ(program.declaration.launches.size(), 2);
  const Launch& first = program.declaration.launches[0];
  EXPECT_THAT(first.grid, testing::ElementsAre(4, 3, 2));
  EXPECT_THAT(first.cluster, testing::ElementsAre(2, 1, 1));
  EXPECT_EQ(first.shared_bytes, 1024);
  EXPECT_TRUE(first.cooperative);
  EXPECT_TRUE(program.declaration.launches[1].programmatic);
}

TEST(ImageDescription, NamesWhatIsWrongWithIt) {
  const std::string ptx = "ptx = \"original.ptx\"\n";
  EXPECT_THAT(reason(kLaunch), HasSubstr("name an image"));
  EXPECT_THAT(reason("cubin = \"other.cubin\"\n" + std::string(kLaunch)),
              HasSubstr("names 'other.cubin', which is not there"));
  EXPECT_THAT(reason("cubin = \"no.cubin\"\n" + std::string(kLaunch)), HasSubstr("is damaged"));
  EXPECT_THAT(reason("cubin = \"torn.cubin\"\n" + std::string(kLaunch)),
              HasSubstr("its cubin cannot be read"));
  EXPECT_THAT(reason(ptx + "colour = 1\n" + kLaunch), HasSubstr("'colour' is no key"));
  EXPECT_THAT(reason(ptx), HasSubstr("write one to 16 [[launch]]"));
  EXPECT_THAT(reason(ptx + "launch = 1\n"), HasSubstr("write one to 16 [[launch]]"));
  EXPECT_THAT(reason(ptx + "[[launch]]\nkernel = \"sub\"\n"), HasSubstr("no kernel sub"));
  EXPECT_THAT(reason(ptx + "[[launch]]\ngrid = [1]\n"), HasSubstr("names no kernel"));
  EXPECT_THAT(reason(ptx + kLaunch + "warps = 1\n"), HasSubstr("no key 'warps'"));
  EXPECT_THAT(reason(ptx + "[[launch]]\nkernel = \"add\"\ngrid = [0]\n"),
              HasSubstr("numbers from 1 to"));
  EXPECT_THAT(reason(ptx + "[[launch]]\nkernel = \"add\"\nblock = [1, 1, 1, 1]\n"),
              HasSubstr("one to three numbers"));
  EXPECT_THAT(reason(ptx + "[[launch]]\nkernel = \"add\"\nshared_bytes = -1\n"),
              HasSubstr("a whole number from 0"));
  EXPECT_THAT(reason(ptx + "[[launch]]\nkernel = \"add\"\ncooperative = 1\n"),
              HasSubstr("true or false"));
  EXPECT_THAT(reason(ptx + "launch ="), HasSubstr("original.toml:3: "));
}

TEST(ImageDescription, CutAnywhereIsReadOrNamesTheFile) {
  const std::string text = "ptx = \"original.ptx\"\n" + std::string(kLaunch);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Compilation compilation = described(text.substr(0, size));
    if (const auto* refusal = std::get_if<Refusal>(&compilation)) {
      EXPECT_THAT(refusal->reason, HasSubstr("original.toml")) << size;
    }
  }
}

TEST(ImageDescription, IsToldFromCudaByItsFirstLine) {
  EXPECT_TRUE(is_image_description("# autokernel image 1\ncubin = \"x\""));
  EXPECT_FALSE(is_image_description("// # autokernel image 1\n"));
  EXPECT_FALSE(is_image_description("# autokernel image 12\n"));
}

TEST(KernelFile, AsksForTheOriginalWithNothingElseInIt) {
  EXPECT_TRUE(asks_for_original("#include <autokernel.cuh>\nAUTOKERNEL_ORIGINAL;\n"));
  EXPECT_TRUE(asks_for_original(
      "// The captured kernel.\n#include <autokernel.cuh>\n/* as it is */ AUTOKERNEL_ORIGINAL ;"));
  EXPECT_FALSE(asks_for_original("#include <autokernel.cuh>\n// AUTOKERNEL_ORIGINAL;\n"));
  EXPECT_FALSE(asks_for_original("#include <autokernel.cuh>\nAUTOKERNEL_ORIGINAL;\nint x;\n"));
  EXPECT_FALSE(asks_for_original("AUTOKERNEL_ORIGINAL;\n"));
  EXPECT_TRUE(asks_for_original("# In Python.\nAUTOKERNEL_ORIGINAL\n\n# def launch(x):\n"));
  EXPECT_FALSE(asks_for_original("AUTOKERNEL_ORIGINAL\nimport triton\n"));
  EXPECT_FALSE(asks_for_original("# AUTOKERNEL_ORIGINAL\n"));
  EXPECT_FALSE(asks_for_original(""));
}

// kernel.toml of a case, beside the same images as they are.
[[nodiscard]] Compilation kernel_of(const std::string& text) {
  const auto& cubin = original().cubin;
  Request request{{"kernel.toml", text}, "sm_90a", {{"M", 64}, {"N", 1000}, {"K", 16}}};
  request.source.files["kernel.cubin"] =
      std::string(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  request.source.files["kernel.ptx"] = original().ptx;
  request.source.files["empty.ptx"] = "";
  return ImageFrontEnd().compile(request);
}
[[nodiscard]] std::string refusal_of(const std::string& text) {
  Compilation compilation = kernel_of(text);
  if (std::holds_alternative<Program>(compilation)) return "it is read";
  return std::get<Refusal>(std::move(compilation)).reason;
}

TEST(ImageKernel, IsTheImageThatItNamesLaunchedByFormulasOfTheSizes) {
  const std::string launch =
      "workspace_bytes = \"4*N\"\n[[launch]]\nkernel = \"add\"\ngrid = [\"(N + 255) / 256\", 2]\n"
      "block = [64]\nshared_bytes = \"M % 10 * 16\"\narguments = [\"x\", \"y\"]\n";
  for (const std::string image : {"kernel.ptx", "kernel.cubin"}) {
    Compilation compilation = kernel_of("image = \"" + image + "\"\n" + launch);
    ASSERT_TRUE(std::holds_alternative<Program>(compilation))
        << std::get<Refusal>(compilation).reason;
    const auto& program = std::get<Program>(compilation);
    EXPECT_EQ(program.parameters, original().parameters);
    EXPECT_EQ(program.ptx.empty(), image == "kernel.cubin");
    EXPECT_EQ(program.declaration.workspace_bytes, 4000U);
    EXPECT_THAT(program.declaration.launches[0].grid, testing::ElementsAre(4, 2, 1));
    EXPECT_EQ(program.declaration.launches[0].shared_bytes, 64U);
  }
}

TEST(ImageKernel, ThatCannotBeReadSaysWhy) {
  const std::string launch = "[[launch]]\nkernel = \"add\"\narguments = [\"x\", \"y\"]\n";
  EXPECT_THAT(refusal_of(launch), HasSubstr("name an image"));
  EXPECT_THAT(refusal_of("image = \"none.ptx\"\n" + launch), HasSubstr("'none.ptx'"));
  EXPECT_THAT(refusal_of("image = \"empty.ptx\"\n" + launch), HasSubstr("kernel.toml: "));
  EXPECT_THAT(refusal_of("cubin = \"kernel.cubin\"\n" + launch), HasSubstr("'cubin' is no key"));
  const auto with_grid = [&](const std::string& grid) {
    return refusal_of("image = \"kernel.ptx\"\n" + launch + "grid = [\"" + grid + "\"]\n");
  };
  EXPECT_THAT(with_grid("Q"), HasSubstr("\"Q\", which is no size"));
  EXPECT_THAT(with_grid("N / (M - 64)"), HasSubstr("divides by 0"));
  EXPECT_THAT(with_grid("N +"), HasSubstr("ends too early"));
  EXPECT_THAT(with_grid("(N"), HasSubstr("not closed"));
  EXPECT_THAT(with_grid("N N"), HasSubstr("ends before \"N\""));
  EXPECT_THAT(with_grid("M - 64"), HasSubstr("from 1 to"));
  EXPECT_THAT(with_grid("N*N*N*N*N*N*N"), HasSubstr("too large"));
  EXPECT_THAT(with_grid(std::string(200, '(') + "1"), HasSubstr("too many brackets"));
}

}  // namespace
}  // namespace autokernel::compile
