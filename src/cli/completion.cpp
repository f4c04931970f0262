// `autokernel completion SHELL`: the script that teaches a shell to complete our command line.
#include <string>

#include "autokernel/base/error.h"
#include "cli/commands.h"
#include "cli/completion/offers.h"

namespace autokernel::cli {
namespace {

class Completion : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "completion"; }
  [[nodiscard]] std::string summary() const override { return "Print a shell completion script"; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  Options options_;  // this command's, from declare on
  std::string shell_;
};

constexpr const char* kCompletionExamples = R"(Examples:
  source <(autokernel completion bash)                     in ~/.bashrc
  source <(autokernel completion zsh)                      in ~/.zshrc, after compinit
  autokernel completion fish | source                      in ~/.config/fish/config.fish

An installed autokernel has these scripts where bash, zsh and fish look for them.)";

}  // namespace

void Completion::declare(Options options) {
  options_ = options;
  options.footer(kCompletionExamples);
  options.add_option("shell", shell_, "bash, zsh or fish").type_name("SHELL").required();
}

int Completion::run(const Console& console) {
  const completion::Offer root = completion::offers_beside(options_);
  if (shell_ == "bash") {
    console.out << completion::bash_script(root);
  } else if (shell_ == "zsh") {
    console.out << completion::zsh_script(root);
  } else if (shell_ == "fish") {
    console.out << completion::fish_script(root);
  } else {
    throw Error(Stop::usage, "unknown shell: '" + shell_ + "'; completion takes bash, zsh or fish");
  }
  return 0;
}

std::unique_ptr<Command> completion_command() { return std::make_unique<Completion>(); }

}  // namespace autokernel::cli
