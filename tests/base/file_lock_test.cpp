#include "autokernel/base/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

using testing::HasSubstr;
using testing::VariantWith;

class AFileLock : public testing::Test {
 protected:
  std::variant<FileLock, FileLock::Holder> take() { return FileLock::take(file_, "a test"); }
  test::ScratchFolder scratch_;
  std::filesystem::path file_ = scratch_.path() / "lock";
};

TEST_F(AFileLock, NamesItsHolderToWhoeverComesNext) {
  const auto first = take();
  ASSERT_TRUE(std::holds_alternative<FileLock>(first));
  EXPECT_THAT(take(), VariantWith<FileLock::Holder>(testing::Field(
                          &FileLock::Holder::text,
                          HasSubstr("process " + std::to_string(::getpid()) + ", a test, since"))));
}

TEST_F(AFileLock, IsFreeWhenItsOwnerGoes) {
  {
    const auto first = take();
  }
  EXPECT_EQ(test::contents(file_), "");
  EXPECT_TRUE(std::holds_alternative<FileLock>(take()));
}

TEST_F(AFileLock, IsFreeWhenItsOwnerIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = take();
    ::_exit(std::holds_alternative<FileLock>(lock) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NE(test::contents(file_), "") << "what a killed owner leaves behind";
  EXPECT_TRUE(std::holds_alternative<FileLock>(take()));
}

TEST_F(AFileLock, IsWaitedFor) {
  auto first = take();
  std::thread other([&] { first = FileLock::Holder{}; });
  const FileLock second = FileLock::wait(file_, "the next");
  other.join();
  EXPECT_THAT(test::contents(file_), HasSubstr("the next"));
}

TEST_F(AFileLock, WritesItsWordsThroughNoLink) {
  const auto precious = scratch_.write("precious", "precious");
  std::filesystem::create_symlink(precious, file_);
  EXPECT_THROW(static_cast<void>(take()), Error);
  EXPECT_EQ(test::contents(precious), "precious");
}

TEST_F(AFileLock, IsNoPipe) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT([&] { static_cast<void>(take()); },
              testing::ThrowsMessage<Error>(HasSubstr("not a regular file; remove it")));
}

TEST_F(AFileLock, CannotBeTakenWhereThereIsNoFolder) {
  EXPECT_THROW(static_cast<void>(FileLock::take(scratch_.path() / "no" / "lock", "a test")), Error);
}

}  // namespace
}  // namespace autokernel
