// `autokernel case`: what makes, shows and examines cases, below one name.
#include <memory>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "cli/commands.h"

namespace autokernel::cli {
namespace {

class CaseGroup : public Command {
 public:
  CaseGroup();
  [[nodiscard]] std::string name() const override { return "case"; }
  [[nodiscard]] std::string summary() const override {
    return "Make, show and examine cases: the problems that kernels solve";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::vector<std::unique_ptr<Command>> commands_;
  Options options_;  // this command's, from declare on
};

constexpr const char* kCaseExamples = R"(Examples:
  autokernel case list                            cases here, and those to start from
  autokernel case new squares                     a small case, ready to be changed
  autokernel case new rows --from softmax         the same from another case
  autokernel case show rows                       its tensors, its sizes, and what a kernel takes
  autokernel case check rows                      whether its reference and tolerances will do)";

}  // namespace

CaseGroup::CaseGroup() {
#define COMMAND(name) commands_.push_back(name##_command());
#include "cli/case/commands.def"
#undef COMMAND
}

void CaseGroup::declare(Options options) {
  options.footer(kCaseExamples);
  options.require_command();
  options_ = options;
  for (const auto& command : commands_) {
    command->declare(options.add_command(command->name(), command->summary()));
  }
}

int CaseGroup::run(const Console& console) {
  for (const auto& command : commands_) {
    if (options_.chose(command->name())) return command->run(console);
  }
  return static_cast<int>(Stop::usage);
}

std::unique_ptr<Command> case_command() { return std::make_unique<CaseGroup>(); }

}  // namespace autokernel::cli
