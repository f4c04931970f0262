#include "product.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace recording {
namespace {

struct Name {
  std::uint32_t number;
  std::string_view name;
};

// As library_types.h has them, without "CUDA_".
constexpr Name kTypes[] = {
    {0, "R_32F"},       {1, "R_64F"},      {2, "R_16F"},      {3, "R_8I"},       {4, "C_32F"},
    {5, "C_64F"},       {6, "C_16F"},      {7, "C_8I"},       {8, "R_8U"},       {9, "C_8U"},
    {10, "R_32I"},      {11, "C_32I"},     {12, "R_32U"},     {13, "C_32U"},     {14, "R_16BF"},
    {15, "C_16BF"},     {16, "R_4I"},      {17, "C_4I"},      {18, "R_4U"},      {19, "C_4U"},
    {20, "R_16I"},      {21, "C_16I"},     {22, "R_16U"},     {23, "C_16U"},     {24, "R_64I"},
    {25, "C_64I"},      {26, "R_64U"},     {27, "C_64U"},     {28, "R_8F_E4M3"}, {29, "R_8F_E5M2"},
    {30, "R_8F_UE8M0"}, {31, "R_6F_E2M3"}, {32, "R_6F_E3M2"}, {33, "R_4F_E2M1"},
};

// As cublas_api.h has them, without "CUBLAS_COMPUTE_".
constexpr Name kComputeTypes[] = {
    {64, "16F"},
    {65, "16F_PEDANTIC"},
    {68, "32F"},
    {69, "32F_PEDANTIC"},
    {70, "64F"},
    {71, "64F_PEDANTIC"},
    {72, "32I"},
    {73, "32I_PEDANTIC"},
    {74, "32F_FAST_16F"},
    {75, "32F_FAST_16BF"},
    {77, "32F_FAST_TF32"},
    {78, "32F_EMULATED_16BFX9"},
    {79, "64F_EMULATED_FIXEDPOINT"},
};

// As cublasLt.h has them, without "CUBLASLT_EPILOGUE_".
constexpr Name kEpilogues[] = {
    {1, "DEFAULT"},        {2, "RELU"},
    {2 | 128, "RELU_AUX"}, {4, "BIAS"},
    {2 | 4, "RELU_BIAS"},  {2 | 4 | 128, "RELU_AUX_BIAS"},
    {8 | 128, "DRELU"},    {8 | 16 | 128, "DRELU_BGRAD"},
    {32, "GELU"},          {32 | 128, "GELU_AUX"},
    {32 | 4, "GELU_BIAS"}, {32 | 4 | 128, "GELU_AUX_BIAS"},
    {64 | 128, "DGELU"},   {64 | 16 | 128, "DGELU_BGRAD"},
    {256, "BGRADA"},       {512, "BGRADB"},
};

// A JSON object, one key after another.
class Object {
 public:
  explicit Object(std::span<char> room) : room_(room) { put("{"); }

  void integer(std::string_view key, std::int64_t value) {
    begin(key);
    std::array<char, 24> digits{};
    (void)std::snprintf(digits.data(), digits.size(), "%lld", static_cast<long long>(value));
    put(digits.data());
  }
  void text(std::string_view key, std::string_view value) {
    begin(key);
    put("\"");
    put(value);
    put("\"");
  }
  void boolean(std::string_view key, bool value) {
    begin(key);
    put(value ? "true" : "false");
  }
  void factor(std::string_view key, double value) {
    begin(key);
    if (!std::isfinite(value)) {
      put("null");
      return;
    }
    std::array<char, 40> digits{};
    // Nine digits tell any two numbers of single precision apart, which most factors are.
    const bool is_single = static_cast<double>(static_cast<float>(value)) == value;
    (void)std::snprintf(digits.data(), digits.size(), is_single ? "%.9g" : "%.17g", value);
    // The program may have set a locale with another decimal point.
    for (char& digit : digits) {
      if (digit == ',') digit = '.';
    }
    put(digits.data());
  }
  // A number that has no name stands for itself.
  template <std::size_t Count>
  void name(std::string_view key, const Name (&names)[Count], std::uint32_t number) {
    for (const Name& known : names) {
      if (known.number == number) {
        text(key, known.name);
        return;
      }
    }
    std::array<char, 16> digits{};
    (void)std::snprintf(digits.data(), digits.size(), "%u", number);
    text(key, digits.data());
  }
  [[nodiscard]] std::string_view done() {
    put("}");
    return {room_.data(), used_};
  }

