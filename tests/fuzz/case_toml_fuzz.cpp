// Any bytes are either a case, whose formulas and shapes then hold at each of its sizes, or an
// error of usage.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const autokernel::cases::Case problem = autokernel::cases::parse(text, "case");
    for (const auto& [name, sizes] : problem.sizes) {
      if (autokernel::cases::evaluate(problem.flops, sizes) <= 0) std::abort();
      if (autokernel::cases::evaluate(problem.bytes, sizes) <= 0) std::abort();
      for (const autokernel::cases::Tensor& tensor : problem.tensors) {
        if (autokernel::cases::element_count(tensor, sizes) == 0) std::abort();
      }
    }
  } catch (const autokernel::Error& error) {
    if (error.stop() != autokernel::Stop::usage) std::abort();
  }
  return 0;
}
