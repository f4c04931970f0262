// A kernel as a library in C.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/launcher_source.h"
#include "bridge/exported/scalar_text.h"
#include "bridge/exported/shared_files.h"
#include "bridge/exported/signature.h"
#include "bridge/exported/test_tables.h"

namespace autokernel::bridge {
namespace {

// What the test calls it with at each size that it has data of.
[[nodiscard]] std::string test_tables(const KernelToShip& kernel, const Signature& signature) {
  std::string calls;
  std::string rows;
  for (const ExportedExample& example : kernel.examples) {
    const ExportedCode& code = code_of(kernel, example.size);
    const auto at = &code - kernel.codes.data();
    std::vector<std::string> arguments;
    arguments.reserve(signature.tensors.size());
    for (std::size_t i = 0; i < signature.tensors.size(); ++i)
      arguments.push_back(fmt::format("&tensors[{}]", i));
    for (const std::string& scalar : scalar_texts(kernel, signature, example))
      arguments.push_back(scalar);
    calls +=
        fmt::format("static int call_{0}({1}_tensor *tensors) {{ return {1}_on_host({2}); }}\n\n",
                    at, kernel.name, fmt::join(arguments, ", "));
    rows += fmt::format("    {{\"{}\", operands_{}, call_{}}},\n", example.size, at, at);
  }
  return test_constants(kernel, signature) + operand_tables(kernel, signature) + calls +
         fmt::format(
             "struct example {{\n  const char *size;\n  const struct operand *operand;\n"
             "  int (*call)({}_tensor *);\n}};\nstatic const struct example examples[] = "
             "{{\n{}}};\n",
             kernel.name, rows);
}

[[nodiscard]] std::string usage(const KernelToShip& kernel, const Signature& signature) {
  std::string lines;
  std::vector<std::string> arguments;
  const ExportedCode& code = kernel.codes.front();
  for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
    const std::string& name = signature.tensors[i].name;
    const trial::ReadyTensor& tensor = code.kernel.tensors[i];
    lines += fmt::format(
        "const int64_t shape_of_{0}[] = {{{1}}};\n"
        "{2}_tensor {0} = {2}_tensor_of(address_of_{0}, 0, {2}_{3}, {4}, shape_of_{0});\n",
        name, fmt::join(tensor.extents, ", "), kernel.name, element_type(tensor.dtype).name,
        tensor.extents.size());
    if (tensor.pitch != tensor.extents.back()) {
      lines +=
          fmt::format("const int64_t strides_of_{0}[] = {{{1}}};\n{0}.strides = strides_of_{0};\n",
                      name, fmt::join(strides_of(tensor), ", "));
    }
    arguments.push_back("&" + name);
  }
  for (const ShippedOperand& scalar : signature.scalars) arguments.push_back(scalar.name);
  if (signature.has_workspace()) arguments.emplace_back("workspace");
  arguments.emplace_back("stream");
  return lines + fmt::format(R"(if ({0}({1}) != {0}_done) fprintf(stderr, "%s\n", {0}_error());)",
                             kernel.name, fmt::join(arguments, ", "));
}

}  // namespace

ShippedFiles c_library(const KernelToShip& kernel) {
  const Signature signature = signature_of(kernel);
  require_distinct_shapes(kernel);
  ShippedFiles files = shared_files(kernel, signature);
  files.merge(launcher_source(kernel, signature));
  const std::string& name = kernel.name;
  files["Makefile"] = filled(export_texts::c_makefile(), {{"NAME", name}});
  files["tests/compare.h"] = export_texts::test_compare_h();
  files["tests/test_" + name + ".c"] = filled(
      export_texts::c_test_c(), {{"NAME", name}, {"TABLES", test_tables(kernel, signature)}});
  files["README.md"] =
      filled(export_texts::c_readme_md(),
             {{"NAME", name},
              {"SUMMARY", summary_of(kernel)},
              {"CAPABILITIES", capabilities_text(kernel)},
              {"USAGE", usage(kernel, signature)},
              {"SIZES", sizes_text(kernel)},
              {"SHARED", shared_readme(kernel, {{name + ".h", "what can be called"},
                                                {name + ".c", "the launcher, and what it launches"},
                                                {name + "_images.h", "the machine code, as bytes"},
                                                {"tests/test_" + name + ".c", "the test"}})}});
  return files;
}

}  // namespace autokernel::bridge
