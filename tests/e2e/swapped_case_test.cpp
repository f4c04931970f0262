// A case whose files are swapped between being hashed and being compiled: whoever watches its
// folder can do that within a millisecond of each time that one is opened.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/files.h"
#include "e2e/loop_workplace.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;

// Puts other bytes into a file's place when it has been opened and closed so often, and the old
// ones back when it was once more.
class Swapper {
 public:
  Swapper(fs::path file, std::string bytes, int after)
      : file_(std::move(file)),
        good_(contents(file_)),
        bad_(std::move(bytes)),
        after_(after),
        events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
        thread_([this] { watch(); }) {}
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;
  Swapper(Swapper&&) = delete;
  Swapper& operator=(Swapper&&) = delete;
  ~Swapper() {
    done_ = true;
    thread_.join();
    put(good_);
  }
  [[nodiscard]] int opened() const { return opened_; }

 private:
  // By a rename, as git and editors do: the watch is of the folder.
  void put(const std::string& bytes) const { write_file_atomically(file_, bytes, Sync::no); }
  void watch() {
    ::inotify_add_watch(events_.get(), file_.parent_path().c_str(), IN_CLOSE_NOWRITE);
    if (after_ == 0) put(bad_);
    while (!done_) {
      pollfd waiting{.fd = events_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 10) <= 0) continue;
      std::array<char, 65536> bytes{};
      const ssize_t count = ::read(events_.get(), bytes.data(), bytes.size());
      for (ssize_t at = 0; at < count;) {
        inotify_event event{};
        std::memcpy(&event, bytes.data() + at, sizeof event);
        if (file_.filename() == bytes.data() + at + sizeof event) count_one();
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    }
  }
  void count_one() {
    ++opened_;
    if (opened_ == after_) put(bad_);
    if (opened_ == after_ + 1) put(good_);
  }

  const fs::path file_;
  const std::string good_;
  const std::string bad_;
  const int after_;
  const Descriptor events_;
  std::atomic<int> opened_ = 0;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

constexpr const char* kReferenceOfZeros = R"(
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "reference", .grid = {N / 256}, .block = {256}});
extern "C" __global__ void reference(const float*, const float*, float* z) {
  z[blockIdx.x * 256 + threadIdx.x] = 0;
}
)";

class SwappedCase : public LoopWorkplace {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const {
    return repository_.root() / "kernels" / name;
  }
  [[nodiscard]] static std::string kernel_of_zeros(int number) {
    return kernel_with(kFastest, "z[i] = sum;", "z[i] = " + std::to_string(number) + " * 0;");
  }
};

TEST_F(SwappedCase, NeverMakesAKernelOfZerosCorrectInAStep) {
  start();
  const std::string baseline = head();
  // A step opens it three times: twice to see whether it has changed, and once to hand it on.
  for (int after = 0; after <= 5; ++after) {
    const Swapper swapper(file("reference.cu"), kReferenceOfZeros, after);
    const Outcome outcome = step(kernel_of_zeros(after + 1), "zeros");
    EXPECT_THAT(outcome.code, AnyOf(11, 15)) << after << ": " << outcome.out << outcome.err;
    EXPECT_EQ(head(), baseline) << after;
    EXPECT_GT(swapper.opened(), 0) << after;
  }
}

TEST_F(SwappedCase, OfATolerantCaseIsNoBetter) {
  start();
  std::string tolerant = repository_.read("kernels/case.toml");
  for (const auto& [strict, lax] :
       std::map<std::string, std::string>{{"exact = \"always\"", "exact = \"never\""},
                                          {"deterministic = true", "deterministic = false"},
                                          {"absolute = 0.0", "absolute = 1e9"}}) {
    tolerant.replace(tolerant.find(strict), strict.size(), lax);
  }
  for (int after = 0; after <= 5; ++after) {
    const Swapper swapper(file("case.toml"), tolerant, after);
    const Outcome outcome = step(kernel_of_zeros(after + 1), "zeros");
    EXPECT_THAT(outcome.code, AnyOf(11, 15)) << after << ": " << outcome.out << outcome.err;
  }
}

// The processes that settle a gain are handed the same bytes, so there is nothing to see between
// them.
TEST_F(SwappedCase, IsOpenedOnceByABench) {
  edit(kernel(kFaster));
  repository_.write("slow.cu", kernel(kSlow));
  const Swapper counting(file("reference.cu"), kReferenceOfZeros, 1);
  const Outcome outcome =
      run_autokernel({"bench", "--device", "cpu", "--size", "check", "--against", "slow.cu"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(counting.opened(), 1);
}

TEST_F(SwappedCase, ThatIsALinkIsRefused) {
  fs::rename(file("reference.cu"), repository_.root() / "elsewhere.cu");
  fs::create_symlink("../elsewhere.cu", file("reference.cu"));
  const Outcome outcome = run_autokernel({"bench", "--device", "cpu", "--size", "check"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("symbolic link"));
}

}  // namespace
}  // namespace autokernel::test
