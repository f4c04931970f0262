// Each in a process of its own, since nothing that is given up comes back.
#include "autokernel/base/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <ostream>
#include <thread>

namespace autokernel {
namespace {

// Younger than some systems' headers.
constexpr long kFchmodat2 = 452;
constexpr long kListmount = 458;

// What a process in the sandbox says of something that it tries there: its exit code.
int inside(Sandbox sandbox, const std::function<int()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      enter_sandbox(sandbox);
      ::_exit(attempt());
    } catch (...) {
      ::_exit(99);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int error_of(long result) { return result >= 0 ? 0 : errno; }

struct Named {
  const char* name;
  std::function<int()> attempt;
  friend std::ostream& operator<<(std::ostream& out, const Named& named) {
    return out << named.name;
  }
};

class Refuses : public ::testing::TestWithParam<std::tuple<Sandbox, Named>> {};

TEST_P(Refuses, TheSystemCall) {
  const auto& [sandbox, named] = GetParam();
  EXPECT_EQ(inside(sandbox, named.attempt), EPERM);
}

const std::array kRefused = {
    Named{"reading a file", [] { return error_of(::open("/etc/passwd", O_RDONLY | O_CLOEXEC)); }},
    Named{"writing a file",
          [] { return error_of(::open("/tmp/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)); }},
    Named{"the memory of its parent",
          [] { return error_of(::open("/proc/self/mem", O_RDWR | O_CLOEXEC)); }},
    Named{"removing a file", [] { return error_of(::unlink("/tmp/there-is-no-such-file")); }},
    Named{"a program",
          [] {
            std::array<char*, 1> none = {nullptr};
            return error_of(::execve("/bin/true", none.data(), none.data()));
          }},
    Named{"a process",
          [] {
            const pid_t child = ::fork();
            if (child == 0) ::_exit(0);
            return error_of(child);
          }},
    Named{"a socket", [] { return error_of(::socket(AF_INET, SOCK_STREAM, 0)); }},
    Named{"a local socket", [] { return error_of(::socket(AF_UNIX, SOCK_STREAM, 0)); }},
    Named{"a signal for its parent", [] { return error_of(::kill(::getppid(), 0)); }},
    Named{"the processors of another process",
          [] {
            cpu_set_t all;
            std::memset(&all, 0xff, sizeof all);
            return error_of(::sched_setaffinity(1, sizeof all, &all));
          }},
    Named{"how another process is scheduled",
          [] {
            const sched_param plain{};
            return error_of(::sched_setscheduler(1, SCHED_OTHER, &plain));
          }},
    Named{"whether a file exists", [] { return error_of(::access("/etc/passwd", F_OK)); }},
    Named{"what is known of a file",
          [] {
            struct stat status{};
            return error_of(::stat("/etc/passwd", &status));
          }},
    Named{"what more is known of a file",
          [] {
            struct statx status{};
            return error_of(::statx(AT_FDCWD, "/etc/passwd", 0, STATX_BASIC_STATS, &status));
          }},
    Named{"where a link leads",
          [] {
            std::array<char, 64> path{};
            return error_of(::readlink("/proc/self/exe", path.data(), path.size()));
          }},
    Named{"who may use a file, by the newest call for that",
          [] { return error_of(::syscall(kFchmodat2, AT_FDCWD, "/tmp/no-such-file", 0600, 0)); }},
    Named{"attributes of a file", [] { return error_of(::removexattr("/tmp/no-such-file", "x")); }},
    Named{"memory that is a file", [] { return error_of(::memfd_create("escaped", 0)); }},
    Named{"memory of the whole system",
          [] { return error_of(::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)); }},
    Named{"what is known of it", [] { return error_of(::shmctl(0, IPC_STAT, nullptr)); }},
    Named{"semaphores", [] { return error_of(::semctl(0, 0, GETVAL)); }},
    Named{"messages of the system", [] { return error_of(::msgctl(0, IPC_STAT, nullptr)); }},
    Named{"queues of messages", [] { return error_of(::syscall(SYS_mq_unlink, "no-such-queue")); }},
    Named{"mounts", [] { return error_of(::syscall(SYS_open_tree, AT_FDCWD, "/", 0)); }},
    Named{"a session of its own", [] { return error_of(::setsid()); }},
};

INSTANTIATE_TEST_SUITE_P(TheSandbox, Refuses,
                         ::testing::Combine(::testing::Values(Sandbox::computing,
                                                              Sandbox::driving_a_gpu),
                                            ::testing::ValuesIn(kRefused)));

// A driver falls back as it does on a kernel that lacks them.
TEST(TheSandboxOfAGpu, IsAKernelWithoutTheCallsThatAreYoungerThanItsList) {
  EXPECT_EQ(inside(Sandbox::driving_a_gpu,
                   [] { return error_of(::syscall(kListmount, nullptr, nullptr, 0, 0)); }),
            ENOSYS);
}

// What was written to it would be held, and not counted, once it is no longer looked at.
TEST(TheSandboxForComputing, RefusesMemoryThatOthersCouldShare) {
  EXPECT_EQ(inside(Sandbox::computing,
                   [] {
                     void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                     return page == MAP_FAILED ? errno : 0;
                   }),
            EPERM);
}

// NVIDIA's driver takes it for memory of the host that a GPU reaches.
TEST(TheSandboxOfAGpu, LetsMemoryBeShared) {
  EXPECT_EQ(inside(Sandbox::driving_a_gpu,
                   [] {
                     void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                     return page == MAP_FAILED ? errno : 42;
                   }),
            42);
}

TEST(TheSandboxOfAGpu, LetsAThreadChooseItsOwnProcessors) {
  EXPECT_EQ(inside(Sandbox::driving_a_gpu,
                   [] {
                     cpu_set_t own;
                     CPU_ZERO(&own);
                     if (::sched_getaffinity(0, sizeof own, &own) != 0) return errno;
                     return ::sched_setaffinity(0, sizeof own, &own) == 0 ? 42 : errno;
                   }),
            42);
}

class Lets : public ::testing::TestWithParam<Sandbox> {};

TEST_P(Lets, ThreadsStartAndEnd) {
  EXPECT_EQ(inside(GetParam(),
                   [] {
                     int answer = 0;
                     std::thread([&] { answer = 42; }).join();
                     return answer;
                   }),
            42);
}

// A compiler at run time needs it.
TEST_P(Lets, MemoryBecomeCode) {
  EXPECT_EQ(inside(GetParam(),
                   [] {
                     constexpr std::array<unsigned char, 6> kReturn42 = {0xb8, 42, 0, 0, 0, 0xc3};
                     void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                     std::ranges::copy(kReturn42, static_cast<unsigned char*>(page));
                     if (::mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0) return errno;
                     return reinterpret_cast<int (*)()>(page)();
                   }),
            42);
}

TEST_P(Lets, WhatIsOpenBeUsed) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  EXPECT_EQ(inside(GetParam(),
                   [&] {
                     char byte = 'x';
                     if (::write(pipe[1], &byte, 1) != 1) return errno;
                     byte = 0;
                     if (::read(pipe[0], &byte, 1) != 1) return errno;
                     return byte == 'x' ? 42 : 1;
                   }),
            42);
}

TEST_P(Lets, AProcessEndItself) {
  EXPECT_EQ(inside(GetParam(),
                   [] {
                     ::abort();
                     return 0;
                   }),
            -SIGABRT);
}

// Those that a library has started before, too.
TEST_P(Lets, NoThreadOutside) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::array<int, 2> pipe{};
    static_cast<void>(::pipe(pipe.data()));
    int error = 0;
    std::thread earlier([&] {
      char byte = 0;
      static_cast<void>(::read(pipe[0], &byte, 1));
      error = error_of(::open("/etc/passwd", O_RDONLY | O_CLOEXEC));
    });
    enter_sandbox(GetParam());
    static_cast<void>(::write(pipe[1], "x", 1));
    earlier.join();
    ::_exit(error);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), EPERM);
}

INSTANTIATE_TEST_SUITE_P(TheSandbox, Lets,
                         ::testing::Values(Sandbox::computing, Sandbox::driving_a_gpu));

}  // namespace
}  // namespace autokernel
