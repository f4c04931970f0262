#include "bridge/cuda_source/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "autokernel/cases/names.h"
#include "bridge/case_toml.h"

namespace autokernel::bridge {
namespace {

using Numbers = std::map<std::string, std::int64_t>;

// A value with other values of its symbols.
[[nodiscard]] std::optional<double> at(const Value& value, const Numbers& numbers) {
  return value->value_with([&](const std::string& name) -> std::optional<double> {
    const auto found = numbers.find(name);
    if (found == numbers.end()) return std::nullopt;
    return static_cast<double>(found->second);
  });
}

class CaseWriter {
 public:
  CaseWriter(const CaseText& text, std::vector<Note>& blanks, std::vector<Note>& assumptions)
      : text_(text), blanks_(blanks), assumptions_(assumptions) {}

  [[nodiscard]] std::string written() {
    find_sizes();
    line("# {} of {}, launched in its line {}. IMPORT.md says what was taken for granted.",
         text_.kernel, text_.file, text_.line);
    line("name = \"{}\"", text_.kernel);
    line("problem = \"{} of {}\"", text_.kernel, text_.file);
    line("");
    write_sizes("default", default_);
    line("");
    write_sizes("check", check_);
    for (const CaseTensor& tensor : text_.tensors) write_tensor(tensor);
    for (const CaseScalar& scalar : text_.scalars) write_scalar(scalar);
    line("");
    line("[reference]");
    line("kind = \"kernel\"");
    line("file = \"reference.cu\"");
    line("");
    write_check();
    line("");
    line("[cost]");
    write_cost();
    return out_;
  }

 private:
  // Of the tensors whose shapes are known.
  void write_cost() {
    std::string flops;
    std::string bytes;
    for (const CaseTensor& tensor : text_.tensors) {
      if (!tensor.count) continue;
      const std::string count = joined(shape_of(tensor), "*");
      const std::uint64_t each = dtype_bytes(tensor.dtype) * (tensor.role == "inout" ? 2 : 1);
      bytes += fmt::format("{}{}*{}", bytes.empty() ? "" : " + ", each, count);
      if (tensor.is_written()) flops += (flops.empty() ? "" : " + ") + count;
    }
    line("flops = \"{}\"  # one for each element that is written: say what it is",
         flops.empty() ? "1" : flops);
    line("bytes = \"{}\"", bytes.empty() ? "1" : bytes);
  }

  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  // The line that is written next.
  void blank(const std::string& what) {
    blanks_.push_back({.file = "case.toml",
                       .line = static_cast<int>(std::ranges::count(out_, '\n')) + 1,
                       .text = what});
  }

  [[nodiscard]] static std::string joined(const std::vector<std::string>& parts, const char* by) {
    std::string text;
    for (const std::string& part : parts) {
      const bool is_sum = part.find_first_of("+-") != std::string::npos && !part.starts_with('(');
      text += (text.empty() ? "" : by) + (is_sum ? "(" + part + ")" : part);
    }
    return text;
  }

  // Formulas, outermost dimension first. What no formula says is a size of its own.
  [[nodiscard]] std::vector<std::string> shape_of(const CaseTensor& tensor) const {
    if (!tensor.count) return {"?"};
    const auto own = own_sizes_.find(tensor.name);
    if (own != own_sizes_.end()) return {own->second};
    std::vector<std::string> shape;
    for (const Value& factor : tensor.count->factors())
      shape.push_back(factor->formula().value_or("?"));
    return shape;
  }

  void find_sizes() {
    for (const auto& [name, symbol] : text_.sizes) {
      default_[name] =
          symbol.value ? static_cast<std::int64_t>(*symbol.value) : text_.proposed.at(name);
    }
    check_ = default_;
    shrink();
    for (const auto& [name, value] : text_.derived) derive(name, value);
    for (const CaseTensor& tensor : text_.tensors) {
      constexpr std::size_t kMostDimensions = 8;
      if (!tensor.count) continue;
      if (tensor.count->formula() && tensor.count->factors().size() <= kMostDimensions) continue;
      const std::string name = tensor.name + "_count";
      own_sizes_[tensor.name] = name;
      derive(name, tensor.count);
    }
  }

