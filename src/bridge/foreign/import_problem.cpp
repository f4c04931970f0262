#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/bridge/foreign_problem.h"
#include "autokernel/cases/names.h"
#include "bridge/foreign/described_case.h"
#include "bridge/foreign/description.h"
#include "bridge/foreign/scripts.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

// Values of constants of the problem's file, in place of its own.
using Constants = std::map<std::string, std::int64_t>;

// A check on the emulated device takes about a second for so many.
constexpr double kMostElements = 1 << 20;
constexpr int kMostDescriptions = 5;

// A convolution of few pixels may have no result.
[[nodiscard]] bool is_any_empty(const Description& description) {
  return std::ranges::any_of(description.tensors, [](const DescribedTensor& tensor) {
    return std::ranges::find(tensor.shape, 0) != tensor.shape.end();
  });
}

// "16384 * 2": the only expression that constants of problems are.
[[nodiscard]] std::optional<std::int64_t> product_of(const std::string& text) {
  constexpr std::int64_t kMost = 1LL << 40U;
  std::int64_t product = 1;
  std::size_t at = 0;
  for (bool goes_on = true; goes_on;) {
    at = text.find_first_not_of(' ', at);
    std::int64_t factor = 0;
    const std::size_t begin = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      factor = std::min(10 * factor + (text[at] - '0'), kMost);
      ++at;
    }
    if (at == begin || begin == std::string::npos || factor == 0 || product > kMost / factor)
      return std::nullopt;
    product *= factor;
    at = text.find_first_not_of(" \t\r", at);
    goes_on = at != std::string::npos && text[at] == '*';
    if (at != std::string::npos && !goes_on) return std::nullopt;
    if (goes_on) ++at;
  }
  return product;
}

[[nodiscard]] std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// "M, N" of "(M, N)"; nothing between two commas is no name and no number.
[[nodiscard]] std::vector<std::string> entries_of(std::string text) {
  text = trimmed(text);
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    entries.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return entries;
}

// Whole numbers that the file gives names to: "batch_size = 16", "M = N = 1024", "M, N = 256, 512".
[[nodiscard]] Constants constants_of(const std::string& text) {
  Constants found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with(' ') || line.starts_with('\t')) continue;
    line = line.substr(0, line.find('#'));
    const std::size_t last = line.rfind('=');
    if (last == std::string::npos) continue;
    const std::vector<std::string> values = entries_of(line.substr(last + 1));
    for (std::size_t from = 0; from <= last;) {
      const std::size_t equals = std::min(line.find('=', from), last);
      const std::vector<std::string> names = entries_of(line.substr(from, equals - from));
      from = equals + 1;
      for (std::size_t i = 0; i < names.size() && names.size() == values.size(); ++i) {
        const auto number = product_of(values[i]);
        if (number && cases::is_identifier(names[i])) found[names[i]] = *number;
      }
    }
  }
  return found;
}

class ProblemImporter {
 public:
  ProblemImporter(const ForeignProblem& problem, const fs::path& python)
      : problem_(problem), python_(python), whole_(described({})), small_(whole_) {}

  [[nodiscard]] ImportedProblem imported() {
    shrink();
    lower();
    const Constants constants = constants_of(problem_.text);
    Constants small = constants;
    for (const auto& [name, value] : small_constants_) small[name] = value;
    return described_case(
        {.name = problem_.file.substr(0, problem_.file.rfind('.')),
         .benchmark = "KernelBench",
         .file = problem_.file,
         .files = {{"reference.py", scripts::reference_kernelbench()},
                   {problem_.file, problem_.text}}},
        {{.name = "default", .arguments = "{}", .numbers = constants, .description = whole_},
         {.name = "check",
          .arguments = Json(small_constants_).dump(),
          .numbers = small,
          .description = small_}});
  }

 private:
  // Inputs that the problem never gives negative numbers get some, where it takes them: a kernel
  // could be right on the others alone. They are so many that now and then all in a window of 3 x 3
  // are, of which the largest is then no zero of the padding; and fewer than the others, so that
  // sums still grow with their length, and with them what the tolerance allows.
  void lower() {
    constexpr double kShare = 0.75;  // of the largest number: three of seven are negative
    const bool is_wanted = std::ranges::any_of(whole_.tensors, [](const DescribedTensor& tensor) {
      return tensor.distribution == "uniform" && tensor.low >= 0;
    });
    if (!is_wanted || elements(small_) > 4 * kMostElements) return;
    const Description tried = describe(problem_, Json(small_constants_).dump(), python_,
                                       {.maker = {}, .try_negative = true});
    for (Description* const description : {&whole_, &small_}) {
      for (DescribedTensor& tensor : description->tensors) {
        if (std::ranges::find(tried.may_be_negative, tensor.name) == tried.may_be_negative.end())
          continue;
        tensor.low = -kShare * tensor.high;
        if (description != &whole_) continue;
        description->notes.push_back(
            fmt::format("{}: three of seven of its numbers are negative, and none in the problem: "
                        "a kernel could be "
                        "right on those alone",
                        tensor.name));
      }
    }
  }

  [[nodiscard]] Description described(const Constants& constants) const {
    return describe(problem_, Json(constants).dump(), python_);
  }

  // Other constants for checks on the emulated device: first that of the batch.
  void shrink() {
    // What is kept has one size.
    if (has_kept(whole_)) return;
    std::vector<std::pair<std::string, std::int64_t>> constants;
    for (const auto& [name, value] : constants_of(problem_.text)) {
      if (value > 1) constants.emplace_back(name, value);
    }
    const auto rank = [&](const auto& each) {
      const bool is_batch = each.first.find("batch") != std::string::npos;
      const bool is_first = !whole_.tensors.empty() && whole_.tensors[0].shape[0] == each.second;
      return std::pair(!is_batch && !is_first, -each.second);
    };
    std::ranges::sort(constants, [&](const auto& a, const auto& b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.first < b.first;
    });
    int left = kMostDescriptions;
    for (const auto& [name, value] : constants) {
      if (elements(small_) <= kMostElements || left-- == 0) break;
      Constants chosen = small_constants_;
      const double factor = elements(small_) / kMostElements;
      chosen[name] = std::max<std::int64_t>(
          2, static_cast<std::int64_t>(
                 std::floor(static_cast<double>(value) / std::exp2(std::ceil(std::log2(factor))))));
      if (chosen[name] >= value) continue;
      try {
        Description smaller = described(chosen);
        const bool is_alike = smaller.tensors.size() == whole_.tensors.size() &&
                              elements(smaller) < elements(small_) && !is_any_empty(smaller);
        if (!is_alike) continue;
        small_ = std::move(smaller);
        small_constants_ = std::move(chosen);
      } catch (const Error& error) {
        if (error.stop() != Stop::usage) throw;  // it needs that constant as it is
      }
    }
  }

  const ForeignProblem& problem_;
  const fs::path& python_;
  Description whole_;
  Constants small_constants_;
  Description small_;
};

}  // namespace

ImportedProblem import_problem(const ForeignProblem& problem, const fs::path& python) {
  return ProblemImporter(problem, python).imported();
}

}  // namespace autokernel::bridge
