// What a confined command may do by itself, and what it has done for it.
#include "autokernel/base/file_modes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "autokernel/base/landlock.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/base/sandbox.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""s;

[[nodiscard]] int number_of(long result) { return result >= 0 ? 0 : errno; }

class ConfinedCommand : public testing::Test {
 protected:
  ConfinedCommand() {
    fs::create_directories(own());
    for (const fs::path& file : {own() / "mine", other()}) {
      std::ofstream(file) << "x";
      fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    }
    fs::create_symlink(other(), own() / "link");
  }

  [[nodiscard]] fs::path own() const { return folder_.path() / "own"; }
  [[nodiscard]] fs::path other() const { return folder_.path() / "other"; }
  [[nodiscard]] static bool is_runnable(const fs::path& file) {
    return (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
  }

  // What such a process says of something that it tries: its exit code.
  [[nodiscard]] int inside(const std::function<int()>& attempt, const Network& network = {},
                           const std::vector<fs::path>& devices = {}) const {
    Pipe channel = make_socket_pair();
    const pid_t child = ::fork();
    if (child == 0) {
      const std::array<fs::path, 4> readable = {"/usr", "/lib", "/lib64", folder_.path()};
      const Descriptor listener = confine_command(readable, own(), network, devices);
      const std::array descriptors = {listener.get()};
      static_cast<void>(::chdir(own().c_str()));
      if (!send_to(channel.writing, "m", std::chrono::steady_clock::now() + 5s, descriptors))
        ::_exit(98);
      ::_exit(attempt());
    }
    set_nonblocking(channel.reading);
    Descriptor listener;
    while (!listener.is_open()) {
      Received received = receive_from(channel.reading);
      if (!received.descriptors.empty()) listener = std::move(received.descriptors.front());
    }
    const FileModes modes(std::move(listener), own());
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      pollfd waiting{modes.descriptor(), POLLIN, 0};
      ::poll(&waiting, 1, 5);
      modes.answer();
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  test::ScratchFolder folder_;
};

TEST_F(ConfinedCommand, ChangesModesOfItsOwnFiles) {
  EXPECT_EQ(inside([] { return number_of(::chmod("mine", 0700)); }), 0);
  EXPECT_TRUE(is_runnable(own() / "mine"));
  EXPECT_EQ(inside([] { return number_of(::fchmodat(AT_FDCWD, "./mine", 0600, 0)); }), 0);
  EXPECT_FALSE(is_runnable(own() / "mine"));
  const std::string whole = (own() / "mine").string();
  EXPECT_EQ(inside([&] { return number_of(::chmod(whole.c_str(), 0700)); }), 0);
  EXPECT_TRUE(is_runnable(own() / "mine"));
  EXPECT_EQ(inside([] { return number_of(::fchmod(::open("mine", O_RDONLY), 0600)); }), 0);
  EXPECT_FALSE(is_runnable(own() / "mine"));
}

TEST_F(ConfinedCommand, MakesNoFileRunAsSomebodyElse) {
  EXPECT_EQ(inside([] { return number_of(::chmod("mine", 06777)); }), 0);
  struct stat status{};
  ASSERT_EQ(::stat((own() / "mine").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0777U);
}

TEST_F(ConfinedCommand, ChangesTimesOfItsOwnFiles) {
  const std::array<timespec, 2> times = {timespec{1000, 0}, timespec{2000, 0}};
  EXPECT_EQ(inside([&] { return number_of(::utimensat(AT_FDCWD, "mine", times.data(), 0)); }), 0);
  struct stat status{};
  ASSERT_EQ(::stat((own() / "mine").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtim.tv_sec, 2000);
  EXPECT_EQ(inside([&] { return number_of(::futimens(::open("mine", O_RDONLY), nullptr)); }), 0);
  ASSERT_EQ(::stat((own() / "mine").c_str(), &status), 0);
  EXPECT_GT(status.st_mtim.tv_sec, 2000);
}

TEST_F(ConfinedCommand, ChangesNoOtherFile) {
  const std::string outside = other().string();
  EXPECT_EQ(inside([&] { return number_of(::chmod(outside.c_str(), 0777)); }), EPERM);
  EXPECT_EQ(inside([] { return number_of(::chmod("../other", 0777)); }), EPERM);
  EXPECT_EQ(inside([] { return number_of(::chmod("link", 0777)); }), EPERM);
  EXPECT_EQ(inside([&] { return number_of(::fchmod(::open(outside.c_str(), O_RDONLY), 0777)); }),
            EPERM);
  EXPECT_EQ(inside([&] { return number_of(::utimensat(AT_FDCWD, outside.c_str(), nullptr, 0)); }),
            EPERM);
  EXPECT_FALSE(is_runnable(other()));
}

TEST_F(ConfinedCommand, IsToldWhatIsWrong) {
  EXPECT_EQ(inside([] { return number_of(::chmod("missing", 0777)); }), ENOENT);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address where nothing is
  EXPECT_NE(inside([] { return number_of(::chmod(reinterpret_cast<const char*>(8), 0777)); }), 0);
}

[[nodiscard]] int error_of_opening(const std::string& file, int flags) {
  return number_of(::open(file.c_str(), flags, 0600));
}

TEST_F(ConfinedCommand, KnowsItselfAndNamesItsThreadsWhereItHasDevices) {
  if (!has_landlock()) GTEST_SKIP() << "no Landlock";
  const std::vector<fs::path> devices = {"/dev/full"};
  const auto opened = [&](const std::string& file, int flags) {
    return inside([&] { return error_of_opening(file, flags); }, {}, devices);
  };
  const auto own_name = [] {
    const std::string file = "/proc/self/task/" + std::to_string(::gettid()) + "/comm";
    const int name = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (name < 0) return errno;
    const bool is_right = ::write(name, "renamed", 7) == 7 && ::fcntl(name, F_GETFD) == FD_CLOEXEC;
    std::array<char, 16> now{};
    ::prctl(PR_GET_NAME, now.data());
    return is_right && std::string(now.data()) == "renamed" ? 0 : 99;
  };
  EXPECT_EQ(inside(own_name, {}, devices), 0);
  EXPECT_EQ(inside(own_name), EACCES);
  EXPECT_NE(opened("/proc/self/task/" + std::to_string(::getpid()) + "/comm", O_WRONLY), 0);
  EXPECT_EQ(opened("/proc/" + std::to_string(::getpid()) + "/comm", O_WRONLY), EACCES);
  EXPECT_EQ(opened("/proc/self/oom_score_adj", O_WRONLY), EACCES);
  EXPECT_EQ(opened("/proc/self/maps", O_RDONLY), 0);
  EXPECT_EQ(opened("/proc/self/maps", O_RDWR), EACCES);
  EXPECT_EQ(opened("/proc/self/mem", O_RDONLY), EACCES);
  EXPECT_EQ(opened("/proc/" + std::to_string(::getpid()) + "/maps", O_RDONLY), EACCES);
  EXPECT_EQ(opened("/proc/self/task/../../" + std::to_string(::getpid()) + "/maps", O_RDONLY),
            EACCES);
  EXPECT_NE(opened("/proc/self/task/../comm", O_WRONLY), 0);
  EXPECT_EQ(opened("new", O_WRONLY | O_CREAT), 0);
  EXPECT_EQ(opened(other().string(), O_WRONLY), EACCES);
  EXPECT_EQ(opened("/dev/full", O_RDWR), 0);
  EXPECT_EQ(opened("/dev/zero", O_RDWR), EACCES);
}

TEST_F(ConfinedCommand, WritesOnlyItsOwnFolder) {
  if (!has_landlock()) GTEST_SKIP() << "no Landlock";
  const std::string outside = other().string();
  EXPECT_EQ(inside([] { return number_of(::open("new", O_WRONLY | O_CREAT, 0600)); }), 0);
  EXPECT_EQ(inside([&] { return number_of(::open(outside.c_str(), O_WRONLY)); }), EACCES);
  EXPECT_EQ(inside([&] { return number_of(::open(outside.c_str(), O_RDONLY)); }), 0);
  EXPECT_EQ(inside([] { return number_of(::open("/etc/hostname", O_RDONLY)); }), EACCES);
}

TEST_F(ConfinedCommand, HasNoNetworkUnlessItIsGiven) {
  const auto connect = [] { return number_of(::socket(AF_INET, SOCK_STREAM, 0)); };
  EXPECT_EQ(inside(connect), EPERM);
  EXPECT_EQ(inside(connect, {.kind = Network::Kind::any}), 0);
}

TEST_F(ConfinedCommand, ServesOnOnePort) {
  // Whoever has just had a port from the system is not given it again soon.
  const auto bind_to = [](std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return number_of(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
  };
  constexpr std::uint16_t kPort = 28461;
  const Network serving{.kind = Network::Kind::serving, .port = kPort};
  EXPECT_EQ(inside([&] { return bind_to(kPort); }, serving), 0);
  EXPECT_EQ(inside([] { return number_of(::socket(AF_UNIX, SOCK_STREAM, 0)); }, serving), EPERM);
  EXPECT_EQ(inside([] { return number_of(::socket(AF_INET, SOCK_DGRAM, 0)); }, serving), EPERM);
  if (!confines_signals()) GTEST_SKIP() << "this kernel does not tell ports apart";
  EXPECT_EQ(inside([&] { return bind_to(kPort + 1); }, serving), EACCES);
}

TEST_F(ConfinedCommand, OpensNoConnectionWhereItServes) {
  const Network serving{.kind = Network::Kind::serving, .port = 28462};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* const to = reinterpret_cast<const sockaddr*>(&address);
  EXPECT_EQ(inside(
                [&] {
                  const int tcp = ::socket(AF_INET, SOCK_STREAM, 0);
                  return number_of(::connect(tcp, to, sizeof address));
                },
                serving),
            EPERM);
  EXPECT_EQ(inside(
                [&] {
                  const int tcp = ::socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
                  return number_of(::sendto(tcp, "x", 1, MSG_FASTOPEN, to, sizeof address));
                },
                serving),
            EPERM);
  constexpr int kMultipath = 262;
  EXPECT_EQ(inside([] { return number_of(::socket(AF_INET, SOCK_STREAM, kMultipath)); }, serving),
            EPERM);
}

TEST_F(ConfinedCommand, MayListenLocallyWhereItHasDevicesAndConnectsNowhere) {
  const std::vector<fs::path> devices = {"/dev/full"};
  const auto result_of = [&](const std::function<int()>& attempt) {
    return inside(attempt, {}, devices);
  };
  EXPECT_EQ(result_of([] {
              const int local = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
              sockaddr_un address{};
              address.sun_family = AF_UNIX;
              address.sun_path[1] = 'x';  // of a name without a file
              const auto* const to = reinterpret_cast<const sockaddr*>(&address);
              if (::bind(local, to, sizeof address.sun_family + 8) != 0) return errno;
              return number_of(::listen(local, 1));
            }),
            0);
  EXPECT_EQ(result_of([] {
              const int local = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
              sockaddr_un address{};
              address.sun_family = AF_UNIX;
              const auto* const to = reinterpret_cast<const sockaddr*>(&address);
              return number_of(::connect(local, to, sizeof address));
            }),
            EPERM);
  EXPECT_EQ(result_of([] { return number_of(::socket(AF_UNIX, SOCK_STREAM, 0)); }), EPERM);
  EXPECT_EQ(result_of([] { return number_of(::socket(AF_UNIX, SOCK_DGRAM, 0)); }), EPERM);
  EXPECT_EQ(result_of([] { return number_of(::socket(AF_INET, SOCK_STREAM, 0)); }), EPERM);
}

TEST_F(ConfinedCommand, HasNoPriorityAndEmptiesNoCache) {
  EXPECT_EQ(inside([] {
              const sched_param parameters{.sched_priority = 1};
              return number_of(::sched_setscheduler(0, SCHED_FIFO, &parameters));
            }),
            EPERM);
  EXPECT_EQ(inside([] {
              const int file = ::open("/proc/self/exe", O_RDONLY);
              return ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
            }),
            EPERM);
  EXPECT_EQ(
      inside([] { return ::posix_fadvise(::open("mine", O_RDONLY), 0, 0, POSIX_FADV_NORMAL); }), 0);
  EXPECT_EQ(inside([] { return number_of(::sethostname("x", 1)); }), EPERM);
}

TEST_F(ConfinedCommand, SignalsItsOwnProcessesAlone) {
  const auto stop_child = [] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    const int failed = number_of(::kill(child, SIGKILL));
    return failed;
  };
  const int allowed = confines_signals() ? 0 : EPERM;
  EXPECT_EQ(inside(stop_child), allowed);
  const pid_t parent = ::getpid();
  EXPECT_EQ(inside([&] { return number_of(::kill(parent, 0)); }), EPERM);
}

TEST_F(ConfinedCommand, HasSessionsOfItsOwn) {
  EXPECT_EQ(inside([] {
              const pid_t child = ::fork();
              if (child == 0) ::_exit(number_of(::setsid()));
              int status = 0;
              ::waitpid(child, &status, 0);
              return WEXITSTATUS(status);
            }),
            0);
}

}  // namespace
}  // namespace autokernel
