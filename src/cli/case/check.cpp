// `autokernel case check`: whether a case accepts what is right and refuses what is wrong.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "cli/case/catalog.h"
#include "cli/case/command_examination.h"
#include "cli/case/examination.h"
#include "cli/commands.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class CaseCheck : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "check"; }
  [[nodiscard]] std::string summary() const override {
    return "Check a case: its reference, its tolerances, its sizes";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::optional<std::string> case_;
  std::string device_ = "auto";
  std::string size_ = "check";
};

constexpr const char* kCaseCheckExamples = R"(Examples:
  autokernel case check
  autokernel case check kernels/rows --device cpu
  autokernel case check kernels/rows --size edge_127

Kernels that are right must be accepted; the same kernels with their results damaged (zeros, fewer
digits, neighbours exchanged, ...) must be refused. Each line says PASS, FAIL or SKIP; below a FAIL
is what to do.
Exit codes: 0 nothing failed, 2 something failed, or usage; 3 environment.)";

constexpr std::array kWords = {"PASS", "FAIL", "SKIP"};
// "lengths constant": few names are longer.
constexpr int kNameWidth = 18;

// One that cannot be read is none: what is wrong with it is the first line of an examination.
[[nodiscard]] bool is_command_case(const std::filesystem::path& folder) {
  try {
    return cases::parse(cases::read_files(folder)).command.has_value();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void CaseCheck::declare(Options options) {
  options.footer(kCaseCheckExamples);
  add_named_case(options, case_);
  add_device(options, device_);
  options.add_option("--size", size_, "Problem size to try kernels at, by its name [check]")
      .type_name("NAME");
}

int CaseCheck::run(const Console& console) {
  const std::filesystem::path folder = named_case(case_, std::filesystem::current_path());
  int made = 0;
  int failed = 0;
  const auto tell = [&](const CheckLine& line) {
    const char* const word = kWords.at(static_cast<std::size_t>(line.outcome));
    console.out << fmt::format("{}  {:<{}}  {}\n", word, visible_line(line.name), kNameWidth,
                               visible_line(line.found));
    if (!line.fix.empty()) {
      console.out << fmt::format("      {:<{}}  fix: {}\n", "", kNameWidth, visible_line(line.fix));
    }
    console.out << std::flush;
    ++made;
    if (line.outcome == CheckOutcome::failed) ++failed;
  };
  if (is_command_case(folder)) {
    examine_command_case(folder, tell);
  } else {
    examine_case(folder, driver::parse_device(device_), size_, tell);
  }
  console.out << (failed == 0 ? fmt::format("{} checks, none failed\n", made)
                              : fmt::format("{} checks, {} failed\n", made, failed));
  return failed == 0 ? 0 : static_cast<int>(Stop::usage);
}

std::unique_ptr<Command> case_check_command() { return std::make_unique<CaseCheck>(); }

}  // namespace autokernel::cli
