#include "autokernel/trial/worked_example.h"

#include <cmath>
#include <memory>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/driver/device.h"
#include "autokernel/trial/ready_kernel.h"
#include "autokernel/trial/sources.h"
#include "trial/blas/openblas.h"
#include "trial/check/python_reference.h"
#include "trial/check/reference.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/inputs.h"
#include "trial/runner/compilations.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] std::vector<Bytes> results_of_kernel(const Request& request, const SizedCase& sized,
                                                   const std::vector<Bytes>& inputs) {
  const OpeningFrontEnd front_end = open_front_end(request.cached);
  const driver::Driver driver = driver::Driver::open(request.device);
  const driver::Device device(driver);
  const std::string architecture = architecture_of(driver.info().major, driver.info().minor);
  const SizedCase* const sizes[] = {&sized};
  ReferenceCompilations compilations(
      front_end, *sized.problem, sizes,
      Building{architecture, chosen(request.headers, request.reference_headers), {}, {}}, {});
  const References references = compilations.wait();
  KernelReference reference(device, references.programs);
  return reference.expected(sized, inputs);
}

// A result that is not finite says nothing of another.
void require_finite(const SizedCase& sized, const std::vector<Bytes>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const SizedTensor& tensor = sized.tensors[i];
    if (expected[i].empty() || !cases::is_floating(tensor.tensor->dtype)) continue;
    std::vector<float> values(tensor.count);
    to_floats(tensor.tensor->dtype, expected[i], values);
    // An f64 beyond a float's range is taken for one that is not finite: no test could tell.
    for (std::size_t at = 0; at < values.size(); ++at) {
      const bool is_padding =
          tensor.has_padding() &&
          at % static_cast<std::size_t>(tensor.extents.back()) >= tensor.row_length;
      if (is_padding || std::isfinite(values[at])) continue;
      throw Error(Stop::usage, "cannot make data for a test at size '" + sized.size_name +
                                   "': the reference's " + tensor.tensor->name +
                                   " is not finite everywhere");
    }
  }
}

}  // namespace

WorkedExample worked_example(const Request& request) {
  const cases::Case problem = case_of(request);
  const SizedCase sized(problem, request.size);
  InputMaker maker;
  maker.read_captured(problem);
  WorkedExample example;
  maker.make(sized, InputKind::declared, draw_key(), example.inputs);
  if (const auto* gemm = std::get_if<cases::GemmReference>(&problem.reference)) {
    OpenBlas::let_idle_threads_sleep();
    const std::unique_ptr<OpenBlas> library = OpenBlas::open();
    example.expected = LibraryReference(*library, *gemm).expected(sized, example.inputs);
  } else if (std::holds_alternative<cases::PythonReference>(problem.reference)) {
    PythonProcess python(problem, request.python);
    python.compute(sized, example.inputs, example.expected);
  } else {
    example.expected = results_of_kernel(with_reachable_headers(request), sized, example.inputs);
  }
  example.expected.resize(sized.tensors.size());
  require_finite(sized, example.expected);
  return example;
}

}  // namespace autokernel::trial
