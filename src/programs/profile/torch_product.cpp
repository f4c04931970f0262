#include "programs/profile/torch_product.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "autokernel/base/number.h"

namespace autokernel::programs {
namespace {

using Shape = std::vector<std::int64_t>;

// Which input is what. -1: there is none.
struct Form {
  int left = 0;
  int right = 1;
  int added = -1;
  bool is_batched = false;
  bool is_linear = false;  // the right one is transposed, and the left one may have any dimensions
  int beta = -1, alpha = -1;
};

[[nodiscard]] const Form* form_of(const std::string& operation) {
  static const std::unordered_map<std::string_view, Form> kForms = {
      {"aten::mm", {}},
      {"aten::_int_mm", {}},
      {"aten::_scaled_mm", {}},
      {"aten::bmm", {.is_batched = true}},
      {"aten::addmm", {.left = 1, .right = 2, .added = 0, .beta = 3, .alpha = 4}},
      {"aten::baddbmm",
       {.left = 1, .right = 2, .added = 0, .is_batched = true, .beta = 3, .alpha = 4}},
      {"aten::linear", {.added = 2, .is_linear = true}}};
  const auto found = kForms.find(operation);
  return found == kForms.end() ? nullptr : &found->second;
}

[[nodiscard]] std::string library_type(std::string_view torch_type) {
  static const std::unordered_map<std::string_view, const char*> kTypes = {
      {"c10::BFloat16", "R_16BF"},
      {"c10::Half", "R_16F"},
      {"float", "R_32F"},
      {"double", "R_64F"},
      {"c10::complex<float>", "C_32F"},
      {"c10::complex<double>", "C_64F"},
      {"c10::Float8_e4m3fn", "R_8F_E4M3"},
      {"c10::Float8_e5m2", "R_8F_E5M2"},
      {"signed char", "R_8I"},
      {"unsigned char", "R_8U"},
      {"int", "R_32I"}};
  const auto found = kTypes.find(torch_type);
  return found == kTypes.end() ? "" : found->second;
}

// The element of an input that is a single tensor; null where there is none.
template <typename Element>
[[nodiscard]] const Element* element_of(const PerInput<Element>& list, int input) {
  if (list.given != Given::yes || input < 0) return nullptr;
  const Element* found = nullptr;
  for (std::size_t i = 0; i < list.input.size(); ++i) {
    if (list.input[i] != static_cast<std::size_t>(input)) continue;
    if (found != nullptr) return nullptr;
    found = &list.elements[i];
  }
  return found;
}

[[nodiscard]] std::optional<double> number_of(const Texts& values, int input) {
  const std::string* const text = element_of(values, input);
  if (text == nullptr) return std::nullopt;
  double value = 0;
  return read_number(*text, value) ? std::optional(value) : std::nullopt;
}

// How a row-major matrix lies in memory, to cuBLAS, which takes it for a column-major one that is
// transposed.
struct Layout {
  char transpose = 'N';
  std::int64_t leading = 0;
  std::int64_t stride = 0;  // from one matrix of a batch to the next
};

[[nodiscard]] Layout layout_of(const Shape& shape, const Shape* strides) {
  if (strides == nullptr || strides->size() != shape.size() || shape.size() < 2) return {};
  const std::size_t last = shape.size() - 1;
  const std::int64_t rows = shape[last - 1];
  const std::int64_t columns = shape[last];
  const std::int64_t row = (*strides)[last - 1];
  const std::int64_t column = (*strides)[last];
  Layout layout{.stride = shape.size() == 3 ? strides->front() : 0};
  if (column == 1 && row >= columns) {
    layout.leading = row;
  } else if (row == 1 && column >= rows) {
    layout.transpose = 'T';
    layout.leading = column;
  } else {
    // cuBLAS cannot read it: PyTorch makes a copy first, whose rows are dense.
    return {};
  }
  return layout;
}

[[nodiscard]] char flipped(char transpose) { return transpose == 'N' ? 'T' : 'N'; }

// The rows of a tensor whose last dimension is the columns; none where they are too many to count.
[[nodiscard]] std::optional<std::int64_t> rows_of(const Shape& shape) {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
    if (__builtin_mul_overflow(rows, shape[i], &rows)) return std::nullopt;
  }
  return rows;
}

struct Operands {
  const Shape& left;
  const Shape& right;
};

// m, n, k and batch; false where the shapes do not fit.
[[nodiscard]] bool set_sizes(const Form& form, const Operands& operands, Product& product) {
  const auto& [left, right] = operands;
  if (form.is_linear) {
    if (left.empty() || right.size() != 2) return false;
    const std::optional<std::int64_t> rows = rows_of(left);
    if (!rows) return false;
    product.m = right[0];
    product.n = *rows;
    product.k = right[1];
    return left.back() == product.k;
  }
  const std::size_t rank = form.is_batched ? 3 : 2;
  if (left.size() != rank || right.size() != rank) return false;
  product.m = right[rank - 1];
  product.n = left[rank - 2];
  product.k = left[rank - 1];
  if (form.is_batched) product.batch = left[0];
  return right[rank - 2] == product.k && (!form.is_batched || right[0] == product.batch);
}

void set_layouts(const Form& form, const Operands& operands, const Shapes& strides,
                 Product& product) {
  const Shape* const left_strides = element_of(strides, form.left);
  const Shape* const right_strides = element_of(strides, form.right);
  const Layout a = layout_of(operands.right, right_strides);
  // Rows of a tensor with more dimensions are those of a matrix only if they lie one after the
  // other, which PyTorch sees to.
  const bool is_folded = form.is_linear && operands.left.size() != 2;
  const Layout b = is_folded ? Layout{} : layout_of(operands.left, left_strides);
  product.transposes = {form.is_linear ? flipped(a.transpose) : a.transpose, b.transpose};
  product.lda = a.leading;
  product.ldb = b.leading;
  product.stride_a = a.stride;
  product.stride_b = b.stride;
  if (right_strides == nullptr) return;
  // What an operation makes is dense.
  product.ldc = product.ldd = product.m;
  std::int64_t elements = 0;
  if (product.batch > 1 && !__builtin_mul_overflow(product.m, product.n, &elements)) {
    product.stride_c = product.stride_d = elements;
  }
}

void set_sum(const Form& form, const TraceEvent& operation, Product& product) {
  product.epilogue = "DEFAULT";
  const Shape* const added = element_of(operation.dims, form.added);
  const bool is_there = added != nullptr && !added->empty();
  if (const auto alpha = number_of(operation.values, form.alpha)) product.alpha = *alpha;
  if (!is_there) return;
  const double beta = number_of(operation.values, form.beta).value_or(1);
  if (added->size() == 1 && beta == 1) {
    product.epilogue = "BIAS";
  } else {
    product.beta = beta;
  }
}

void set_types(const Form& form, const Texts& types, Product& product) {
  const std::string* const left = element_of(types, form.left);
  const std::string* const right = element_of(types, form.right);
  const std::string* const added = element_of(types, form.added);
  if (right != nullptr) product.a_type = library_type(*right);
  if (left != nullptr) product.b_type = library_type(*left);
  // The result of these two has a type of its own, which is not recorded.
  if (product.call == "aten::_scaled_mm" || product.call == "aten::_int_mm") return;
  product.d_type = product.b_type;
  product.c_type = added != nullptr && product.epilogue != "BIAS" && product.beta != 0
                       ? library_type(*added)
                       : product.d_type;
}

}  // namespace

std::optional<Product> product_of(const TraceEvent& operation) {
  const Form* const form = form_of(operation.name);
  if (form == nullptr) return std::nullopt;
  const Shape* const left = element_of(operation.dims, form->left);
  const Shape* const right = element_of(operation.dims, form->right);
  if (left == nullptr || right == nullptr) return std::nullopt;
  const Operands operands{.left = *left, .right = *right};
  Product product;
  product.call = operation.name;
  if (!set_sizes(*form, operands, product)) return std::nullopt;
  set_layouts(*form, operands, operation.strides, product);
  set_sum(*form, operation, product);
  set_types(*form, operation.types, product);
  return product;
}

}  // namespace autokernel::programs
