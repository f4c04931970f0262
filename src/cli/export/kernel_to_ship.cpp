#include "cli/export/kernel_to_ship.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <utility>
#include <variant>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/sort_stably.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/fat_binary.h"
#include "autokernel/compile/module_objects.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/ledger/ledger.h"
#include "autokernel/trial/ready_kernel.h"
#include "autokernel/trial/worked_example.h"
#include "cli/export/licence.h"

namespace autokernel::cli {
namespace {

[[nodiscard]] std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char letter : text + ',') {
    if (letter == ',') {
      if (!part.empty()) parts.push_back(std::exchange(part, {}));
    } else if (letter != ' ') {
      part += letter;
    }
  }
  return parts;
}

// That of its folder, unless every repository has one of that name.
[[nodiscard]] std::string name_by_case(const ExportedSource& source) {
  const std::string folder = source.request.case_directory.filename().string();
  const bool says_nothing = folder.empty() || folder == "kernels" || folder == "case";
  std::string made;
  for (const char letter : says_nothing ? source.problem.name : folder) {
    const auto code = static_cast<unsigned char>(letter);
    made += std::isalnum(code) != 0 ? static_cast<char>(std::tolower(code)) : '_';
  }
  return bridge::can_be_called(made) ? made : made + "_kernel";
}

// "9.0a", "90a" or "sm_90a".
[[nodiscard]] std::string architecture_named(const std::string& capability) {
  static const std::regex kForm(R"((?:sm_)?(\d{1,2})\.?(\d)([af]?))");
  std::smatch match;
  if (!std::regex_match(capability, match, kForm)) {
    throw Error(Stop::usage, fmt::format("cannot export for capability \"{}\": write it as 9.0a or "
                                         "8.6, several with commas between",
                                         visible_line(capability)));
  }
  return fmt::format("sm_{}{}{}", match[1].str(), match[2].str(), match[3].str());
}

// Of the device that the experiment was measured on; of the emulated one's where there is none.
[[nodiscard]] std::string measured_architecture(const ExportedSource& source) {
  if (source.experiment) {
    const auto record = document::parsed(source.experiment->result).value_or(document::Json());
    const auto found = record.find("device");
    if (found != record.end() && found->is_object()) {
      const auto& capability = found->value("capability", document::Json());
      if (capability.is_array() && capability.size() == 2)
        return trial::architecture_of(capability[0].get<int>(), capability[1].get<int>());
    }
  }
  return "sm_90a";
}

[[nodiscard]] std::vector<std::string> architectures(const ExportedSource& source,
                                                     const std::string& capabilities) {
  std::vector<std::string> found;
  for (const std::string& capability : listed(capabilities)) {
    const std::string architecture = architecture_named(capability);
    if (std::ranges::find(found, architecture) == found.end()) found.push_back(architecture);
  }
  if (found.empty()) found.push_back(measured_architecture(source));
  // The driver takes the PTX of the last one where no machine code suits.
  std::ranges::sort(found, {}, [](const std::string& each) {
    return std::stoi(each.substr(std::string("sm_").size()));
  });
  return found;
}

[[nodiscard]] std::vector<std::string> sizes(const cases::Case& problem, const std::string& asked) {
  std::vector<std::string> names = listed(asked);
  for (const std::string& name : names) {
    if (problem.sizes.contains(name)) continue;
    throw Error(Stop::usage,
                fmt::format("cannot export size {}: the case has {}", visible_line(name),
                            fmt::join(cases::size_names(problem), ", ")));
  }
  if (names.empty()) names = cases::size_names(problem);
  // Named twice, it is one.
  std::set<std::string> known;
  std::erase_if(names, [&](const std::string& name) { return !known.insert(name).second; });
  // What is told first is the default.
  const auto first = std::ranges::find(names, "default");
  if (first != names.end()) std::rotate(names.begin(), first, first + 1);
  return names;
}

[[nodiscard]] trial::ReadyKernel ready(const trial::Request& request,
                                       const std::string& architecture) {
  auto kernel = trial::ready_kernel(request, architecture);
  if (const auto* const why = std::get_if<std::string>(&kernel)) {
    throw Error(Stop::usage, fmt::format("cannot export the kernel: at size {}, for {}, {}",
                                         request.size, architecture, visible_line(*why)));
  }
  return std::get<trial::ReadyKernel>(std::move(kernel));
}

