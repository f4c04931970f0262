// Which files beside the main one a case lets a kernel have.
#include "autokernel/cases/editable_files.h"

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

EditableFiles matching(const std::string& pattern) {
  return {{pattern}, {"kernel.cu", "case.toml", "reference.cu", "library/"}};
}

TEST(EditableFiles, AreMatchedNameByName) {
  EXPECT_TRUE(matching("include/*.cuh").contain("include/tile.cuh"));
  EXPECT_TRUE(matching("include/*.cuh").contain("include/my tile.cuh"));
  EXPECT_FALSE(matching("include/*.cuh").contain("include/deep/tile.cuh"));
  EXPECT_FALSE(matching("include/*.cuh").contain("tile.cuh"));
  EXPECT_FALSE(matching("include/*.cuh").contain("include/tile.cuh/x"));
  EXPECT_TRUE(matching("tile_[0-9].cuh").contain("tile_7.cuh"));
  EXPECT_TRUE(matching("til?.cuh").contain("tile.cuh"));
  EXPECT_FALSE(matching("til?.cuh").contain("til/.cuh"));
}

TEST(EditableFiles, OfAnyFolderAreMatchedByTwoStars) {
  for (const char* path : {"tile.cuh", "a/tile.cuh", "a/b/c/tile.cuh"})
    EXPECT_TRUE(matching("**/*.cuh").contain(path)) << path;
  EXPECT_TRUE(matching("include/**/x/*.cuh").contain("include/x/a.cuh"));
  EXPECT_TRUE(matching("include/**/x/*.cuh").contain("include/a/b/x/a.cuh"));
  EXPECT_FALSE(matching("include/**/x/*.cuh").contain("include/a/b/a.cuh"));
}

TEST(EditableFiles, AreNeverWhatIsFixedOrHidden) {
  for (const char* path : {"kernel.cu",
                           "case.toml",
                           "reference.cu",
                           "library/a.cuh",
                           "library/b/a.cuh",
                           ".git/config",
                           "a/.autokernel/x",
                           ".hidden.cuh",
                           "a/.x.cuh",
                           "..",
                           "../x.cuh",
                           "a//b",
                           "",
                           "a/",
                           "a\"b.cuh",
                           "a\nb.cuh",
                           "*b.cuh",
                           "git~1/b.cuh",
                           "a:b.cuh",
                           "gr\xC3\xB6\xC3\x9F.cuh"}) {
    EXPECT_FALSE(matching("**/*").contain(path)) << path;
    EXPECT_FALSE(matching("**/[.a-z]*").contain(path)) << path;
  }
}

TEST(EditableFiles, AreMatchedInNoTime) {
  std::string path;
  for (int i = 0; i < 15; ++i) path += "src/inc/";
  EXPECT_FALSE(matching("**/src/**/inc/**/*.cuh").contain(path + "x.hpp"));
  EXPECT_TRUE(matching("**/src/**/inc/**/*.cuh").contain(path + "x.cuh"));
  for (int i = 0; i < 2; ++i) path += "src/inc/";
  EXPECT_FALSE(matching("**/*.cuh").contain(path + "x.cuh")) << "too deep";
}

TEST(EditableFiles, MayLieOnTheWayOfAPattern) {
  const EditableFiles files = matching("include/*/x.cuh");
  EXPECT_TRUE(files.may_lie_in("include"));
  EXPECT_TRUE(files.may_lie_in("include/a/"));
  EXPECT_FALSE(files.may_lie_in("include/a/b"));
  EXPECT_FALSE(files.may_lie_in("source"));
  EXPECT_FALSE(files.may_lie_in(".git"));
  EXPECT_FALSE(EditableFiles().may_lie_in(""));
}

TEST(EditableFiles, AreReadButForLinksAndOtherRepositories) {
  const test::ScratchFolder scratch;
  scratch.write("a/one.cuh", "one");
  scratch.write("two.cuh", "two");
  scratch.write("kernel.cu", "main");
  scratch.write("a/notes.txt", "none");
  scratch.write("module/.git", "gitdir: elsewhere");
  scratch.write("module/three.cuh", "another's");
  scratch.write("secret", "secret");
  fs::create_symlink(scratch.path() / "secret", scratch.path() / "link.cuh");
  fs::create_directory_symlink(scratch.path() / "a", scratch.path() / "b");

  const EditableFiles files({"**/*.cuh", "**/*.cu"}, {"kernel.cu"});

  EXPECT_THAT(files.find(scratch.path()), ElementsAre("a/one.cuh", "two.cuh"));
  EXPECT_THAT(files.read(scratch.path()), ElementsAre(Key("a/one.cuh"), Key("two.cuh")));
  const KernelSource kernel = read_kernel(scratch.path() / "kernel.cu", files, "the kernel");
  EXPECT_EQ(kernel.text, "main");
  EXPECT_EQ(kernel.files.at("a/one.cuh"), "one");
}

