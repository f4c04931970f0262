#include "trial/inputs/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <variant>

#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/parallel.h"
#include "autokernel/base/sha256.h"
#include "autokernel/cases/captured_values.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/indices.h"
#include "trial/inputs/recipe.h"

namespace autokernel::trial {
namespace {

constexpr std::size_t kChunk = 16 * kGroupWords;
constexpr int kHexadecimal = 16;

// The value of a normal number with 29 more binary digits, which follow from its word.
[[nodiscard]] inline double with_more_digits(float value, std::uint32_t word) {
  constexpr std::uint32_t kOdd = 0x9E3779B1U;  // so that neighbouring words give other digits
  const auto wide = std::bit_cast<std::uint64_t>(static_cast<double>(value));
  const std::uint64_t digits = value == 0 ? 0 : (word * kOdd) >> 3U;
  return std::bit_cast<double>(wide | digits);
}

// Words to values of the declared distribution.
struct Declared {
  Declared(const NormalTable& table, const Recipe& recipe)
      : normal(table),
        distribution(recipe.declared.distribution),
        uniform(uniform_range(recipe.dtype, recipe.declared)),
        integers(integer_range(recipe.declared)) {}

  void values(std::span<const std::uint32_t> words, std::span<float> to) const {
    constexpr float kPerWord = 0x1p-24F;
    const auto low = static_cast<float>(uniform.low);
    const auto width = static_cast<float>(uniform.width);
    switch (distribution) {
      case cases::Distribution::normal:
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = normal.value(words[i]);
        return;
      case cases::Distribution::uniform:
        for (std::size_t i = 0; i < to.size(); ++i) {
          to[i] = low + width * (static_cast<float>(static_cast<std::int32_t>(words[i] >> 8U)) *
                                 kPerWord);
        }
        return;
      default:
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(integer(words[i]));
    }
  }

  // Of f64: more digits than a float has, so that what computes in floats is seen.
  void values(std::span<const std::uint32_t> words, std::span<double> to) const {
    constexpr double kPerWord = 0x1p-32;
    switch (distribution) {
      case cases::Distribution::normal:
        for (std::size_t i = 0; i < to.size(); ++i)
          to[i] = with_more_digits(normal.value(words[i]), words[i]);
        return;
      case cases::Distribution::uniform:
        for (std::size_t i = 0; i < to.size(); ++i) {
          to[i] = uniform.low + uniform.width * (static_cast<double>(words[i]) * kPerWord);
        }
        return;
      default:
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(integer(words[i]));
    }
  }

  // Of an integer type, whose values a float need not hold.
  void values(std::span<const std::uint32_t> words, std::span<std::int64_t> to) const {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = integer(words[i]);
  }

  [[nodiscard]] std::int64_t integer(std::uint32_t word) const {
    return integers.first + static_cast<std::int64_t>((word * integers.choices) >> 32U);
  }

  const NormalTable& normal;
  cases::Distribution distribution;
  UniformRange uniform;
  IntegerRange integers;
};

// 2^exponent, of a normal float, without the call that std::ldexp is.
inline float power_of_two(int exponent) {
  constexpr int kBias = 127;
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + kBias) << 23U);
}

// Changes each value as the recipe says. `words` have given the values too; their lowest bits
// hardly show in them.
template <typename Value>
void change(const Recipe& recipe, std::span<const std::uint32_t> words, std::span<Value> values) {
  const auto factor = static_cast<Value>(recipe.factor);
  switch (recipe.change) {
    case Recipe::Change::none:
      return;
    case Recipe::Change::times:
      for (Value& value : values) value *= factor;
      return;
    case Recipe::Change::mixed: {
      const std::uint32_t steps = 2 * recipe.spread + 1;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t step = ((words[i] & 0xffU) * steps) >> 8U;
        values[i] *= static_cast<Value>(
            power_of_two(static_cast<int>(step) - static_cast<int>(recipe.spread)));
      }
      return;
    }
    case Recipe::Change::constant:
      std::ranges::fill(values, factor);
      return;
  }
}

// The elements from `begin` on, whose words these are.
template <typename Value>
void make_values(const Declared& declared, const Recipe& recipe, const Key& key, std::size_t begin,
                 std::span<const std::uint32_t> words, std::span<std::byte> to) {
  std::array<Value, kChunk> values{};
  const auto made = std::span(values).first(to.size() / cases::size_of(recipe.dtype));
  if constexpr (std::is_same_v<Value, std::int64_t>) {
    if (declared.distribution == cases::Distribution::integers) {
      declared.values(words, made);
    } else {
      make_indices(recipe, key, begin, words, made);
    }
    from_integers(recipe.dtype, made, to);
  } else {
    declared.values(words, made);
    change<Value>(recipe, words, made);
    if constexpr (std::is_same_v<Value, double>) {
      std::memcpy(to.data(), made.data(), made.size_bytes());
    } else {
      from_floats(recipe.dtype, made, to);
    }
  }
}

