#include "cli/case/examination.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/result.h"
#include "cli/case/catalog.h"
#include "cli/case/cheats.h"
#include "cli/case/description.h"
#include "cli/case/try_kernel.h"
#include "cli/doctor/examination.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""s;

constexpr double kGiB = 1024.0 * 1024 * 1024;
// Of every tensor, in the processes of a trial on the emulated device, roughly.
constexpr double kCopiesOnHost = 12;
// On a GPU: two sets of buffers, the reference's outputs, and room.
constexpr double kCopiesOnGpu = 4;
// A line's worth of a reason that may have three.
[[nodiscard]] std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

[[nodiscard]] double host_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Of the GPU that is chosen; none where it cannot be told.
[[nodiscard]] std::optional<double> gpu_memory(const driver::DeviceChoice& device) {
  const auto survey = doctor::survey_gpus(30s);
  const auto ordinal = static_cast<std::size_t>(device.ordinal);
  if (!survey.answer || ordinal >= survey.answer->gpus.size()) return {};
  return static_cast<double>(survey.answer->gpus.at(ordinal).memory_bytes);
}

class Examination {
 public:
  Examination(fs::path folder, driver::DeviceChoice device, std::string size,
              const std::function<void(const CheckLine&)>& tell)
      : folder_(std::move(folder)),
        device_(std::move(device)),
        size_(std::move(size)),
        tell_(&tell) {}

  void run() {
    if (!look_at_case()) return;
    if (!look_at_reference()) return;
    look_at_sizes();
    look_at_types();
    look_at_fp64();
    look_at_kernel();
    look_at_rounding();
    if (is_captured()) {
      return skip("cheats", "the captured kernel is compiled code, of which none can be made");
    }
    for (const Cheat& cheat : cheats(problem_, honest_.text)) look_at(cheat);
  }

 private:
  void pass(const std::string& name, const std::string& found) {
    (*tell_)({.name = name, .outcome = CheckOutcome::passed, .found = found});
  }
  void fail(const std::string& name, const std::string& found, const std::string& fix) {
    (*tell_)({.name = name, .outcome = CheckOutcome::failed, .found = found, .fix = fix});
  }
  void skip(const std::string& name, const std::string& found) {
    (*tell_)({.name = name, .outcome = CheckOutcome::skipped, .found = found});
  }

  [[nodiscard]] trial::Result try_kernel(const cases::KernelSource& kernel, trial::Depth depth,
                                         const cases::CaseFiles& files) const {
    return cli::try_kernel({.folder = folder_, .device = device_, .size = size_, .depth = depth},
                           kernel, files);
  }

  // The case and its files are what they should be.
  [[nodiscard]] bool look_at_case() {
    try {
      files_ = cases::read_files(folder_);
      problem_ = cases::parse(files_);
      kernel_ = cases::read_kernel(problem_.kernel_file(), problem_.editable_files, "the kernel");
    } catch (const Error& error) {
      if (error.stop() != Stop::usage) throw;
      fail("case", error.what(), "correct that file; docs/case-format.md has every key");
      return false;
    }
    require_size(problem_, size_);
    problem_ = cases::at_size(problem_, size_);
    pass("case", fmt::format("{}: {}", problem_.name, cases::problem_line(problem_, size_)));
    return true;
  }

  [[nodiscard]] bool is_captured() const {
    const auto* reference = std::get_if<cases::KernelReference>(&problem_.reference);
    return reference != nullptr && !reference->images.empty();
  }

  [[nodiscard]] bool has_fp64() const {
    const auto* reference = std::get_if<cases::KernelReference>(&problem_.reference);
    return reference != nullptr && !reference->fp64_file.empty();
  }

