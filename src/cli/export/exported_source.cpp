#include "cli/export/exported_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/loop/loop.h"
#include "autokernel/repo/repository.h"
#include "autokernel/trial/sources.h"
#include "cli/default_case.h"
#include "cli/kernel_case.h"
#include "cli/kernel_sources.h"
#include "cli/loop/open_run.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] ledger::RunStarted run_called(const loop::Loop& loop, const std::string& tag) {
  for (ledger::Entry& entry : loop.history()) {
    if (auto* const run = std::get_if<ledger::RunStarted>(&entry);
        run != nullptr && run->tag == tag)
      return std::move(*run);
  }
  throw Error(Stop::repository, fmt::format("the ledger does not say how run {} was started", tag));
}

void require_right(const ledger::Experiment& experiment) {
  if (experiment.status != ledger::Status::crash) return;
  throw Error(Stop::usage,
              fmt::format("cannot export experiment {}: its verdict is {}{}{}", experiment.number,
                          experiment.verdict, experiment.reason.empty() ? "" : ": ",
                          visible_line(experiment.reason)));
}

void take_kernel(ExportedSource& source, const fs::path& file, cases::KernelSource kernel) {
  source.main = file.filename().string();
  source.request.kernel_file = file;
  source.request.source = std::move(kernel.text);
  source.request.files = std::move(kernel.files);
}

}  // namespace

ExportedSource exported_source(const SourceOptions& options, const Console& console) {
  ExportedSource source;
  std::optional<cases::KernelSource> kernel;
  fs::path kernel_file;
  if (options.number) {
    const auto loop = loop::Loop::open_to_read(fs::current_path(), speaking_on(console));
    source.experiment = loop.experiment(*options.number, options.tag);
    require_right(*source.experiment);
    const ledger::RunStarted run = run_called(loop, source.experiment->tag);
    const fs::path root = repo::Repository::open(fs::current_path()).root();
    source.folder = root / run.case_directory;
    kernel_file = root / run.editable;
    kernel = loop.source(*source.experiment);
  } else {
    source.folder = options.case_directory ? existing_case(*options.case_directory)
                                           : default_case(fs::current_path());
  }
  source.request.case_directory = fs::absolute(source.folder);
  cases::CaseFiles files = cases::read_files(source.request.case_directory);
  source.problem = cases::parse(files);
  require_kernel(source.problem, "autokernel export");
  trial::take_case(source.request, std::move(files));
  if (kernel) {
    take_kernel(source, fs::absolute(kernel_file), *std::move(kernel));
  } else {
    const fs::path file =
        options.kernel_file
            ? fs::absolute(main_file(*options.kernel_file, source.problem.kernel_name))
            : source.problem.kernel_file();
    const cases::EditableFiles others = other_files(
        options.kernel_file ? fs::path(*options.kernel_file) : file, source.problem.editable_files);
    take_kernel(source, file, cases::read_kernel(file, others, "the kernel"));
  }
  source.request = trial::with_reachable_headers(std::move(source.request));
  return source;
}

}  // namespace autokernel::cli
