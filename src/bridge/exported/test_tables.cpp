#include "bridge/exported/test_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bridge/exported/scalar_text.h"
#include "bridge/exported/shared_files.h"

namespace autokernel::bridge {

std::string operand_tables(const KernelToShip& kernel, const Signature& signature) {
  std::string tables;
  for (const ExportedExample& example : kernel.examples) {
    const ExportedCode& code = code_of(kernel, example.size);
    std::string rows;
    for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
      const trial::ReadyTensor& tensor = code.kernel.tensors[i];
      const ElementType type = element_type(tensor.dtype);
      const cases::Tolerance tolerance = tolerance_in_tests(kernel, tensor);
      rows += fmt::format("    {{\"{}\", '{}', {}, {}, {}, {{{}}}, {{{}}}, {}u, {}, {}}},\n",
                          signature.tensors[i].name, role_letter(tensor.role), type.code, type.bits,
                          tensor.extents.size(), fmt::join(tensor.extents, ", "),
                          fmt::join(strides_of(tensor), ", "), tensor.bytes, tolerance.absolute,
                          tolerance.relative);
    }
    tables += fmt::format("static const struct operand operands_{}[] = {{\n{}}};\n\n",
                          &code - kernel.codes.data(), rows);
  }
  return tables;
}

std::string test_constants(const KernelToShip& kernel, const Signature& signature) {
  return fmt::format(
      "enum {{ TENSORS = {}, EXAMPLES = {} }};\n"
      "static const double MAY_BE_WRONG = {}; /* the share of a result's elements */\n\n",
      signature.tensors.size(), kernel.examples.size(), kernel.problem->may_be_wrong);
}

}  // namespace autokernel::bridge
