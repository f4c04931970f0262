// Our library in programs that know nothing of CUDA, as LD_PRELOAD puts it into all that a program
// starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "recording.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

Outcome preloaded_run(const fs::path& program, const std::vector<std::string>& arguments,
                      const ScratchFolder& scratch) {
  Invocation invocation;
  invocation.program = program;
  invocation.arguments = arguments;
  invocation.directory = scratch.path();
  invocation.environment = {{"LD_PRELOAD", PROFILE_LIBRARY},
                            {"AUTOKERNEL_PROFILE_DIR", scratch.path().string()}};
  return run(invocation);
}

TEST(Preload, ShellAndWhatItStartsRunAsEver) {
  const ScratchFolder scratch;
  const Outcome outcome = preloaded_run("/bin/sh", {"-c", "ls /dev/null | cat; (exit 7)"}, scratch);
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.out, "/dev/null\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(Preload, ProcessHasNoThreadMore) {
  const ScratchFolder scratch;
  const Outcome outcome = preloaded_run("/bin/sh", {"-c", "ls /proc/$$/task | wc -l"}, scratch);
  EXPECT_EQ(outcome.out, "1\n");
}

TEST(Preload, LibraryNeedsNothingButTheCLibrary) {
  const ScratchFolder scratch;
  const Outcome outcome =
      preloaded_run("/bin/sh", {"-c", "grep -c -E 'libstdc|libgcc' /proc/self/maps"}, scratch);
  EXPECT_EQ(outcome.out, "0\n");
}

}  // namespace
}  // namespace autokernel::test
