// Cases of kernels that a program launched: its values, its structs, its images.
#include <gmock/gmock.h>

#include "autokernel/base/base64.h"
#include "autokernel/base/sha256.h"
#include "cases/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kDigest(64, 'a');
const std::string kValues =
    "fill = \"captured\"\nfile = \"capture/in0.bin\"\nsha256 = \"" + kDigest + "\"\n";

[[nodiscard]] std::string with_fill(const std::string& lines) {
  return sample_with("fill = \"normal\"\n", lines);
}
[[nodiscard]] std::string with_struct(const std::string& lines) {
  return with(kernel_sample(), "[reference]", "[[struct]]\nname = \"s\"\n" + lines + "[reference]");
}
// The case of a captured kernel whose image holds `image`, and its digest is that of `digested`.
[[nodiscard]] std::string with_image(const std::string& digested) {
  return with(kernel_sample(), "file = \"reference.cu\"\n",
              "file = \"capture/original.toml\"\nimages = [\"capture/original.cubin\"]\n"
              "images_sha256 = [\"" +
                  sha256(digested) + "\"]\n");
}
[[nodiscard]] CaseFiles files_with(const std::string& image) {
  return {.directory = "some/case",
          .bytes = {{"case.toml", with_image("image")},
                    {"capture/original.toml", "# autokernel image 1\n"}},
          .images = {{"capture/original.cubin", base64(image)}}};
}
[[nodiscard]] std::string complaint_about_files(const CaseFiles& files) {
  try {
    static_cast<void>(parse(files));
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

TEST(CapturedValues, AreThoseOfAFileOfThatDigest) {
  const Fill fill = parse(with_fill(kValues + "values = \"drawn\"\n"), "c").tensor("A").fill;

  EXPECT_EQ(fill.distribution, Distribution::captured);
  EXPECT_EQ(fill.file, "capture/in0.bin");
  EXPECT_EQ(fill.sha256, kDigest);
  EXPECT_EQ(fill.use, CapturedUse::drawn);
  const auto use_of = [](const std::string& use) {
    return parse(with_fill(kValues + "values = \"" + use + "\"\n"), "c").tensor("A").fill.use;
  };
  EXPECT_EQ(use_of("kept"), CapturedUse::kept);
  EXPECT_EQ(use_of("perturbed"), CapturedUse::perturbed);
}

TEST(CapturedValues, NameWhatIsWrongWithThem) {
  const auto without = [](const std::string& part) {
    return complaint_about(with_fill(with(kValues + "values = \"kept\"\n", part, "")));
  };
  EXPECT_THAT(without("file = \"capture/in0.bin\"\n"), HasSubstr("file"));
  EXPECT_THAT(without("sha256 = \"" + kDigest + "\"\n"), HasSubstr("sha256"));
  EXPECT_THAT(without("values = \"kept\"\n"), HasSubstr("values"));
  for (const std::string file : {"../in0.bin", "/etc/passwd", "capture/../../in0.bin"}) {
    EXPECT_THAT(
        complaint_about(with_fill(with(kValues, "capture/in0.bin", file) + "values = \"kept\"\n")),
        HasSubstr("write a path within the folder of the case"))
        << file;
  }
  EXPECT_THAT(complaint_about(with_fill(with(kValues, kDigest, "ABC") + "values = \"kept\"\n")),
              HasSubstr("64 hexadecimal digits"));
  EXPECT_THAT(complaint_about(with_fill(kValues + "values = \"kept\"\nlow = 1\n")),
              HasSubstr("low"));
}

TEST(Struct, IsAScalarOfItsBytesWithAddressesInIt) {
  const Tensor tensor =
      parse(with_struct("bytes = \"000102030405060708090a0b0c0d0e0f\"\npointers = [\"8 x 24\"]\n"),
            "c")
          .tensor("s");

  EXPECT_TRUE(tensor.is_scalar);
  ASSERT_TRUE(tensor.by_value);
  EXPECT_EQ(tensor.by_value->bytes, "000102030405060708090a0b0c0d0e0f");
  ASSERT_EQ(tensor.by_value->pointers.size(), 1);
  EXPECT_EQ(tensor.by_value->pointers[0].at, 8);
  EXPECT_EQ(tensor.by_value->pointers[0].tensor, "x");
  EXPECT_EQ(tensor.by_value->pointers[0].offset, 24);
}

TEST(Struct, NamesWhatIsWrongWithIt) {
  const auto about = [](const std::string& lines) { return complaint_about(with_struct(lines)); };
  const std::string bytes = "bytes = \"" + std::string(32, '0') + "\"\n";
  EXPECT_THAT(about(""), HasSubstr("bytes"));
  for (const std::string digits : {"0", "0g", "0A"}) {
    EXPECT_THAT(about("bytes = \"" + digits + "\"\n"), HasSubstr("two hexadecimal digits"))
        << digits;
  }
  EXPECT_THAT(about("bytes = \"" + std::string(2 * 32'765, '0') + "\"\n"),
              HasSubstr("two hexadecimal digits"));
  for (const std::string pointer : {"8", "8 x", "x 8 0", "8 x 0 0", "-1 x 0", "8 x -8"}) {
    EXPECT_THAT(about(bytes + "pointers = [\"" + pointer + "\"]\n"),
                HasSubstr("write where the address lies"))
        << pointer;
  }
  EXPECT_THAT(about(bytes + "pointers = [\"8 z 0\"]\n"), HasSubstr("there is no tensor z"));
  EXPECT_THAT(about(bytes + "pointers = [\"8 s 0\"]\n"), HasSubstr("there is no tensor s"));
  for (const std::string at : {"9", "16", "18446744073709551615"}) {
    EXPECT_THAT(about(bytes + "pointers = [\"" + at + " x 0\"]\n"), HasSubstr("lies behind")) << at;
  }
  EXPECT_THAT(about("bytes = \"00\"\npointers = [\"0 x 0\"]\n"), HasSubstr("lies behind"));
  EXPECT_THAT(about(bytes + "colour = 1\n"), HasSubstr("colour"));
}

TEST(OwnBounds, AreThoseOfTheTensorInPlaceOfTheCases) {
  const auto text = [](const std::string& lines) {
    return sample_with("role = \"out\"\n", "role = \"out\"\n" + lines);
  };
  const std::string lines = "absolute = 0.5\nrelative = 0.25\n";
  const auto never = [](const std::string& of) {
    return with(of, "exact = \"sum-of-products\"\nsum_over = \"K\"", "exact = \"never\"");
  };
  const Tensor tensor = parse(never(text(lines)), "c").tensor("C");
  ASSERT_TRUE(tensor.tolerance);
  EXPECT_EQ(tensor.tolerance->absolute, 0.5);
  EXPECT_EQ(tensor.tolerance->relative, 0.25);
  EXPECT_EQ(parse(never(text("relative = 0.25\n")), "c").tensor("C").tolerance->absolute, 0);
  EXPECT_FALSE(parse(sample(), "c").tensor("C").tolerance);

  EXPECT_THAT(complaint_about(text(lines)), HasSubstr("go with \"never\" only"));
  EXPECT_THAT(complaint_about(never(text("absolute = -1\n"))), HasSubstr("absolute"));
  EXPECT_THAT(
      complaint_about(never(sample_with("role = \"in\"\n", "role = \"in\"\nabsolute = 1\n"))),
      HasSubstr("is for what a kernel writes"));
}

TEST(CapturedImage, IsTakenWithTheDigestOfTheCaseOnly) {
  const Case problem = parse(files_with("image"));
  EXPECT_EQ(std::get<KernelReference>(problem.reference).images.at("capture/original.cubin"),
            base64("image"));

  EXPECT_THAT(complaint_about_files(files_with("imagE")),
              AllOf(HasSubstr("images_sha256"), HasSubstr("has been changed")));
  CaseFiles missing = files_with("image");
  missing.images.clear();
  EXPECT_THAT(complaint_about_files(missing),
              AllOf(HasSubstr("capture/original.cubin"), HasSubstr("extract the case again")));
}

TEST(CapturedImage, LiesInTheFolderOfTheCase) {
  for (const std::string name : {"../original.cubin", "/original.cubin", "original.so"}) {
    EXPECT_THAT(complaint_about(with(with_image("image"), "capture/original.cubin", name)),
                HasSubstr("write .cubin or .ptx files"))
        << name;
  }
  EXPECT_THAT(complaint_about(with(with_image("image"), "images_sha256 = [",
                                   "images_sha256 = [\"" + kDigest + "\", ")),
              HasSubstr("has 2 entries, and images 1"));
}

TEST(CapturedImage, IsReadWhereItIsAndStaysOutWhereItIsNot) {
  const test::ScratchFolder scratch;
  scratch.write("case.toml", with_image("image"));
  scratch.write("capture/original.toml", "# autokernel image 1\n");
  EXPECT_TRUE(read_files(scratch.path()).images.empty());

  scratch.write("capture/original.cubin", "image");
  EXPECT_EQ(read_files(scratch.path()).images.at("capture/original.cubin"), base64("image"));

  scratch.write("elsewhere.cubin", "image");
  std::filesystem::remove(scratch.path() / "capture/original.cubin");
  std::filesystem::create_symlink(scratch.path() / "elsewhere.cubin",
                                  scratch.path() / "capture/original.cubin");
  EXPECT_THROW(static_cast<void>(read_files(scratch.path())), Error);
}

}  // namespace
}  // namespace autokernel::cases
