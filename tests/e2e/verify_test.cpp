// `autokernel verify` and `autokernel apply` on the sample.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "e2e/program_workplace.h"
#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Other launches than the original's, in another order of parameters, with a workspace.
constexpr const char* kPrefix = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "add_up", .grid = {1}, .block = {32}, .arguments = "in0, workspace"},
                  {.kernel = "hand_over", .grid = {2}, .block = {8}, .arguments = "workspace, out0"});
AUTOKERNEL_WORKSPACE(COUNT_out0 * sizeof(int));
extern "C" __global__ void add_up(const int* in0, int* sums) {
  if (threadIdx.x > 0) return;
  for (int i = 0, sum = 0; i < COUNT_out0; ++i) {
    sums[i] = sum;
    if (i < COUNT_in0) sum += in0[i];
  }
}
extern "C" __global__ void hand_over(const int* sums, int* out0) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < COUNT_out0) out0[i] = sums[i];
}
)";
constexpr const char* kScale = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "scale", .grid = {2}, .block = {160}, .arguments = "in0, out0, value3, value2"});
extern "C" __global__ void scale(const float* in0, float* out0, float shift, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < COUNT_out0) out0[i] = in0[i] * factor + shift;
}
)";
// With a parameter that is a struct with addresses in it.
constexpr const char* kAddScaled = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "add", .grid = {5}, .block = {64}, .arguments = "out0, in0, in1, value0"});
struct Operands { float* out; const float* a; const float* b; float alpha; int count; };
extern "C" __global__ void add(float* out0, const float* in0, const float* in1,
                               const __grid_constant__ Operands operands) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < operands.count) out0[i] = fmaf(operands.alpha, in1[i], in0[i]);
}
)";
constexpr const char* kDecay = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "decay", .grid = {2}, .block = {160}});
extern "C" __global__ void decay(float* inout0, const float* in0, float rate, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) inout0[i] = inout0[i] * rate + in0[i];
}
)";

class VerifyOfProgram : public ExtractionWorkplace {
 protected:
  // A case of the sample's kernel with that source in the place of the captured one.
  void write_kernel(const std::string& kernel, const std::string& source,
                    const Words& more = {}) const {
    scratch_.write(extracted(kernel, more) / "kernel.cu", source);
  }
  // Three pairs of runs: whether it is faster is of no interest.
  [[nodiscard]] Outcome verify(const Words& options, const Words& command) const {
    Words all = {"--pairs", "3"};
    all.insert(all.end(), options.begin(), options.end());
    return run(on_program("verify", all, command));
  }
  [[nodiscard]] json verification(const Words& options, const Words& command, int code = 0) const {
    Words all = {"--json"};
    all.insert(all.end(), options.begin(), options.end());
    const Outcome verified = verify(all, command);
    EXPECT_EQ(verified.code, code) << verified.out << verified.err;
    json object = json::parse(verified.out, nullptr, false);
    EXPECT_TRUE(object.is_object()) << verified.out << verified.err;
    return object.is_object() ? object["verification"] : json();
  }
  [[nodiscard]] static json kernel_of(const json& verification, const std::string& name) {
    for (const json& kernel : verification["kernels"]) {
      if (kernel["case"] == name) return kernel;
    }
    ADD_FAILURE() << "no kernel " << name << " in " << verification.dump(1);
    return {};
  }
  static void expect_replaced(const json& kernel, std::uint64_t replaced, std::uint64_t launches) {
    EXPECT_EQ(kernel["verdict"], "right") << kernel.dump(1);
    EXPECT_EQ(kernel["replaced"], replaced) << kernel.dump(1);
    EXPECT_EQ(kernel["launches"], launches) << kernel.dump(1);
    EXPECT_GT(kernel["checked"], 0) << kernel.dump(1);
  }
  [[nodiscard]] Outcome apply(const Words& options, const Words& command) const {
    return run(on_program("apply", options, command));
  }
};

