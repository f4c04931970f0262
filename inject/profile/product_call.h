// A call of a library's product, while it lasts: kernels that the thread launches meanwhile are of
// that product. CUPTI's own means for this (external correlation) would need a record of every call
// of the driver.
#pragma once

#include <cstdint>

#include "product.h"

namespace recording {

// The number of the product that the calling thread is in the midst of; 0: of none.
[[nodiscard]] std::uint32_t called_product();

class [[nodiscard]] ProductCall {
 public:
  ProductCall();
  ProductCall(const ProductCall&) = delete;
  ProductCall& operator=(const ProductCall&) = delete;
  ProductCall(ProductCall&&) = delete;
  ProductCall& operator=(ProductCall&&) = delete;
  ~ProductCall();

  // False where nothing is recorded, and in a call from within another product's: that one counts.
  [[nodiscard]] bool is_wanted() const { return wanted_; }
  // Whether it is none from within another product's.
  [[nodiscard]] bool is_outermost() const { return outermost_; }
  // What the call is for. Equal products have one number and one line in the record.
  void is_for(const Product& product) const;

 private:
  bool outermost_;
  bool wanted_;
};

}  // namespace recording
