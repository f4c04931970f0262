// What doctor makes of facts, each broken in one place.
#include "cli/doctor/checks.h"

#include <gmock/gmock.h>

#include <functional>

#include "cli/doctor/made_up.h"
#include "support/present.h"

namespace autokernel::cli::doctor {
namespace {

using driver::DeviceChoice;
using driver::Survey;
using test::present;
using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr DeviceChoice kCpu{.kind = DeviceChoice::Kind::cpu, .ordinal = 0};
constexpr DeviceChoice kCuda{.kind = DeviceChoice::Kind::cuda, .ordinal = 0};
constexpr DeviceChoice kSecondGpu{.kind = DeviceChoice::Kind::cuda, .ordinal = 1};

auto is(Standing standing, const std::string& found, const std::string& fix) {
  return AllOf(Field(&Line::standing, standing), Field(&Line::found, HasSubstr(found)),
               Field(&Line::fix, HasSubstr(fix)));
}
auto is_ok(const std::string& found) {
  return AllOf(Field(&Line::standing, Standing::ok), Field(&Line::found, HasSubstr(found)),
               Field(&Line::fix, IsEmpty()));
}

Line look(const std::string& name, const Facts& facts) { return line_named(name, check(facts)); }

TEST(Doctor, FindsNothingWrongWithASoundMachine) {
  const Lines lines = check(sound_machine());
  EXPECT_THAT(lines, Each(Field(&Line::standing, Standing::ok)));
  EXPECT_THAT(lines, Each(Field(&Line::found, Not(IsEmpty()))));
  EXPECT_TRUE(can_bench(lines));
}

TEST(Doctor, NamesACommandForWhateverIsNotOk) {
  Facts facts;  // nothing answered
  for (const Line& line : check(facts)) {
    EXPECT_EQ(line.fix.empty(), line.standing == Standing::ok) << line.name;
  }
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(Doctor, LetsBenchRunOnTheEmulatedDeviceWithoutAGpu) {
  EXPECT_TRUE(can_bench(check(machine_without_gpu())));
}

TEST(Doctor, DoesNotLetBenchRunOnAGpuThatIsNotThere) {
  Facts facts = machine_without_gpu();
  facts.device = kCuda;
  EXPECT_FALSE(can_bench(check(facts)));
  EXPECT_THAT(look("gpu", facts), is(Standing::missing, "no GPU", "--device cpu"));
}

// ---- driver ----

TEST(DoctorOnTheDriver, SaysWhatItFound) {
  EXPECT_THAT(look("driver", sound_machine()), is_ok("/lib/libcuda.so.1, CUDA 13.0"));
}

TEST(DoctorOnTheDriver, SaysHowToInstallIt) {
  EXPECT_THAT(look("driver", machine_without_gpu()),
              is(Standing::missing, "libcuda.so.1: cannot open", "apt-get install nvidia-driver"));
}

TEST(DoctorOnTheDriver, KnowsAContainerThatWasNotGivenIt) {
  Facts facts = machine_without_gpu();
  present(facts.host.answer).has_gpu_node = true;
  EXPECT_THAT(look("driver", facts),
              is(Standing::missing, "the kernel has", "NVIDIA_DRIVER_CAPABILITIES"));
}

TEST(DoctorOnTheDriver, SaysThatALibraryIsNoDriver) {
  Facts facts = machine_without_gpu();
  present(facts.cuda.answer).library = Survey::Library::unusable;
  present(facts.cuda.answer).trouble = "it has no cuInit";
  EXPECT_THAT(look("driver", facts), is(Standing::wrong, "no cuInit", "driver 550 or later"));
  EXPECT_FALSE(can_bench(check(facts)));  // bench does not pass over it either
}

TEST(DoctorOnTheDriver, SaysThatItIsTooOldForAutokernel) {
  Facts facts = sound_machine();
  present(facts.cuda.answer).cuda_version = 11040;
  EXPECT_THAT(look("driver", facts),
              is(Standing::wrong, "is for CUDA 11.4; autokernel needs 12.4", "550 or later"));
}

TEST(DoctorOnTheDriver, SaysThatItIsTooOldForTheCompiler) {
  Facts facts = sound_machine();
  present(facts.cuda.answer).cuda_version = 12080;
  present(facts.gpu.answer).fault = "the driver refuses the code";
  EXPECT_THAT(look("driver", facts),
              is(Standing::wrong, "rejects what NVRTC 13.0 compiles", "-cu12"));
}

TEST(DoctorOnTheDriver, BelievesAKernelThatRanMoreThanVersions) {
  Facts facts = sound_machine();
  present(facts.cuda.answer).cuda_version = 12080;
  EXPECT_THAT(look("driver", facts), is_ok("CUDA 12.8"));
}

TEST(DoctorOnTheDriver, DoesNotGuessAVersionItIsNotTold) {
  Facts facts = sound_machine();
  present(facts.cuda.answer).cuda_version = 0;
  facts.gpu = {};
  EXPECT_THAT(look("driver", facts), is_ok("CUDA of unknown version"));
}

TEST(DoctorOnTheDriver, AcceptsAnOlderMinorVersionThanTheCompilers) {
  Facts facts = sound_machine();
  present(facts.compiler.answer).version = "13.1";
  EXPECT_THAT(look("driver", facts), is_ok("CUDA 13.0"));
}

TEST(DoctorOnTheDriver, SaysThatItCrashedOrHung) {
  Facts facts = sound_machine();
  facts.cuda = {{}, "no answer within 30 s"};
  EXPECT_THAT(look("driver", facts), is(Standing::wrong, "no answer within 30 s", "dmesg"));
  EXPECT_FALSE(can_bench(check(facts)));
}

struct Failure {
  int code;
  const char* fix;
};
class DoctorOnCuInit : public testing::TestWithParam<Failure> {};

TEST_P(DoctorOnCuInit, KnowsWhatFixesEachFailure) {
  Facts facts = machine_without_gpu();
  Survey& survey = present(facts.cuda.answer);
  survey.library = Survey::Library::loaded;
  survey.failure_code = GetParam().code;
  survey.failure = "words";
  survey.call = "cuInit";
  EXPECT_THAT(look("driver", facts), is(Standing::wrong, "words [cuInit]", GetParam().fix));
  EXPECT_TRUE(can_bench(check(facts)));  // on the emulated device, which `auto` then takes
}

INSTANTIATE_TEST_SUITE_P(Each, DoctorOnCuInit,
                         testing::Values(Failure{100, "nvidia-smi"}, Failure{802, "fabricmanager"},
                                         Failure{803, "reboot"}, Failure{999, "modprobe"},
                                         Failure{3, "dmesg"}));

// ---- GPU ----

TEST(DoctorOnTheGpu, DescribesIt) {
  EXPECT_THAT(look("gpu", sound_machine()),
              is_ok("cuda:0 NVIDIA H200, capability 9.0, 141.0 GiB; a kernel ran"));
}

TEST(DoctorOnTheGpu, SaysThatThereAreFewer) {
  Facts facts = sound_machine();
  facts.device = kSecondGpu;
  EXPECT_THAT(look("gpu", facts), is(Standing::missing, "there is no cuda:1", "--device cuda:0"));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnTheGpu, SaysWhyAKernelDoesNotRun) {
  Facts facts = sound_machine();
  present(facts.gpu.answer).fault = "the driver refuses the code";
  EXPECT_THAT(look("gpu", facts), is(Standing::wrong, "refuses the code", "dmesg"));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnTheGpu, SaysWhyItCannotBeOpened) {
  Facts facts = sound_machine();
  facts.gpu = {{}, "cannot open a context: out of memory"};
  EXPECT_THAT(look("gpu", facts), is(Standing::wrong, "out of memory", "nvidia-smi"));
}

TEST(DoctorOnTheGpu, DoesNotMindABrokenOneWhereTheCpuIsAskedFor) {
  Facts facts = sound_machine();
  present(facts.gpu.answer).fault = "the driver refuses the code";
  facts.device = kCpu;
  EXPECT_TRUE(can_bench(check(facts)));
}

// ---- CUDA_VISIBLE_DEVICES ----

Line visible(const std::string& value, const Facts& machine = sound_machine()) {
  Facts facts = machine;
  present(facts.host.answer).visible_devices = value;
  return look("CUDA_VISIBLE_DEVICES", facts);
}

TEST(DoctorOnVisibleDevices, SaysNothingWhereItIsNotSet) {
  EXPECT_THAT(check_visible_devices(sound_machine()), IsEmpty());
}

TEST(DoctorOnVisibleDevices, AcceptsNumbersAndUuids) {
  EXPECT_THAT(visible("0"), is_ok("\"0\""));
  EXPECT_THAT(visible("GPU-12"), is_ok("GPU-12"));
}

TEST(DoctorOnVisibleDevices, SaysThatAllIsHidden) {
  EXPECT_THAT(visible(""), is(Standing::wrong, "hides every GPU", "unset"));
  EXPECT_THAT(visible("-1"), is(Standing::wrong, "hides every GPU", "unset"));
}

TEST(DoctorOnVisibleDevices, NamesTheEntryThatIsNoGpu) {
  EXPECT_THAT(visible("0, 7"), is(Standing::wrong, "no GPU \"7\"", "unset"));
  EXPECT_THAT(visible("0,GPU-99"), is(Standing::wrong, "no GPU \"GPU-99\"", "unset"));
}

TEST(DoctorOnVisibleDevices, KnowsSlices) {
  Facts facts = sound_machine();
  present(facts.watched.answer).gpus[0].settings.mig = {
      .on = true, .on_after_reset = true, .instances = {"MIG-first"}};
  EXPECT_THAT(visible("MIG-first", facts), is_ok("MIG-first"));
  EXPECT_THAT(visible("MIG-other", facts), is(Standing::wrong, "hides every GPU", "unset"));
}

TEST(DoctorOnVisibleDevices, DoesNotJudgeWhereNobodyKnowsTheGpus) {
  EXPECT_THAT(visible("7", machine_without_gpu()), is_ok("\"7\""));
}

// ---- NVML ----

Facts with_state(const std::function<void(WatchedGpu&)>& change) {
  Facts facts = sound_machine();
  change(present(facts.watched.answer).gpus[0]);
  return facts;
}

TEST(DoctorOnTelemetry, IsNotMissedWithoutAGpu) {
  EXPECT_THAT(check_telemetry(machine_without_gpu()), IsEmpty());
}

TEST(DoctorOnTelemetry, IsMissedWithAGpu) {
  Facts facts = sound_machine();
  facts.watched.answer =
      Watched{.trouble = "no libnvidia-ml.so.1", .driver_version = {}, .gpus = {}};
  EXPECT_THAT(look("nvml", facts), is(Standing::missing, "no libnvidia-ml", "utility"));
  facts.watched = {{}, "no answer within 30 s"};
  EXPECT_THAT(look("nvml", facts), is(Standing::missing, "no answer", "utility"));
  EXPECT_TRUE(can_bench(check(facts)));
}

TEST(DoctorOnTelemetry, SaysNothingOfWhatTheGpuDoesNotTell) {
  EXPECT_THAT(check_telemetry(with_state([](WatchedGpu& gpu) {
                gpu.state = {};
                gpu.settings = {};
                gpu.processes.reset();
              })),
              IsEmpty());
}

TEST(DoctorOnMig, SaysThatTheGpuIsNotCut) {
  const Facts facts = with_state([](WatchedGpu& gpu) {
    gpu.settings.mig = {.on = true, .on_after_reset = true, .instances = {}};
  });
  EXPECT_THAT(look("mig", facts), is(Standing::wrong, "not partitioned", "nvidia-smi -i 0 -mig 0"));
}

TEST(DoctorOnMig, SaysThatNoSliceIsGiven) {
  Facts facts = with_state([](WatchedGpu& gpu) {
    gpu.settings.mig = {.on = true, .on_after_reset = true, .instances = {"MIG-first"}};
  });
  present(facts.cuda.answer).gpus.clear();
  EXPECT_THAT(look("mig", facts),
              is(Standing::wrong, "none of its slices", "CUDA_VISIBLE_DEVICES=MIG-first"));
}

TEST(DoctorOnMig, SaysWithWhatTimesOfASliceCompare) {
  const Facts facts = with_state([](WatchedGpu& gpu) {
    gpu.settings.mig = {.on = true, .on_after_reset = true, .instances = {"MIG-first"}};
  });
  EXPECT_THAT(look("mig", facts), is_ok("only with those of slices of the same size"));
}

TEST(DoctorOnMig, SaysThatAResetIsDue) {
  const Facts facts = with_state([](WatchedGpu& gpu) {
    gpu.settings.mig = {.on = false, .on_after_reset = true, .instances = {}};
  });
  EXPECT_THAT(look("mig", facts), is(Standing::wrong, "on after a reset", "nvidia-smi -i 0 -r"));
}

TEST(DoctorOnClocks, TellsThem) {
  EXPECT_THAT(look("clocks", sound_machine()),
              is_ok("SM 345 of 1980 MHz, memory 3201 of 3201 MHz, 31 C"));
}

TEST(DoctorOnClocks, SaysThatItIsTooHot) {
  const Facts facts = with_state([](WatchedGpu& gpu) {
    gpu.state.throttle_reasons = driver::Throttle::kHeatByHardware | driver::Throttle::kIdle;
  });
  EXPECT_THAT(look("clocks", facts), is(Standing::wrong, "too hot", "-q -d PERFORMANCE"));
  EXPECT_TRUE(can_bench(check(facts)));
}

TEST(DoctorOnClocks, SaysThatSomebodySetThem) {
  const Facts facts = with_state(
      [](WatchedGpu& gpu) { gpu.state.throttle_reasons = driver::Throttle::kClocksSet; });
  EXPECT_THAT(look("clocks", facts), is(Standing::wrong, "set by hand", "-rgc"));
}

TEST(DoctorOnPersistence, SaysThatItIsOff) {
  const Facts facts = with_state([](WatchedGpu& gpu) { gpu.settings.persistence = false; });
  EXPECT_THAT(look("persistence", facts), is(Standing::wrong, "off", "-pm 1"));
}

TEST(DoctorOnPower, SaysThatItIsCapped) {
  const Facts facts = with_state([](WatchedGpu& gpu) { gpu.settings.power_limit_watts = 350; });
  EXPECT_THAT(look("power", facts), is(Standing::wrong, "limit 350 W", "-pl 700"));
}

TEST(DoctorOnOtherPrograms, NamesThem) {
  const Facts facts = with_state(
      [](WatchedGpu& gpu) { gpu.processes = {{{4711, 3ULL << 30U}, {4712, std::nullopt}}}; });
  EXPECT_THAT(
      look("other programs", facts),
      is(Standing::wrong, "2 on the GPU: process 4711 (3.0 GiB), process 4712", "kill 4711 4712"));
}

TEST(DoctorOnOtherPrograms, NamesAFewOfMany) {
  const Facts facts = with_state([](WatchedGpu& gpu) {
    gpu.processes = std::vector<driver::GpuProcess>(7, {.id = 9, .memory_bytes = {}});
  });
  EXPECT_THAT(look("other programs", facts),
              is(Standing::wrong, "7 on the GPU", "kill 9 9 9 9 9  ("));
}

// ---- compiler, libraries, emulator ----

TEST(DoctorOnTheCompiler, SaysHowToInstallIt) {
  Facts facts = machine_without_gpu();
  facts.compiler = {{}, "cannot find NVRTC\n  tried here"};
  const Line line = look("nvrtc", facts);
  EXPECT_THAT(line, is(Standing::missing, "cannot find NVRTC", "pip install"));
  EXPECT_THAT(line.found, Not(HasSubstr("tried here")));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnTheCompiler, SaysThatItCrashes) {
  Facts facts = machine_without_gpu();
  facts.compiler = {{}, "the probe was ended by signal 11"};
  EXPECT_THAT(look("nvrtc", facts), is(Standing::wrong, "signal 11", "export CUDA_HOME=DIR"));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnTheCompiler, SaysThatItDoesNotCompile) {
  Facts facts = machine_without_gpu();
  present(facts.compiler.answer).refusal = "cuda_bf16.h: no such file";
  EXPECT_THAT(look("nvrtc", facts), is(Standing::wrong, "rejects a valid kernel", "pip install"));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnLibraries, NeedsCublasOnAGpuOnly) {
  Facts facts = sound_machine();
  facts.gpu_library = {{}, "cannot load cuBLAS\n  tried"};
  EXPECT_THAT(look("cublas", facts),
              is(Standing::missing, "cannot load", "pip install nvidia-cublas"));
  EXPECT_FALSE(can_bench(check(facts)));
  facts.device = kCpu;
  EXPECT_TRUE(can_bench(check(facts)));
}

TEST(DoctorOnLibraries, SaysThatCublasDoesNotWork) {
  Facts facts = sound_machine();
  facts.gpu_library = {{}, "cannot start cuBLAS"};
  EXPECT_THAT(look("cublas", facts), is(Standing::wrong, "cannot start", "pip install"));
}

TEST(DoctorOnLibraries, DoesNotMissCublasWithoutAGpu) {
  EXPECT_THAT(check_libraries(machine_without_gpu()), testing::SizeIs(1));
}

TEST(DoctorOnLibraries, DoesNotBlameCublasForAGpuThatDoesNotWork) {
  Facts facts = sound_machine();
  facts.gpu = {{}, "cannot make a context"};
  facts.gpu_library = {{}, "cannot make a context"};
  EXPECT_THAT(check_libraries(facts), testing::SizeIs(1));
}

TEST(DoctorOnLibraries, NeedsOpenBlasOnTheEmulatedDeviceOnly) {
  Facts facts = sound_machine();
  facts.cpu_library = {{}, "cannot load OpenBLAS"};
  EXPECT_THAT(look("openblas", facts), is(Standing::missing, "cannot load", "libopenblas0"));
  EXPECT_TRUE(can_bench(check(facts)));
  facts.device = kCpu;
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnTheEmulator, SaysThatItIsNotInstalled) {
  Facts facts = machine_without_gpu();
  facts.emulator = {{}, "cannot load the emulated CUDA driver\n  tried"};
  EXPECT_THAT(look("emulator", facts),
              is(Standing::missing, "cannot load", "libautokernel_cpu.so"));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnTheEmulator, SaysThatAKernelFailsOnIt) {
  Facts facts = machine_without_gpu();
  present(facts.emulator.answer).fault = "a sound kernel writes 1";
  EXPECT_THAT(look("emulator", facts), is(Standing::wrong, "writes 1", "install autokernel"));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnTheEmulator, SaysThatItCrashes) {
  Facts facts = sound_machine();
  facts.emulator = {{}, "the probe was ended by signal 11"};
  EXPECT_THAT(look("emulator", facts), is(Standing::wrong, "signal 11", "install autokernel"));
  EXPECT_TRUE(can_bench(check(facts)));  // on the GPU
}

// ---- folders, git, gnuplot ----

TEST(DoctorOnFolders, NeedsRoomForTemporaryFiles) {
  Facts facts = machine_without_gpu();
  present(facts.host.answer).temporary.trouble = "No space left on device";
  EXPECT_THAT(look("temporary files", facts), is(Standing::wrong, "/tmp: No space", "TMPDIR"));
  EXPECT_FALSE(can_bench(check(facts)));
}

TEST(DoctorOnFolders, CanDoWithoutCacheAndLogs) {
  Facts facts = machine_without_gpu();
  present(facts.host.answer).cache.trouble = "Permission denied";
  present(facts.host.answer).logs.trouble = "Permission denied";
  EXPECT_THAT(look("cache", facts), is(Standing::wrong, "Permission denied", "XDG_CACHE_HOME"));
  EXPECT_THAT(look("logs", facts), is(Standing::wrong, "Permission denied", "chmod"));
  EXPECT_TRUE(can_bench(check(facts)));
}

TEST(DoctorOnFolders, WarnsWhereADiskIsAlmostFull) {
  Facts facts = machine_without_gpu();
  present(facts.host.answer).temporary.free_bytes = 1 << 20U;
  EXPECT_THAT(look("temporary files", facts), is(Standing::wrong, "too little", "df -h /tmp"));
  EXPECT_TRUE(can_bench(check(facts)));
}

TEST(DoctorOnFolders, SaysThatAFileSystemDoesNotAnswer) {
  Facts facts = machine_without_gpu();
  facts.host = {{}, "no answer within 30 s"};
  EXPECT_THAT(look("folders", facts), is(Standing::wrong, "no answer", "df"));
  EXPECT_FALSE(can_bench(check(facts)));
}

Line git(const std::function<void(Repository&)>& change) {
  Facts facts = machine_without_gpu();
  change(present(facts.host.answer).repository);
  EXPECT_TRUE(can_bench(check(facts)));  // bench needs no repository
  return look("git", facts);
}

TEST(DoctorOnGit, NamesRepositoryAndBranch) {
  EXPECT_THAT(look("git", sound_machine()), is_ok("/project, branch main"));
}

TEST(DoctorOnGit, SaysThatThereIsNoRepository) {
  EXPECT_THAT(git([](Repository& r) { r = {}; }),
              is(Standing::missing, "not in a git repository", "git init"));
}

TEST(DoctorOnGit, SaysThatABareRepositoryIsToBeCloned) {
  EXPECT_THAT(git([](Repository& r) {
                r = {};
                r.git_folder = "/project.git";
              }),
              is(Standing::missing, "bare repository", "git clone /project.git FOLDER"));
}

TEST(DoctorOnGit, SaysThatAnotherGitHasTheLock) {
  EXPECT_THAT(git([](Repository& r) { r.locked = true; }),
              is(Standing::wrong, "another git", "rm /project/.git/index.lock"));
}

TEST(DoctorOnGit, SaysWhatIsUnderWay) {
  EXPECT_THAT(git([](Repository& r) { r.under_way = "rebase"; }),
              is(Standing::wrong, "a rebase is in progress", "git rebase --abort"));
  EXPECT_THAT(git([](Repository& r) { r.under_way = "bisect"; }),
              is(Standing::wrong, "bisect", "git bisect reset"));
}

TEST(DoctorOnGit, SaysThatNoBranchIsCheckedOut) {
  EXPECT_THAT(git([](Repository& r) { r.branch.clear(); }),
              is(Standing::wrong, "no branch", "git switch -c"));
}

TEST(DoctorOnGnuplot, SaysHowToInstallIt) {
  Facts facts = machine_without_gpu();
  present(facts.host.answer).gnuplot.clear();
  EXPECT_THAT(look("gnuplot", facts), is(Standing::missing, "not on the PATH", "gnuplot"));
  EXPECT_TRUE(can_bench(check(facts)));
}

TEST(DoctorOnLibcurl, SaysHowToInstallIt) {
  Facts facts = machine_without_gpu();
  EXPECT_EQ(look("libcurl", facts).standing, Standing::ok);
  present(facts.host.answer).curl.clear();
  present(facts.host.answer).curl_trouble = "libcurl.so.4: no such file";
  EXPECT_THAT(look("libcurl", facts), is(Standing::missing, "no such file", "libcurl4"));
  EXPECT_TRUE(can_bench(check(facts)));
}

}  // namespace
}  // namespace autokernel::cli::doctor
