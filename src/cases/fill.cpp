#include "cases/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "cases/case_sections.h"
#include "cases/dtype.h"

namespace autokernel::cases {
namespace {

// Each at the place of its enumerator.
constexpr std::array kDistributions = {"normal",  "uniform",     "integers", "sorted",
                                       "offsets", "permutation", "captured"};
static_assert(kDistributions.size() == static_cast<std::size_t>(Distribution::captured) + 1);

// Bounds of any other type than f64 are floats (trial/inputs/recipe.h); of f64, too, values are
// made from floats.
constexpr double kLargestFloat = 0x1.fffffep127;
// Each value comes from one word of 32 bits.
constexpr double kMostChoices = 0x1p32;
// Positions and choices are multiplied in 64 bits.
constexpr std::int64_t kLongestRow = 1LL << 31;

void require_whole(const Section& section, DType dtype, const char* key, double value,
                   const std::string& where) {
  const WholeNumbers range = whole_numbers_of(dtype);
  if (value == std::floor(value) && value >= range.low && value <= range.high) return;
  section.fail(
      key, fmt::format("is {}{}; write a whole number that {} holds exactly, from {} to {}", value,
                       where, spelling(dtype), range.low, range.high));
}

// The bounds at one size; `where` names it, or is empty where they are the same at each.
void require_bounds(const Section& section, DType dtype, const Fill& fill,
                    const std::string& where) {
  const bool is_whole = fill.distribution != Distribution::uniform;
  // One index alone is a range, too: of a table with one row.
  const bool may_be_one = is_whole && !where.empty();
  if (fill.low > fill.high || (fill.low == fill.high && !may_be_one)) {
    section.fail("high", fmt::format("is {}{}; write more than low, which is {}", fill.high, where,
                                     fill.low));
  }
  if (!is_whole) {
    // Values are low plus a share of the width: both must be numbers of the type.
    const double largest = std::min(largest_of(dtype), kLargestFloat);
    if (fill.low < -largest || fill.high > largest || fill.high - fill.low > largest) {
      section.fail("high", fmt::format("is {} and low is {}{}; write bounds that are no further "
                                       "apart than {}, the largest {}",
                                       fill.high, fill.low, where, largest, spelling(dtype)));
    }
    return;
  }
  require_whole(section, dtype, "low", fill.low, where);
  require_whole(section, dtype, "high", fill.high, where);
  if (fill.high - fill.low >= kMostChoices) {
    section.fail("high", fmt::format("is {}, and low is {}{}; at most 2^32 values are drawn from",
                                     fill.high, fill.low, where));
  }
}

// A number, or a formula of the size symbols, which is kept.
[[nodiscard]] double read_number(Section& section, const std::string& key, std::string& formula,
                                 const std::map<std::string, Sizes>& sizes,
                                 NumberRange range = {}) {
  if (!section.is_text(key)) return section.number(key, range);
  formula = section.text(key);
  double number = 0;
  for (const auto& [name, symbols] : sizes) {
    placed(section, fmt::format(R"({}, at size "{}")", key, name),
           [&, &values = symbols] { number = evaluate(formula, values); });
    if (number >= range.low && number <= range.high) continue;
    section.fail(key, fmt::format(R"(is {} at size "{}"; it is to be from {} to {})", number, name,
                                  range.low, range.high));
  }
  return evaluate(formula, sizes.at("default"));
}

// SHA-256 in hexadecimal digits.
[[nodiscard]] std::string read_digest(Section& section, const char* key) {
  constexpr std::size_t kDigits = 64;
  std::string digest = section.text(key);
  if (digest.size() == kDigits &&
      digest.find_first_not_of("0123456789abcdef") == std::string::npos) {
    return digest;
  }
  section.fail(key, "is to be the SHA-256 of the file, 64 hexadecimal digits");
}

void read_captured(Section& section, Fill& fill) {
  fill.file = section.text("file");
  const std::filesystem::path file = fill.file;
  if (!file.is_relative() ||
      std::ranges::any_of(file, [](const auto& part) { return part == ".."; })) {
    section.fail("file", fmt::format("is \"{}\"; write a path within the folder of the case",
                                     shown(fill.file)));
  }
  fill.sha256 = read_digest(section, "sha256");
  const std::string use = section.word("values", {"drawn", "kept", "perturbed"});
  for (const CapturedUse each : {CapturedUse::kept, CapturedUse::perturbed}) {
    if (use == spelling(each)) fill.use = each;
  }
}

void read_bounds(Section& section, DType dtype, const std::map<std::string, Sizes>& sizes,
                 Fill& fill) {
  fill.low = read_number(section, "low", fill.low_formula, sizes);
  fill.high = read_number(section, "high", fill.high_formula, sizes);
  if (fill.low_formula.empty() && fill.high_formula.empty()) {
    return require_bounds(section, dtype, fill, "");
  }
  for (const auto& [name, symbols] : sizes) {
    require_bounds(section, dtype, fill_at(fill, symbols), fmt::format(R"( at size "{}")", name));
  }
}

}  // namespace

Fill fill_at(Fill fill, const Sizes& sizes) {
  if (!fill.low_formula.empty()) fill.low = evaluate(fill.low_formula, sizes);
  if (!fill.high_formula.empty()) fill.high = evaluate(fill.high_formula, sizes);
  return fill;
}

Fill read_range(Section& section, DType dtype, const std::map<std::string, Sizes>& sizes) {
  Fill fill;
  fill.distribution = is_floating(dtype) ? Distribution::uniform : Distribution::integers;
  if (!section.has("value") && !section.has("low") && !section.has("high"))
    section.fail("value",
                 "is missing; write one, or low and high to have it drawn for each launch");
  if (!section.has("value")) {
    read_bounds(section, dtype, sizes, fill);
    return fill;
  }
  for (const char* key : {"low", "high"}) {
    if (section.has(key))
      section.fail(key, "does not go with value, which is always the same; remove one");
  }
  const WholeNumbers range = whole_numbers_of(dtype);
  const double largest = largest_of(dtype);
  if (is_floating(dtype)) {
    fill.low = read_number(section, "value", fill.low_formula, sizes, {-largest, largest});
  } else if (section.is_text("value")) {
    fill.low = read_number(section, "value", fill.low_formula, sizes);
    for (const auto& [name, symbols] : sizes) {
      require_whole(section, dtype, "value", evaluate(fill.low_formula, symbols),
                    fmt::format(R"( at size "{}")", name));
    }
  } else {
    fill.low = static_cast<double>(section.integer(
        "value", {static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)}));
  }
  fill.high = fill.low;
  fill.high_formula = fill.low_formula;
  return fill;
}

