// Whether results of a sum of products are as good as fp32 sums make them. A tolerance for each
// element leaves room for arithmetic that is worse in all of them; the share of elements that are
// not the right value, rounded once, does not. docs/measurement.md has the reasons and the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "trial/check/product_patch.h"

namespace autokernel::trial {

// Of elements that were worked out in fp64. Of f32 results, which no rounding hides, squares of the
// errors count, each relative to the sum of the products' magnitudes; of narrower ones it is how
// many elements are misrounded. Sums of it add up.
struct Misrounding {
  std::uint64_t elements = 0;
  double got = 0;
  double library = 0;
  double crude = 0;  // what the crudest honest sum leads to expect

  Misrounding& operator+=(const Misrounding& other);
};

// Of one patch; `got` and `library` are its elements, row-major, in the type of the result.
[[nodiscard]] Misrounding misrounding_of(cases::DType dtype, std::span<const std::byte> got,
                                         std::span<const std::byte> library,
                                         const PatchValues& values);

// Why no honest sum in fp32 gives such results; none where one may. A sum of the crudest kind, or
// as crude as the library's, is refused less than once in 10^9.
[[nodiscard]] std::optional<std::string> complaint(cases::DType dtype, const Misrounding& found);

// Whether the library's own results are those of a plain product. They are not where a reference
// kernel goes on to add or scale: then nothing can be said.
[[nodiscard]] bool is_plain_product(cases::DType dtype, const Misrounding& found);

// How far a whole result is from the library's: elements that differ or, of f32, the sum of the
// squared differences.
struct Disagreement {
  std::uint64_t elements = 0;
  double differing = 0;
};
[[nodiscard]] Disagreement disagreement_of(cases::DType dtype, std::span<const std::byte> got,
                                           std::span<const std::byte> library);

// The same for a whole result, of which only the disagreement with the library is known. `sampled`
// is what was found in patches of launches on such inputs, and `mean_square` the mean square of the
// magnitudes there.
[[nodiscard]] std::optional<std::string> complaint(cases::DType dtype, const Disagreement& found,
                                                   const Misrounding& sampled, double mean_square);

}  // namespace autokernel::trial
