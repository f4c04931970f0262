#include "e2e/workplace.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "support/census.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

[[nodiscard]] fs::path sources() { return AUTOKERNEL_SOURCES; }

}  // namespace

Workplace::Workplace() {
  fs::copy(sources() / "kernels", scratch_.path() / "kernels");  // the examples stay
  (void)scratch_.folder("tmp");
}

Invocation Workplace::autokernel(const std::vector<std::string>& arguments) const {
  const auto below = [&](const char* name) { return (scratch_.path() / name).string(); };
  return {.program = AUTOKERNEL_PROGRAM,
          .arguments = arguments,
          .directory = scratch_.path(),
          .environment = {{"TMPDIR", below("tmp")},
                          {"HOME", below("home")},
                          {"XDG_CACHE_HOME", below("cache")},
                          {"TERM", "xterm"}}};
}

std::vector<std::string> Workplace::bench_arguments(const std::string& name,
                                                    const std::vector<std::string>& more) const {
  const fs::path kernel = sources() / "tests" / "data" / "kernels" / (name + ".cu");
  std::vector<std::string> arguments = {"bench", "--kernel", kernel.string(), "--device",
                                        "cpu",   "--size",   "check"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Outcome Workplace::bench(const std::string& name, const std::vector<std::string>& more) const {
  return run_autokernel(bench_arguments(name, more));
}

void Workplace::expect_nothing_left() const {
  EXPECT_THAT(processes_still_marked(scratch_.path().string()), IsEmpty());
  EXPECT_THAT(files_below(scratch_.path() / "tmp"), IsEmpty());
  EXPECT_THAT(files_below(scratch_.path() / "kernels"),
              ElementsAre("case.toml", "kernel.cu", "kernel.py"));
  EXPECT_EQ(contents(scratch_.path() / "kernels" / "kernel.cu"),
            contents(sources() / "kernels" / "kernel.cu"));
  EXPECT_EQ(contents(scratch_.path() / "kernels" / "case.toml"),
            contents(sources() / "kernels" / "case.toml"));
}

void Workplace::expect_refusal(const Outcome& run, int code, const std::string& words) {
  EXPECT_EQ(run.code, code) << run.err;
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, AllOf(StartsWith("autokernel: "), HasSubstr(words)));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

void Workplace::expect_rejection(const Outcome& run, int code, const std::string& verdict) {
  EXPECT_EQ(run.code, code) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "False");
  EXPECT_EQ(value_of("verdict", run.out), verdict);
  EXPECT_THAT(value_of("reason", run.out), Not(IsEmpty()));
  EXPECT_THAT(value_of("next", run.out), Not(IsEmpty()));
  EXPECT_THAT(value_of("median_us", run.out), IsEmpty());
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 31) << run.out;
}

void Workplace::expect_next_bench_works() const {
  const Outcome next = run_autokernel({"bench", "--device", "cpu", "--size", "check"});
  EXPECT_EQ(next.code, 0) << next.out << next.err;
  EXPECT_EQ(value_of("correct", next.out), "True");
}

std::string value_of(const std::string& key, const std::string& block) {
  const std::string start = "\n" + key + ":";
  const std::string text = "\n" + block;
  const std::size_t line = text.find(start);
  if (line == std::string::npos) return {};
  const std::size_t end = text.find('\n', line + 1);
  const std::size_t value = text.find_first_not_of(' ', line + start.size());
  return value < end ? text.substr(value, end - value) : std::string();
}

}  // namespace autokernel::test
