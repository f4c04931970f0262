// `autokernel case new`: a case of one's own, to be changed.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "cli/case/catalog.h"
#include "cli/case/lab_case.h"
#include "cli/case/stamp.h"
#include "cli/commands.h"
#include "cli/shell_word.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class CaseNew : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "new"; }
  [[nodiscard]] std::string summary() const override {
    return "Make a case, from a small template or from another case";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] std::vector<NewFile> files_for(const fs::path& root, const fs::path& folder,
                                               const std::string& name) const;

  std::optional<std::string> name_;
  std::optional<std::string> from_;
  bool lab_ = false;
  std::optional<std::string> slug_;
  std::string model_;
  std::string model_path_;
  std::string hardware_ = "this machine";
  std::string backend_ = kCudaBackend;
};

constexpr const char* kCaseNewExamples = R"(Examples:
  autokernel case new squares
  autokernel case new rows --from softmax
  autokernel case new rows --from softmax --backend triton
  autokernel case new work/mine --from kernels/rows
  autokernel case new mine --from ranking     # no kernel: any program (docs/commands.md)
  autokernel case new --lab --model tiny --model-path /models/tiny --case tiny

A NAME without '/' goes below kernels/ if there is such a folder here. The case gets case.toml,
its kernel and the references. With --lab it is a server of a language model, in a workspace that
an agent owns (docs/lab.md). Nothing that exists is overwritten.)";

// Where a case of that name goes, from `here`.
[[nodiscard]] fs::path target_of(const std::string& name, const fs::path& here) {
  if (name.find('/') != std::string::npos) return fs::path(name).lexically_normal();
  std::error_code unreadable;
  return fs::is_directory(here / "kernels", unreadable) ? fs::path("kernels") / name
                                                        : fs::path(name);
}

// The nearest folder above `path` that there is.
[[nodiscard]] fs::path existing_part(const fs::path& path) {
  fs::path folder = path.parent_path();
  std::error_code unreadable;
  while (folder.has_relative_path() && !fs::is_directory(folder, unreadable)) {
    folder = folder.parent_path();
  }
  return folder;
}

void require_free(const fs::path& target) {
  std::error_code unreadable;
  if (fs::is_symlink(target.parent_path(), unreadable)) {
    throw Error(Stop::usage, fmt::format("cannot make the case {}: {} is a link; name the folder "
                                         "that it leads to",
                                         target.string(), target.parent_path().string()));
  }
  const fs::file_type type = fs::symlink_status(target, unreadable).type();
  if (type == fs::file_type::not_found) return;
  if (type == fs::file_type::directory && fs::is_empty(target, unreadable)) return;
  throw Error(Stop::usage, fmt::format("cannot make the case {0}: {0} is there already; choose "
                                       "another name",
                                       target.string()));
}

}  // namespace

void CaseNew::declare(Options options) {
  options.footer(kCaseNewExamples);
  options.add_option("NAME", name_, "Name of the case, or a path that ends in it");
  options.add_flag("--lab", lab_, "Make a lab case: a server of a language model");
  options.add_option("--case", slug_, "With --lab: NAME").type_name("SLUG");
  options.add_option("--model", model_, "With --lab: what requests call the model")
      .type_name("NAME");
  options.add_option("--model-path", model_path_, "With --lab: the folder of its weights")
      .type_name("DIR");
  options.add_option("--hardware", hardware_, "With --lab: what it is made faster on, in words")
      .type_name("TEXT");
  options
      .add_option("--from", from_,
                  "Case to copy: its folder, or a name that 'autokernel case list' shows (default: "
                  "a small template)")
      .type_name("CASE");
  options.add_option("--backend", backend_, "Language of its kernel")
      .type_name("NAME")
      .one_of({kCudaBackend, kTritonBackend})
      .tells_default();
}

std::vector<NewFile> CaseNew::files_for(const fs::path& root, const fs::path& folder,
                                        const std::string& name) const {
  if (!lab_) {
    std::optional<fs::path> from;
    if (from_) from = named_case(from_, fs::current_path());
    return stamped(root, folder, name, {.from = from, .backend = backend_});
  }
  if (from_) throw Error(Stop::usage, "--lab has a template of its own: leave out --from");
  if (model_.empty() || model_path_.empty()) {
    throw Error(Stop::usage,
                "--lab needs --model NAME, which requests call the model by, and --model-path DIR, "
                "where its weights are or will be");
  }
  return lab_files({.slug = name,
                    .model = model_,
                    .model_path = fs::absolute(model_path_).lexically_normal(),
                    .hardware = hardware_},
                   folder);
}

int CaseNew::run(const Console& console) {
  const fs::path here = fs::current_path();
  if (name_ && slug_) throw Error(Stop::usage, "--case is the name of a lab case: write it once");
  if (!lab_ && (slug_ || !model_.empty() || !model_path_.empty()))
    throw Error(Stop::usage, "--case, --model and --model-path are of lab cases: add --lab");
  if (!name_ && !slug_) throw Error(Stop::usage, "case new needs the name of the case");
  fs::path target = target_of(name_ ? *name_ : *slug_, here);
  if (!target.has_filename()) target = target.parent_path();  // "work/mine/"
  const std::string name = target.filename().string();
  require_case_name(name);
  require_free(target);
  const fs::path whole = fs::weakly_canonical(here / target.parent_path()) / name;
  const fs::path root = existing_part(whole);
  const std::vector<NewFile> files = files_for(root, whole.lexically_relative(root), name);
  write_new_files(root, files);

  for (const NewFile& file : files) {
    console.out << "new      " << visible_line(shown_folder(root / file.path, here)) << '\n';
  }
  const std::string folder = visible_line(shell_word(target.string()));
  if (lab_) {
    console.out << fmt::format(
        "\nNext:\n  python3 {0}/scripts/make_model.py --out {1}   # unless there are weights\n"
        "  sh {0}/checks.sh                # builds, emits PTX, compares both servers\n"
        "  autokernel case check {0}      # the same by the judge\n"
        "  autokernel bench --case {0}    # load on the server\n",
        folder, visible_line(shell_word(model_path_)));
    return 0;
  }
  if (outline(whole).command) {
    console.out << fmt::format(
        "\nNext:\n  autokernel case show {0}    # its commands, and the number that counts\n"
        "  autokernel case check {0}   # after each change of case.toml or of the check\n"
        "  autokernel bench --case {0} # measure it\n",
        folder);
    return 0;
  }
  console.out << fmt::format(
      "\nNext:\n  autokernel case show {0}                 # what a kernel of it takes\n"
      "  autokernel case check {0} --device cpu   # after each change of case.toml or a reference\n"
      "  autokernel bench --case {0}              # measure its kernel\n",
      folder);
  return 0;
}

std::unique_ptr<Command> case_new_command() { return std::make_unique<CaseNew>(); }

}  // namespace autokernel::cli
