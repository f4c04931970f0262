// `autokernel extract`: cases of the kernels of a program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "autokernel/programs/captured_case.h"
#include "autokernel/programs/capturing.h"
#include "autokernel/programs/extracted.h"
#include "autokernel/programs/profile_file.h"
#include "autokernel/programs/profile_text.h"
#include "cli/case/stamp.h"
#include "cli/case/try_kernel.h"
#include "cli/commands.h"
#include "cli/ending_text.h"
#include "cli/product_case.h"
#include "cli/required_device.h"
#include "cli/shared_options.h"
#include "cli/shell_word.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Extract : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "extract"; }
  [[nodiscard]] std::string summary() const override {
    return "Make cases of a program's kernels, with the values they get";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] std::vector<programs::RankedKernel> chosen() const;
  [[nodiscard]] int capture_all(const std::vector<programs::RankedKernel>& kernels,
                                const Console& console);
  [[nodiscard]] std::string new_folder(const programs::RankedKernel& kernel);
  // What it is a case of: captured code, by its digest, or a product.
  struct Origin {
    std::string image;
    std::optional<programs::Product> product;
  };
  void remember(const programs::RankedKernel& kernel, const std::string& folder,
                const Origin& origin);
  [[nodiscard]] bool write_operation(const programs::RankedKernel& kernel,
                                     const programs::Operation& operation, const Console& console);
  [[nodiscard]] bool write_case(const programs::RankedKernel& kernel,
                                const std::vector<programs::CapturedLaunch>& launches,
                                const programs::Captured& all, const Console& console);
  // Why no launch of it was captured.
  [[nodiscard]] std::string why_not_launched(const programs::RankedKernel& kernel,
                                             const programs::Captured& captured) const;
  void check_folder() const;
  // Why the captured kernel does not pass as a kernel of the case that was made of it.
  [[nodiscard]] std::optional<std::string> refused_by_its_case(const fs::path& folder) const;

  std::vector<std::string> command_;
  std::string device_ = "auto";
  std::string profile_ = "autokernel-profile.json";
  std::optional<std::string> kernel_;
  std::optional<int> launch_;
  int top_ = 1;
  std::optional<int> captures_;
  bool operations_ = false;
  std::string out_ = "cases";
  std::string backend_ = kCudaBackend;
  bool require_success_ = false;
  double budget_gb_ = 4;
  std::vector<std::string> made_;  // names of folders, in order
  int failed_with_ = 0;            // the program, where that ends all
};

constexpr int kCaptures = 3;
constexpr std::size_t kMostCaptures = 16;  // of one kernel, in all processes
constexpr const char* kExamples = R"(Examples:
  autokernel profile -- python train.py
  autokernel extract --top 3 -- python train.py
  autokernel extract --kernel layer_norm -- python train.py
  autokernel extract --kernel softmax --launch 120 --out work -- ./my_program

The kernels are taken from the profile (--profile FILE). The program is run once more, and some
launches of each are captured: code, parameters, and memory before and after. Each capture is
replayed, to find its tensors and to see that it gives the same bits. It becomes a case
(docs/extract.md), whose reference is the captured kernel. Captured code and values stay in the
case's capture/, which only you can read and git ignores.)";

// "vectorized_layer_norm_kernel<BFloat16, float>" -> "vectorized_layer_norm_kernel".
[[nodiscard]] std::string folder_name(const std::string& short_name) {
  constexpr std::size_t kLongest = 48;
  std::string name;
  for (const char letter : short_name.substr(0, short_name.find('<'))) {
    const auto byte = static_cast<unsigned char>(letter);
    name += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  name.resize(std::min(name.size(), kLongest));
  return name.empty() ? "kernel" : name;
}

[[nodiscard]] bool mentions(const programs::RankedKernel& kernel, const std::string& text) {
  return kernel.name.find(text) != std::string::npos ||
         kernel.demangled.find(text) != std::string::npos;
}

// Spread over all launches of the kernel.
[[nodiscard]] std::vector<std::uint64_t> spread(std::int64_t launches, int captures) {
  std::set<std::uint64_t> occurrences;
  for (int i = 0; i < captures; ++i) {
    occurrences.insert(static_cast<std::uint64_t>(launches * i / captures));
  }
  return {occurrences.begin(), occurrences.end()};
}

// "1 launch", "3 launches".
[[nodiscard]] std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

[[nodiscard]] std::uint64_t bytes_of(const programs::Study& study) {
  std::uint64_t bytes = 0;
  for (const programs::StudiedTensor& tensor : study.tensors) bytes += tensor.bytes();
  return bytes;
}

}  // namespace

