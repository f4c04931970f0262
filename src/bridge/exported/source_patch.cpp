// A kernel in CUDA C++ as a patch for a code base.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/scalar_text.h"
#include "bridge/exported/shared_files.h"
#include "bridge/exported/source_library.h"
#include "bridge/exported/test_tables.h"

namespace autokernel::bridge {
namespace {

// As git has a file that is new.
[[nodiscard]] std::string addition(const std::string& path, const std::string& text) {
  const auto lines = std::ranges::count(text, '\n');
  const bool is_whole = text.empty() || text.back() == '\n';
  std::string made = fmt::format("diff --git a/{0} b/{0}\nnew file mode 100644\n", path);
  // Of one that is empty there are no lines; the id is git's of nothing.
  if (text.empty()) return made + "index 0000000..e69de29\n";
  made += fmt::format("--- /dev/null\n+++ b/{0}\n@@ -0,0 +1,{1} @@\n", path,
                      lines + (is_whole ? 0 : 1));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    made += '+' + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  if (!is_whole) made += "\\ No newline at end of file\n";
  return made;
}

[[nodiscard]] std::string test_text(const KernelToShip& kernel, const Signature& signature) {
  std::string calls;
  std::string rows;
  for (const ExportedExample& example : kernel.examples) {
    const ExportedCode& code = code_of(kernel, example.size);
    const auto at = &code - kernel.codes.data();
    std::string arguments;
    for (std::size_t i = 0; i < signature.tensors.size(); ++i)
      arguments += fmt::format("memory[{}], ", i);
    for (const std::string& scalar : scalar_texts(kernel, signature, example))
      arguments += scalar + ", ";
    calls += fmt::format(
        "static cudaError_t call_{0}(void* const* memory, void* workspace, const {1}_sizes& sizes) "
        "{{\n  return {1}({2}workspace, sizes, nullptr);\n}}\n\n",
        at, kernel.name, arguments);
    rows += fmt::format("    {{\"{}\", operands_{}, {}, call_{}}},\n", example.size, at,
                        symbols_text(code), at);
  }
  const std::string tables =
      test_constants(kernel, signature) + operand_tables(kernel, signature) + calls +
      fmt::format(
          "struct example {{\n  const char* size;\n  const struct operand* operands;\n"
          "  {0}_sizes sizes;\n"
          "  cudaError_t (*call)(void* const*, void*, const {0}_sizes&);\n}};\n"
          "static const example examples[] = {{\n{1}}};\n",
          kernel.name, rows);
  return filled(export_texts::source_test_cu(), {{"NAME", kernel.name}, {"TABLES", tables}});
}

}  // namespace

ShippedFiles source_patch(const KernelToShip& kernel, const std::string& folder) {
  // "third_party/x/" is third_party/x.
  const std::string into = folder.substr(
      0, folder.find_last_not_of('/') == folder.npos ? 0 : folder.find_last_not_of('/') + 1);
  const bool leads_out = into.empty() || into.front() == '/' || into.find("..") != into.npos ||
                         into.find_first_of(" \t\n\"\\") != into.npos;
  if (leads_out) {
    throw Error(Stop::usage, fmt::format("cannot make a patch for the folder \"{}\": --into takes "
                                         "a path from the root of the code base, without blanks",
                                         visible_line(into)));
  }
  const Signature signature = signature_of(kernel);
  const SourceLibrary library = source_library(kernel, signature);
  const std::string& name = kernel.name;
  ShippedFiles files = shared_files(kernel, signature);
  std::string patch;
  for (const auto& [path, text] : library.files) {
    files["source/" + path] = text;
    patch += addition(fmt::format("{}/{}", into, path), text);
  }
  // What it may be used under goes with it.
  for (const char* const licence : {"LICENSE", "LICENSE.autokernel"}) {
    if (files.contains(licence))
      patch += addition(fmt::format("{}/{}", into, licence), files.at(licence));
  }
  files[name + ".patch"] = patch;
  files["Makefile"] = filled(export_texts::source_makefile(),
                             {{"NAME", name},
                              {"GENCODE", gencode(kernel)},
                              {"FLAGS", fmt::format("{}", fmt::join(nvcc_flags(kernel), " "))}});
  files["tests/compare.h"] = export_texts::test_compare_h();
  files["tests/test_" + name + ".cu"] = test_text(kernel, signature);
  std::vector<std::string> arguments;
  arguments.reserve(signature.tensors.size() + signature.scalars.size());
  for (const ShippedOperand& tensor : signature.tensors) arguments.push_back(tensor.name);
  for (const ShippedOperand& scalar : signature.scalars) arguments.push_back(scalar.name);
  files["README.md"] =
      filled(export_texts::patch_readme_md(),
             {{"NAME", name},
              {"SUMMARY", summary_of(kernel)},
              {"INTO", into},
              {"CAPABILITIES", capabilities_text(kernel)},
              {"GENCODE", gencode(kernel)},
              {"ARGUMENTS", fmt::format("{}, {}, {}_sizes{}, stream", fmt::join(arguments, ", "),
                                        signature.has_workspace() ? "workspace" : "nullptr", name,
                                        symbols_text(kernel.codes.front()))},
              {"SIZES", sizes_text(kernel)},
              {"SHARED", shared_readme(kernel, {{name + ".patch", "what `git apply` takes"},
                                                {"source/", "the same, as files"},
                                                {"tests/test_" + name + ".cu", "the test"}})}});
  return files;
}

}  // namespace autokernel::bridge
