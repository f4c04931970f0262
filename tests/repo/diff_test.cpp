// The difference of one file between two commits is what git prints.
#include <gtest/gtest.h>

#include <string>

#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

using test::ScratchRepository;

class Diff : public ::testing::Test {
 protected:
  void change(const std::string& path, const std::string& before, const std::string& after) {
    scratch_.write(path, before);
    scratch_.write("other", "1\n");
    first_ = scratch_.commit("one");
    scratch_.write(path, after);
    scratch_.write("other", "2\n");
    second_ = scratch_.commit("two");
  }
  [[nodiscard]] std::string ours(const std::string& path) const {
    return Repository::open(scratch_.root()).diff(first_, second_, {path});
  }
  [[nodiscard]] std::string gits(const std::string& path) const {
    return scratch_.git("--literal-pathspecs", "diff", "--no-color", first_, second_, "--", path);
  }
  ScratchRepository scratch_;
  std::string first_;
  std::string second_;
};

TEST_F(Diff, IsThatOfGit) {
  change("kernel.cu", "a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nE\nf\ng\nh\ni\n");
  EXPECT_NE(ours("kernel.cu"), "");
  EXPECT_EQ(ours("kernel.cu"), gits("kernel.cu"));
}

TEST_F(Diff, IsEmptyWhereNothingDiffers) {
  change("kernel.cu", "same\n", "same\n");
  EXPECT_EQ(ours("kernel.cu"), "");
}

TEST_F(Diff, TakesANameWithSpecialCharactersAsItIs) {
  change("a*[b].cu", "1\n", "2\n");
  EXPECT_NE(ours("a*[b].cu"), "");
  EXPECT_EQ(ours("a*[b].cu"), gits("a*[b].cu"));
}

TEST_F(Diff, ANameThatWouldMatchAllAsAPatternMatchesNothing) {
  change("kernel.cu", "1\n", "2\n");
  EXPECT_EQ(ours("*"), "");
}

TEST_F(Diff, ShowsAFileThatWasAdded) {
  change("kernel.cu", "1\n", "2\n");
  scratch_.write("new.cu", "1\n");
  first_ = second_;
  second_ = scratch_.commit("three");
  EXPECT_NE(ours("new.cu"), "");
  EXPECT_EQ(ours("new.cu"), gits("new.cu"));
}

}  // namespace
}  // namespace autokernel::repo
