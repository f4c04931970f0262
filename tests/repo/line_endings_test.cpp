// Files whose line ends differ between the worktree and git's store, by setting or by attribute.
#include <gtest/gtest.h>

#include <string>

#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

using test::ScratchRepository;

constexpr const char* kKernel = "kernel.cu";

// By core.autocrlf, and by .gitattributes.
enum class By { setting, attribute };

class LineEndings : public ::testing::TestWithParam<By> {
 protected:
  LineEndings() {
    if (GetParam() == By::setting) {
      scratch_.git("config", "core.autocrlf", "true");
    } else {
      scratch_.write(".gitattributes", "*.cu text eol=crlf\n");
    }
    scratch_.write(kKernel, "one\r\n");
    scratch_.git("config", "core.safecrlf", "false");
    first_ = scratch_.commit("one");
  }
  ScratchRepository scratch_;
  std::string first_;
};

INSTANTIATE_TEST_SUITE_P(Both, LineEndings, ::testing::Values(By::setting, By::attribute));

TEST_P(LineEndings, GitsStoreHasNoCarriageReturns) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_EQ(repository.file_at(first_, kKernel), "one\n");
}

TEST_P(LineEndings, ACommitConvertsThem) {
  scratch_.write(kKernel, "two\r\n");
  const Repository repository = Repository::open(scratch_.root());
  const std::string commit = repository.commit_files(first_, {kKernel}, "two");
  EXPECT_EQ(scratch_.git("cat-file", "blob", commit + ":kernel.cu"), "two\n");
}

TEST_P(LineEndings, ACheckOutBringsThemBack) {
  scratch_.write(kKernel, "edited\r\n");
  Repository::open(scratch_.root()).check_out(first_, kKernel);
  EXPECT_EQ(scratch_.read(kKernel), "one\r\n");
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_P(LineEndings, PuttingBackBringsThemBack) {
  scratch_.write(kKernel, "mine\r\n");
  const Repository repository = Repository::open(scratch_.root());
  const std::string mine = repository.store(kKernel);
  EXPECT_EQ(scratch_.git("cat-file", "blob", mine), "mine\n");
  scratch_.write(kKernel, "theirs\r\n");
  repository.put_back(mine, kKernel);
  EXPECT_EQ(scratch_.read(kKernel), "mine\r\n");
}

TEST_P(LineEndings, AFileMatchesWhateverItsLineEnds) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_TRUE(repository.file_matches(first_, kKernel));
  scratch_.write(kKernel, "one\n");
  EXPECT_TRUE(repository.file_matches(first_, kKernel));
}

TEST_P(LineEndings, OtherLineEndsAreNoChange) {
  const Repository repository = Repository::open(scratch_.root());
  scratch_.write(kKernel, "one\n");
  EXPECT_TRUE(repository.changes().empty());
}

TEST_P(LineEndings, TheIdIsThatOfTheConvertedBytes) {
  scratch_.write(kKernel, "edited\r\n");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_EQ(repository.hash_of(kKernel), scratch_.line("hash-object", kKernel));
  EXPECT_EQ(repository.changes().at(0).blob, scratch_.line("hash-object", kKernel));
}

// With core.safecrlf git refuses to add such a file, but not to look at it.
TEST_P(LineEndings, AFileOfMixedLineEndsIsLookedAtAndKept) {
  scratch_.git("config", "core.safecrlf", "true");
  scratch_.write(kKernel, "one\r\ntwo\n");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_EQ(repository.changes().size(), 1U);
  EXPECT_EQ(scratch_.git("cat-file", "blob", repository.store(kKernel)), "one\ntwo\n");
}

TEST_P(LineEndings, TheRepositoryStaysSound) {
  scratch_.write(kKernel, "two\r\n");
  const Repository repository = Repository::open(scratch_.root());
  const std::string commit = repository.commit_files(first_, {kKernel}, "two");
  repository.set_reference("refs/autokernel/demo/1", commit);
  repository.check_out(first_, kKernel);
  EXPECT_EQ(scratch_.git("fsck", "--strict"), "");
}

TEST(MixedStore, AFileThatGitHoldsWithCarriageReturnsKeepsThem) {
  const ScratchRepository scratch;
  scratch.write(kKernel, "one\r\n");
  const std::string first = scratch.commit("one");
  scratch.git("config", "core.autocrlf", "true");
  const Repository repository = Repository::open(scratch.root());
  EXPECT_TRUE(repository.file_matches(first, kKernel));
  scratch.write(kKernel, "two\r\n");
  const std::string second = repository.commit_files(first, {kKernel}, "two");
  EXPECT_EQ(scratch.git("cat-file", "blob", second + ":kernel.cu"), "two\r\n");
}

}  // namespace
}  // namespace autokernel::repo