TEST(EditableFiles, AreAsManyAndAsLargeAsAKernelIs) {
  const test::ScratchFolder scratch;
  for (std::size_t i = 0; i <= kMostEditableFiles; ++i)
    scratch.write(std::to_string(i) + ".cuh", "");
  const EditableFiles files({"*.cuh"}, {});
  EXPECT_THAT([&] { static_cast<void>(files.read(scratch.path())); },
              ThrowsMessage<Error>(AllOf(HasSubstr("there are 257"), HasSubstr("at most 256"))));
  fs::remove(scratch.path() / "0.cuh");
  EXPECT_EQ(files.read(scratch.path()).size(), kMostEditableFiles);
  scratch.write("1.cuh", std::string(kLargestSource, 'x'));
  scratch.write("2.cuh", "x");
  EXPECT_THAT([&] { static_cast<void>(files.read(scratch.path())); },
              ThrowsMessage<Error>(HasSubstr("at most 16 together")));
}

Case with_patterns(const std::string& list) {
  return parse("editable_files = " + list + "\n" + sample(), "/case");
}

TEST(EditableFilesOfACase, AreNoneWhereItSaysNothing) {
  EXPECT_TRUE(parse(sample(), "/case").editable_files.empty());
}

TEST(EditableFilesOfACase, AreItsPatterns) {
  const EditableFiles files = with_patterns(R"(["include/**/*.cuh", "tile.h"])").editable_files;
  EXPECT_THAT(files.patterns(), ElementsAre("include/**/*.cuh", "tile.h"));
  EXPECT_TRUE(files.contain("include/a.cuh"));
  EXPECT_FALSE(files.contain("kernel.cu"));
}

TEST(EditableFilesOfACase, CannotBePatternsThatLeaveItOrNameWhatIsFixed) {
  const auto refuses = [](const std::string& pattern, const std::string& words) {
    EXPECT_THAT([&] { static_cast<void>(with_patterns("[\"" + pattern + "\"]")); },
                ThrowsMessage<Error>(AllOf(HasSubstr("/case/case.toml:1:"),
                                           HasSubstr("editable_files"), HasSubstr(words))))
        << pattern;
  };
  refuses("", "holds \"\"");
  refuses("../other/*.cuh", "leads out of the folder");
  refuses("a/../b.cuh", "leads out of the folder");
  refuses("/usr/include/*.h", "is absolute");
  refuses("include/", "write \"include/*.cuh\"");
  refuses("./a.cuh", "leave it out");
  refuses("a//b.cuh", "two '/' in a row");
  refuses(".git/config", "begins with '.'");
  refuses("include/.autokernel/x", "begins with '.'");
  refuses("*.{cuh,h}", "each alternative as a pattern of its own");
  refuses("a**.cuh", "whole folders");
  refuses("include/**", "write \"include/**/*.cuh\"");
  refuses(
      "gr\xC3\xB6\xC3\x9F"
      "e.cuh",
      "printable ASCII");
  refuses("case.toml", "stays as it is");
  refuses("include/[*.cuh", "not closed");
  refuses("!include/x.cuh", "begins with '!'");
  refuses("include/*.cuh ", "ends with a blank");
  refuses("*a*b*c*d*e*f*g*h*i*", "more than 8 stars");
}

TEST(EditableFilesOfACase, CannotBeInAFolderOfItsLibraries) {
  EXPECT_THAT(
      [] {
        static_cast<void>(parse("editable_files = [\"library/*.h\"]\n" + sample() +
                                    "[compile]\ninclude = [\"library\"]\n",
                                "/case"));
      },
      ThrowsMessage<Error>(HasSubstr("library/ is what the kernel is judged by or compiled with")));
}

TEST(EditableFilesOfACase, AreAListOfTexts) {
  EXPECT_THAT([] { static_cast<void>(with_patterns("[]")); },
              ThrowsMessage<Error>(HasSubstr(R"(["include/*.cuh"])")));
  EXPECT_THAT([] { static_cast<void>(with_patterns("\"a.cuh\"")); },
              ThrowsMessage<Error>(HasSubstr("a list of texts")));
}

TEST(EditableFilesOfACase, StandAboveItsTables) {
  EXPECT_THAT(
      [] {
        static_cast<void>(parse(sample() + "[timing]\neditable_files = [\"a.h\"]\n", "/case"));
      },
      ThrowsMessage<Error>(HasSubstr("write it above the first [table]")));
}

TEST(EditableFiles, KnowWhichPatternMatchesNothing) {
  EXPECT_THAT(EditableFiles({"a/*.cuh", "b/*.cuh"}, {}).without_match({"a/x.cuh"}),
              ElementsAre("b/*.cuh"));
}

TEST(AnyHeader, IsFoundByItsEnding) {
  const EditableFiles files(patterns_of_any_header(), {});
  EXPECT_TRUE(files.contain("a/b.hpp"));
  EXPECT_TRUE(files.contain("b.cuh"));
  EXPECT_FALSE(files.contain("b.py"));
}

}  // namespace
}  // namespace autokernel::cases
