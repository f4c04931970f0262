#include "loop/workplace.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "autokernel/base/error.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCase = R"(name = "Scale"
problem = "{N} numbers"
[sizes.default]
N = 64
[sizes.check]
N = 8
[[tensor]]
name = "x"
role = "in"
dtype = "i32"
shape = ["N"]
fill = "integers"
low = 0
high = 255
[[tensor]]
name = "y"
role = "out"
dtype = "i32"
shape = ["N"]
[reference]
kind = "kernel"
file = "reference.cu"
[check]
exact = "always"
[cost]
flops = "N"
bytes = "8*N"
)";

// Where nothing of the tests' own looks like an exit code of an Error.
constexpr int kUnexpected = 99;

}  // namespace

std::string kernel(double time_us, const std::string& more) {
  return fmt::format("constexpr float time_us = {};\n{}{}", time_us, more,
                     more.empty() ? "" : "\n");
}

Workplace::Workplace() : temporary_({{"TMPDIR", scratch_.beside("tmp").string()}}) {
  fs::create_directories(scratch_.beside("tmp"));
  scratch_.write("kernels/case.toml", kCase);
  scratch_.write("kernels/reference.cu", "the reference\n");
  scratch_.write(kEditable, kernel(100));
  scratch_.write("notes.txt", "notes\n");
  scratch_.commit("the beginning");
}

LoopContext Workplace::context() const {
  LoopContext context;
  context.log_text = [](const auto&, const trial::Result& result, const auto&) {
    return "the log of a trial: " + result.reason + "\n";
  };
  context.say = [said = said_](const std::string& line) { said->push_back(line); };
  context.observer.note = note;
  context.runner = {.program = AUTOKERNEL_FAKE_RUNNER, .arguments = {}};
  context.limits.check_seconds = check_seconds;
  context.reached = reached;
  context.harness = harness;
  return context;
}

Loop Workplace::open(const std::string& purpose) const {
  return Loop::open(root(), purpose, context());
}

StartOptions Workplace::start_options(const std::string& tag) const {
  StartOptions options;
  options.tag = tag;
  options.case_directory = root() / "kernels";
  return options;
}

Loop::Started Workplace::start(const std::string& tag) const {
  return open().start(start_options(tag));
}

Step Workplace::try_out(const std::string& source, const StepOptions& options) const {
  edit(source);
  return open().step(options);
}

void Workplace::make_a_run() const {
  start();
  try_out(kernel(80), {.idea = "tiles"});
  try_out(kernel(10, "WRONG"), {.idea = "skip a part"});
  try_out(kernel(81), {.idea = "other tiles"});
  try_out(kernel(60), {.idea = "vectors"});
}

std::string Workplace::snapshot() const {
  std::string text = scratch_.git("status", "--porcelain", "--ignored", "--untracked-files=all") +
                     scratch_.git("for-each-ref") + scratch_.git("symbolic-ref", "-q", "HEAD") +
                     scratch_.git("diff", "HEAD") + scratch_.git("diff", "--cached");
  for (const char* file : {"results.tsv", ".autokernel/ledger.jsonl"}) {
    text += has(file) ? scratch_.read(file) : std::string("none\n");
  }
  return text;
}

bool Workplace::has(const fs::path& file) const {
  return fs::exists(fs::symlink_status(root() / file));
}

int in_a_process(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
      ::_exit(0);
    } catch (const Error& error) {
      ::_exit(static_cast<int>(error.stop()));
    } catch (...) {
      ::_exit(kUnexpected);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string refusal(Stop stop, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.stop() == stop) return error.what();
    return fmt::format("an Error with stop {}: {}", static_cast<int>(error.stop()), error.what());
  }
  return "no Error";
}

}  // namespace autokernel::loop
