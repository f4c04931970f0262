// `autokernel export`: a kernel in the forms that others use.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/exported_kernel.h"
#include "autokernel/bridge/exported_solution.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/trial/retry.h"
#include "autokernel/trial/verdicts.h"
#include "cli/commands.h"
#include "cli/export/exported_source.h"
#include "cli/export/kernel_to_ship.h"
#include "cli/export/library_build.h"
#include "cli/export/solution_export.h"
#include "cli/output_files.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Export : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "export"; }
  [[nodiscard]] std::string summary() const override {
    return "Write a kernel in the forms that others use";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  SourceOptions source_;
  ShippingOptions shipping_;
  std::string form_;
  std::string out_;
  std::string into_;  // of a patch
  bool no_build_ = false;
};

constexpr const char* kExportExamples = R"(Examples:
  autokernel export 7 --as c --out matmul                  experiment 7 of the run on this branch
  autokernel export 7 --as torch --out matmul-torch --capability 9.0a,10.0a
  autokernel export --case cases/rmsnorm_h4096 --as flashinfer-trace --out solution.json

Forms:
  c                  a header and a shared library that needs nothing but the driver
  torch              an operator of PyTorch, also under torch.compile, as a package for Python
  tvm-ffi            a module of TVM-FFI
  hub                a kernel for the Hub of Hugging Face, as source for kernel-builder
  triton             a package for Python, of a kernel in Triton's language
  patch              source with a launcher, as a patch for a code base in CUDA C++ (--into DIR)
  flashinfer-trace   a solution of FlashInfer Trace, of a case that was imported
  sol-execbench      a solution of SOL-ExecBench, of a case that was imported

Each but the last two is a folder, with the source and the case, the record of the experiment,
the licence, and a test against the reference (docs/export.md).
)";

struct Form {
  const char* name;
  std::function<bridge::ShippedFiles(const bridge::KernelToShip&)> files;
  std::function<LibraryBuild(const std::string&)> build;  // none: it has no library
};

[[nodiscard]] const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      {"c", bridge::c_library,
       [](const std::string& name) {
         return LibraryBuild{"lib" + name + ".so", {name + ".c"}, false};
       }},
      {"torch", bridge::torch_package,
       [](const std::string& name) {
         return LibraryBuild{name + "/lib" + name + ".so", {"csrc/" + name + ".c"}, false};
       }},
      {"tvm-ffi", bridge::tvm_ffi_module,
       [](const std::string& name) {
         return LibraryBuild{name + ".so", {name + ".c", name + "_tvm_ffi.c"}, true};
       }},
      {"hub", bridge::hub_kernel, nullptr},
      {"triton", bridge::triton_package, nullptr}};
  return kForms;
}

[[nodiscard]] std::optional<bridge::SolutionFormat> solution_format(const std::string& form) {
  if (form == "flashinfer-trace") return bridge::SolutionFormat::flashinfer_trace;
  if (form == "sol-execbench") return bridge::SolutionFormat::sol_execbench;
  return std::nullopt;
}

// The smallest that there are data of, as the case calls it.
[[nodiscard]] std::string case_size(const bridge::KernelToShip& kernel) {
  for (const bridge::ExportedCode& code : kernel.codes)
    if (code.size == kernel.examples.front().size) return code.case_size;
  return kernel.codes.front().case_size;
}

// Nobody has judged it yet: the check that its own test would fail.
void require_right(const ExportedSource& source, const bridge::KernelToShip& kernel,
                   const std::string& device) {
  trial::Request request = source.request;
  request.device = driver::parse_device(device);
  request.size = case_size(kernel);
  request.depth = trial::Depth::quick;
  const trial::Result result = trial::supervise_with_retry(request, {});
  if (result.verdict == trial::Verdict::correct) return;
  throw Error(Stop::usage, fmt::format("cannot export the kernel: at size {} its verdict is {}: {}",
                                       request.size, trial::finding(result).in_bench,
                                       visible_line(result.reason)));
}

void require_empty(const fs::path& folder) {
  std::error_code unreadable;
  if (!fs::exists(folder, unreadable)) return;
  if (fs::is_directory(folder, unreadable) && fs::is_empty(folder, unreadable)) return;
  throw Error(Stop::usage, fmt::format("cannot export to {}: it is there, and is not an empty "
                                       "folder; name another",
                                       visible_line(folder.string())));
}

}  // namespace

