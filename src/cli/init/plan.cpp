#include "cli/init/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/cases/case.h"
#include "cli/case/catalog.h"
#include "cli/case/program.h"
#include "cli/case/stamp.h"
#include "cli/init/marked_section.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// Where every command looks for the case if nobody names one (default_case.h).
constexpr const char* kFolder = "kernels";
constexpr const char* kDefaultName = "mine";
constexpr const char* kCaseFile = "case.toml";
constexpr const char* kProgram = "program.md";
constexpr const char* kAgents = "AGENTS.md";
constexpr const char* kIgnore = ".gitignore";
// The loop's own folder, and the logs of bench.
constexpr const char* kOwnFolder = ".autokernel/";

class Planner {
 public:
  Planner(const repo::Repository& repository, const InitOptions& options)
      : repository_(&repository), options_(&options), root_(repository.root()) {}

  [[nodiscard]] InitPlan plan() {
    plan_case();
    plan_program();
    plan_section();
    plan_ignored();
    plan_.kernel_name = problem_.kernel_name;
    for (const std::string& file : {problem_.kernel_name, std::string(kCaseFile)})
      require_not_ignored(in_case(file));
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::string in_case(const std::string& file) const {
    return plan_.folder == "." ? file : plan_.folder + "/" + file;
  }
  [[nodiscard]] std::optional<std::string> held(const fs::path& path) const {
    return read_file_below(root_, path, "the file");
  }
  [[nodiscard]] bool is_there(const fs::path& path) const {
    std::error_code unreadable;
    return fs::exists(fs::symlink_status(root_ / path, unreadable));
  }

  // A case that is there stays as it is, unless another one is wanted.
  void plan_case() {
    plan_.folder = is_there(kCaseFile) ? "." : kFolder;
    const bool exists = is_there(in_case(kCaseFile));
    if (!exists) return stamp();
    problem_ = cases::load(root_ / plan_.folder);
    plan_.kept.push_back(in_case(kCaseFile));
    if (!options_->from && !options_->case_name) return;
    if (stamped_case(plan_.folder).back().bytes == problem_.text) return;
    throw Error(Stop::usage,
                fmt::format("cannot make a case in {}: {} is there already, the case {}; omit "
                            "--from and --case-name to keep it, or make a further case: autokernel "
                            "case new NAME",
                            root_.string(), in_case(kCaseFile), problem_.name));
  }

  [[nodiscard]] std::vector<NewFile> stamped_case(const std::string& folder) const {
    std::string name = options_->case_name.value_or(kDefaultName);
    if (!options_->case_name && options_->from) name = outline(*options_->from).name;
    require_case_name(name);
    return stamped(root_, folder, name, {.from = options_->from});
  }

  void stamp() {
    for (NewFile& file : stamped_case(kFolder)) {
      const auto before = held(file.path);
      if (before && *before != file.bytes) refuse(file.path, "a case");
      if (file.path.filename() == kCaseFile) {
        problem_ = cases::parse(file.bytes, root_ / kFolder);
      }
      if (before) {
        plan_.kept.push_back(file.path.string());
      } else {
        plan_.files.push_back(std::move(file));
      }
    }
  }

  void plan_program() {
    const std::string text = program_text(problem_, plan_.folder);
    const auto before = held(kProgram);
    if (!before) {
      plan_.files.push_back({.path = kProgram, .bytes = text});
      return;
    }
    if (*before != text && !before->starts_with(kProgramMark)) refuse(kProgram, "instructions");
    plan_.kept.emplace_back(kProgram);
    if (*before == text) return;
    plan_.remark = fmt::format("{} is not what 'autokernel case program {}' prints now", kProgram,
                               plan_.folder);
  }

  void plan_section() {
    const auto before = held(kAgents);
    change(kAgents, before,
           with_marked_section(before.value_or(""), agents_text(plan_.folder, problem_.kernel_name),
                               kAgents));
  }

  void plan_ignored() {
    if (repository_->is_ignored(kOwnFolder)) {
      plan_.kept.emplace_back(kIgnore);
      return;
    }
    const auto before = held(kIgnore);
    change(kIgnore, before, with_line(before.value_or(""), fmt::format("/{}", kOwnFolder)));
  }

  void change(const char* path, const std::optional<std::string>& before, const std::string& text) {
    if (before == text) {
      plan_.kept.emplace_back(path);
    } else {
      plan_.files.push_back({.path = path, .bytes = text, .before = before});
    }
  }

  void require_not_ignored(const std::string& path) const {
    if (!repository_->is_ignored(path)) return;
    throw Error(Stop::usage,
                fmt::format("cannot make a case in {}: git ignores {}, and a run needs "
                            "it committed; change .gitignore",
                            root_.string(), path));
  }

  [[noreturn]] void refuse(const fs::path& path, const char* what) const {
    throw Error(Stop::usage, fmt::format("cannot write {} into {}: {} is there already and is "
                                         "another file; move it away",
                                         what, root_.string(), path.string()));
  }

  const repo::Repository* repository_;
  const InitOptions* options_;
  fs::path root_;
  InitPlan plan_;
  cases::Case problem_;
};

}  // namespace

InitPlan plan_of_init(const repo::Repository& repository, const InitOptions& options) {
  return Planner(repository, options).plan();
}

}  // namespace autokernel::cli
