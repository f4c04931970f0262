// Commits are found by any name that git knows, and their files are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

using test::ScratchRepository;
using ::testing::HasSubstr;
using ::testing::Optional;

class Revisions : public ::testing::Test {
 protected:
  Revisions() {
    scratch_.write("kernels/kernel.cu", std::string("first\r\n\0bytes", 13));
    first_ = scratch_.commit("one");
    scratch_.write("kernels/kernel.cu", "second\n");
    second_ = scratch_.commit("two");
  }
  ScratchRepository scratch_;
  std::string first_;
  std::string second_;
};

TEST_F(Revisions, ABranchIsResolved) {
  EXPECT_EQ(Repository::open(scratch_.root()).resolve("main"), second_);
}

TEST_F(Revisions, AnAncestorIsResolved) {
  EXPECT_EQ(Repository::open(scratch_.root()).resolve("HEAD~1"), first_);
}

TEST_F(Revisions, AShortIdIsResolved) {
  EXPECT_EQ(Repository::open(scratch_.root()).resolve(first_.substr(0, 8)), first_);
}

TEST_F(Revisions, ATagIsResolvedToItsCommit) {
  scratch_.git("tag", "--annotate", "--message", "text", "v1", first_);
  EXPECT_EQ(Repository::open(scratch_.root()).resolve("v1"), first_);
}

TEST_F(Revisions, ANameOfNothingIsAnErrorOfTheUsers) {
  const Repository repository = Repository::open(scratch_.root());
  try {
    static_cast<void>(repository.resolve("no-such-thing"));
    FAIL() << "resolved";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), HasSubstr("'no-such-thing'"));
  }
}

TEST_F(Revisions, ANameOfAFileIsAnErrorOfTheUsers) {
  const Repository repository = Repository::open(scratch_.root());
  try {
    static_cast<void>(repository.resolve("HEAD:kernels/kernel.cu"));
    FAIL() << "resolved";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
  }
}

TEST_F(Revisions, TheParentIsTheCommitBefore) {
  EXPECT_THAT(Repository::open(scratch_.root()).parent_of(second_), Optional(first_));
}

TEST_F(Revisions, TheFirstCommitHasNoParent) {
  EXPECT_EQ(Repository::open(scratch_.root()).parent_of(first_), std::nullopt);
}

TEST_F(Revisions, ACommitThatIsNotThereIsAnErrorThatNamesIt) {
  const Repository repository = Repository::open(scratch_.root());
  const std::string missing(40, '1');
  try {
    static_cast<void>(repository.parent_of(missing));
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), HasSubstr(missing));
  }
}

TEST_F(Revisions, AFileIsReadByteForByte) {
  EXPECT_THAT(Repository::open(scratch_.root()).file_at(first_, "kernels/kernel.cu"),
              Optional(std::string("first\r\n\0bytes", 13)));
}

TEST_F(Revisions, AFileThatIsNotInTheCommitHasNoBytes) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_EQ(repository.file_at(first_, "kernels/none"), std::nullopt);
  EXPECT_EQ(repository.file_at(first_, "none/at/all"), std::nullopt);
  EXPECT_EQ(repository.blob_at(first_, "kernels/none"), std::nullopt);
}

TEST_F(Revisions, AFolderIsNoFile) {
  EXPECT_EQ(Repository::open(scratch_.root()).file_at(first_, "kernels"), std::nullopt);
}

TEST_F(Revisions, TheIdOfAFileIsGits) {
  EXPECT_THAT(Repository::open(scratch_.root()).blob_at(first_, "kernels/kernel.cu"),
              Optional(scratch_.line("rev-parse", first_ + ":kernels/kernel.cu")));
}

}  // namespace
}  // namespace autokernel::repo