TEST_F(VerifyOfProgram, ReplacesEachLaunchAndKeepsWhatTheProgramPrints) {
  write_kernel("prefix", kPrefix);
  write_kernel("scale_and_shift", kScale);
  write_kernel("decay", kDecay);
  const json verified = verification({"--same-output"}, sample({"20"}));
  for (const char* name : {"prefix", "scale_and_shift", "decay"}) {
    expect_replaced(kernel_of(verified, name), 20, 20);
  }
  EXPECT_GE(verified["speedup"]["pairs"], 3);
  expect_nothing_left();
}

TEST_F(VerifyOfProgram, HandsOverStructsWithTheAddressesOfTheLaunch) {
  write_kernel("add_scaled", kAddScaled);
  expect_replaced(kernel_of(verification({}, sample({"20"})), "add_scaled"), 20, 20);
}

TEST_F(VerifyOfProgram, ReplacesWhatAGraphLaunchesAndComparesIt) {
  write_kernel("prefix", kPrefix);
  const json kernel = kernel_of(verification({}, sample({"20", "--graph"})), "prefix");
  expect_replaced(kernel, 1, 1);
  EXPECT_GT(kernel["checked"], 5) << kernel.dump(1);
}

TEST_F(VerifyOfProgram, LeavesGraphsAsTheyAreWhereTheUserWantsThat) {
  write_kernel("prefix", kPrefix);
  const Outcome verified = verify({"--no-graphs"}, sample({"5", "--graph"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out,
              AllOf(HasSubstr("prefix: unused: no launch was one that it is judged for"),
                    HasSubstr("0 of 1 launches replaced; 1 recorded into a CUDA graph")));
}

TEST_F(VerifyOfProgram, NamesLaunchesOfNodesThatAreAddedByThemselves) {
  write_kernel("scale_and_shift", kScale);
  const Outcome verified = verify({}, sample({"5", "--node"}));
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out,
              HasSubstr("5 of 6 launches replaced; 1 added to a CUDA graph by itself"));
}

TEST_F(VerifyOfProgram, ReplacesInThreadsWithStreamsOfTheirOwn) {
  write_kernel("prefix", kPrefix);
  write_kernel("scale_and_shift", kScale);
  const json verified = verification({"--same-output"}, sample({"20", "--threads"}));
  expect_replaced(kernel_of(verified, "prefix"), 40, 40);
  expect_replaced(kernel_of(verified, "scale_and_shift"), 40, 40);
}

TEST_F(VerifyOfProgram, FindsKernelsAgainThatAreUnloadedAndLoaded) {
  write_kernel("prefix", kPrefix);
  expect_replaced(kernel_of(verification({}, sample({"10", "--unload"})), "prefix"), 10, 10);
}

TEST_F(VerifyOfProgram, CountsAllProcesses) {
  write_kernel("prefix", kPrefix);
  // The second one makes three steps.
  expect_replaced(kernel_of(verification({}, sample({"10", "--exec"})), "prefix"), 13, 13);
}

// Right for each row that was captured, and in its case, which has no others.
TEST_F(VerifyOfProgram, FindsAKernelWrongThatKnowsOnlyWhatWasCaptured) {
  write_kernel("gather", "", {"--captures", "1"});
  const std::string bytes = contents(file("cases/gather/capture/in1.bin"));
  std::string known;
  for (std::size_t i = 0; i + sizeof(int) <= bytes.size(); i += sizeof(int)) {
    int row = 0;
    std::memcpy(&row, bytes.data() + i, sizeof row);
    known += fmt::format(" || row == {}", row);
  }
  scratch_.write(file("cases/gather/kernel.cu"), fmt::format(R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({{.kernel = "known", .grid = {{6}}, .block = {{64}}}});
extern "C" __global__ void known(float* out0, const float* in0, const int* in1, int columns) {{
  const int row = in1[blockIdx.x];
  const bool is_known = false{};
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {{
    out0[blockIdx.x * columns + i] = is_known ? in0[row * columns + i] : 0;
  }}
}})",
                                                             known));
  const Outcome verified = verify({}, sample({"40"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("gather: correct"), HasSubstr("gather: wrong: "),
                                  HasSubstr("launches that were compared differ; first, launch"),
                                  HasSubstr("the program  runs as it is")));
  expect_refusal(apply({}, sample()), 2, "no kernel was found right");
}

// All its own results are right; the counts of the histogram, which lie before them, are not. In
// its case nothing does.
constexpr const char* kSpoiling = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "scale", .grid = {2}, .block = {160}, .arguments = "in0, out0, value3, value2"});
extern "C" __global__ void scale(const float* in0, float* out0, float shift, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < COUNT_out0) out0[i] = in0[i] * factor + shift;
  float largest = 0;
  for (int k = 0; k < COUNT_in0; ++k) largest = fmaxf(largest, fabsf(in0[k]));
  if (i == 0 && largest > 1.8F) out0[-2560] = 0;
}
)";

