#include "autokernel/cases/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string_view>

namespace autokernel::cases {
namespace {

constexpr std::array<std::string_view, 111> kKeywords = {
    "alignas",       "alignof",     "and",
    "and_eq",        "asm",         "auto",
    "bitand",        "bitor",       "bool",
    "break",         "case",        "catch",
    "char",          "char16_t",    "char32_t",
    "char8_t",       "class",       "co_await",
    "co_return",     "co_yield",    "compl",
    "concept",       "const",       "const_cast",
    "consteval",     "constexpr",   "constinit",
    "continue",      "decltype",    "default",
    "delete",        "do",          "double",
    "dynamic_cast",  "else",        "enum",
    "explicit",      "export",      "extern",
    "false",         "float",       "for",
    "friend",        "goto",        "if",
    "inline",        "int",         "long",
    "mutable",       "namespace",   "new",
    "noexcept",      "not",         "not_eq",
    "nullptr",       "operator",    "or",
    "or_eq",         "private",     "protected",
    "public",        "register",    "reinterpret_cast",
    "requires",      "return",      "short",
    "signed",        "sizeof",      "static",
    "static_assert", "static_cast", "struct",
    "switch",        "template",    "this",
    "thread_local",  "throw",       "true",
    "try",           "typedef",     "typeid",
    "typename",      "union",       "unsigned",
    "using",         "virtual",     "void",
    "volatile",      "wchar_t",     "while",
    "xor",           "xor_eq",      "autokernel",
    "blockIdx",      "blockDim",    "threadIdx",
    "gridDim",       "warpSize",    "std",
    "cuda",          "half",        "half2",
    "nv_half",       "nv_bfloat16", "nv_bfloat162",
    "dim3",          "size_t",      "NULL",
    "NAN",           "INFINITY",    "CUtensorMap"};

constexpr std::array<std::string_view, 12> kElements = {"char",  "uchar",  "short",    "ushort",
                                                        "int",   "uint",   "long",     "ulong",
                                                        "float", "double", "longlong", "ulonglong"};

// Number of single-character edits, swaps of neighbours included, that turn `a` into `b`.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && change == 1;
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last[b.size()];
}

}  // namespace

bool is_identifier(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

bool is_cpp_keyword(const std::string& text) {
  if (std::ranges::find(kKeywords, text) != kKeywords.end()) return true;
  // float4, longlong2: CUDA's vectors.
  const bool has_width = !text.empty() && text.back() >= '1' && text.back() <= '4';
  return has_width &&
         std::ranges::find(kElements, text.substr(0, text.size() - 1)) != kElements.end();
}

std::optional<std::string> nearest(const std::string& text,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t kNear = 2;
  constexpr std::size_t kLongestWord = 64;  // the comparison costs the product of both lengths
  std::optional<std::string> found;
  std::size_t least = kNear + 1;
  for (const std::string& candidate : candidates) {
    if (text.size() > kLongestWord || candidate.size() > kLongestWord) continue;
    const std::size_t edits = distance(text, candidate);
    // A word of two letters is two edits away from every other one.
    if (edits < least && edits < candidate.size()) {
      least = edits;
      found = candidate;
    }
  }
  return found;
}

std::string one_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace autokernel::cases
