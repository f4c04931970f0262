#include "jit/code_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>
#include <thread>

#include "jit/compiler.h"
#include "runtime/engine.h"
#include "runtime/memory.h"
#include "support/scratch_folder.h"

namespace emulator::jit {
namespace {

namespace fs = std::filesystem;
using emulator::testing::contents;
using ::testing::HasSubstr;

// out[i] = i + step, where step is a variable of the module.
constexpr const char* kAddStep = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 step;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  ld.global.u32 %r2, [step];
  add.s32 %r3, %r1, %r2;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})";

constexpr std::uint64_t kMostBytes = 1U << 20U;
constexpr auto kWarps = lower::EngineChoice::warps;

// What a process does with a module, from its text to what a launch leaves.
class Process {
 public:
  Process(std::string ptx, std::shared_ptr<const CodeCache> cache, std::uint32_t step = 7)
      : module_(std::make_shared<const ptx::Module>(ptx::parse(ptx))),
        step_(memory_.allocate(4, runtime::AllocationKind::global_variable, "step")),
        compiler_(module_, {{"step", step_}}, kWarps, {std::move(cache), std::move(ptx)}) {
    *std::bit_cast<std::uint32_t*>(step_) = step;
  }

  [[nodiscard]] std::shared_ptr<const CompiledKernel> compile(std::uint32_t threads = 32) {
    return compiler_.compile(module_->functions.at(0), {{threads, 1, 1}, {1, 1, 1}, 0});
  }
  void check() const { compiler_.check(); }

  // Out of bounds where `bytes` are less than the kernel writes.
  [[nodiscard]] std::optional<runtime::Fault> run(const CompiledKernel& kernel,
                                                  std::size_t bytes = 128) {
    const std::uint64_t out = memory_.allocate(bytes, runtime::AllocationKind::device);
    const auto addresses = memory_.snapshot();
    std::vector<std::uint8_t> parameters(sizeof out);
    std::memcpy(parameters.data(), &out, sizeof out);
    runtime::PrintBuffer prints;
    runtime::Launch launch;
    launch.function = kernel.function;
    launch.sites = kernel.sites;
    launch.parameters = parameters;
    launch.block = {32, 1, 1};
    launch.shared_bytes = kernel.static_shared_bytes;
    launch.local_bytes_per_thread = kernel.local_bytes_per_thread;
    launch.addresses = addresses.get();
    launch.prints = &prints;
    runtime::Engine engine(1);
    auto fault = engine.run(launch);
    words_.assign(std::bit_cast<const std::uint32_t*>(out),
                  std::bit_cast<const std::uint32_t*>(out) + bytes / 4);
    return fault;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  runtime::Memory memory_;
  std::shared_ptr<const ptx::Module> module_;
  std::uint64_t step_;
  Compiler compiler_;
  std::vector<std::uint32_t> words_;
};

class CodeCaches : public ::testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<const CodeCache> cache() const {
    return std::make_shared<const CodeCache>(folder_, kMostBytes);
  }
  // Compiled by an earlier process.
  void fill() const { static_cast<void>(Process(kAddStep, cache()).compile()); }
  [[nodiscard]] bool knows(const std::string& ptx, std::uint32_t threads = 32) const {
    return Process(ptx, cache()).compile(threads)->from_cache;
  }
  [[nodiscard]] fs::path only_file() const { return fs::directory_iterator(folder_)->path(); }

  emulator::testing::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path() / "cache";
};

TEST_F(CodeCaches, GiveTheNextProcessWhatThisOneCompiled) {
  Process first(kAddStep, cache());
  EXPECT_FALSE(first.compile()->from_cache);

  Process next(kAddStep, cache(), 1000);
  const auto kernel = next.compile();
  EXPECT_TRUE(kernel->from_cache);
  EXPECT_EQ(kernel->times.lower_seconds + kernel->times.optimise_seconds, 0);
  EXPECT_FALSE(next.run(*kernel).has_value());
  // The variable lies elsewhere than it did in the first process.
  EXPECT_EQ(next.words()[31], 1031);
}