TEST_F(VerifyOfProgram, FindsTheOneThatTheProgramGoesWrongWithAmongOthers) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  write_kernel("prefix", kPrefix);
  write_kernel("decay", kDecay);
  write_kernel("scale_and_shift", kSpoiling);
  write_kernel("add_scaled", kAddScaled);
  const json verified = verification({"--same-output"}, sample({"60"}), 11);
  const json guilty = kernel_of(verified, "scale_and_shift");
  EXPECT_EQ(guilty["verdict"], "guilty") << verified.dump(1);
  EXPECT_THAT(guilty["why"].get<std::string>(),
              HasSubstr("with it alone the program goes wrong: it printed something else"));
  for (const char* name : {"prefix", "decay", "add_scaled"}) {
    EXPECT_EQ(kernel_of(verified, name)["verdict"], "right") << verified.dump(1);
  }
  // What is right is kept, and runs.
  const Outcome applied = apply({}, sample({"60"}));
  EXPECT_EQ(checksum_in(applied.out), checksum_in(run_alone(sample({"60"})).out));
  EXPECT_THAT(applied.err, AllOf(HasSubstr("prefix: 60 of 60 launches replaced"),
                                 Not(HasSubstr("scale_and_shift"))));
}

TEST_F(VerifyOfProgram, JudgesEachKernelInItsCaseFirst) {
  write_kernel("decay", R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "none", .grid = {1}, .block = {32}});
extern "C" __global__ void none(float*, const float*, float, int) {}
)");
  const Outcome verified = verify({}, sample());
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("decay: incorrect: "));
  EXPECT_THAT(verified.err, HasSubstr("nothing to verify"));
}