void Export::declare(Options options) {
  options.footer(kExportExamples);
  options.add_option("N", source_.number,
                     "Number of the experiment (default: the case's kernel as it lies there)");
  options.add_option("--tag", source_.tag, "Run of the experiment (default: that on this branch)")
      .type_name("TAG");
  add_case(options, source_.case_directory);
  options
      .add_option("--kernel", source_.kernel_file,
                  "Kernel to export: its file, or a folder (default: the case's)")
      .type_name("FILE|DIR");
  options.add_option("--as", form_, "Form of the export, see below").type_name("FORM").required();
  options.add_option("--out", out_, "Folder to write it to, new or empty; of a solution the file")
      .type_name("PATH")
      .required();
  options.add_option("--name", shipping_.name, "What it is called (default: by the case)")
      .type_name("TEXT");
  options.add_option("--author", shipping_.author, "Who made it [autokernel]").type_name("TEXT");
  options
      .add_option("--size", shipping_.sizes,
                  "Sizes to export, with commas between (default: all of the case)")
      .type_name("NAMES");
  options
      .add_option("--capability", shipping_.capabilities,
                  "Compute capabilities to compile for, such as 9.0a,8.6 (default: that of the "
                  "experiment, or 9.0a)")
      .type_name("LIST");
  options
      .add_option("--license", shipping_.licence,
                  "SPDX id of the kernel's licence (default: by the repository's LICENSE)")
      .type_name("ID");
  add_device(options, shipping_.device,
             " to run a reference on that is a kernel, for the test's data [auto]");
  options
      .add_option("--into", into_,
                  "Of a patch: the folder it makes in the code base (default: autokernel/NAME)")
      .type_name("DIR");
  options.add_flag("--no-build", no_build_, "Write sources, and leave the library to be built");
}

int Export::run(const Console& console) {
  if (source_.number && (source_.case_directory || source_.kernel_file)) {
    throw Error(Stop::usage,
                "cannot export an experiment with --case or --kernel: its run says which they are");
  }
  if (const auto format = solution_format(form_)) {
    export_solution_of(exported_source(source_, console), *format,
                       {.name = shipping_.name,
                        .author = shipping_.author,
                        .description = "Exported by autokernel."},
                       out_, console);
    return 0;
  }
  std::vector<Form> known = forms();
  known.push_back({"patch",
                   [this](const bridge::KernelToShip& kernel) {
                     return bridge::source_patch(
                         kernel, into_.empty() ? "autokernel/" + kernel.name : into_);
                   },
                   nullptr});
  for (const Form& form : known) {
    if (form.name != form_) continue;
    require_empty(out_);
    const ExportedSource source = exported_source(source_, console);
    if (!into_.empty() && form_ != "patch")
      throw Error(Stop::usage, "--into is for --as patch, which makes a folder in a code base");
    const bridge::KernelToShip kernel = kernel_to_ship(source, shipping_);
    if (!source.experiment) require_right(source, kernel, shipping_.device);
    const bool is_built = form.build && !no_build_;
    const LibraryBuild build = is_built ? form.build(kernel.name) : LibraryBuild{};
    const BuildTools tools = is_built ? tools_for(build) : BuildTools{};
    write_files_below(out_, form.files(kernel));
    if (is_built) build_library(out_, build, tools);
    if (!source.experiment) {
      console.err << "autokernel: no record of a measurement goes with it: name an experiment to "
                     "export ('autokernel log')\n";
    }
    if (kernel.licence.text.empty())
      console.err << "autokernel: the repository has no LICENSE: none goes with the kernel\n";
    console.out << fmt::format("Wrote {}; its {} has the rest.\n", out_,
                               form_ == "hub" ? "CARD.md" : "README.md");
    return 0;
  }
  throw Error(Stop::usage,
              fmt::format("cannot export: --as is \"{}\"; write c, torch, tvm-ffi, hub, "
                          "triton, patch, flashinfer-trace or sol-execbench",
                          visible_line(form_)));
}

std::unique_ptr<Command> export_command() { return std::make_unique<Export>(); }

}  // namespace autokernel::cli
