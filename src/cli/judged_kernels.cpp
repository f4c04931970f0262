#include "cli/judged_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/image_front_end.h"
#include "autokernel/programs/extracted.h"
#include "autokernel/trial/sources.h"
#include "autokernel/trial/supervisor.h"
#include "autokernel/trial/verdicts.h"
#include "cli/case/catalog.h"
#include "cli/kernel_case.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// A case of the program, as it lies there.
struct Found {
  programs::ExtractedCase extracted;
  cases::CaseFiles files;
  cases::Case problem;
  cases::KernelSource kernel;
};

[[nodiscard]] Found read_case(const fs::path& cases_folder,
                              const programs::ExtractedCase& extracted) {
  const fs::path folder = cases_folder / extracted.folder;
  Found found{
      .extracted = extracted, .files = cases::read_files(folder), .problem = {}, .kernel = {}};
  found.problem = cases::parse(found.files);
  require_kernel(found.problem, "to put a kernel into a program");
  found.kernel =
      cases::read_kernel(found.problem.kernel_file(), found.problem.editable_files, "the kernel");
  return found;
}

// The kernel that every case of the operation begins with.
[[nodiscard]] std::string starting_product_kernel() {
  const cases::Case box = cases::load(installed_case("gemm"));
  return cases::read_kernel(box.kernel_file(), box.editable_files, "the kernel").text;
}

[[nodiscard]] bool is_worked_on(const Found& found) {
  if (compile::asks_for_original(found.kernel.text)) return false;
  return !found.extracted.product || found.kernel.text != starting_product_kernel();
}

[[nodiscard]] trial::Request request_for(const Found& found, const driver::DeviceChoice& device) {
  trial::Request request;
  request.case_directory = found.files.directory;
  request.kernel_file = found.problem.kernel_file();
  request.device = device;
  // The cache is the agent's to write to, and what is compiled here goes into the program.
  request.cached = false;
  request.source = found.kernel.text;
  request.files = found.kernel.files;
  trial::take_case(request, found.files);
  return request;
}

// Both kernels of a case, compiled.
[[nodiscard]] std::variant<programs::KernelToReplace, std::string> made_ready(
    const Found& found, const driver::DeviceChoice& device, const std::string& architecture) {
  trial::Request request = trial::with_reachable_headers(request_for(found, device));
  auto own = trial::ready_kernel(request, architecture);
  if (auto* why = std::get_if<std::string>(&own)) return std::move(*why);
  programs::KernelToReplace kernel{.extracted = found.extracted,
                                   .own = std::get<trial::ReadyKernel>(std::move(own)),
                                   .original = std::nullopt};
  if (!found.extracted.product) {
    request.source = "#include <autokernel.cuh>\nAUTOKERNEL_ORIGINAL;\n";
    request.files.clear();
    auto original = trial::ready_kernel(request, architecture);
    if (auto* why = std::get_if<std::string>(&original)) return std::move(*why);
    kernel.original = std::get<trial::ReadyKernel>(std::move(original));
  }
  if (const auto why = programs::why_not_replaceable(kernel)) return *why;
  return kernel;
}

// Below this, a kernel is slower beyond doubt.
constexpr double kSlower = 0.95;

[[nodiscard]] std::optional<std::string> with_same_launches(
    const std::vector<JudgedKernel>& kernels, const programs::ExtractedCase& extracted) {
  for (const JudgedKernel& each : kernels) {
    const programs::ExtractedCase& other = each.kernel.extracted;
    if (other.kernel == extracted.kernel && other.image == extracted.image &&
        other.grid == extracted.grid && other.block == extracted.block &&
        other.dynamic_shared == extracted.dynamic_shared && other.product == extracted.product &&
        other.operation == extracted.operation) {
      return other.folder;
    }
  }
  return std::nullopt;
}

