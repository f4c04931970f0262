#include "autokernel/trial/worked_example.h"

#include <memory>
#include <variant>

#include "autokernel/driver/device.h"
#include "autokernel/trial/sources.h"
#include "trial/blas/openblas.h"
#include "trial/check/python_reference.h"
#include "trial/check/reference.h"
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
  return example;
}

}  // namespace autokernel::trial
