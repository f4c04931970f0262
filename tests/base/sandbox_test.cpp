// Each in a process of its own, since nothing that is given up comes back.
#include "autokernel/base/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <ostream>
#include <thread>

namespace autokernel {
namespace {

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

TEST_P(Refuses, It) {
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
};

INSTANTIATE_TEST_SUITE_P(TheSandbox, Refuses,
                         ::testing::Combine(::testing::Values(Sandbox::computing,
                                                              Sandbox::driving_a_gpu),
                                            ::testing::ValuesIn(kRefused)));

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