  // A size that follows from others, in a way that no formula says.
  void derive(const std::string& name, const Value& value) {
    for (Numbers* const numbers : {&default_, &check_}) {
      const auto count = at(value, *numbers);
      constexpr double kMost = 1099511627776.0;  // 2^40, of a case
      const bool is_size = count && *count >= 0 && *count <= kMost;
      (*numbers)[name] = is_size ? static_cast<std::int64_t>(*count) : 0;
    }
  }

  // For repeats on the emulated device: the largest sizes are halved until the tensors are small.
  void shrink() {
    constexpr double kMostElements = 1 << 18;
    constexpr std::int64_t kLeast = 64;
    const auto elements = [&] {
      double all = 0;
      for (const CaseTensor& tensor : text_.tensors)
        if (tensor.count) all += at(tensor.count, check_).value_or(0);
      return all;
    };
    while (elements() > kMostElements) {
      std::int64_t* largest = nullptr;
      for (auto& [name, value] : check_) {
        const double before = elements();
        const std::int64_t whole = value;
        value /= 2;
        const bool matters = elements() < before;
        value = whole;
        if (matters && value > kLeast && (largest == nullptr || value > *largest)) largest = &value;
      }
      if (largest == nullptr) return;
      *largest /= 2;
    }
  }

  void write_sizes(const std::string& name, const Numbers& numbers) {
    line("[sizes.{}]", name);
    for (const auto& [symbol, value] : numbers) {
      const auto known = text_.sizes.find(symbol);
      const bool is_default = name == "default";
      if (value <= 0) {
        blank(fmt::format("{}: it is {} by what the source says", symbol, value));
        line("{} = \"?\"", symbol);
      } else if (known == text_.sizes.end() || !is_default) {
        line("{} = {}", symbol, value);
      } else if (known->second.value) {
        line("{} = {}  # {}:{}", symbol, value, known->second.file, known->second.line);
      } else {
        assumptions_.push_back(
            {.file = known->second.file,
             .line = known->second.line,
             .text = fmt::format("{} is {}, and {} for checks: the source does not say what it is",
                                 symbol, value, check_.at(symbol))});
        line("{} = {}  # proposed: the source does not say", symbol, value);
      }
    }
    if (numbers.empty()) line("COUNT = 1  # a size has to have a symbol");
  }

  void write_tensor(const CaseTensor& tensor) {
    line("");
    line("[[tensor]]");
    line("name = \"{}\"", tensor.name);
    line("role = \"{}\"", tensor.role);
    line("dtype = \"{}\"", tensor.dtype);
    std::vector<std::string> shape = shape_of(tensor);
    for (std::string& part : shape) part = fmt::format("\"{}\"", part);
    if (!tensor.count)
      blank(fmt::format("shape of {}: line {} of {} does not say how many elements it has",
                        tensor.name, tensor.line, text_.file));
    line("shape = [{}]", joined_list(shape));
    if (tensor.role == "out") return;
    const bool is_whole =
        tensor.dtype[0] == 'i' || tensor.dtype[0] == 'u' || tensor.dtype == "bool";
    if (!is_whole) {
      line("fill = \"normal\"");
      return;
    }
    line("fill = \"integers\"");
    line("low = 0");
    if (tensor.is_index) {
      blank(fmt::format("high of {}: the largest index that it may hold", tensor.name));
      line("high = \"?\"");
    } else {
      line("high = {}", tensor.dtype == "bool" ? 1 : 100);
    }
  }

  [[nodiscard]] static std::string joined_list(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
  }

  void write_scalar(const CaseScalar& scalar) {
    line("");
    line("[[scalar]]");
    line("name = \"{}\"", scalar.name);
    line("dtype = \"{}\"", scalar.dtype);
    if (scalar.is_drawn) {
      line("low = 0.5");
      line("high = 2.0");
    } else if (!scalar.value.empty()) {
      line("value = {}", scalar.value);
    } else {
      blank(fmt::format("value of {}: line {} of {} does not say what it is", scalar.name,
                        scalar.line, text_.file));
      line("value = \"?\"");
    }
  }