void Extract::declare(Options options) {
  options.footer(kExamples);
  options.add_option("COMMAND", command_, "The program to run and its arguments, after --")
      .required();
  options
      .add_option("--profile", profile_,
                  "The profile to take kernels from "
                  "[autokernel-profile.json]")
      .type_name("FILE");
  options.add_option("--top", top_, "Extract that many kernels, the longest ones [1]")
      .type_name("N")
      .within(1, 100);
  options.add_option("--kernel", kernel_, "Extract kernels with that in their names instead")
      .type_name("TEXT");
  options.add_option("--launch", launch_, "Capture that launch of the kernel, counted from 0")
      .type_name("N")
      .within(0, 1'000'000'000);
  options.add_option("--captures", captures_, "Capture that many launches of each kernel [3]")
      .type_name("N")
      .within(1, 16);
  options.add_flag(
      "--operations", operations_,
      "Make cases of the operation gemm, of any such values, of plain matrix products");
  options.add_flag("--require-success", require_success_,
                   "Make no cases if the program fails or is stopped");
  options.add_option("--budget", budget_gb_, "Most memory to keep, in GB [4]")
      .type_name("GB")
      .positive();
  options.add_option("--out", out_, "Folder for the cases [cases]").type_name("DIR");
  options.add_option("--backend", backend_, "Language of their kernels")
      .type_name("NAME")
      .one_of({kCudaBackend, kTritonBackend})
      .tells_default();
  add_device(options, device_);
}

std::vector<programs::RankedKernel> Extract::chosen() const {
  const programs::Ranking ranking = programs::read_ranking(profile_);
  std::vector<programs::RankedKernel> kernels;
  for (const programs::RankedKernel& kernel : ranking.kernels) {
    const bool is_wanted = !kernel_ || mentions(kernel, *kernel_);
    const auto most = static_cast<std::size_t>(top_);
    if (is_wanted && kernels.size() < most) kernels.push_back(kernel);
  }
  if (kernels.empty()) {
    throw Error(Stop::usage,
                fmt::format("no kernel of {} has '{}' in its name; 'autokernel profile' lists them",
                            profile_, visible_line(kernel_.value_or(""))));
  }
  return kernels;
}

// One that is not there yet.
std::string Extract::new_folder(const programs::RankedKernel& kernel) {
  std::string name = folder_name(kernel.short_name);
  for (int number = 2; fs::exists(fs::path(out_) / name); ++number) {
    name = fmt::format("{}_{}", folder_name(kernel.short_name), number);
  }
  return name;
}

void Extract::remember(const programs::RankedKernel& kernel, const std::string& folder,
                       const Origin& origin) {
  programs::add_extracted(
      out_, {.folder = folder,
             .kernel = kernel.name,
             .grid = kernel.grid,
             .block = kernel.block,
             .dynamic_shared = kernel.dynamic_shared,
             .operation = kernel.operation ? programs::operation_text(*kernel.operation) : "",
             .program = fs::path(command_.front()).filename().string(),
             .bytes = cases::bytes_at(cases::load(fs::path(out_) / folder), "default"),
             .image = origin.image,
             .product = origin.product});
  made_.push_back(folder);
}

bool Extract::write_operation(const programs::RankedKernel& kernel,
                              const programs::Operation& operation, const Console& console) {
  if (!operation.product) return false;
  const programs::Product& product = *operation.product;
  if (const auto why = why_no_product_case(product)) {
    console.err << "autokernel: " << visible_line(kernel.short_name)
                << " is captured, as the operation gemm is not that: " << visible_line(*why)
                << '\n';
    return false;
  }
  const std::string name = new_folder(kernel);
  make_folders(out_, Stop::usage);
  write_product_case(fs::path(out_) / name, product, backend_);
  remember(kernel, name, {.image = {}, .product = product});
  console.out << fmt::format("  {:5.1f} %  {}\n           {}: the operation gemm, {}\n",
                             100 * kernel.share, visible_line(kernel.short_name),
                             (fs::path(out_) / name).string(), programs::operation_text(operation))
              << std::flush;
  return true;
}

std::string Extract::why_not_launched(const programs::RankedKernel& kernel,
                                      const programs::Captured& captured) const {
  const auto& in_graphs = captured.in_graphs;
  if (kernel.in_graph || std::ranges::find(in_graphs, kernel.name) != in_graphs.end()) {
    return "it is launched by a CUDA graph, which passes our driver by; run the program without "
           "graphs";
  }
  if (launch_) {
    return fmt::format(
        "the program did not make its launch {} this time; the profile has {}, counted from 0",
        *launch_, counted(static_cast<std::uint64_t>(kernel.launches), "launch", "launches"));
  }
  return "the program did not launch it this time";
}

bool Extract::write_case(const programs::RankedKernel& kernel,
                         const std::vector<programs::CapturedLaunch>& launches,
                         const programs::Captured& all, const Console& console) {
  const auto refuse = [&](const std::string& why) {
    console.out << fmt::format("  {:5.1f} %  {}\n           refused: {}\n", 100 * kernel.share,
                               visible_line(kernel.short_name), visible_line(why))
                << std::flush;
    return false;
  };
  if (launches.empty()) return refuse(why_not_launched(kernel, all));
  programs::CapturedCase captured;
  std::string why;
  for (const programs::CapturedLaunch& launch : launches) {
    if (!launch.trouble.empty()) {
      why = launch.trouble;
      continue;
    }
    std::vector<fs::path> others;
    for (const programs::CapturedLaunch& other : launches) {
      if (other.folder != launch.folder && other.trouble.empty()) others.push_back(other.folder);
    }
    captured.study = programs::studied(launch.folder, others, driver::parse_device(device_));
    why = captured.study.trouble;
    if (!why.empty()) continue;
    captured.launch = programs::read_capture(launch.folder, programs::Memory::read);
    break;
  }
  if (captured.launch.folder.empty()) return refuse(why);
  for (const std::string& folder : captured.study.others) {
    captured.others.push_back(programs::read_capture(folder, programs::Memory::read));
  }
  const std::string name = new_folder(kernel);
  captured.folder = fs::path(out_) / name;
  // Its arguments may hold what is nobody else's business.
  captured.program = fs::path(command_.front()).filename().string();
  try {
    const programs::WrittenCase written = programs::write_captured_case(
        captured, backend_ == kTritonBackend ? programs::Backend::triton : programs::Backend::cuda);
    if (const auto refused = refused_by_its_case(captured.folder)) {
      std::error_code failed;
      fs::remove_all(captured.folder, failed);
      return refuse(*refused);
    }
    remember(kernel, name, {.image = captured.launch.digest, .product = std::nullopt});
    console.out << fmt::format(
        "  {:5.1f} %  {}\n           {}: {}, {}; {} captured, replayed bit for bit\n",
        100 * kernel.share, visible_line(kernel.short_name), captured.folder.string(),
        counted(captured.study.tensors.size(), "tensor", "tensors"),
        programs::bytes_text(static_cast<double>(bytes_of(captured.study))),
        counted(1 + captured.others.size(), "launch", "launches"));
    for (const std::string& note : written.notes)
      console.out << "           note: " << note << '\n';
    console.out << std::flush;
    return true;
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) throw;
    return refuse(error.what());
  }
}