  // What computes the right result compiles, runs, and passes its own checks: those of sizes, of
  // determinism, and of finite results on odd inputs.
  [[nodiscard]] bool look_at_reference() {
    const auto* reference = std::get_if<cases::KernelReference>(&problem_.reference);
    honest_ = reference == nullptr ? kernel_ : cases::KernelSource{reference->source, {}};
    if (is_captured()) honest_.text = "#include <autokernel.cuh>\nAUTOKERNEL_ORIGINAL;\n";
    const std::string name = reference == nullptr ? problem_.kernel_name : reference->file.string();
    try {
      accepted_ = try_kernel(honest_, trial::Depth::usual, files_);
    } catch (const Error& error) {
      if (error.stop() != Stop::usage) throw;
      fail("reference", first_line(error.what()), "correct the reference");
      return false;
    }
    if (accepted_.verdict == trial::Verdict::correct) {
      pass("reference", fmt::format("{} compiles, and is accepted as a kernel", name));
      return true;
    }
    fail("reference",
         fmt::format("{} is refused as a kernel: {}: {}", name, trial::spelling(accepted_.verdict),
                     first_line(accepted_.reason)),
         reference == nullptr ? "correct the kernel, from which cheats are made here"
         : has_fp64() ? "correct it, or the reference in fp64, whose floating outputs are double*; "
                        "the same bits each time are required, too"
                      : "correct it; the same bits each time are required of it, too");
    return false;
  }

  // Each size fits the device, that of the trials on the emulated one, and every one on a GPU.
  void look_at_sizes() {
    const bool emulated = accepted_.device && accepted_.device->emulated;
    const std::optional<double> memory = emulated ? host_memory() : gpu_memory(device_);
    const double copies = emulated ? kCopiesOnHost : kCopiesOnGpu;
    std::string too_large;
    double most = 0;
    for (const SizeFigures& size : figures_of_sizes(problem_)) {
      const double bytes = copies * static_cast<double>(size.tensor_bytes);
      most = std::max(most, bytes);
      if (memory && bytes > *memory) too_large += (too_large.empty() ? "" : ", ") + size.name;
    }
    const std::string found = fmt::format(
        "{} sizes; a trial of the largest takes about {:.2g} GiB{}", problem_.sizes.size(),
        most / kGiB, memory ? fmt::format(" of {:.0f}", *memory / kGiB) : "");
    if (too_large.empty()) return pass("sizes", found);
    const std::string beyond = fmt::format("{}, too much for this device: {}", found, too_large);
    // A case for a GPU may well be too large for the memory of a laptop.
    if (emulated) return skip("sizes", beyond);
    fail("sizes", beyond, "make these sizes smaller");
  }

  // All that follows is of one type.
  void look_at_types() {
    std::set<std::string> seen;
    std::string others;
    const auto types_of = [&](const std::string& size) {
      std::string types;
      for (const auto& [symbol, type] : problem_.types.at(size))
        types += fmt::format("{}{} = {}", types.empty() ? "" : ", ", symbol, spelling(type));
      return types;
    };
    if (problem_.types.empty()) return;
    seen.insert(types_of(size_));
    for (const SizeFigures& size : figures_of_sizes(problem_)) {
      if (!seen.insert(types_of(size.name)).second) continue;
      others += fmt::format("{}--size {} ({})", others.empty() ? "" : ", ", size.name,
                            types_of(size.name));
    }
    if (!others.empty())
      skip("types", fmt::format("{} here; the others, with {}", types_of(size_), others));
  }

  void look_at_fp64() {
    const auto* reference = std::get_if<cases::KernelReference>(&problem_.reference);
    if (reference == nullptr || std::holds_alternative<cases::ExactAlways>(problem_.exactness)) {
      return;
    }
    if (reference->fp64_file.empty()) {
      return skip("fp64",
                  "there is no fp64_file, so the errors of the reference itself are not "
                  "known; supply one where sums are long");
    }
    if (!accepted_.differences) return;
    const trial::Differences& errors = *accepted_.differences;
    const cases::Tolerance& tolerance = problem_.tolerance;
    std::string found = fmt::format("{} differs from {} by up to {:.2g}, {:.2g} of an element",
                                    reference->file.string(), reference->fp64_file.string(),
                                    errors.max_abs, errors.max_rel);
    // No element can use more: its error is below both largest ones.
    double used = 1e9;
    if (tolerance.absolute > 0) used = std::min(used, errors.max_abs / tolerance.absolute);
    if (tolerance.relative > 0) used = std::min(used, errors.max_rel / tolerance.relative);
    if (used <= 1) found += fmt::format("; that is at most {:.0f} % of the tolerance", 100 * used);
    pass("fp64", found);
  }