 private:
  void begin(std::string_view key) {
    put(used_ == 1 ? "\"" : ",\"");
    put(key);
    put("\":");
  }
  void put(std::string_view bytes) {
    if (room_.size() - used_ < bytes.size()) return;
    std::memcpy(room_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }

  std::span<char> room_;
  std::size_t used_ = 0;
};

char letter_of_transpose(std::int32_t operation) {
  constexpr std::string_view kLetters = "NTC";
  const auto index = static_cast<std::uint32_t>(operation);
  return index < kLetters.size() ? kLetters[index] : '?';
}

char letter_of_order(std::int32_t order) {
  if (order == blas::kColumnMajor) return 'C';
  return order == blas::kRowMajor ? 'R' : '?';
}

// IEEE 754's half precision.
double half_to_double(std::uint16_t bits) {
  constexpr double kStepOfSmallest = 1.0 / (1U << 24U);
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0x1F) return std::numeric_limits<double>::quiet_NaN();
  // Below 2^-14, all are multiples of one step; above, the step doubles with the exponent.
  double value = fraction * kStepOfSmallest;
  if (exponent != 0) value = (fraction + 1024) * kStepOfSmallest * (1U << (exponent - 1));
  return (bits & 0x8000U) != 0 ? -value : value;
}

template <typename Value>
Value read(const void* address) {
  Value value{};
  std::memcpy(&value, address, sizeof value);
  return value;
}

}  // namespace

std::string_view json_of(const Product& product, std::span<char> room) {
  const auto number = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  const std::array transposes = {letter_of_transpose(product.transpose_a),
                                 letter_of_transpose(product.transpose_b)};
  const std::array orders = {letter_of_order(product.a.order), letter_of_order(product.b.order),
                             letter_of_order(product.c.order), letter_of_order(product.d.order)};
  Object object{room};
  object.text("call", product.call);
  object.integer("m", product.m);
  object.integer("n", product.n);
  object.integer("k", product.k);
  object.integer("batch", product.batch);
  object.text("transposes", {transposes.data(), transposes.size()});
  object.name("a_type", kTypes, number(product.a.type));
  object.name("b_type", kTypes, number(product.b.type));
  object.name("c_type", kTypes, number(product.c.type));
  object.name("d_type", kTypes, number(product.d.type));
  object.name("compute_type", kComputeTypes, number(product.compute_type));
  object.name("scale_type", kTypes, number(product.scale_type));
  object.integer("lda", product.a.leading_dimension);
  object.integer("ldb", product.b.leading_dimension);
  object.integer("ldc", product.c.leading_dimension);
  object.integer("ldd", product.d.leading_dimension);
  object.integer("stride_a", product.a.batch_stride);
  object.integer("stride_b", product.b.batch_stride);
  object.integer("stride_c", product.c.batch_stride);
  object.integer("stride_d", product.d.batch_stride);
  object.name("epilogue", kEpilogues, product.epilogue);
  object.text("order", {orders.data(), orders.size()});
  object.boolean("pointer_array", product.pointer_array);
  object.factor("alpha", product.alpha);
  object.factor("beta", product.beta);
  return object.done();
}

// As cublasGemmEx's table of supported types has it.
std::int32_t scale_type_of(std::int32_t compute_type, std::int32_t c_type) {
  const bool is_complex = c_type == blas::kC32F || c_type == blas::kC64F;
  switch (compute_type) {
    case blas::kCompute16F:
    case blas::kCompute16FPedantic:
      return blas::kR16F;
    case blas::kCompute64F:
    case blas::kCompute64FPedantic:
      return is_complex ? blas::kC64F : blas::kR64F;
    case blas::kCompute32I:
    case blas::kCompute32IPedantic:
      return c_type == blas::kR8I ? blas::kR32F : blas::kR32I;
    default:
      return is_complex ? blas::kC32F : blas::kR32F;
  }
}

double factor_at(const void* factor, std::int32_t scale_type) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (factor == nullptr) return kUnknown;
  switch (scale_type) {
    case blas::kR32F:
    case blas::kC32F:
      return static_cast<double>(read<float>(factor));
    case blas::kR64F:
    case blas::kC64F:
      return read<double>(factor);
    case blas::kR16F:
      return half_to_double(read<std::uint16_t>(factor));
    case blas::kR16BF: {
      constexpr std::uint32_t kFractionBits = 16;
      const std::uint32_t bits = std::uint32_t{read<std::uint16_t>(factor)} << kFractionBits;
      return static_cast<double>(read<float>(&bits));
    }
    case blas::kR32I:
      return read<std::int32_t>(factor);
    default:
      return kUnknown;
  }
}

}  // namespace recording