std::optional<std::string> Extract::refused_by_its_case(const fs::path& folder) const {
  const cases::CaseFiles files = cases::read_files(folder);
  const cases::Case problem = cases::parse(files);
  const trial::Result tried = try_kernel(
      {.folder = folder, .device = driver::parse_device(device_), .size = "check"},
      cases::read_kernel(problem.kernel_file(), problem.editable_files, "the kernel"), files);
  if (tried.verdict == trial::Verdict::correct) return std::nullopt;
  return fmt::format("its own case does not accept it: {}: {}", trial::spelling(tried.verdict),
                     tried.reason.substr(0, tried.reason.find('\n')));
}

void Extract::check_folder() const {
  std::error_code failed;
  fs::path existing = fs::absolute(out_);
  while (!fs::exists(existing, failed) && existing.has_relative_path())
    existing = existing.parent_path();
  if (!fs::is_directory(existing, failed) || ::access(existing.c_str(), W_OK) != 0) {
    throw Error(Stop::usage, fmt::format("cannot make cases in {}: {} is no folder that can be "
                                         "written to; choose another one with --out",
                                         out_, existing.string()));
  }
}

int Extract::run(const Console& console) {
  if (launch_ && captures_) {
    throw Error(Stop::usage, "--launch captures that one launch: --captures does not go with it");
  }
  std::vector<programs::RankedKernel> kernels = chosen();
  check_folder();
  require_device(driver::parse_device(device_));
  int written = 0;
  if (operations_) {
    std::erase_if(kernels, [&](const programs::RankedKernel& kernel) {
      const bool made = kernel.operation && write_operation(kernel, *kernel.operation, console);
      written += made ? 1 : 0;
      return made;
    });
  }
  written += kernels.empty() ? 0 : capture_all(kernels, console);
  if (written > 0) {
    console.out << "\nnext        autokernel bench --case "
                << shell_word((fs::path(out_) / made_.front()).string()) << '\n';
  }
  if (failed_with_ != 0) return failed_with_;
  return written > 0 ? 0 : static_cast<int>(Stop::environment);
}

