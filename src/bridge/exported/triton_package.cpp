// A kernel in Triton's language as a package for Python.
#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/export_texts.h"
#include "bridge/exported/filled_text.h"
#include "bridge/exported/python_function.h"
#include "bridge/exported/python_tables.h"
#include "bridge/exported/shared_files.h"
#include "bridge/exported/triton_source.h"

namespace autokernel::bridge {

ShippedFiles triton_source(const KernelToShip& kernel, const Signature& signature) {
  const bool is_triton = kernel.main.ends_with(".py") &&
                         (kernel.problem->compile.compiler.empty() ||
                          kernel.problem->compile.compiler == cases::CompilePlan::kTriton);
  if (!is_triton) {
    throw Error(Stop::usage, fmt::format("cannot export {} as a kernel of Triton's: it is not in "
                                         "that language",
                                         visible_line(kernel.main)));
  }
  const PythonFunction function = python_function(signature);
  std::string symbols;
  for (const ExportedCode& code : kernel.codes) {
    std::string row;
    for (const auto& [symbol, value] : code.symbols)
      row += fmt::format("{}\"{}\": {}", row.empty() ? "" : ", ", symbol, value);
    symbols += fmt::format("    {{{}}},\n", row);
  }
  ShippedFiles files;
  for (const auto& [path, text] : kernel.files) files[path] = text;
  if (files.contains("__init__.py"))
    throw Error(Stop::usage, "cannot export the kernel: a file of its is called __init__.py");
  files["__init__.py"] =
      filled(export_texts::triton_init_py(), {{"NAME", kernel.name},
                                              {"MAIN", kernel.main},
                                              {"SUMMARY", summary_of(kernel)},
                                              {"CALL", function.call()},
                                              {"KEYWORDS", function.keywords()},
                                              {"RETURNS", function.returns()},
                                              {"TENSORS", python_sizes_text(kernel, signature)},
                                              {"SYMBOLS", symbols},
                                              {"GIVEN", joined(function.given)},
                                              {"MADE", joined(function.made)},
                                              {"SCALARS", function.scalars}});
  return files;
}

ShippedFiles triton_package(const KernelToShip& kernel) {
  const Signature signature = signature_of(kernel);
  require_distinct_shapes(kernel);
  require_distinct_inputs(kernel, "a kernel of Triton's");
  const PythonFunction function = python_function(signature);
  const std::string& name = kernel.name;
  ShippedFiles files = shared_files(kernel, signature);
  for (auto& [path, text] : triton_source(kernel, signature))
    files[fmt::format("{}/{}", name, path)] = std::move(text);
  files["tests/test_" + name + ".py"] =
      filled(export_texts::package_test_py(),
             {{"NAME", name},
              {"MODULE", name},
              {"EXAMPLES", python_examples(kernel, signature)},
              {"MAY_BE_WRONG", fmt::format("{}", kernel.problem->may_be_wrong)}});
  const std::string result = function.made.empty() ? "" : joined(function.made) + " = ";
  files["README.md"] =
      filled(export_texts::triton_readme_md(),
             {{"NAME", name},
              {"MAIN", kernel.main},
              {"SUMMARY", summary_of(kernel)},
              {"CAPABILITIES", capabilities_text(kernel)},
              {"USAGE", python_tensors(kernel, signature, false) +
                            fmt::format("{}{}.{}({})", result, name, name, function.call())},
              {"SIZES", sizes_text(kernel)},
              {"SHARED", shared_readme(kernel, {{name + "/", "the package"},
                                                {"tests/test_" + name + ".py", "the test"}})}});
  return files;
}

}  // namespace autokernel::bridge
