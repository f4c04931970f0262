// [compile]: headers of libraries and options of the compiler.
#include <gmock/gmock.h>

#include <filesystem>

#include "cases/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::ThrowsMessage;

Case with_compile(const std::string& lines) {
  return parse(sample() + "[compile]\n" + lines + "\n", "/case");
}
auto refuses(const std::string& flag, const std::string& words) {
  EXPECT_THAT([&] { static_cast<void>(with_compile("flags = [\"" + flag + "\"]")); },
              ThrowsMessage<Error>(AllOf(HasSubstr("/case/case.toml:"), HasSubstr(words))))
      << flag;
}

TEST(CompilePlan, IsEmptyWhereACaseSaysNothing) {
  EXPECT_THAT(parse(sample(), "/case").compile.include, IsEmpty());
  EXPECT_THAT(parse(sample(), "/case").compile.flags, IsEmpty());
}

TEST(CompilePlan, HasFoldersAndFlags) {
  const Case problem = with_compile(
      "include = [\"../lib/include\", \"/opt/cutlass/include\"]\n"
      "flags = [\"-maxrregcount=128\", \"--fmad=false\", \"ftz=true\", \"-default-device\"]");

  EXPECT_THAT(problem.compile.include, ElementsAre("../lib/include", "/opt/cutlass/include"));
  EXPECT_THAT(problem.compile.flags,
              ElementsAre("-maxrregcount=128", "-fmad=false", "-ftz=true", "-default-device"));
}

TEST(CompilePlan, WithAFlagThatIsNotAmongThoseAllowedNamesThem) {
  refuses("-I/etc",
          "holds \"-I/etc\", which is not among the options a case may set: maxrregcount");
  refuses("--include-path=/etc", "not among the options");
  refuses("-use_fast_math", "not among the options");
  refuses("-maxrregcount", "write -maxrregcount=N with N from 1 to 255");
  refuses("-maxrregcount=0", "write -maxrregcount=N with N from 1 to 255");
  refuses("-maxrregcount=64 -I/etc", "write -maxrregcount=N with N from 1 to 255");
  refuses("-fmad=maybe", "write -fmad=true or =false");
  refuses("-fmad", "write -fmad=true or =false");
  refuses("-default-device=true", "write -default-device");
  EXPECT_THAT([] { static_cast<void>(with_compile("flags = [\"-ftz=true\", \"--ftz=false\"]")); },
              ThrowsMessage<Error>(HasSubstr("has -ftz twice; leave one out")));
}

TEST(Headers, AreReadByTheNamesTheyAreIncludedBy) {
  const test::ScratchFolder folder;
  folder.write("lib/include/a/b.hpp", "b");
  folder.write("lib/include/a/detail/c.inl", "c");
  folder.write("lib/include/plain", "p");
  folder.write("lib/include/a/readme.md", "no header");
  folder.write("lib/include/.git/config.h", "git's own");
  fs::create_directories(folder.path() / "case");

  const HeaderFolder headers = read_headers(folder.path() / "case", "../lib/include");

  EXPECT_THAT(headers.files, ElementsAre(Key("a/b.hpp"), Key("a/detail/c.inl"), Key("plain")));
  EXPECT_EQ(headers.files.at("a/b.hpp"), "b");
}

TEST(Headers, BehindALinkAreNotRead) {
  const test::ScratchFolder folder;
  folder.write("secret.h", "the secret");
  folder.write("outside/also.h", "secret as well");
  folder.write("include/a.h", "a");
  fs::create_symlink(folder.path() / "secret.h", folder.path() / "include/link.h");
  fs::create_directory_symlink(folder.path() / "outside", folder.path() / "include/outside");

  EXPECT_THAT(read_headers(folder.path(), "include").files, ElementsAre(Key("a.h")));
}

TEST(Headers, WhoseNamesOrBytesNoCompilerReadsAreNotRead) {
  const test::ScratchFolder folder;
  folder.write("include/a.h", "a");
  folder.write("include/b\xff.h", "b");
  folder.write("include/c.h", std::string_view("c\0d", 3));
  fs::create_directories(folder.path() / "case");

  EXPECT_THAT(read_headers(folder.path() / "case", "../include").files, ElementsAre(Key("a.h")));
}

TEST(Headers, BesideTheKernelAreRefusedAsItChanges) {
  const test::ScratchFolder folder;
  folder.write("case/kernel.cu", "");
  for (const std::string name : {".", "..", "../case"}) {
    EXPECT_THAT([&] { static_cast<void>(read_headers(folder.path() / "case", name)); },
                ThrowsMessage<Error>(HasSubstr("it holds the kernel, which changes")))
        << name;
  }
}

TEST(Headers, ThatAreNotThereAreNamedWithTheKey) {
  const test::ScratchFolder folder;
  EXPECT_THAT([&] { static_cast<void>(read_headers(folder.path(), "nowhere")); },
              ThrowsMessage<Error>(AllOf(HasSubstr("nowhere"), HasSubstr("[compile] include"),
                                         HasSubstr("there is no such folder"))));
}

TEST(Headers, OfAFolderThatHoldsTooMuchAreRefused) {
  const test::ScratchFolder folder;
  const std::string much(15 << 20, ' ');
  for (int i = 0; i < 9; ++i) folder.write("include/" + std::to_string(i) + ".h", much);

  EXPECT_THAT([&] { static_cast<void>(read_headers(folder.path(), "include")); },
              ThrowsMessage<Error>(HasSubstr("more than 20000 files or 128 MB")));
}

TEST(Headers, HaveADigestThatAnyChangeChanges) {
  const HeaderFolder headers{"include", {{"a.h", "one"}, {"b.h", "two"}}};
  const std::string digest = digest_of(headers);

  EXPECT_EQ(digest, digest_of({"elsewhere", headers.files}));
  EXPECT_NE(digest, digest_of({"include", {{"a.h", "one"}, {"b.h", "twp"}}}));
  EXPECT_NE(digest, digest_of({"include", {{"a.h", "one"}, {"c.h", "two"}}}));
  EXPECT_NE(digest, digest_of({"include", {{"a.h", "one"}}}));
  EXPECT_NE(digest, digest_of({"include", {{"a.h", "onetwo"}, {"b.h", ""}}}));
}

}  // namespace
}  // namespace autokernel::cases
