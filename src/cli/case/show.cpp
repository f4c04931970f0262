// `autokernel case show`: what a case asks of a kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "cli/case/catalog.h"
#include "cli/case/command_description.h"
#include "cli/case/description.h"
#include "cli/commands.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class CaseShow : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "show"; }
  [[nodiscard]] std::string summary() const override {
    return "Show a case: tensors, sizes, tolerances, and what a kernel takes";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::optional<std::string> case_;
  std::string size_ = "default";
  bool json_ = false;
};

constexpr const char* kCaseShowExamples = R"(Examples:
  autokernel case show
  autokernel case show softmax --size llm_7b
  autokernel case show kernels/rows --json | jq -r .declaration)";

}  // namespace

void CaseShow::declare(Options options) {
  options.footer(kCaseShowExamples);
  add_named_case(options, case_);
  add_size(options, size_);
  options.add_flag("--json", json_, "Print one JSON object instead of text");
}

int CaseShow::run(const Console& console) {
  const std::filesystem::path folder = named_case(case_, std::filesystem::current_path());
  const cases::Case problem = outline(folder);
  if (problem.command) {
    console.out << (json_ ? command_description_json(problem) : command_description_text(problem));
    return 0;
  }
  require_size(problem, size_);
  console.out << (json_ ? description_json(problem, size_) : description_text(problem, size_));
  return 0;
}

std::unique_ptr<Command> case_show_command() { return std::make_unique<CaseShow>(); }

}  // namespace autokernel::cli