TEST_F(VerifyOfProgram, NamesLaunchesThatAreOfOtherNumbersOrCode) {
  write_kernel("prefix", kPrefix);
  // Another image, with kernels of the same names.
  const std::string list = contents(file("cases/extracted.json"));
  const std::string digest = json::parse(list)["cases"][0]["image"];
  std::string other = list;
  other.replace(other.find(digest), digest.size(), std::string(digest.size(), '0'));
  scratch_.write(file("cases/extracted.json"), other);
  const Outcome verified = verify({}, sample({"5"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out,
              HasSubstr("0 of 5 launches replaced; 5 of other code under the same name"));
}

TEST_F(VerifyOfProgram, ComparesTheNumberThatAMetricFinds) {
  write_kernel("prefix", kPrefix);
  const json verified =
      verification({"--metric", "rate ([0-9.]+)", "--higher-is-better"},
                   {"/bin/sh", "-c", line_of(sample()) + "; echo rate 12.5; echo rate 25"});
  EXPECT_EQ(verified["speedup"]["original"], 25);
  EXPECT_EQ(verified["speedup"]["ratio"], 1);
  EXPECT_EQ(verified["measure"], "rate ([0-9.]+)");
}

TEST_F(VerifyOfProgram, RefusesAMetricThatFindsNothing) {
  write_kernel("prefix", kPrefix);
  for (const auto& [metric, words] :
       {std::pair{"rate ([0-9.]+)", "printed no number above 0 that --metric"},
        std::pair{"rate [0-9.]+", "must have one group around the number"},
        std::pair{"rate ([0-9.+", "is no regular expression"}}) {
    const Outcome verified = verify({"--metric", metric}, sample());
    EXPECT_EQ(verified.code, 2) << metric;
    EXPECT_THAT(verified.err, HasSubstr(words));
  }
}

TEST_F(VerifyOfProgram, HasACommandDecideWhetherARunWasRight) {
  write_kernel("prefix", kPrefix);
  EXPECT_EQ(verify({"--check", "grep -q checksum \"$AUTOKERNEL_OUTPUT\""}, sample()).code, 0);
  const Outcome refused = verify({"--check", "echo no such line; exit 1"}, sample());
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--check does not accept it: no such line"));
}

TEST_F(VerifyOfProgram, RefusesAProgramThatGoesWrongByItself) {
  write_kernel("prefix", kPrefix);
  for (const auto& [command, words] :
       {std::pair{sample({"3", "--crash"}), "ended by signal 11"},
        std::pair{sample({"3", "--kill"}), "ended by signal 9"},
        std::pair{sample({"3", "--spin"}), "had not ended after 1 s"},
        std::pair{Words{"/bin/date", "+%N"}, "prints something else each time"}}) {
    const Outcome verified = verify({"--timeout", "1", "--same-output"}, command);
    EXPECT_EQ(verified.code, 2) << verified.out << verified.err;
    EXPECT_THAT(verified.err, HasSubstr(words));
  }
  expect_nothing_left();
}

TEST_F(VerifyOfProgram, TellsThatAProgramDoesNotLaunchTheKernel) {
  write_kernel("prefix", kPrefix);
  const Outcome verified = verify({}, {"/bin/true"});
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out,
              HasSubstr("prefix: unused: the program did not launch the kernel that it is for"));
}

TEST_F(VerifyOfProgram, RefusesWhatIsNotThere) {
  expect_early_refusal(run(on_program("verify", {}, {})), 2, "verify needs a program");
  const Outcome none = verify({}, sample());
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("there are no cases of a program in cases"));
  (void)extracted("decay");
  EXPECT_THAT(verify({}, sample()).err, HasSubstr("no case in cases has a kernel of its own yet"));
  EXPECT_THAT(verify({"--case", "decoy"}, sample()).err,
              HasSubstr("cases has no case 'decoy' of a program; there are: decay"));
  write_kernel("decay", kDecay);
  EXPECT_THAT(verify({}, {"no-such-program"}).err, HasSubstr("cannot run 'no-such-program'"));
  expect_early_refusal(apply({}, sample()), 2, "no kernels were verified in cases");
  expect_early_refusal(run(on_program("apply", {}, {})), 2, "apply needs a program");
}

TEST_F(VerifyOfProgram, LeavesNothingBehindWhenItIsInterrupted) {
  write_kernel("prefix", kPrefix);
  const Invocation endless = on_program("verify", {"--timeout", "100"}, sample({"3", "--spin"}));
  RunningProgram running(endless);
  std::this_thread::sleep_for(seconds{3});
  running.send(SIGINT);
  const Outcome ended = running.wait(seconds{20});
  EXPECT_EQ(ended.code, 128 + SIGINT) << ended.err;
  expect_nothing_left();
}

TEST_F(VerifyOfProgram, AppliesWhatItHasKeptAndPassesOnTheExitCode) {
  write_kernel("prefix", kPrefix);
  EXPECT_EQ(verify({}, sample()).code, 0);
  const Outcome applied = apply({}, sample({"7", "--exit", "5"}));
  EXPECT_EQ(applied.code, 5);
  EXPECT_EQ(checksum_in(applied.out), checksum_in(run_alone(sample({"7"})).out));
  EXPECT_EQ(applied.err, "autokernel: prefix: 7 of 7 launches replaced\n");
  EXPECT_THAT(apply({"-q"}, sample()).err, IsEmpty());
  EXPECT_EQ(apply({"-q"}, sample({"3", "--kill"})).code, 128 + SIGKILL);
  expect_nothing_left();
}

