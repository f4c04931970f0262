// The process in which a kernel runs: what it holds, and what it may do. Looked at from outside,
// while a kernel that never ends is in it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "autokernel/base/descriptor.h"
#include "e2e/workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::Not;

// Nobody else has these numbers.
constexpr double kAbsolute = 0.012345678912345;
constexpr double kRelative = 0.023456789123456;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string bytes_of(double value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// How often each of these occurs in the writable memory of a process; none where nobody may look.
std::optional<std::vector<int>> occurrences(pid_t process,
                                            const std::vector<std::string>& searched) {
  const fs::path folder = fs::path("/proc") / std::to_string(process);
  const Descriptor memory(::open((folder / "mem").c_str(), O_RDONLY | O_CLOEXEC));
  if (!memory.is_open()) return std::nullopt;
  std::vector<int> counts(searched.size());
  std::istringstream maps(text_of(folder / "maps"));
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string rights;
    char dash = 0;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> rights;
    // What the emulated device has reserved is larger.
    if (!rights.starts_with("rw") || end - begin > (std::uint64_t{1} << 26U)) continue;
    std::string piece(end - begin, '\0');
    const ssize_t read =
        ::pread(memory.get(), piece.data(), piece.size(), static_cast<off_t>(begin));
    piece.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read)));
    for (std::size_t i = 0; i < searched.size(); ++i) {
      for (std::size_t at = 0; (at = piece.find(searched[i], at)) != std::string::npos; ++at) {
        ++counts[i];
      }
    }
  }
  return counts;
}

class TheLauncher : public Workplace {
 protected:
  explicit TheLauncher(const std::vector<std::string>& options = {}) {
    const fs::path file = scratch_.path() / "kernels" / "case.toml";
    std::string text = text_of(file);
    const auto replace = [&](const std::string& old, const std::string& with) {
      const std::size_t at = text.find(old);
      ASSERT_NE(at, std::string::npos) << old;
      text.replace(at, old.size(), with);
    };
    replace("absolute = 1e-2", "absolute = 0.012345678912345");
    replace("relative = 1e-2", "relative = 0.023456789123456");
    std::ofstream(file) << text;
    std::vector<std::string> extra = {"--verbose"};
    extra.insert(extra.end(), options.begin(), options.end());
    Invocation invocation = autokernel(bench_arguments("never_ends", extra));
    invocation.environment["NV_TPS_LAUNCH_TOKEN"] = "a profiler's";
    program_.emplace(invocation);
    const auto deadline = steady_clock::now() + seconds{60};
    while (program_->err_so_far().find("entered phase check") == std::string::npos &&
           steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{10});
    }
  }
  ~TheLauncher() override {
    program_->send(SIGKILL);
    static_cast<void>(program_->wait(seconds{20}));
  }
  TheLauncher(const TheLauncher&) = delete;
  TheLauncher& operator=(const TheLauncher&) = delete;

  [[nodiscard]] pid_t process(const std::string& name) const {
    return process_named(name, scratch_.path().string());
  }

  std::optional<RunningProgram> program_;
};

TEST_F(TheLauncher, IsConfinedWithAllItsThreads) {
  const pid_t launcher = process("autokernel-lau");
  ASSERT_NE(launcher, 0);
  int threads = 0;
  for (const auto& task :
       fs::directory_iterator(fs::path("/proc") / std::to_string(launcher) / "task")) {
    const std::string status = text_of(task.path() / "status");
    if (status.empty()) continue;  // a compiler's thread that has ended meanwhile
    ++threads;
    EXPECT_THAT(status, HasSubstr("Seccomp:\t2"));
    EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
  }
  EXPECT_GT(threads, 0);
}

class TheUnconfinedLauncher : public TheLauncher {
 protected:
  TheUnconfinedLauncher() : TheLauncher({"--unconfined"}) {}
};

TEST_F(TheUnconfinedLauncher, LeavesAProfilersLibraryAllCallsAndItsVariables) {
  const pid_t launcher = process("autokernel-lau");
  ASSERT_NE(launcher, 0);
  const fs::path folder = fs::path("/proc") / std::to_string(launcher);
  EXPECT_THAT(text_of(folder / "status"), HasSubstr("Seccomp:\t0"));
  EXPECT_THAT(text_of(folder / "environ"), HasSubstr("NV_TPS_LAUNCH_TOKEN"));
}

TEST_F(TheLauncher, GetsNoVariablesOfAProfiler) {
  const pid_t launcher = process("autokernel-lau");
  ASSERT_NE(launcher, 0);
  EXPECT_THAT(text_of(fs::path("/proc") / std::to_string(launcher) / "environ"),
              Not(HasSubstr("NV_TPS_LAUNCH_TOKEN")));
}

TEST_F(TheLauncher, HoldsNoToleranceUnlikeTheRunner) {
  const pid_t launcher = process("autokernel-lau");
  const pid_t runner = process("autokernel-run");
  ASSERT_NE(launcher, 0);
  ASSERT_NE(runner, 0);
  const std::vector<std::string> secrets = {bytes_of(kAbsolute), bytes_of(kRelative),
                                            "0.012345678912345"};
  const auto in_launcher = occurrences(launcher, secrets);
  const auto in_runner = occurrences(runner, secrets);
  if (!in_launcher || !in_runner) GTEST_SKIP() << "other processes' memory cannot be read here";
  EXPECT_THAT(*in_launcher, Each(0));
  EXPECT_THAT(*in_runner, Each(Gt(0))) << "nothing is looked for";
}

}  // namespace
}  // namespace autokernel::test