[[nodiscard]] bool are_alike(const trial::ReadyLaunch& one, const trial::ReadyLaunch& other) {
  const compile::Launch& a = one.launch;
  const compile::Launch& b = other.launch;
  return a.kernel == b.kernel && a.grid == b.grid && a.block == b.block && a.cluster == b.cluster &&
         a.shared_bytes == b.shared_bytes && a.cooperative == b.cooperative &&
         a.programmatic == b.programmatic &&
         std::ranges::equal(one.parameters, other.parameters, [](const auto& p, const auto& q) {
           return p.kind == q.kind && p.index == q.index && p.number == q.number;
         });
}

// Whether one table of launches is right for both: what follows from the architecture must not be
// in it.
[[nodiscard]] bool are_alike(const trial::ReadyKernel& one, const trial::ReadyKernel& other) {
  const compile::Declaration& a = one.program.declaration;
  const compile::Declaration& b = other.program.declaration;
  const auto names = [](const trial::ReadyKernel& kernel) {
    std::set<std::string> found;
    for (const compile::ModuleObject& object : compile::changeable_objects(kernel.program))
      found.insert(object.name);
    return found;
  };
  return std::ranges::equal(one.launches, other.launches,
                            [](const auto& p, const auto& q) { return are_alike(p, q); }) &&
         a.workspace_bytes == b.workspace_bytes && a.workspace_zeroed == b.workspace_zeroed &&
         names(one) == names(other) &&
         std::ranges::equal(one.maps, other.maps, [](const auto& p, const auto& q) {
           return p.buffer == q.buffer && p.offset == q.offset &&
                  driver::encoding_numbers(p.layout) == driver::encoding_numbers(q.layout);
         });
}

[[nodiscard]] bridge::ExportedCode code_at(const trial::Request& request,
                                           const cases::Sizes& symbols,
                                           const std::vector<std::string>& architectures) {
  std::vector<compile::FatBinaryEntry> entries;
  trial::ReadyKernel first;
  for (const std::string& architecture : architectures) {
    trial::ReadyKernel kernel = ready(request, architecture);
    const bool is_first = architecture == architectures.front();
    if (!is_first && !are_alike(first, kernel)) {
      throw Error(Stop::usage,
                  fmt::format("cannot export the kernel for {} together: it is launched otherwise "
                              "on one of them; export it for one at a time",
                              fmt::join(architectures, ", ")));
    }
    if (!kernel.program.cubin.empty()) entries.push_back({architecture, kernel.program.cubin});
    if (architecture == architectures.back() && !kernel.program.ptx.empty()) {
      const auto* const begin = reinterpret_cast<const std::byte*>(kernel.program.ptx.data());
      entries.push_back({"compute_" + architecture.substr(std::string("sm_").size()),
                         {begin, begin + kernel.program.ptx.size()}});
    }
    if (is_first) first = std::move(kernel);
  }
  return {.size = request.size,
          .case_size = request.size,
          .symbols = symbols,
          .kernel = std::move(first),
          .image = compile::fat_binary(entries)};
}

[[nodiscard]] bool is_known(const cases::Case& problem,
                            const std::vector<bridge::ExportedCode>& codes,
                            const std::string& size) {
  const auto types = [&](const std::string& of) {
    const auto found = problem.types.find(of);
    return found == problem.types.end() ? cases::Types{} : found->second;
  };
  return std::ranges::any_of(codes, [&](const bridge::ExportedCode& code) {
    return code.symbols == problem.sizes.at(size) && types(code.case_size) == types(size);
  });
}

// Names of sizes become names of files, and stand in programs: others are made of signs that may.
void name_for_files(std::vector<bridge::ExportedCode>& codes) {
  std::set<std::string> known;
  for (bridge::ExportedCode& code : codes) {
    std::string name;
    for (const char letter : code.case_size) {
      const bool may = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
                       letter == '-' || (letter == '.' && !name.empty());
      name += may ? letter : '_';
    }
    if (name.empty()) name = "_";
    while (!known.insert(name).second) name += '_';
    code.size = name;
  }
}

