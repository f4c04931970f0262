#include "bridge/exported/shared_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <variant>

#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"

namespace autokernel::bridge {
namespace {

[[nodiscard]] std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void add_examples(const KernelToShip& kernel, const Signature& signature, ShippedFiles& files) {
  for (const ExportedExample& example : kernel.examples) {
    for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
      const std::string path =
          fmt::format("tests/data/{}/{}", example.size, signature.tensors[i].name);
      if (signature.tensors[i].role != cases::Role::out)
        files[path + ".bin"] = as_text(example.values.inputs[i]);
      if (signature.tensors[i].role != cases::Role::in)
        files[path + ".expected.bin"] = as_text(example.values.expected[i]);
    }
  }
}

}  // namespace

ShippedFiles shared_files(const KernelToShip& kernel, const Signature& signature) {
  ShippedFiles files;
  for (const auto& [path, text] : kernel.of_case) files["case/" + path] = text;
  // The kernel in the case's place, so that the case can be measured as it is.
  const std::string& place = kernel.problem->kernel_name;
  const bool fits =
      std::filesystem::path(place).extension() == std::filesystem::path(kernel.main).extension();
  for (const auto& [path, text] : kernel.files)
    files["case/" + (path == kernel.main && fits ? place : path)] = text;
  files["MEASURED.json"] = kernel.record.empty() ? "null\n" : kernel.record;
  if (!kernel.licence.text.empty()) files["LICENSE"] = kernel.licence.text;
  files["LICENSE.autokernel"] = export_texts::own_licence();
  add_examples(kernel, signature, files);
  return files;
}

std::string shared_readme(const KernelToShip& kernel,
                          const std::vector<std::pair<std::string, std::string>>& files) {
  std::string rows;
  for (const auto& [path, meaning] : files) rows += fmt::format("| `{}` | {} |\n", path, meaning);
  return filled(
      export_texts::shared_readme_md(),
      {{"MEASURED", kernel.figures.empty() ? "Nothing: the kernel was exported as it lay there."
                                           : kernel.figures},
       {"RECORD", kernel.record.empty()
                      ? "`null`: no experiment was exported"
                      : "the record of the experiment: times, checks, device, versions"},
       {"WITHOUT_HEADERS",
        kernel.library_headers.empty()
            ? ""
            : ", once the folders of its `[compile] include` are where `case.toml` says"},
       {"FILES", rows},
       {"LICENCE", kernel.licence.text.empty()
                       ? "is missing: the kernel's repository has none. Add one before you publish "
                         "the kernel"
                       : fmt::format("of the kernel: {}", kernel.licence.id)}});
}

std::string capability_number(const std::string& architecture) {
  const std::size_t digits = architecture.find_first_of("0123456789");
  const std::size_t last = architecture.find_last_of("0123456789");
  return fmt::format("{}.{}", architecture.substr(digits, last - digits),
                     architecture.substr(last));
}

std::vector<std::string> capability_numbers(const KernelToShip& kernel) {
  std::vector<std::string> texts(kernel.architectures.size());
  std::ranges::transform(kernel.architectures, texts.begin(), capability_number);
  return texts;
}

std::string capabilities_text(const KernelToShip& kernel) {
  return fmt::format("compute capability {}", fmt::join(capability_numbers(kernel), ", "));
}

std::string sizes_text(const KernelToShip& kernel) {
  std::string text =
      "It is for these sizes; others are refused. To add one, write `[sizes.NAME]` into\n"
      "`case/case.toml`, and export again.\n\n";
  for (const ExportedCode& code : kernel.codes)
    text += fmt::format("- `{}`: {}\n", code.size, size_text(code.symbols));
  return text;
}

cases::Tolerance tolerance_in_tests(const KernelToShip& kernel, const trial::ReadyTensor& tensor) {
  const auto* reference = std::get_if<cases::KernelReference>(&kernel.problem->reference);
  const double times = reference != nullptr && !reference->fp64_file.empty() ? 2 : 1;
  return {times * tensor.tolerance.absolute, times * tensor.tolerance.relative};
}

}  // namespace autokernel::bridge