TEST_F(CodeCaches, KeepWhatAFaultIsNamedBy) {
  fill();
  Process next(kAddStep, cache());
  const auto fault = next.run(*next.compile(), 64);
  EXPECT_THAT(fault.value_or(runtime::Fault{}).text,
              HasSubstr("PTX line 13: st.global.u32 [%rd3], %r3"));
}

TEST_F(CodeCaches, KnowOneTextAndOneShapeOnly) {
  fill();
  EXPECT_TRUE(knows(kAddStep));
  EXPECT_FALSE(knows(kAddStep, 64));
  EXPECT_FALSE(knows(std::string(kAddStep) + "\n"));
}

TEST_F(CodeCaches, KnowWhatWasFoundSound) {
  EXPECT_FALSE(cache()->is_sound(kAddStep, kWarps));
  Process(kAddStep, cache()).check();
  EXPECT_TRUE(cache()->is_sound(kAddStep, kWarps));
  EXPECT_FALSE(cache()->is_sound(std::string(kAddStep) + "\n", kWarps));
}

TEST_F(CodeCaches, DoNotTakeAModuleForSoundThatIsRefused) {
  std::string refused = kAddStep;
  refused.replace(refused.find("ret;"), 4, "tcgen05.fence::before_thread_sync; ret;");
  EXPECT_THROW(Process(refused, cache()).check(), ptx::Error);
  EXPECT_THROW(Process(refused, cache()).check(), ptx::Error);
}

TEST_F(CodeCaches, CompileAnewWhereAFileIsCut) {
  fill();
  const fs::path file = only_file();
  const std::string whole = contents(file);
  constexpr std::size_t kCuts = 8;
  for (std::size_t cut = 0; cut < kCuts; ++cut) {
    scratch_.write(file, whole.substr(0, whole.size() * cut / kCuts));
    Process process(kAddStep, cache());
    const auto kernel = process.compile();
    EXPECT_FALSE(kernel->from_cache) << cut;
    EXPECT_FALSE(process.run(*kernel).has_value());
    EXPECT_EQ(process.words()[5], 12);
    EXPECT_EQ(contents(file), whole) << "it is replaced";
  }
}

TEST_F(CodeCaches, CompileAnewWhereABitIsFlipped) {
  fill();
  const fs::path file = only_file();
  const std::string whole = contents(file);
  constexpr std::size_t kFlips = 8;
  for (std::size_t flip = 0; flip < kFlips; ++flip) {
    std::string damaged = whole;
    char& byte = damaged[whole.size() * flip / kFlips];
    byte = static_cast<char>(byte ^ (1 << flip));
    scratch_.write(file, damaged);
    EXPECT_FALSE(knows(kAddStep)) << flip;
  }
}

TEST_F(CodeCaches, CompileAnewWhatDoesNotLink) {
  fill();
  const CodeCache there(folder_, kMostBytes);
  const lower::LaunchShape shape{{32, 1, 1}, {1, 1, 1}, 0};
  auto kernel = there.find(kAddStep, "k", shape, kWarps).value_or(KernelObject{});
  ASSERT_FALSE(kernel.objects.empty());
  kernel.objects = {"not an object file"};
  there.keep(kAddStep, "k", shape, kWarps, kernel);
  Process process(kAddStep, cache());
  const auto compiled = process.compile();
  EXPECT_FALSE(compiled->from_cache);
  EXPECT_FALSE(process.run(*compiled).has_value());
  EXPECT_EQ(process.words()[0], 7);
}

TEST_F(CodeCaches, WithoutAFolderLoseNothingButTime) {
  scratch_.write("cache", "a file where a folder should be");
  EXPECT_FALSE(knows(kAddStep));
  EXPECT_FALSE(knows(kAddStep));
}

TEST_F(CodeCaches, AreFilledByManyAtOnce) {
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) threads.emplace_back([this] { fill(); });
  threads.clear();
  EXPECT_TRUE(knows(kAddStep));
}

}  // namespace
}  // namespace emulator::jit
