#include "autokernel/base/landlock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "autokernel/base/descriptor.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

bool can_read(const std::filesystem::path& file) { return std::ifstream(file).good(); }
bool can_write(const std::filesystem::path& file) { return std::ofstream(file).good(); }

class Landlock : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
  }
  // Runs on a thread that may read below `allowed` alone.
  template <typename Work>
  void confined(Work work) {
    std::thread([&] {
      const std::array readable = {allowed_, scratch_.path() / "not there"};
      EXPECT_TRUE(confine_thread_to_reading(readable));
      work();
    }).join();
  }

  test::ScratchFolder scratch_;
  std::filesystem::path allowed_ = scratch_.folder("allowed");
  std::filesystem::path inside_ = scratch_.write("allowed/deep/header.h", "text");
  std::filesystem::path outside_ = scratch_.write("outside/secret", "text");
};

TEST_F(Landlock, LeavesReadingBelowWhatIsAllowed) {
  confined([&] { EXPECT_TRUE(can_read(inside_)); });
}

TEST_F(Landlock, TakesReadingElsewhere) {
  confined([&] {
    EXPECT_FALSE(can_read(outside_));
    EXPECT_FALSE(can_read("/etc/passwd"));
  });
}

TEST_F(Landlock, SeesThroughPathsThatLeadOut) {
  std::filesystem::create_symlink(outside_, allowed_ / "link");
  confined([&] {
    EXPECT_FALSE(can_read(allowed_ / "link"));
    EXPECT_FALSE(can_read(allowed_ / ".." / "outside" / "secret"));
  });
}

TEST_F(Landlock, TakesWritingEverywhere) {
  confined([&] {
    EXPECT_FALSE(can_write(inside_));
    EXPECT_FALSE(can_write(allowed_ / "new"));
    EXPECT_FALSE(can_write(outside_));
  });
}

TEST_F(Landlock, HoldsForThreadsThatAreStartedLater) {
  confined([&] { std::thread([&] { EXPECT_FALSE(can_read(outside_)); }).join(); });
}

TEST_F(Landlock, LeavesOtherThreadsAlone) {
  confined([] {});
  EXPECT_TRUE(can_read(outside_));
  EXPECT_TRUE(can_write(scratch_.path() / "outside" / "new"));
}

// What a process with nothing but what is open says of something that it tries: its exit code.
int with_what_is_open(const std::function<int()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(confine_to_what_is_open() ? attempt() : 99);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int error_of(long result) { return result >= 0 ? 0 : errno; }

long version() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1); }

using WhatIsOpen = Landlock;

TEST_F(WhatIsOpen, CanBeRead) {
  const Descriptor file(::open(inside_.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(with_what_is_open([&] {
              char first = 0;
              return ::read(file.get(), &first, 1) == 1 ? first : 1;
            }),
            't');
}

TEST_F(WhatIsOpen, IsAllThatThereIsOfFiles) {
  EXPECT_EQ(with_what_is_open([&] { return error_of(::open(inside_.c_str(), O_RDONLY)); }), EACCES);
  EXPECT_EQ(with_what_is_open([&] { return error_of(::unlink(inside_.c_str())); }), EACCES);
  EXPECT_EQ(with_what_is_open([&] { return error_of(::truncate(inside_.c_str(), 0)); }),
            version() >= 3 ? EACCES : 0);
}

TEST_F(WhatIsOpen, IsAllThatThereIsOfTheNetwork) {
  if (version() < 4) GTEST_SKIP() << "this kernel's Landlock knows no network";
  EXPECT_EQ(with_what_is_open([&] {
              const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
              sockaddr_in own{};
              own.sin_family = AF_INET;
              return error_of(::bind(socket, reinterpret_cast<sockaddr*>(&own), sizeof own));
            }),
            EACCES);
}

TEST_F(WhatIsOpen, SendsNoSignalToOtherProcesses) {
  if (version() < 8 && ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 2) < 2) {
    GTEST_SKIP() << "this kernel's Landlock cannot tell a process's own signals from others";
  }
  EXPECT_EQ(with_what_is_open([&] { return error_of(::kill(::getppid(), 0)); }), EPERM);
}

TEST_F(WhatIsOpen, SendsSignalsToThreadsThatWereThereBefore) {
  EXPECT_EQ(with_what_is_open([] { return 0; }), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<bool> done = false;
    std::thread earlier([&] {
      while (!done) std::this_thread::yield();
    });
    const bool confined = confine_to_what_is_open();
    const int error = ::pthread_kill(earlier.native_handle(), 0);
    done = true;
    earlier.join();
    ::_exit(confined ? error : 99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace autokernel
