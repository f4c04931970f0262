// `autokernel init`: all that a repository needs for a kernel to be made faster in it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/base/visible_text.h"
#include "autokernel/repo/repository.h"
#include "cli/case/catalog.h"
#include "cli/commands.h"
#include "cli/init/plan.h"
#include "cli/shell_word.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Init : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "init"; }
  [[nodiscard]] std::string summary() const override {
    return "Set up a repository: a case, instructions for an agent, .gitignore";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::optional<std::string> from_;
  std::optional<std::string> case_name_;
};

constexpr const char* kInitExamples = R"(Examples:
  autokernel init
  autokernel init --from softmax
  autokernel init --from softmax --case-name rows

Writes kernels/ (a case), program.md, a section of AGENTS.md and a line of .gitignore into the root
of the repository: all of them or, if something is in the way, none. What is there already stays.)";

// The commands that come next, one a line.
[[nodiscard]] std::vector<std::string> next_commands(const repo::Repository& repository,
                                                     const std::string& folder) {
  std::vector<std::string> commands;
  const fs::path root = repository.root();
  if (fs::current_path() != root) commands.push_back("cd " + shell_word(root.string()));
  std::set<std::string> uncommitted;
  for (const repo::Change& change : repository.changes()) {
    const bool is_ours = change.path.starts_with(folder + "/") || change.path == "program.md" ||
                         change.path == "AGENTS.md" || change.path == ".gitignore";
    if (is_ours) uncommitted.insert(change.path.substr(0, change.path.find('/')));
  }
  if (!uncommitted.empty() && repository.identity().is_fallback) {
    commands.emplace_back("git config user.name \"YOUR NAME\"");
    commands.emplace_back("git config user.email YOU@EXAMPLE.COM");
  }
  if (!uncommitted.empty()) {
    commands.push_back(fmt::format("git add {}", fmt::join(uncommitted, " ")));
    commands.emplace_back("git commit -m \"A case for autokernel\"");
  }
  commands.emplace_back("autokernel case show");
  commands.emplace_back("autokernel case program > program.md    # after each change of case.toml");
  commands.emplace_back("autokernel bench      # without a GPU: --device cpu --size check");
  commands.emplace_back("autokernel loop start first    # the same options");
  return commands;
}

}  // namespace

void Init::declare(Options options) {
  options.footer(kInitExamples);
  options
      .add_option("--from", from_,
                  "Case to copy: its folder, or a name that 'autokernel case list' shows (default: "
                  "a small template)")
      .type_name("CASE");
  options
      .add_option("--case-name", case_name_, "Name of the case (default: that of --from, or mine)")
      .type_name("NAME");
}

int Init::run(const Console& console) {
  const fs::path here = fs::current_path();
  const repo::Repository repository = repo::Repository::open(here);
  InitOptions options{.from = {}, .case_name = case_name_};
  if (from_) options.from = named_case(from_, here);
  const InitPlan plan = plan_of_init(repository, options);
  write_new_files(repository.root(), plan.files);

  for (const NewFile& file : plan.files) {
    console.out << (file.before ? "changed  " : "new      ") << visible_line(file.path.string())
                << '\n';
  }
  for (const std::string& file : plan.kept)
    console.out << "kept     " << visible_line(file) << '\n';
  if (!plan.remark.empty()) console.err << "autokernel: " << visible_line(plan.remark) << '\n';
  if (plan.files.empty()) console.out << "nothing was changed: all of it is there\n";
  console.out << "\nNext:\n";
  for (const std::string& command : next_commands(repository, plan.folder)) {
    console.out << "  " << visible_line(command) << '\n';
  }
  const std::string kernel =
      plan.folder == "." ? plan.kernel_name : plan.folder + "/" + plan.kernel_name;
  console.out << "Then edit " << kernel
              << ", and: autokernel loop step -m \"IDEA\". program.md has "
              << "the rest.\n";
  return 0;
}

std::unique_ptr<Command> init_command() { return std::make_unique<Init>(); }

}  // namespace autokernel::cli
