#include "cli/default_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(DefaultCase, IsTheFolderKernels) {
  const test::ScratchFolder here;
  here.write("kernels/case.toml", "");
  EXPECT_EQ(default_case(here.path()), here.path() / "kernels");
}

TEST(DefaultCase, IsTheCurrentFolderWhereThatIsACase) {
  const test::ScratchFolder here;
  here.write("case.toml", "");
  here.write("kernels/case.toml", "");
  EXPECT_EQ(default_case(here.path()), here.path());
}

TEST(DefaultCase, ThatDoesNotExistSaysWhereItWasLookedForAndHowToNameOne) {
  const test::ScratchFolder here;
  EXPECT_THAT([&] { (void)default_case(here.path()); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr((here.path() / "kernels").string()), HasSubstr("--case DIR"))));
}

TEST(ExistingCase, IsTheFolderThatWasNamed) {
  const test::ScratchFolder here;
  here.write("softmax/case.toml", "");
  EXPECT_EQ(existing_case(here.path() / "softmax"), here.path() / "softmax");
}

TEST(ExistingCase, TellsAMissingFolderFromOneWithoutACase) {
  const test::ScratchFolder here;
  EXPECT_THAT([&] { (void)existing_case(here.path() / "none"); },
              ThrowsMessage<Error>(HasSubstr("there is no folder")));
  EXPECT_THAT([&] { (void)existing_case(here.path()); },
              ThrowsMessage<Error>(HasSubstr("has no case.toml")));
}

}  // namespace
}  // namespace autokernel::cli
