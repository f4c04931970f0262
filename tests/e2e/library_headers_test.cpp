// A case that lists folders of headers: what was hashed is what is compiled, and nothing else can
// be included.
#include <gmock/gmock.h>

#include <filesystem>

#include "autokernel/base/files.h"
#include "e2e/loop_workplace.h"
#include "support/full_test.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// The elementwise case, whose kernel takes its factor from a header two folders further down.
class LibraryHeaders : public LoopWorkplace {
 protected:
  LibraryHeaders() {
    list("[compile]\ninclude = [\"../../library\"]\n");
    write_header(
        "lib/scale.hpp",
        "#pragma once\n#include \"detail/factor.hpp\"\n__device__ inline float scaled(float "
        "x) { return FACTOR * x; }\n");
    write_factor(2);
    edit(kernel_that_includes());
    repository_.commit("a kernel with a library");
  }

  void list(const std::string& section) const {
    const std::string text = repository_.read("kernels/case.toml");
    repository_.write("kernels/case.toml", text.substr(0, text.find("[compile]")) + section);
  }
  // Outside the repository, as a library is.
  void write_header(const std::string& name, const std::string& text) const {
    const fs::path file = library() / name;
    fs::create_directories(file.parent_path());
    write_file_atomically(file, text, Sync::no);
  }
  void write_factor(int factor) const {
    write_header("lib/detail/factor.hpp", "#define FACTOR " + std::to_string(factor) + "\n");
  }
  [[nodiscard]] fs::path library() const { return repository_.beside("library"); }

  static std::string kernel_that_includes(const std::string& header = "lib/scale.hpp") {
    return "#include <" + header + ">\n" +
           kernel_with(kSlow, "sum = 2 * x[i] + y[i]", "sum = scaled(x[i]) + y[i]");
  }
  [[nodiscard]] Outcome bench() const {
    return run_autokernel({"bench", "--case", "kernels", "--device", "cpu", "--size", "check"});
  }
};

TEST_F(LibraryHeaders, AreCompiledWithTheKernel) {
  const Outcome right = bench();
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  write_factor(3);
  EXPECT_EQ(bench().code, 11) << "the cache goes by what is in the headers";
}

TEST_F(LibraryHeaders, ThatAreNotListedCannotBeIncluded) {
  write_file_atomically(repository_.beside("other.hpp"), "#define FACTOR 2\n", Sync::no);
  for (const std::string header : {"../other.hpp", "other.hpp", "lib/../../other.hpp"}) {
    edit(kernel_that_includes(header));
    const Outcome run = bench();
    EXPECT_EQ(run.code, 12) << header << run.out;
    EXPECT_THAT(run.out, HasSubstr("add their folder to [compile] include in case.toml"));
  }
}

TEST_F(LibraryHeaders, InAFolderThatIsNotThereAreAMistakeOfTheCase) {
  list("[compile]\ninclude = [\"../nowhere\"]\n");
  const Outcome run = bench();
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_THAT(run.err, AllOf(HasSubstr("nowhere"), HasSubstr("there is no such folder")));
}

TEST_F(LibraryHeaders, MayNotChangeInARun) {
  start();
  write_factor(3);
  const Outcome refused = step(kernel_with(kFaster, "float sum", "float sum"), "an idea");
  EXPECT_EQ(refused.code, 15) << refused.out << refused.err;
  EXPECT_THAT(refused.err,
              HasSubstr("the headers in ../../library ([compile] include) are not those"));
  EXPECT_EQ(run_autokernel({"verify-run"}).code, 4);
  write_factor(2);
  EXPECT_EQ(step("#include <lib/scale.hpp>\n" +
                     kernel_with(kFaster, "sum = 2 * x[i] + y[i]", "sum = scaled(x[i]) + y[i]"),
                 "a tenth of the rounds")
                .code,
            0);
}

// A comment of the kernel is enough to have a header sent: only the kernel itself may see it.
TEST_F(LibraryHeaders, OfOneSourceAreNotThoseOfAnother) {
  write_header(
      "lib/base.hpp",
      "#if __has_include(\"lib/fast.hpp\")\n#define SCALE 3\n#else\n#define SCALE 2\n#endif\n");
  write_header("lib/fast.hpp", "");
  const std::string reference = repository_.read("kernels/reference.cu");
  const std::size_t at = reference.find("2 * x[i]");
  ASSERT_NE(at, std::string::npos);
  repository_.write("kernels/reference.cu",
                    "#include <lib/base.hpp>\n" + std::string(reference).replace(at, 1, "SCALE"));
  const std::string source = kernel_with(kFastest, "2 * x[i]", "3 * x[i]");

  edit(source);
  EXPECT_EQ(bench().code, 11);
  edit("/*\n#include <lib/fast.hpp>\n*/\n" + source);
  EXPECT_EQ(bench().code, 11);
}

TEST_F(LibraryHeaders, OfCutlassMakeACuTeKernel) {
  if (!everything_is_wanted()) {
    GTEST_SKIP() << "a minute, and a download; AUTOKERNEL_TEST_FULL=1 takes it";
  }
  const fs::path example = repository_.beside("cute");
  fs::copy(fs::path(AUTOKERNEL_SOURCES) / "kernels" / "examples" / "cute", example);
  const Outcome fetched = test::run({.program = "/bin/bash",
                                     .arguments = {(example / "get_cutlass.sh").string()},
                                     .directory = example,
                                     .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}}});
  if (fetched.code != 0) GTEST_SKIP() << "no nvidia-cutlass to be had: " << fetched.err;

  const Outcome run =
      run_autokernel({"bench", "--case", example.string(), "--device", "cpu", "--size", "check"});

  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

}  // namespace
}  // namespace autokernel::test