void fill_declared(const SizedTensor& tensor, const Recipe& recipe, const NormalTable& normal,
                   const Key& key, std::span<std::byte> bytes) {
  const Declared declared(normal, recipe);
  const std::size_t element = cases::size_of(recipe.dtype);
  const std::size_t chunks = (tensor.count + kChunk - 1) / kChunk;
  const auto make = !cases::is_floating(recipe.dtype)   ? make_values<std::int64_t>
                    : recipe.dtype == cases::DType::f64 ? make_values<double>
                                                        : make_values<float>;
  in_parallel(chunks, 2 * kChunk, [&](std::size_t first, std::size_t end) {
    std::array<std::uint32_t, kChunk> words{};
    for (std::size_t chunk = first; chunk < end; ++chunk) {
      random_words({key, recipe.index, Purpose::values}, chunk * (kChunk / kGroupWords), words);
      const std::size_t begin = chunk * kChunk;
      const std::size_t length = std::min<std::size_t>(kChunk, tensor.count - begin);
      make(declared, recipe, key, begin, words, bytes.subspan(begin * element, length * element));
    }
  });
}

// All elements as they were captured, or each near any of those.
void fill_captured(const SizedTensor& tensor, const Recipe& recipe, const std::string& captured,
                   const Key& key, std::span<std::byte> bytes) {
  const std::uint64_t sets = captured.size() / bytes.size();
  const char* const of_launch = captured.data() + recipe.set % sets * bytes.size();
  if (recipe.use == cases::CapturedUse::kept) {
    std::memcpy(bytes.data(), of_launch, bytes.size());
    return;
  }
  const bool is_drawn = recipe.use == cases::CapturedUse::drawn;
  const std::uint64_t choices = tensor.count * sets;
  const std::size_t element = cases::size_of(recipe.dtype);
  const std::size_t chunks = (tensor.count + kChunk - 1) / kChunk;
  in_parallel(chunks, 2 * kChunk, [&](std::size_t first, std::size_t end) {
    std::array<std::uint32_t, kChunk> words{};
    for (std::size_t chunk = first; chunk < end; ++chunk) {
      random_words({key, recipe.index, Purpose::values}, chunk * (kChunk / kGroupWords), words);
      const std::size_t begin = chunk * kChunk;
      const std::size_t length = std::min<std::size_t>(kChunk, tensor.count - begin);
      for (std::size_t i = 0; i < length; ++i) {
        const std::uint64_t place = words[i] * choices;
        std::uint64_t bits = 0;
        std::memcpy(&bits,
                    is_drawn ? captured.data() + (place >> 32U) * element
                             : of_launch + (begin + i) * element,
                    element);
        bits = is_drawn
                   ? cases::near_captured(recipe.dtype, bits, static_cast<std::uint32_t>(place))
                   : cases::perturbed(bits, words[i]);
        std::memcpy(bytes.data() + (begin + i) * element, &bits, element);
      }
    }
  });
}

[[nodiscard]] Bytes bytes_of(const cases::ByValue& value) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < value.bytes.size(); i += 2) {
    bytes.push_back(
        static_cast<std::byte>(std::stoi(value.bytes.substr(i, 2), nullptr, kHexadecimal)));
  }
  return bytes;
}

}  // namespace

void InputMaker::read_captured(const cases::Case& problem) {
  constexpr std::uint64_t kMostSets = 16;  // of launches that extract captures
  for (const cases::Tensor& tensor : problem.tensors) {
    const cases::Fill& fill = tensor.fill;
    const std::uint64_t most = kMostSets * cases::size_of(tensor.dtype) *
                               cases::element_count(tensor, problem.sizes.at("default"));
    if (fill.distribution != cases::Distribution::captured || captured_.contains(fill.sha256)) {
      continue;
    }
    const std::filesystem::path file = problem.directory / fill.file;
    const std::string role = "captured values of " + tensor.name;
    // A launcher is told the whole path, which a runner has looked at before.
    std::string values =
        problem.directory.empty()
            ? read_file(file, role, most)
            : read_file_below(problem.directory, fill.file, role, most).value_or(std::string());
    if (values.empty()) {
      throw Error(Stop::usage, "there are no " + role + ", " + file.string() +
                                   ": they are kept where they were captured, and nowhere else; "
                                   "extract the case again");
    }
    if (sha256(values) != fill.sha256) {
      throw Error(Stop::usage, "cannot use " + file.string() +
                                   ": it has other values than were captured; extract the case "
                                   "again");
    }
    captured_[fill.sha256] = std::move(values);
  }
}

const std::string& InputMaker::captured(const SizedTensor& tensor) const {
  const auto found = captured_.find(tensor.fill.sha256);
  if (found == captured_.end() || found->second.empty() ||
      found->second.size() % tensor.bytes != 0) {
    throw Error(Stop::usage, "the captured values of " + tensor.tensor->name + " are " +
                                 (found == captured_.end() ? "missing" : "of another size"));
  }
  return found->second;
}

bool is_exact(const cases::Case& problem, InputKind input_kind) {
  return std::holds_alternative<cases::ExactAlways>(problem.exactness) ||
         input_kind == InputKind::exact;
}

