// Any bytes are either a case, which then holds what the layers above take for granted, or an error
// of usage that is one line with a place in it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"

namespace {

namespace cases = autokernel::cases;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_tensor(const cases::Tensor& tensor) {
  if (tensor.role == cases::Role::out) return;
  const bool is_drawn = tensor.fill.distribution == cases::Distribution::normal ||
                        tensor.fill.distribution == cases::Distribution::uniform;
  require(cases::is_floating(tensor.dtype) || !is_drawn);
  require(tensor.fill.low <= tensor.fill.high);
}

void check_exactness(const cases::Case& problem) {
  const auto* kernel = std::get_if<cases::KernelReference>(&problem.reference);
  if (std::holds_alternative<cases::ExactAlways>(problem.exactness)) {
    require(kernel != nullptr && problem.tolerance.absolute == 0 &&
            problem.tolerance.relative == 0);
  }
  require(std::isfinite(problem.tolerance.absolute) && problem.tolerance.absolute >= 0);
  require(std::isfinite(problem.tolerance.relative) && problem.tolerance.relative >= 0);
  if (const auto* sum = std::get_if<cases::SumOfProducts>(&problem.exactness)) {
    require(sum->left != sum->right && cases::is_floating(problem.tensor(sum->output).dtype));
    require(problem.sizes.at("check").contains(sum->symbol));
  }
  if (kernel == nullptr || kernel->fp64_file.empty()) return;
  require(std::holds_alternative<cases::NotExact>(problem.exactness));
  for (const cases::Tensor& tensor : problem.tensors) require(tensor.role != cases::Role::inout);
}

void check_sizes(const cases::Case& problem) {
  for (const auto& [name, sizes] : problem.sizes) {
    require(cases::flops_at(problem, name) > 0);
    require(cases::bytes_at(problem, name) > 0);
    static_cast<void>(cases::problem_line(problem, name));
    const cases::Case typed = cases::at_size(problem, name);
    for (const cases::Tensor& tensor : typed.tensors) {
      require(cases::element_count(tensor, sizes) > 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const cases::Case problem = cases::parse(text, "case");
    for (const cases::Tensor& tensor : problem.tensors) check_tensor(tensor);
    check_exactness(problem);
    check_sizes(problem);
  } catch (const autokernel::Error& error) {
    const std::string what = error.what();
    require(error.stop() == autokernel::Stop::usage);
    require(what.starts_with("case/case.toml:") && what.find('\n') == std::string::npos);
  }
  return 0;
}
