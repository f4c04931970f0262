#include "recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace autokernel::test {

namespace fs = std::filesystem;

namespace {

std::vector<Fields> lines_of(const std::string& bytes) {
  std::vector<Fields> lines;
  Fields fields(1);
  for (const char byte : bytes) {
    if (byte == '\n') {
      lines.push_back(std::exchange(fields, Fields(1)));
    } else if (byte == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += byte;
    }
  }
  return lines;
}

}  // namespace

std::vector<Fields> RecordLines::of(const std::string& letter) const {
  std::vector<Fields> found;
  std::ranges::copy_if(lines, std::back_inserter(found),
                       [&](const Fields& line) { return line[0] == letter; });
  return found;
}

Invocation Recorded::invocation(const std::vector<std::string>& steps,
                                const std::map<std::string, std::string>& environment) const {
  Invocation invocation;
  invocation.program = RECORDED_PROGRAM;
  invocation.arguments = steps;
  invocation.directory = scratch_.path();
  invocation.environment = {{"CUDA_INJECTION64_PATH", PROFILE_LIBRARY},
                            {"NVTX_INJECTION64_PATH", PROFILE_LIBRARY},
                            {"AUTOKERNEL_PROFILE_DIR", records_.string()},
                            {"AUTOKERNEL_CUPTI", "/nowhere/libcupti.so:" FAKE_CUPTI_LIBRARY}};
  // GCC 12's search for leaks hangs in a child that was forked from a program with threads, and its
  // runtime is not the first library where ours is loaded before all others.
  invocation.environment["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0";
  for (const auto& [name, value] : environment) invocation.environment[name] = value;
  return invocation;
}

Outcome Recorded::play(const std::vector<std::string>& steps,
                       const std::map<std::string, std::string>& environment) {
  return run(invocation(steps, environment));
}

RunningProgram Recorded::started(const std::vector<std::string>& steps,
                                 const std::map<std::string, std::string>& environment) {
  return RunningProgram{invocation(steps, environment)};
}

std::vector<RecordLines> Recorded::files(const std::string& kind) const {
  std::vector<RecordLines> found;
  for (const fs::directory_entry& entry : fs::directory_iterator{records_}) {
    if (!entry.path().filename().string().ends_with("-" + kind + ".record")) continue;
    std::ifstream stream{entry.path(), std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{stream}, {}};
    found.push_back({.path = entry.path(), .bytes = bytes, .lines = lines_of(bytes)});
  }
  std::ranges::sort(found, {}, &RecordLines::path);
  return found;
}

RecordLines Recorded::file(const std::string& kind) const {
  std::vector<RecordLines> found = files(kind);
  EXPECT_EQ(found.size(), 1U) << kind;
  return found.empty() ? RecordLines{} : found[0];
}

std::map<std::string, std::string> preloaded() { return {{"LD_PRELOAD", PROFILE_LIBRARY}}; }

}  // namespace autokernel::test
