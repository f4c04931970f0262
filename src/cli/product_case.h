// A case of the box's matrix product with the sizes, types and layouts of one that a program asked
// its BLAS library for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/programs/product.h"

namespace autokernel::cli {

// Why the box has no such product; none where it has: one matrix of C = op(A) op(B), of bf16, f16
// or f32, that is not scaled and has no epilogue.
[[nodiscard]] std::optional<std::string> why_no_product_case(const programs::Product& product);

// Writes it, with a kernel in that language. Throws Error(usage) where something is in the way.
void write_product_case(const std::filesystem::path& folder, const programs::Product& product,
                        const std::string& backend);

}  // namespace autokernel::cli
