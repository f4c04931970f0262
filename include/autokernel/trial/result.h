// The request and the result of one trial: the two messages between supervisor and runner, and
// everything bench prints. Plain values; trial/report/result_fields.h has their names in JSON.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/fields.h"
#include "autokernel/cases/case.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/driver/units.h"
#include "autokernel/trial/conditions.h"
#include "autokernel/trial/noise.h"
#include "autokernel/trial/stages.h"

namespace autokernel::trial {

// The work of the runner, in order; it queues only where another trial has the device. Within
// checking and timing it is in `harness` while none of the candidate's code is loaded, so that what
// goes wrong then is not held against it. `confirm` is entered for each process that confirms a
// gain. The supervisor watches one deadline for each.
enum class Phase : std::uint8_t { start, queue, compile, check, time, harness, confirm };
[[nodiscard]] const char* spelling(Phase phase);

using driver::DeviceChoice;
using driver::parse_device;
using driver::spelling;

// The Philox key one launch's inputs were made from, 16 hexadecimal digits. A launch that had to be
// repeated has several of its name.
struct LaunchKey {
  std::string launch;  // "timed launch 3"
  std::string key;
  friend bool operator==(const LaunchKey&, const LaunchKey&) = default;
};

// A kernel that the candidate is compared with, launch by launch in the same run.
struct Incumbent {
  std::string name;  // for messages: "the incumbent 1a2b3c4", "HEAD~2"
  std::string source;
  std::optional<double> min_gain;  // relative, 0.005; none: default_min_gain() of the device
  std::map<std::string, std::string> files = {};  // as Request::files
  std::vector<std::string> headers = {};  // names of those that it can include (Request::headers)
  // Of a [command] case: by the name of a guard, how much better the incumbent is than the
  // baseline, as the logarithm of the ratio. What has been lost by then is used up.
  std::map<std::string, double> guard_log_ratios = {};
  // Whether a gain is confirmed in separate processes, and whether a candidate that is as fast is,
  // since that would be enough.
  bool is_confirmed = false;
  bool as_fast_will_do = false;
  // Whether the comparison is one part of a score (goal.h): what it comes to by itself ends no
  // sampling then, only that the gain is known well enough.
  bool is_part_of_score = false;
  std::string kernel_name = {};  // of its main file; empty: as the kernel's
};

// The device that earlier measurements were made on: a trial on another is refused, as its times
// cannot be compared with theirs.
struct KnownDevice {
  std::string name;
  std::string driver_version;
};

// A source as it is, or null in a record where it is not UTF-8: it could not be replayed.
template <typename Text>
struct SourceText {
  Text& text;
};
template <typename Text>
SourceText(Text&) -> SourceText<Text>;
// The same for files by their path; null where one of them is not.
template <typename Texts>
struct SourceTexts {
  Texts& texts;
};
template <typename Texts>
SourceTexts(Texts&) -> SourceTexts<Texts>;

// CUTLASS's GEMM, where a request names a baseline (Request::only_baseline). No file has the name.
inline constexpr const char* kCutlass = "CUTLASS";

struct Request {
  std::filesystem::path case_directory;  // for messages: the runner does not open it
  // The case's files as the supervisor read them (cases::CaseFiles): what it has hashed is what
  // every runner compiles.
  std::map<std::string, std::string> case_files;
  std::map<std::string, std::string> case_images;  // of a captured reference (cases::CaseFiles)
  // What [compile] include lists, as read. A runner is sent `headers` instead: those that the
  // sources of this trial can include, by the name that they are included by.
  std::shared_ptr<const std::vector<cases::HeaderFolder>> header_folders;
  std::map<std::string, std::string> headers;
  // Names of those for the kernel and for the references. Each source sees its own alone, so that
  // none changes what another is compiled to.
  std::vector<std::string> kernel_headers;
  std::vector<std::string> reference_headers;
  std::filesystem::path kernel_file;  // usually case_directory / "kernel.cu"
  std::string source;  // kernel_file as the supervisor read it, so that both judge the same bytes
  // The kernel's further files, by path from the folder of the first (cases::EditableFiles).
  std::map<std::string, std::string> files;
  // Whether Python runs where the kernel or its compiler is in Python: not where somebody else's
  // record asks for it, unless the user allows it.
  bool python_allowed = true;
  std::string python;  // that is active: for compilers in Python; empty: none is needed, or there
  DeviceChoice device;
  std::string architecture;      // --arch sm_80; empty: the device's own
  std::string size = "default";  // which [sizes.*] is timed
  Depth depth = Depth::usual;
  bool cached = true;  // whether compiles may be taken from the compile cache
  // Whether the check phase runs before the kernel is timed. One that has passed it a moment ago
  // need not again; the launches that are timed are compared in any case.
  bool checked = true;
  // Whether the kernel's process is sandboxed, and gets variables on a fixed list only. A
  // profiler's library cannot work so; no time that was measured otherwise counts.
  bool confined = true;
  bool baselines = false;  // whether what else computes the same is timed as well
  // Not empty: that baseline of the case, or kCutlass, is timed, and nothing of the kernel. It may
  // take the runner down with it.
  std::string only_baseline;
  std::optional<int> samples;  // timed launches; none: as many as the case says
  double longer = 1;           // of a [command] case: so many times its budget
  std::optional<Incumbent> incumbent;
  std::optional<KnownDevice> known_device;
  // With an incumbent: pairs are taken for so long, whatever they say.
  std::optional<double> recording_seconds;
  // Of devices that the case was measured on with that size, at most one of which is this one.
  std::vector<DeviceNoise> noise;
  // Of a trial to be replayed: a launch named here gets that key, every other a fresh one.
  std::vector<LaunchKey> keys;
};

// An older record has none.
[[nodiscard]] std::optional<std::string> represent(Depth depth);
[[nodiscard]] bool restore(const std::optional<std::string>& name, Depth& depth);

// What is written of a request, and under which name: result_fields.h.
template <Of<Request> Object>
void visit_fields(auto&& fields, Object& request) {
  fields("case", request.case_directory);
  fields("kernel", request.kernel_file);
  fields("device", request.device);
  fields("arch", request.architecture);
  fields("size", request.size);
  fields("depth", request.depth);
  fields("source", SourceText{request.source});
  fields("files", SourceTexts{request.files});
  fields("against", request.incumbent);
  fields.internal("case_files", request.case_files);
  fields.internal("case_images", request.case_images);
  fields.internal("headers", request.headers);
  fields.internal("kernel_headers", request.kernel_headers);
  fields.internal("reference_headers", request.reference_headers);
  fields.internal("python", request.python);
  fields.internal("cached", request.cached);
  fields.internal("checked", request.checked);
  fields.internal("confined", request.confined);
  fields.internal("baselines", request.baselines);
  fields.internal("only_baseline", request.only_baseline);
  fields.internal("samples", request.samples);
  fields.internal("longer", request.longer);
  fields.internal("known_device", request.known_device);
  fields.internal("recording_seconds", request.recording_seconds);
  fields.internal("noise", request.noise);
  fields.internal("keys", request.keys);
}

// Limits the supervisor sets: seconds of wall clock but for compiling, and memory of the runner's
// process group.
struct Limits {
  double start_seconds = 60;
  double queue_seconds = 3600;  // a trial takes minutes at most, and others may queue as well
  // Of processor time, so that a busy machine refuses no kernel: sources compile side by side, one
  // for each size. Of the wall clock where hardly any is used. With [compile] include it is five
  // times as much.
  double compile_seconds = 60;
  double check_seconds = 120;
  double time_seconds = 120;
  std::uint64_t memory_bytes = 4ULL << 30;
};

// What became of the candidate. environment and internal are not here: those are Errors. It is
// `unsupported` where the emulated device lacks what it needs, which is no mistake of its own.
enum class Verdict : std::uint8_t {
  correct,
  incorrect,
  does_not_compile,
  timed_out,
  crashed,
  unsupported
};
[[nodiscard]] const char* spelling(Verdict verdict);

// What is known of why it is not accepted, beyond the verdict: decides what to look at next.
enum class Cause : std::uint8_t {
  unknown,
  out_of_bounds,  // of a tensor, the workspace or a variable of the module
  out_of_shared,  // of shared memory
  out_of_local,   // of a thread's own memory
  null_pointer,
  misaligned,
  trap,
  assertion,
  barrier,      // one that not all threads reach
  instruction,  // one that cannot be carried out
  bad_call,     // through a pointer that is no such function
  stack,
  input_changed,
  never_written,  // an element of an output still has the bits that it began with
  race,           // results differ between runs on the same inputs
  not_finite,     // a result is infinite or no number, and should be neither
  unseen,         // what went wrong at a hidden size is not told
};
[[nodiscard]] const char* spelling(Cause cause);

struct DeviceReport {
  std::string name;  // "NVIDIA H200", "CPU, emulated CUDA driver (.., 2 threads)"
  int major = 0;
  int minor = 0;
  bool emulated = false;
};

// "gpu" or "emulated": what kind of clock its times are of.
[[nodiscard]] const char* timing(const DeviceReport& device);

// The minimum gain, relative, where the request has none: what a night of noise does not produce
// (docs/decision.md). A CPU that other programs use as well is the noisier device.
[[nodiscard]] double default_min_gain(const DeviceReport& device);

// Times of one kernel, microseconds, one per timed launch in the order measured.
struct Times {
  std::vector<double> samples_us;
  double median_us = 0;
  double p95_us = 0;
  double noise_pct =
      0;  // relative standard deviation of the samples, robustly: 1.4826 * MAD / median * 100
};

// What comparing two kernels came to: docs/decision.md.
enum class Outcome : std::uint8_t {
  faster,
  not_faster,
  inconclusive,
  over_guard_rail,  // faster, and in another way worse than the case allows (cases::Goal)
};
[[nodiscard]] const char* spelling(Outcome outcome);

// The candidate against its incumbent, in pairs of launches. A gain is relative: 0.10 is a tenth
// less time, a negative one is a loss.
struct PairedComparison {
  std::string incumbent_name;
  Outcome outcome = Outcome::inconclusive;
  std::string reason;  // in a sentence, with the figures
  double min_gain = 0;
  double gain = 0;
  double gain_low = 0;  // the 95 % interval
  double gain_high = 0;
  // The gain in separate processes; only where a gain was to be confirmed.
  std::optional<double> confirmed_gain;
  double p_value = 1;  // one-sided, of such a gain where there is none
  // Of log(incumbent's time / candidate's), whose mean is -log(1 - gain), and of how many values it
  // is the standard error (decision.h).
  double standard_error = 0;
  int values = 0;
  double plain_gain = 0;     // in plain means, of which slow launches are a part
  double slow_minority = 1;  // the chance of as many slow launches of the candidate's own
  bool as_fast = false;      // surely not slower by min_gain
  Times incumbent_times;     // its launches in the pairs; the candidate's are Result::times
  std::string
      disturbance;  // of the incumbent by the candidate, in a sentence; empty: none was seen
};

// Whether neither a gain of the minimum nor its absence could be shown: more pairs would tell.
[[nodiscard]] bool is_near_tie(const PairedComparison& comparison);

// A gain becomes inconclusive, and the reason says why; any other outcome stays.
void make_inconclusive(PairedComparison& comparison, const std::string& why);

// Largest differences over all checked elements of all launches.
struct Differences {
  double max_abs = 0;
  double max_rel = 0;
};

struct ResourceReport {
  std::uint32_t registers = 0;  // per thread, the largest of all launches
  std::uint64_t spill_bytes = 0;
  std::uint64_t shared_bytes = 0;  // static and dynamic, per block, the largest of all launches
};

// A piece of work, and when it was done: seconds since the trial was begun.
struct Span {
  std::string what;  // "compile"
  double begin_seconds = 0;
  double end_seconds = 0;
};

// Something else that computes the same.
struct Baseline {
  std::string name;           // "cuBLASLt 13.1.0"
  std::string configuration;  // "the best of 8 heuristics, no. 3, workspace 32 MiB"
  double median_us = 0;
};

// Of a [command] case: another number that may not become much worse.
struct GuardReport {
  std::string name;  // "p95_us"
  std::string unit;
  bool higher_is_better = false;
  double value = 0;                 // the median over the runs
  std::optional<double> incumbent;  // the same of the incumbent's runs
  // How much better it is: as PairedComparison::gain. Negative: worse.
  std::optional<double> gain;
  std::optional<double> gain_low;  // the 95 % interval
  std::optional<double> gain_high;
  double most_loss = 0;  // 0.05
};

// Of a [command] case: what Result::times and ::comparison are of, in place of microseconds. A gain
// is as much less of it, or where more is better, as much less of its inverse.
struct MetricReport {
  std::string name;  // "ndcg"
  std::string unit;
  bool higher_is_better = false;
  double value = 0;                 // the median over the runs
  std::vector<double> samples;      // one for each run, in order
  std::optional<double> incumbent;  // the median of the incumbent's
  bool deterministic = false;       // runs of one program agree exactly
  std::vector<GuardReport> guards;
};

// Every field that may not exist is optional and is null in JSON.
struct Result {
  Verdict verdict = Verdict::correct;
  Cause cause = Cause::unknown;
  std::string reason;  // one to three lines; empty when correct
  std::string detail;  // compiler or device text in full, for the log file
  std::vector<std::string> warnings;
  std::vector<StageReport> stages;  // in order; empty: nothing has begun
  std::optional<DeviceReport> device;
  bool is_of_command = false;  // of a [command] case: what it is about is no kernel
  std::string label = "kernel";
  std::string problem;             // "MatMul [1024,1024] x [1024,1024] bfloat16"
  std::optional<Times> times;      // cold on a GPU
  std::optional<Times> reference;  // the library, interleaved in the same run
  // Its median with reduced-precision sums allowed, as it is when nobody sets anything; cuBLAS
  // only.
  std::optional<double> reference_default_us;
  std::vector<Baseline> baselines;             // where they are asked for
  std::optional<PairedComparison> comparison;  // of a correct candidate that has an incumbent
  std::optional<MetricReport> metric;          // of a [command] case
  std::optional<Conditions> conditions;        // of a kernel that was timed
  std::optional<double> warm_us;
  std::optional<double> event_floor_us;  // an empty kernel in the same sequence
  std::optional<double> event_tick_us;   // the smallest step between two times
  std::optional<Differences> differences;
  std::optional<ResourceReport> resources;
  double flops = 0;                   // per run of all launches
  double bytes = 0;                   // least bytes moved
  std::optional<double> peak_tflops;  // table rate of the device at maximum clock
  std::optional<double> peak_gbytes_s;
  // What the kernel computes with, by its own PTX, and what that could do on the device.
  std::optional<driver::Unit> unit;
  std::optional<double> unit_tflops;
  double cap_seconds = 60;
  int samples_wanted = 0;
  double bench_seconds = 0;  // the timing phase alone
  double total_seconds = 0;  // filled in by the supervisor: start to verdict
  std::string ptx;           // by the supervisor, too: of the code that ran last; empty: none did
  // By the supervisor, too: the phase in which the runner was lost, which did not say so itself.
  std::optional<Phase> lost_in;
  std::map<std::string, double> phase_seconds;
  // What took how long, by when it began; some of it is done at the same time. A message from the
  // runner has them on the machine's clock.
  std::vector<Span> timings;
  std::vector<LaunchKey> keys;                  // in the order drawn, for replay
  std::map<std::string, std::string> versions;  // nvrtc, driver, reference library
};

// A figure beside the times, reported only of a kernel that did not fail: its key in text and in
// JSON, and how many decimals the text has. A new one is a member of Result and a row here.
struct SpeedFigure {
  const char* key;
  std::optional<double> Result::* value;
  int decimals;
};
inline constexpr std::array kSpeedFigures = {
    SpeedFigure{"event_floor_us", &Result::event_floor_us, 3},
    SpeedFigure{"event_tick_us", &Result::event_tick_us, 3},
    SpeedFigure{"warm_us", &Result::warm_us, 3}};

}  // namespace autokernel::trial
