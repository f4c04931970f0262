// `autokernel case program`: program.md for a case, on standard output.
#include <filesystem>
#include <optional>
#include <string>

#include "cli/case/catalog.h"
#include "cli/case/program.h"
#include "cli/commands.h"

namespace autokernel::cli {
namespace {

class CaseProgram : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "program"; }
  [[nodiscard]] std::string summary() const override {
    return "Print program.md for a case: instructions and a playbook for an agent";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::optional<std::string> case_;
};

constexpr const char* kCaseProgramExamples = R"(Examples:
  autokernel case program
  autokernel case program kernels/rows > /tmp/program.md

The playbook is the one that 'playbook' in case.toml names, or that follows from its cost.)";

}  // namespace

void CaseProgram::declare(Options options) {
  options.footer(kCaseProgramExamples);
  add_named_case(options, case_);
}

int CaseProgram::run(const Console& console) {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::filesystem::path folder = named_case(case_, here);
  console.out << program_text(outline(folder), shown_folder(folder, here));
  return 0;
}

std::unique_ptr<Command> case_program_command() { return std::make_unique<CaseProgram>(); }

}  // namespace autokernel::cli