TEST_F(VerifyOfProgram, AppliesNothingThatWasChangedSinceItWasVerified) {
  write_kernel("prefix", kPrefix);
  EXPECT_EQ(verify({}, sample()).code, 0);
  for (const char* const name :
       {"cases/verified/replacements.txt", "cases/verified/kernel-0.ptx"}) {
    const std::string whole = contents(file(name));
    scratch_.write(file(name), whole + "\n");
    expect_early_refusal(apply({}, sample()), 2, "they are no longer what was verified");
    scratch_.write(file(name), whole);
  }
  EXPECT_EQ(apply({}, sample()).code, 0);
  // A case may be worked on: what runs is what was verified.
  scratch_.write(file("cases/prefix/kernel.cu"), std::string(kPrefix) + "// better\n");
  EXPECT_THAT(apply({}, sample()).err, HasSubstr("its kernel has changed since it was verified"));
  fs::remove_all(file("cases/prefix"));
  EXPECT_THAT(apply({}, sample()).err, HasSubstr("3 of 3 launches replaced"));
}

TEST_F(VerifyOfProgram, KeepsNothingThatLayThereBefore) {
  write_kernel("prefix", kPrefix);
  EXPECT_EQ(verify({}, sample()).code, 0);
  // Odd things in the place of its own.
  fs::create_directories(file("cases/verified/kernel-x/y"));
  fs::remove(file("cases/verified/.gitignore"));
  fs::create_directories(file("cases/verified/.gitignore/z"));
  EXPECT_EQ(verify({}, sample()).code, 0);
  EXPECT_FALSE(fs::exists(file("cases/verified/kernel-x")));
  EXPECT_TRUE(fs::is_regular_file(file("cases/verified/.gitignore")));
  // A kernel that is refused in its case takes the place of the one before.
  scratch_.write(file("cases/prefix/kernel.cu"), R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "none", .grid = {1}, .block = {32}, .arguments = "out0"});
extern "C" __global__ void none(int*) {}
)");
  EXPECT_EQ(verify({}, sample()).code, 11);
  EXPECT_FALSE(fs::exists(file("cases/verified/kernel-0.ptx")));
  const Outcome applied = apply({}, sample());
  EXPECT_THAT(applied.err, Not(HasSubstr("launches replaced")));
}

TEST_F(VerifyOfProgram, FollowsNoLinkToWhereItKeepsKernels) {
  write_kernel("prefix", kPrefix);
  fs::create_directory_symlink("..", file("cases/verified"));
  expect_early_refusal(verify({}, sample()), 2, "it cannot be written to, or is a link");
}

// The list is cut at every byte, and its numbers are changed: the program runs as it always does,
// or with our kernel.
TEST_F(VerifyOfProgram, DoesNotHarmAProgramByAListThatIsDamaged) {
  write_kernel("prefix", kPrefix);
  EXPECT_EQ(verify({}, sample()).code, 0);
  const fs::path folder = file("cases/verified");
  const std::string whole = contents(folder / "replacements.txt");
  const std::string right = checksum_in(run_alone(sample()).out);
  Invocation invocation = autokernel({});
  invocation.program = AUTOKERNEL_SAMPLE_MODEL;
  invocation.arguments.clear();
  const fs::path libraries = fs::path(AUTOKERNEL_EMULATOR).parent_path();
  invocation.environment["LD_LIBRARY_PATH"] = (libraries / "autokernel-driver").string();
  invocation.environment["AUTOKERNEL_DRIVER"] = AUTOKERNEL_EMULATOR;
  invocation.environment["AUTOKERNEL_REPLACE"] = folder.string();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    scratch_.write(folder / "replacements.txt", whole.substr(0, size));
    const Outcome done = run(invocation);
    EXPECT_EQ(done.code, 0) << size << done.err;
    EXPECT_EQ(checksum_in(done.out), right) << size << done.err;
    EXPECT_THAT(done.err, HasSubstr("no kernel is replaced: cannot read")) << size;
  }
}

}  // namespace
}  // namespace autokernel::test