InputKind timed_input_kind(const cases::Case& problem) {
  const bool has_exact = std::holds_alternative<cases::SumOfProducts>(problem.exactness) &&
                         stands(Defence::exact_inputs);
  return has_exact ? InputKind::exact : InputKind::declared;
}

InputKind sampled_input_kind(const cases::Case& problem, int sample) {
  const bool declared = sample % 2 != 0 && stands(Defence::case_inputs);
  return declared ? InputKind::declared : timed_input_kind(problem);
}

bool is_captured(const cases::Case& problem) {
  return std::ranges::any_of(problem.tensors, [](const cases::Tensor& tensor) {
    return tensor.fill.distribution == cases::Distribution::captured;
  });
}

bool has_known_inputs(const cases::Case& problem) {
  return is_captured(problem) &&
         std::ranges::all_of(problem.tensors, [](const cases::Tensor& tensor) {
           return tensor.role == cases::Role::out || tensor.is_scalar ||
                  tensor.fill.use == cases::CapturedUse::kept;
         });
}

bool is_stress(const cases::Case& problem, InputKind input_kind) {
  return input_kind != InputKind::declared && input_kind != InputKind::exact &&
         !is_captured(problem);
}

std::string description(const cases::Case& problem, InputKind input_kind) {
  if (is_captured(problem) && input_kind != InputKind::declared) return "captured inputs";
  switch (input_kind) {
    case InputKind::declared:
      for (const cases::Tensor& tensor : problem.tensors) {
        if (tensor.role == cases::Role::out) continue;
        switch (tensor.fill.distribution) {
          case cases::Distribution::normal:
            return "normal inputs";
          case cases::Distribution::uniform:
            return "uniform inputs";
          case cases::Distribution::captured:
            return "inputs like those captured";
          default:
            return "integer inputs";
        }
      }
      return "no inputs";
    case InputKind::exact:
      return "exact inputs";
    case InputKind::very_large:
      return "stress inputs: very large";
    case InputKind::very_small:
      return "stress inputs: very small";
    case InputKind::mixed:
      return "stress inputs: mixed scale";
    case InputKind::zeros:
      return "stress inputs: zeros";
    case InputKind::constant:
      return "stress inputs: constants";
  }
  return "inputs";
}

Scaling scaling(const SizedCase& sized) {
  const auto has = [&](cases::DType dtype) {
    return std::ranges::any_of(
        sized.tensors, [&](const SizedTensor& tensor) { return tensor.tensor->dtype == dtype; });
  };
  // e4m3 goes from 2^-9 to 448, and normal values to 4.5.
  if (has(cases::DType::e4m3) || has(cases::DType::e5m2)) return Scaling{4, 3, 2};
  const bool narrow_range = has(cases::DType::f16);
  const auto* product = std::get_if<cases::SumOfProducts>(&sized.problem->exactness);
  // Of a function nothing is known about: far enough to find what only works near 1, near enough
  // that its square, its cube and its sums stay finite.
  if (product == nullptr) return narrow_range ? Scaling{4, 6, 3} : Scaling{10, 10, 5};
  // Products of two entries go up to 2^80, sums of 2^30 of them stay finite in fp32 and bf16.
  if (!narrow_range) return Scaling{40, 40, 10};
  // f16 ends at 65504: normal entries are below 4.5, so sums of K products below 2^(2 * large)
  // * 20.25 * K.
  const auto summed =
      static_cast<double>(sized.problem->tensor(product->left).shape.empty()
                              ? 1
                              : sized.tensors[sized.index_of(product->left)].extents.back());
  const int headroom = static_cast<int>(std::floor(std::log2(65504 / (20.25 * summed)) / 2));
  const int large = std::clamp(headroom, 0, 6);
  return Scaling{large, 6, std::min(large, 3)};
}

void InputMaker::make(const SizedCase& sized, InputKind input_kind, const Key& key,
                      std::vector<Bytes>& inputs) const {
  inputs.resize(sized.tensors.size());
  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    if (sized.tensors[t].is_read()) {
      make_one(sized, t, input_kind, key, inputs[t]);
    } else {
      inputs[t].clear();
    }
  }
}

void InputMaker::make_one(const SizedCase& sized, std::size_t index, InputKind input_kind,
                          const Key& key, Bytes& input) const {
  const SizedTensor& tensor = sized.tensors[index];
  const Recipe made_by = recipe_of(sized, index, input_kind, key);
  if (tensor.tensor->by_value) {
    input = bytes_of(*tensor.tensor->by_value);
    return;
  }
  input.resize(tensor.bytes);
  if (tensor.fill.distribution == cases::Distribution::captured) {
    fill_captured(tensor, made_by, captured(tensor), key, input);
  } else if (made_by.whole) {
    fill_whole(tensor, made_by.index, *made_by.whole, key, input);
  } else {
    fill_declared(tensor, made_by, normal_, key, input);
  }
}

}  // namespace autokernel::trial