[[nodiscard]] std::vector<Found> chosen(const fs::path& folder,
                                        const std::vector<std::string>& names, std::ostream& tell) {
  const std::vector<programs::ExtractedCase> all = programs::read_extracted(folder);
  if (all.empty()) {
    throw Error(Stop::usage, fmt::format("there are no cases of a program in {}; 'autokernel "
                                         "extract -- PROGRAM' makes them, --cases names another "
                                         "folder",
                                         folder.string()));
  }
  std::vector<Found> found;
  for (const programs::ExtractedCase& each : all) {
    const bool is_named = std::ranges::find(names, each.folder) != names.end();
    if (!names.empty() && !is_named) continue;
    try {
      Found read = read_case(folder, each);
      if (is_named || is_worked_on(read)) found.push_back(std::move(read));
    } catch (const Error& error) {
      if (is_named || error.stop() != Stop::usage) throw;
      tell << fmt::format("  {}: left out: {}\n", visible_line(each.folder),
                          visible_line(error.what()));
    }
  }
  for (const std::string& name : names) {
    if (std::ranges::none_of(all, [&](const auto& each) { return each.folder == name; })) {
      std::vector<std::string> there;
      there.reserve(all.size());
      for (const programs::ExtractedCase& each : all) there.push_back(each.folder);
      throw Error(Stop::usage, fmt::format("{} has no case '{}' of a program; there are: {}",
                                           folder.string(), name, fmt::join(there, ", ")));
    }
  }
  if (found.empty()) {
    throw Error(
        Stop::usage,
        fmt::format("no case in {} has a kernel of its own yet: 'autokernel loop run --plan' "
                    "has an agent write them",
                    folder.string()));
  }
  return found;
}

}  // namespace

std::string digest(const cases::KernelSource& kernel) {
  std::string all = kernel.text;
  for (const auto& [path, text] : kernel.files) {
    for (const std::string& part : {path, text}) {
      all += '\0';
      all += part;
    }
  }
  return sha256(all);
}

JudgedKernels judged_kernels(const fs::path& cases_folder, const std::vector<std::string>& names,
                             const driver::DeviceChoice& device, std::ostream& tell) {
  JudgedKernels judged;
  for (const Found& found : chosen(cases_folder, names, tell)) {
    const auto say = [&](const std::string& what) {
      tell << fmt::format("  {}: {}\n", found.extracted.folder, what) << std::flush;
    };
    trial::Request request = request_for(found, device);
    request.depth = trial::Depth::quick;
    const trial::Result result = trial::supervise(request, {});
    if (result.verdict != trial::Verdict::correct) {
      ++judged.refused;
      say(fmt::format("{}: {}", trial::spelling(result.verdict),
                      visible_line(result.reason.substr(0, result.reason.find('\n')))));
      continue;
    }
    if (!result.device) throw Error(Stop::internal, "a trial has no device");
    judged.device = *result.device;
    auto ready = made_ready(found, device,
                            trial::architecture_of(result.device->major, result.device->minor));
    if (const auto* why = std::get_if<std::string>(&ready)) {
      ++judged.refused;
      say("cannot be put into the program: " + visible_line(*why));
      continue;
    }
    if (const auto other = with_same_launches(judged.kernels, found.extracted)) {
      ++judged.refused;
      say(
          fmt::format("stands for the same launches as {}, which are that one's: name one of them "
                      "with --case",
                      visible_line(*other)));
      continue;
    }
    JudgedKernel& kernel = judged.kernels.emplace_back();
    kernel.kernel = std::get<programs::KernelToReplace>(std::move(ready));
    kernel.sha256 = digest(found.kernel);
    if (result.reference && result.times && result.times->median_us > 0) {
      kernel.alone = result.reference->median_us / result.times->median_us;
    }
    say(kernel.alone > 0 ? fmt::format("correct, {:.2f}x alone{}", kernel.alone,
                                       kernel.alone < kSlower ? ", which is slower" : "")
                         : std::string("correct"));
  }
  return judged;
}

bool any_is_worked_on(const fs::path& cases) {
  return std::ranges::any_of(programs::read_extracted(cases), [&](const auto& each) {
    try {
      return is_worked_on(read_case(cases, each));
    } catch (const Error& error) {
      if (error.stop() != Stop::usage) throw;
      return false;
    }
  });
}

}  // namespace autokernel::cli
