#include "autokernel/driver/units.h"

#include <array>

namespace autokernel::driver {
namespace {

// Each at the place of its enumerator.
constexpr std::array kUnitNames = {"tensor fp4",  "tensor int4", "tensor fp8 (fp16 sums)",
                                   "tensor fp8",  "tensor int8", "tensor fp16 (fp16 sums)",
                                   "tensor fp16", "tensor bf16", "tensor tf32",
                                   "tensor fp64", "fp32",        "fp16",
                                   "bf16",        "fp64",        "dp4a",
                                   "int32"};
static_assert(kUnitNames.size() == kUnits);

}  // namespace

const char* spelling(Unit unit) { return kUnitNames.at(static_cast<std::size_t>(unit)); }

}  // namespace autokernel::driver
