// Whatever has git write other bytes than its store holds is told, and what does not is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

using test::ScratchRepository;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kKernel = "kernels/kernel.cu";

class Checkout : public testing::Test {
 protected:
  Checkout() {
    scratch_.write(kKernel, "one $Id$\n");
    first_ = scratch_.commit("one");
  }
  [[nodiscard]] std::string fault(const std::string& path = kKernel) const {
    return Repository::open(scratch_.root()).checkout_fault(first_, path);
  }
  ScratchRepository scratch_;
  std::string first_;
};

TEST_F(Checkout, IsFaithfulWithoutAttributes) { EXPECT_EQ(fault(), ""); }

TEST_F(Checkout, IsFaithfulButForLineEnds) {
  scratch_.write(".gitattributes", "*.cu text eol=crlf\n");
  EXPECT_EQ(fault(), "");
}

TEST_F(Checkout, OfAnIdIsNotWhereverTheAttributeIsSet) {
  for (const char* file : {".gitattributes", "kernels/.gitattributes", ".git/info/attributes"}) {
    scratch_.write(file, "*.cu ident\n");
    EXPECT_THAT(fault(), AllOf(HasSubstr("'ident'"), HasSubstr(file), HasSubstr("remove"))) << file;
    scratch_.write(file, "");
    EXPECT_EQ(fault(), "") << file;
  }
  scratch_.git("config", "core.attributesFile", scratch_.write("mine", "*.cu ident\n").string());
  EXPECT_THAT(fault(), AllOf(HasSubstr("'ident'"), HasSubstr("/mine")));
}

TEST_F(Checkout, OfAnIdIsNotByWayOfAMacroEither) {
  scratch_.write(".git/info/attributes", "[attr]harmless ident\n*.cu harmless\n");
  EXPECT_THAT(fault(), HasSubstr("'ident'"));
}

// The first is the one that libgit2 would write over; git writes over all of them.
TEST_F(Checkout, OfAnyTextLikeAnIdIsNot) {
  scratch_.write(kKernel, "$Id x$ and $Id: x$\n");
  first_ = scratch_.commit("two");
  scratch_.write(".gitattributes", "*.cu ident\n");
  EXPECT_THAT(fault(), HasSubstr("'ident'"));
}

TEST_F(Checkout, OfATextWithoutAnIdIsFaithfulWithTheAttribute) {
  scratch_.write(kKernel, "one\n");
  first_ = scratch_.commit("two");
  scratch_.write(".gitattributes", "*.cu ident\n");
  EXPECT_EQ(fault(), "");
}

TEST_F(Checkout, ThroughAProgramIsNotWhetherItIsSetUpHereOrNot) {
  scratch_.write(".git/info/attributes", "*.cu filter=other\n");
  EXPECT_THAT(fault(), AllOf(HasSubstr("'filter'"), HasSubstr("info/attributes")));
  scratch_.git("config", "filter.other.smudge", "sed s/one/two/");
  EXPECT_THAT(fault(), HasSubstr("'filter'"));
}

TEST_F(Checkout, InAnotherEncodingIsNot) {
  scratch_.write(".git/info/attributes", "*.cu working-tree-encoding=UTF-16LE\n");
  EXPECT_THAT(fault(), HasSubstr("'working-tree-encoding'"));
}

// git takes the quotes off, and passes over the long line: libgit2 does neither.
TEST_F(Checkout, ByLinesThatGitReadsInAnotherWayIsNot) {
  scratch_.write(".gitattributes", "\"kernels/kernel.cu\" filter=other\n");
  EXPECT_THAT(fault(), AllOf(HasSubstr(".gitattributes"), HasSubstr("in quotes")));
  scratch_.write(".gitattributes",
                 "*.cu filter=other\n*.cu -filter " + std::string(3000, ' ') + "\n");
  EXPECT_THAT(fault(), AllOf(HasSubstr(".gitattributes"), HasSubstr("git passes over")));
}

TEST_F(Checkout, IncludesOnAConditionThatOnlyGitKnowsAreRules) {
  const Repository before = Repository::open(scratch_.root());
  EXPECT_EQ(before.rules().at("includeIf"), "");
  scratch_.write("more", "[core]\n\tattributesFile = /evil\n");
  scratch_.git("config", "includeIf.hasconfig:remote.*.url:https://**.path",
               (scratch_.root() / "more").string());
  scratch_.git("config", "includeIf.gitdir:/nowhere/.path", "/nothing");
  const std::string rule = Repository::open(scratch_.root()).rules().at("includeIf");
  EXPECT_THAT(rule, AllOf(HasSubstr("hasconfig"), HasSubstr("/evil")));
  EXPECT_THAT(rule, Not(HasSubstr("gitdir")));
}

TEST_F(Checkout, OfAFileThatNoAttributeIsForIsFaithful) {
  scratch_.write(".git/info/attributes", "*.bin filter=lfs ident\n");
  EXPECT_EQ(fault(), "");
}

TEST_F(Checkout, OfAReplacedFileFolderOrCommitIsNamed) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THAT(repository.replaced_objects({first_}), IsEmpty());
  const std::string blob = scratch_.line("rev-parse", "HEAD:" + std::string(kKernel));
  scratch_.write("other", "other\n");
  const std::string other = scratch_.line("hash-object", "-w", "other");
  scratch_.git("replace", blob, other);
  EXPECT_THAT(repository.replaced_objects({first_}), ElementsAre("refs/replace/" + blob));
  scratch_.git("replace", "-d", blob);
  const std::string second = scratch_.commit("two");
  scratch_.git("replace", first_, second);
  EXPECT_THAT(repository.replaced_objects({first_}), ElementsAre("refs/replace/" + first_));
  // As people do who join an older history to this one.
  EXPECT_THAT(repository.replaced_objects({second}), IsEmpty());
}

TEST_F(Checkout, RulesBesideCommitsAreReadAndPutBack) {
  const Repository repository = Repository::open(scratch_.root());
  scratch_.write(".git/info/exclude", "*\n");
  EXPECT_EQ(repository.rules().at(".git/info/exclude"), "*\n");
  EXPECT_TRUE(repository.set_rule(".git/info/exclude", "private\n"));
  EXPECT_EQ(scratch_.read(".git/info/exclude"), "private\n");
  EXPECT_TRUE(repository.set_rule(".git/info/exclude", ""));
  EXPECT_EQ(repository.rules().at(".git/info/exclude"), "");
  scratch_.git("config", "core.excludesFile", scratch_.write("mine", "*\n").string());
  EXPECT_THAT(repository.rules().at("core.excludesFile"), HasSubstr("/mine\n*\n"));
  EXPECT_FALSE(repository.set_rule("core.excludesFile", ""));
}

}  // namespace
}  // namespace autokernel::repo
