// A source cannot read files while it is compiled, however it spells the attempt.
#include <gmock/gmock.h>

#include "autokernel/base/landlock.h"
#include "compile/compiled.h"
#include "support/scratch_folder.h"

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Confinement : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
  }
  // `line` names the file as SECRET.
  std::string with_secret(std::string line) {
    line.replace(line.find("SECRET"), 6, secret_.string());
    return with_kernel(line, "x[0] = 1;");
  }
  void expect_unread(const std::string& line) {
    const Refusal refused = refusal(with_secret(line));
    EXPECT_THAT(refused.reason, HasSubstr("open source file")) << line;
    EXPECT_THAT(refused.reason + refused.log, Not(HasSubstr("forty-two"))) << line;
  }

  test::ScratchFolder scratch_;
  std::filesystem::path secret_ = scratch_.write("secret", "constexpr int forty-two = 42;\n");
};

TEST_F(Confinement, StopsAnInclude) { expect_unread("#include \"SECRET\""); }

TEST_F(Confinement, StopsAnIncludeBehindAMacro) {
  expect_unread("#define FILE_NAME \"SECRET\"\n#include FILE_NAME");
}

TEST_F(Confinement, StopsAnIncludeSpeltWithADigraph) { expect_unread("%:include \"SECRET\""); }

TEST_F(Confinement, StopsAnIncludeBrokenOverLines) { expect_unread("#inc\\\nlude \"SECRET\""); }

TEST_F(Confinement, StopsAnIncludeOfAPathThatLeadsOutOfTheHeaders) {
  expect_unread("#include <../../../../../../../../SECRET>");
}

// Two honest sources that differ in whether the file is there would leak one bit a compile.
TEST_F(Confinement, HidesWhetherAFileIsThere) {
  const std::string asks = "#if __has_include(\"SECRET\")\n#error it is there\n#endif";
  EXPECT_TRUE(std::holds_alternative<Program>(compile(with_secret(asks))));
}

TEST_F(Confinement, LeavesCudasHeaders) {
  for (const char* header : {"cuda_fp16.h", "cuda_bf16.h", "mma.h", "cooperative_groups.h",
                             "cuda/std/array", "cuda/barrier", "curand_kernel.h"}) {
    const Compilation compiled =
        compile(with_kernel("#include <" + std::string(header) + ">", "x[0] = 1;"));
    const auto* refused = std::get_if<Refusal>(&compiled);
    // A toolkit of which only the compiler's wheel is there has no curand_kernel.h.
    const bool absent = refused != nullptr && std::string_view(header) == "curand_kernel.h" &&
                        refused->reason.find("open source file") != std::string::npos;
    EXPECT_TRUE(refused == nullptr || absent) << header << ": " << refused->reason;
  }
}

}  // namespace
}  // namespace autokernel::compile