const char* spelling(Distribution distribution) {
  return kDistributions.at(static_cast<std::size_t>(distribution));
}

bool is_of_indices(Distribution distribution) {
  return distribution == Distribution::sorted || distribution == Distribution::offsets ||
         distribution == Distribution::permutation;
}

Fill read_fill(Section& section, const Tensor& tensor, const std::map<std::string, Sizes>& sizes) {
  Fill fill;
  if (tensor.role == Role::out) {
    for (const char* key : {"fill", "low", "high", "file", "sha256", "values"}) {
      if (section.has(key)) {
        section.fail(key, "does not apply to role \"out\": outputs hold random bits; remove it");
      }
    }
    return fill;
  }
  const std::vector<std::string> allowed =
      is_floating(tensor.dtype)
          ? std::vector<std::string>{"normal", "uniform", "integers", "captured"}
          : std::vector<std::string>{"integers", "sorted", "offsets", "permutation", "captured"};
  const std::string word = section.word("fill", allowed);
  const auto* const found = std::ranges::find(kDistributions, word);
  fill.distribution = static_cast<Distribution>(found - kDistributions.begin());
  if (fill.distribution == Distribution::captured) {
    read_captured(section, fill);
    return fill;
  }
  if (word == "normal" || word == "permutation") {
    for (const char* key : {"low", "high"}) {
      if (!section.has(key)) continue;
      section.fail(
          key, fmt::format("does not apply to fill \"{}\" ({}); remove it", word,
                           word == "normal" ? "mean 0, deviation 1" : "each of 0, 1, ... once"));
    }
    return fill;
  }
  read_bounds(section, tensor.dtype, sizes, fill);
  return fill;
}

void require_indices(const Section& section, const Tensor& tensor,
                     const std::map<std::string, Sizes>& sizes) {
  if (tensor.role == Role::out || !is_of_indices(tensor.fill.distribution)) return;
  for (const auto& [name, symbols] : sizes) {
    const std::int64_t length = extents(tensor, symbols).back();
    if (length > kLongestRow) {
      section.fail("shape", fmt::format(R"(has a last dimension of {} at size "{}"; with such a )"
                                        "fill it has at most 2^31",
                                        length, name));
    }
    if (tensor.fill.distribution == Distribution::offsets && length < 2) {
      section.fail("shape",
                   fmt::format(R"(has a last dimension of {} at size "{}"; offsets have a )"
                               "first and a last one",
                               length, name));
    }
    const auto last = static_cast<double>(length - 1);
    if (tensor.fill.distribution == Distribution::permutation &&
        last > whole_numbers_of(tensor.dtype).high) {
      section.fail("shape",
                   fmt::format(R"(has a last dimension of {} at size "{}"; {} ends at {})", length,
                               name, spelling(tensor.dtype), whole_numbers_of(tensor.dtype).high));
    }
  }
}

}  // namespace autokernel::cases