// For a test that takes seconds, and for a repository that somebody has to fetch: of the smallest
// size, and of more as far as there is room.
[[nodiscard]] std::vector<bridge::ExportedExample> examples(
    const trial::Request& request, const std::vector<bridge::ExportedCode>& codes) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20U;
  const auto bytes_of = [](const bridge::ExportedCode* code) {
    std::uint64_t bytes = 0;
    for (const trial::ReadyTensor& tensor : code->kernel.tensors) bytes += tensor.bytes;
    return bytes;
  };
  std::vector<const bridge::ExportedCode*> in_order(codes.size());
  std::ranges::transform(codes, in_order.begin(), [](const auto& code) { return &code; });
  sort_stably(in_order, std::ranges::less(), bytes_of);
  std::vector<bridge::ExportedExample> made;
  std::uint64_t all = 0;
  for (const bridge::ExportedCode* const code : in_order) {
    all += bytes_of(code);
    if (!made.empty() && all > kMostBytes) break;
    trial::Request at = request;
    at.size = code->case_size;
    made.push_back({code->size, trial::worked_example(at)});
  }
  return made;
}

// It stands in TOML and in addresses.
void require_plain(const char* option, const std::string& text, const char* how) {
  const bool is_plain = std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.' ||
           letter == '+';
  });
  if (is_plain) return;
  throw Error(Stop::usage,
              fmt::format("cannot export with {} \"{}\": write it {}: letters, digits, "
                          "-, _, . and +",
                          option, visible_line(text), how));
}

[[nodiscard]] std::string figures(const ledger::Experiment& experiment) {
  const auto record = document::parsed(experiment.result).value_or(document::Json());
  std::string text =
      fmt::format("Experiment {} of run {} (\"{}\"; verdict: {}), at {}, commit {}",
                  experiment.number, experiment.tag, visible_line(experiment.description),
                  experiment.verdict, experiment.at, experiment.commit);
  if (experiment.median_us) {
    text += fmt::format(".\nMedian {:.3f} us at `{}`", *experiment.median_us,
                        visible_line(record.value("problem", "")));
  }
  const auto device = record.find("device");
  if (device != record.end() && device->is_object())
    text += fmt::format(" on {}", visible_line(device->value("name", "")));
  if (experiment.vs_reference)
    text += fmt::format(", {:.3f} times as fast as the case's reference", *experiment.vs_reference);
  return text + ".\n`MEASURED.json` has the rest.";
}

}  // namespace

bridge::KernelToShip kernel_to_ship(const ExportedSource& source, const ShippingOptions& options) {
  bridge::KernelToShip kernel;
  kernel.name = options.name.empty() ? name_by_case(source) : options.name;
  if (!bridge::can_be_called(kernel.name)) {
    throw Error(Stop::usage, fmt::format("cannot call the export \"{}\": --name takes letters, "
                                         "digits and _, a letter first, and no word of C, C++ or "
                                         "Python",
                                         visible_line(kernel.name)));
  }
  kernel.problem = &source.problem;
  kernel.main = source.main;
  kernel.files = source.request.files;
  kernel.files[kernel.main] = source.request.source;
  kernel.of_case = source.request.case_files;
  kernel.architectures = architectures(source, options.capabilities);
  trial::Request request = source.request;
  request.device = driver::parse_device(options.device);
  for (const std::string& size : sizes(source.problem, options.sizes)) {
    // One that is another by a second name.
    if (is_known(source.problem, kernel.codes, size)) continue;
    request.size = size;
    kernel.codes.push_back(code_at(request, source.problem.sizes.at(size), kernel.architectures));
  }
  name_for_files(kernel.codes);
  kernel.library_headers = source.request.kernel_headers;
  kernel.examples = examples(request, kernel.codes);
  require_plain("--author", options.author, "as a name on the Hub");
  require_plain("--license", options.licence, "as SPDX has it");
  kernel.licence = licence_for(source.folder, options.licence);
  kernel.author = options.author;
  if (source.experiment) {
    kernel.record = ledger::lines_of({*source.experiment});
    kernel.figures = figures(*source.experiment);
  }
  return kernel;
}

}  // namespace autokernel::cli