  void write_check() {
    line("[check]");
    const bool floats = std::ranges::any_of(text_.tensors, [](const CaseTensor& tensor) {
      return tensor.is_written() && tensor.dtype[0] != 'i' && tensor.dtype[0] != 'u' &&
             tensor.dtype != "bool";
    });
    if (!floats) {
      line("exact = \"always\"");
      return;
    }
    // As far as sums of a few thousand terms in another order are apart.
    const bool is_half = std::ranges::any_of(text_.tensors, [](const CaseTensor& tensor) {
      return tensor.is_written() && (tensor.dtype == "f16" || tensor.dtype == "bf16");
    });
    line("exact = \"never\"");
    line("absolute = {}", is_half ? "2e-2" : "1e-3");
    line("relative = {}", is_half ? "2e-2" : "1e-3");
  }

  const CaseText& text_;
  std::vector<Note>& blanks_;
  std::vector<Note>& assumptions_;
  Numbers default_;
  Numbers check_;
  std::map<std::string, std::string> own_sizes_;  // of tensors, by their name
  std::string out_;
};

}  // namespace

bool is_usable(const std::string& name) {
  return cases::is_identifier(name) && !cases::is_cpp_keyword(name);
}

void CaseText::set_sizes(const std::map<std::string, Symbol>& needed, const Shape& shape) {
  std::map<std::string, Symbol> used = in_formulas;
  for (const auto& [name, value] : derived) value->collect(used);
  for (const CaseTensor& tensor : tensors)
    if (tensor.count) tensor.count->collect(used);
  for (const auto& [name, symbol] : needed) {
    if (used.contains(name) || sizes_handed_over.contains(name) || !symbol.value)
      sizes[name] = symbol;
  }
  // As often as it is a factor.
  const auto unknown_in = [&](const std::vector<Value>& product) {
    std::vector<std::string> names;
    for (const Value& value : product) {
      std::map<std::string, Symbol> symbols;
      if (value) value->collect(symbols);
      for (const auto& [name, symbol] : symbols)
        if (!symbol.value) names.push_back(name);
    }
    return names;
  };
  const auto propose = [&](const std::vector<Value>& product, double target) {
    std::vector<std::string> names;
    for (const std::string& name : unknown_in(product)) {
      const auto known = proposed.find(name);
      if (known == proposed.end()) {
        names.push_back(name);
      } else {
        target /= static_cast<double>(known->second);
      }
    }
    if (names.empty()) return;
    // A power of two.
    const double each =
        std::floor(std::log2(std::max(target, 1.0)) / static_cast<double>(names.size()));
    for (const std::string& name : names)
      proposed[name] = static_cast<std::int64_t>(std::exp2(each));
  };
  constexpr double kThreads = 256;
  constexpr double kMostThreads = 1024;  // of a block, on every device there is
  constexpr std::int64_t kExponent = 8;
  constexpr double kBlocks = 128;
  constexpr double kElements = 1 << 20;
  constexpr std::int64_t kOther = 64;
  propose({shape.block.begin(), shape.block.end()}, kThreads);
  // Where a block grows faster than its symbols do: 1 << p.
  for (const Value& extent : shape.block) {
    const auto size = extent ? at(extent, proposed) : std::nullopt;
    if (!extent || extent->value() || (size && *size <= kMostThreads)) continue;
    std::map<std::string, Symbol> symbols;
    extent->collect(symbols);
    for (const auto& [name, symbol] : symbols)
      if (!symbol.value) proposed[name] = std::min(proposed.at(name), kExponent);
  }
  // Those with the most unknown extents first, so that none becomes huge.
  std::vector<const CaseTensor*> by_unknown;
  for (const CaseTensor& tensor : tensors)
    if (tensor.count) by_unknown.push_back(&tensor);
  std::ranges::sort(by_unknown, [&](const CaseTensor* a, const CaseTensor* b) {
    const std::size_t of_a = unknown_in(a->count->factors()).size();
    const std::size_t of_b = unknown_in(b->count->factors()).size();
    return of_a != of_b ? of_a > of_b : a < b;
  });
  for (const CaseTensor* const tensor : by_unknown) propose(tensor->count->factors(), kElements);
  propose({shape.grid.begin(), shape.grid.end()}, kBlocks);
  for (const auto& [name, symbol] : sizes)
    if (!symbol.value) proposed.emplace(name, kOther);
}

std::string case_text(const CaseText& text, std::vector<Note>& blanks,
                      std::vector<Note>& assumptions) {
  return CaseWriter(text, blanks, assumptions).written();
}

}  // namespace autokernel::bridge