  void look_at_kernel() {
    const trial::Result result = try_kernel(kernel_, trial::Depth::usual, files_);
    if (result.verdict == trial::Verdict::correct)
      return pass("kernel", problem_.kernel_name + " is accepted");
    if (result.verdict == trial::Verdict::unsupported) {
      return skip("kernel", first_line(result.reason));
    }
    fail("kernel",
         fmt::format("{}: {}: {}", problem_.kernel_name, trial::spelling(result.verdict),
                     first_line(result.reason)),
         "correct it: a run begins with a kernel that is right");
  }

  // An honest kernel may round differently: with products that are not fused with sums, and, where
  // there is a tolerance, with the fast forms of division and root.
  void look_at_rounding() {
    if (is_captured()) return skip("rounding", "the captured kernel is compiled code");
    if (problem_.text.find("[compile]") != std::string::npos) {
      return skip("rounding", "the case has a [compile] section of its own");
    }
    const bool exact = std::holds_alternative<cases::ExactAlways>(problem_.exactness);
    const std::string flags =
        exact ? R"("fmad=false")" : R"("fmad=false", "prec-div=false", "prec-sqrt=false")";
    cases::CaseFiles changed = files_;
    changed.bytes.at("case.toml") += "\n[compile]\nflags = [" + flags + "]\n";
    const trial::Result result = try_kernel(honest_, trial::Depth::usual, changed);
    if (result.verdict == trial::Verdict::correct) {
      return pass("rounding", "the same kernel is accepted with flags = [" + flags + "]");
    }
    const std::string found =
        fmt::format("the same kernel with flags = [{}]: {}: {}", flags,
                    trial::spelling(result.verdict), first_line(result.reason));
    if (result.verdict != trial::Verdict::incorrect) return skip("rounding", found);
    fail("rounding", found,
         exact ? "its result depends on whether products and sums are fused, so there is more than "
                 "one right value: write exact = \"never\" with a tolerance"
               : "make the tolerances wider: honest kernels differ so much");
  }

  void look_at(const Cheat& cheat) {
    const trial::Result result =
        try_kernel({cheat.source, honest_.files}, trial::Depth::quick, files_);
    if (result.verdict == trial::Verdict::incorrect) {
      return pass(cheat.name, cheat.what + ": refused");
    }
    if (result.verdict != trial::Verdict::correct) {
      return skip(cheat.name,
                  fmt::format("{}: cannot be tried: {}: {}", cheat.what,
                              trial::spelling(result.verdict), first_line(result.reason)));
    }
    const bool is_same = result.differences && result.differences->max_abs == 0;
    if (is_same) return skip(cheat.name, cheat.what + ": that changes nothing here");
    fail(cheat.name, cheat.what + ": accepted", cheat.remedy);
  }

  fs::path folder_;
  driver::DeviceChoice device_;
  std::string size_;
  const std::function<void(const CheckLine&)>* tell_;
  cases::CaseFiles files_;
  cases::Case problem_;
  cases::KernelSource kernel_;
  cases::KernelSource honest_;  // the reference, or where that is a library the kernel
  trial::Result accepted_;      // what became of it
};

}  // namespace

void examine_case(const fs::path& folder, const driver::DeviceChoice& device,
                  const std::string& size, const std::function<void(const CheckLine&)>& tell) {
  Examination(folder, device, size, tell).run();
}

}  // namespace autokernel::cli