// Runs the program and makes cases of what was captured; how many.
int Extract::capture_all(const std::vector<programs::RankedKernel>& kernels,
                         const Console& console) {
  const ScratchDirectory scratch;
  programs::CaptureRequest request;
  request.command = command_;
  request.device = driver::parse_device(device_);
  constexpr double kGb = 1e9;
  request.most_bytes = static_cast<std::uint64_t>(budget_gb_ * kGb);
  request.folder = scratch.path();
  for (const programs::RankedKernel& kernel : kernels) {
    programs::WantedLaunches wanted{.kernel = kernel.name,
                                    .grid = kernel.grid,
                                    .block = kernel.block,
                                    .dynamic_shared = kernel.dynamic_shared,
                                    .occurrences = {}};
    wanted.occurrences = launch_ ? std::vector<std::uint64_t>{static_cast<std::uint64_t>(*launch_)}
                                 : spread(kernel.launches, captures_.value_or(kCaptures));
    request.wanted.push_back(std::move(wanted));
  }
  const programs::Captured captured = programs::capture(request);
  if (captured.ending.signal != 0 || captured.ending.code != 0) {
    if (require_success_) {
      failed_with_ = exit_code_of(captured.ending);
      console.err << "autokernel: the program " << ending_text(captured.ending)
                  << "; no cases were made of it\n";
      return 0;
    }
    console.err << "autokernel: the program " << ending_text(captured.ending)
                << "; cases are made of what was captured before\n";
  }
  std::vector<programs::CapturedLaunch> launches;
  for (const fs::path& folder : captured.launches) {
    try {
      launches.push_back(programs::read_capture(folder, programs::Memory::left));
    } catch (const Error& error) {
      console.err << "autokernel: a captured launch is left out: " << error.what() << '\n';
    }
  }
  int written = 0;
  console.out << fmt::format("captured    {} of {}\n",
                             counted(launches.size(), "launch", "launches"),
                             counted(kernels.size(), "kernel", "kernels"))
              << std::flush;
  // From here on the user stops us and not the program.
  const Interrupts interrupts;
  for (const programs::RankedKernel& kernel : kernels) {
    if (const auto signal = interrupts.next()) throw Interrupted(*signal);
    std::vector<programs::CapturedLaunch> own;
    for (const programs::CapturedLaunch& launch : launches) {
      if (launch.kernel == kernel.name && launch.grid == kernel.grid &&
          launch.block == kernel.block && own.size() < kMostCaptures) {
        own.push_back(launch);
      }
    }
    written += write_case(kernel, own, captured, console) ? 1 : 0;
  }
  return written;
}

std::unique_ptr<Command> extract_command() { return std::make_unique<Extract>(); }

}  // namespace autokernel::cli
