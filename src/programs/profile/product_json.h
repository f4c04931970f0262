// A matrix product in JSON, as records and profiles hold it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "autokernel/base/fields.h"
#include "autokernel/programs/product.h"

namespace autokernel::programs {

template <Of<Product> Object>
void visit_fields(auto&& fields, Object& product) {
  fields("call", product.call);
  fields("m", product.m);
  fields("n", product.n);
  fields("k", product.k);
  fields("batch", product.batch);
  fields("transposes", product.transposes);
  fields("a_type", product.a_type);
  fields("b_type", product.b_type);
  fields("c_type", product.c_type);
  fields("d_type", product.d_type);
  fields("compute_type", product.compute_type);
  fields("scale_type", product.scale_type);
  fields("lda", product.lda);
  fields("ldb", product.ldb);
  fields("ldc", product.ldc);
  fields("ldd", product.ldd);
  fields("stride_a", product.stride_a);
  fields("stride_b", product.stride_b);
  fields("stride_c", product.stride_c);
  fields("stride_d", product.stride_d);
  fields("epilogue", product.epilogue);
  fields("order", product.order);
  fields("pointer_array", product.pointer_array);
  fields("alpha", product.alpha);
  fields("beta", product.beta);
}

// As the libraries of inject/ write it (inject/profile/product.cpp), to the letter: by it, a
// product is known again in the program.
[[nodiscard]] std::string product_text(const Product& product);
// None where the text is not that.
[[nodiscard]] std::optional<Product> product_of_json(std::string_view text);

}  // namespace autokernel::programs
