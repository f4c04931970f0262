#include "e2e/command_workplace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace autokernel::test {
namespace {

constexpr const char* kCommandCase = R"(name = "Program"
problem = "say a number"
editable = ["program.sh", "more/*.txt"]
[command]
build = "cp fixed.txt built.txt"
run = "sh program.sh"
check = "sh hidden/check.sh"
outputs = ["out.txt"]
hidden = ["hidden/*"]
[metric]
name = "value"
json = "/value"
min_gain_pct = 1
budget_seconds = 2
[limits]
build_seconds = 20
run_seconds = 20
check_seconds = 20
memory_mb = 256
)";

constexpr const char* kCommandCheck = R"SH(#!/bin/sh
if [ "$(cat out.txt)" != "right $AUTOKERNEL_SEED" ]; then
  echo "out.txt says '$(cat out.txt)', not 'right $AUTOKERNEL_SEED'"
  exit 1
fi
)SH";

}  // namespace

CommandWorkplace::CommandWorkplace() {
  repository_.write(kCase, kCommandCase);
  repository_.write("case/fixed.txt", "fixed\n");
  repository_.write("case/hidden/check.sh", kCommandCheck);
  repository_.write(kProgram, program("100"));
  repository_.commit("A case");
}

std::string CommandWorkplace::program(const std::string& value, const std::string& before) {
  return fmt::format(
      "{}\ncmp -s built.txt fixed.txt || exit 9\necho \"right $AUTOKERNEL_SEED\" > out.txt\n"
      "echo '{{\"value\": {}}}'\n",
      before, value);
}

void CommandWorkplace::change_case(const std::string& piece, const std::string& instead) const {
  std::string text = repository_.read(kCase);
  const std::size_t at = text.find(piece);
  ASSERT_NE(at, std::string::npos) << piece;
  repository_.write(kCase, text.replace(at, piece.size(), instead));
  repository_.commit("Change the case");
}

void CommandWorkplace::extend_case(const std::string& lines) const {
  repository_.write(kCase, repository_.read(kCase) + lines);
  repository_.commit("Extend the case");
}

Outcome CommandWorkplace::bench(const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {"bench", "--case", "case"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_autokernel(arguments);
}

Outcome CommandWorkplace::bench_of(const std::string& program) const {
  repository_.write(kProgram, program);
  return bench();
}

void CommandWorkplace::start() const {
  const Outcome begun = run_autokernel({"loop", "start", "demo", "--case", "case"});
  ASSERT_EQ(begun.code, 0) << begun.out << begun.err;
}

Outcome CommandWorkplace::step(const std::string& program, const std::string& idea,
                               const std::vector<std::string>& more) const {
  repository_.write(kProgram, program);
  std::vector<std::string> arguments = {"loop", "step", "-m", idea};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_autokernel(arguments);
}

}  // namespace autokernel::test
