// A runner that compiles and runs nothing: the kernel's files say how long it takes
// ("time_us = 90"), and by a word in it what else becomes of it. tests/loop/workplace.h has the
// words.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "autokernel/trial/message.h"

namespace {

using namespace autokernel::trial;

constexpr int kMessages = 3;
constexpr int kSamples = 10;
constexpr double kLibraryUs = 50;
constexpr double kFlops = 1e6;

void say(const Event& event) {
  const std::string line = encode(event);
  if (::write(kMessages, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    std::abort();
  }
}

double time_in(const std::string& source) {
  const std::string mark = "time_us = ";
  const std::size_t at = source.find(mark);
  return at == std::string::npos ? 1 : std::strtod(source.c_str() + at + mark.size(), nullptr);
}

// Of a request or an incumbent.
template <typename Kernel>
std::string all_files(const Kernel& kernel) {
  std::string text = kernel.source;
  for (const auto& [path, more] : kernel.files) text += more;
  return text;
}

// Set by a test that has the machine become slower: both kernels of a process take longer, and the
// gain is the same.
double slowness() {
  const char* factor = std::getenv("AUTOKERNEL_TEST_SLOWNESS");
  return factor == nullptr ? 1 : std::strtod(factor, nullptr);
}

Times times_of(const std::string& source) {
  const double time = slowness() * time_in(source);
  Times times;
  times.samples_us.assign(kSamples, time);
  times.median_us = time;
  times.p95_us = time;
  return times;
}

PairedComparison compared(const Incumbent& incumbent, const std::string& source) {
  PairedComparison comparison;
  comparison.incumbent_name = incumbent.name;
  comparison.min_gain = incumbent.min_gain.value_or(0);
  comparison.gain = 1 - time_in(source) / time_in(all_files(incumbent));
  comparison.gain_low = comparison.gain - 0.001;
  comparison.gain_high = comparison.gain + 0.001;
  comparison.outcome =
      comparison.gain >= comparison.min_gain ? Outcome::faster : Outcome::not_faster;
  if (source.find("NOISY") != std::string::npos) comparison.outcome = Outcome::inconclusive;
  comparison.as_fast = comparison.gain > -comparison.min_gain;
  comparison.reason = "as the source says";
  comparison.incumbent_times = times_of(all_files(incumbent));
  return comparison;
}

Result judged(const Request& request) {
  const std::string source = all_files(request);
  Result result;
  result.problem = "a test of the loop";
  result.device =
      DeviceReport{.name = "a test's device", .major = 9, .minor = 0, .emulated = false};
  result.versions = {{"driver", "13.0"}};
  result.flops = kFlops;
  if (source.find("BROKEN") != std::string::npos) {
    result.verdict = Verdict::does_not_compile;
    result.reason = "line 1: BROKEN is not declared";
    return result;
  }
  // What nobody may hand to a runner once it is not what was hashed.
  const auto reference = request.case_files.find("reference.cu");
  if (reference == request.case_files.end() || !reference->second.starts_with("the reference")) {
    result.verdict = Verdict::incorrect;
    result.reason = "the reference is another one";
    return result;
  }
  if (source.find("WRONG") != std::string::npos) {
    result.verdict = Verdict::incorrect;
    result.reason = "element 7 is wrong";
    return result;
  }
  result.times = times_of(source);
  result.reference = times_of("time_us = " + std::to_string(kLibraryUs));
  if (request.incumbent) result.comparison = compared(*request.incumbent, source);
  return result;
}

}  // namespace

int main() {
  std::string line;
  std::getline(std::cin, line);
  const Request request = decode_request(line + "\n");
  const std::string source = all_files(request);
  const auto has = [&](const char* word) { return source.find(word) != std::string::npos; };
  if (has("NO_DEVICE")) {
    say(Failure{.stop = autokernel::Stop::environment,
                .what = "times on this device cannot be compared with those before",
                .is_other_device = true});
    return 3;
  }
  if (has("NO_RIVAL")) {
    say(Failure{.stop = autokernel::Stop::usage,
                .what = "cannot compare with the best, which does not run"});
    return 2;
  }
  say(Phase::compile);
  say(Phase::check);
  if (has("CRASHES")) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would make an exit code of it
    std::raise(SIGSEGV);
  }
  if (has("HANGS")) std::this_thread::sleep_for(std::chrono::hours{1});
  if (has("SLOW")) std::this_thread::sleep_for(std::chrono::milliseconds{400});
  say(Phase::time);
  say(judged(request));
  return 0;
}
