#include "compile/ptx_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "autokernel/base/number.h"

namespace autokernel::compile {
namespace {

// Words, numbers and single signs; comments and strings are left out.
[[nodiscard]] std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  const auto is_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
           letter == '$' || letter == '.' || letter == '%';
  };
  std::size_t i = 0;
  while (i < text.size()) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else if (text[i] == '"') {
      const std::size_t end = text.find('"', i + 1);
      i = end == std::string_view::npos ? text.size() : end + 1;
    } else if (is_word(text[i])) {
      std::size_t end = i + 1;
      // A word that begins with a dot ends before the next: ".param .u64", ".v4.f32".
      while (end < text.size() && is_word(text[end]) && text[end] != '.') ++end;
      tokens.push_back(text.substr(i, end - i));
      i = end;
    } else {
      if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
        tokens.push_back(text.substr(i, 1));
      }
      ++i;
    }
  }
  return tokens;
}

[[nodiscard]] std::optional<std::uint64_t> number(std::string_view token) {
  std::uint64_t value = 0;
  return read_number(token, value) ? std::optional(value) : std::nullopt;
}

// ".u64" -> 8; nothing for what is no type.
[[nodiscard]] std::optional<std::uint64_t> bytes_of_type(std::string_view token) {
  constexpr std::string_view kKinds = "bufs";
  if (token.size() < 3 || token[0] != '.' || kKinds.find(token[1]) == std::string_view::npos) {
    return std::nullopt;
  }
  const auto bits = number(token.substr(2));
  if (!bits || *bits % 8 != 0 || *bits == 0 || *bits > 128) return std::nullopt;
  return *bits / 8;
}

struct Variable {
  std::string_view name;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
};

// ".align 8 .b8 name[24]" and its like, up to a sign that is none of it.
[[nodiscard]] std::optional<Variable> variable_of(const std::vector<std::string_view>& tokens,
                                                  std::size_t begin, std::size_t end) {
  Variable variable;
  std::uint64_t vector = 1;
  std::uint64_t element = 0;
  std::uint64_t aligned = 0;
  for (std::size_t i = begin; i < end && variable.name.empty(); ++i) {
    const std::string_view token = tokens[i];
    if (token == ".align" && i + 1 < end) {
      const auto value = number(tokens[++i]);
      // Behind ".ptr" it is that of what is pointed to.
      if (value && element == 0) aligned = *value;
    } else if (token == ".v2" || token == ".v4") {
      vector = token == ".v2" ? 2 : 4;
    } else if (const auto bytes = bytes_of_type(token); bytes && element == 0) {
      element = *bytes;
    } else if (token.front() != '.' && element != 0) {
      variable.name = token;
      variable.bytes = element * vector;
      // Of several dimensions, each in brackets of its own.
      while (i + 3 < end + 1 && i + 1 < end && tokens[i + 1] == "[") {
        const auto extent = i + 2 < end ? number(tokens[i + 2]) : std::nullopt;
        if (!extent || i + 3 >= end || tokens[i + 3] != "]") return std::nullopt;
        if (__builtin_mul_overflow(variable.bytes, *extent, &variable.bytes)) return std::nullopt;
        i += 3;
      }
    }
  }
  if (variable.name.empty()) return std::nullopt;
  variable.alignment = std::max<std::uint64_t>(aligned != 0 ? aligned : element * vector, 1);
  return variable;
}

}  // namespace

std::optional<std::vector<Parameter>> ptx_parameters(std::string_view ptx,
                                                     const std::string& kernel) {
  const std::vector<std::string_view> tokens = tokens_of(ptx);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i] != ".entry" || tokens[i + 1] != kernel) continue;
    std::vector<Parameter> parameters;
    std::size_t at = i + 2;
    if (at >= tokens.size() || tokens[at] != "(") return parameters;
    std::uint64_t offset = 0;
    std::size_t begin = ++at;
    for (; at < tokens.size(); ++at) {
      if (tokens[at] != "," && tokens[at] != ")") continue;
      if (at > begin) {
        const auto parameter = variable_of(tokens, begin, at);
        if (!parameter) return std::nullopt;
        offset = (offset + parameter->alignment - 1) / parameter->alignment * parameter->alignment;
        parameters.push_back({.offset = static_cast<std::uint32_t>(offset),
                              .bytes = static_cast<std::uint32_t>(parameter->bytes)});
        offset += parameter->bytes;
      }
      if (tokens[at] == ")") return parameters;
      begin = at + 1;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::vector<ModuleObject>> ptx_objects(std::string_view ptx) {
  const std::vector<std::string_view> tokens = tokens_of(ptx);
  std::vector<ModuleObject> objects;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // A body, what a variable holds at first, or parameters.
    if (tokens[i] == "{" || tokens[i] == "(") ++depth;
    if (tokens[i] == "}" || tokens[i] == ")") --depth;
    if (depth != 0 || (tokens[i] != ".global" && tokens[i] != ".const")) continue;
    const bool is_elsewhere = i > 0 && tokens[i - 1] == ".extern";
    std::size_t end = i + 1;
    while (end < tokens.size() && tokens[end] != "=" && tokens[end] != ";") ++end;
    const auto variable = variable_of(tokens, i + 1, end);
    if (!variable) return std::nullopt;
    if (!is_elsewhere) {
      objects.push_back(
          {.name = std::string(variable->name), .bytes = variable->bytes, .initial = {}});
    }
    i = end - 1;
  }
  return objects;
}

bool declares_variables_plainly(std::string_view ptx) {
  // In front of a declaration: the end of what came before, or a word about its linkage. In front
  // of the same word in an instruction or a parameter there is the rest of it.
  constexpr auto kBefore = std::to_array<std::string_view>(
      {";", "{", "}", ":", ")", ".visible", ".extern", ".weak", ".common"});
  const std::vector<std::string_view> tokens = tokens_of(ptx);
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "{") ++depth;
    if (tokens[i] == "}") --depth;
    if (tokens[i] != ".global" && tokens[i] != ".const") continue;
    const std::string_view before = i == 0 ? ";" : tokens[i - 1];
    const bool is_declared = std::ranges::find(kBefore, before) != kBefore.end() ||
                             std::isdigit(static_cast<unsigned char>(before.front())) != 0;
    if (!is_declared) continue;
    if (depth > 0) return false;
    // One name, whatever values it has.
    int inner = 0;
    for (; i < tokens.size() && (tokens[i] != ";" || inner > 0); ++i) {
      if (tokens[i] == "{" || tokens[i] == "(") ++inner;
      if (tokens[i] == "}" || tokens[i] == ")") --inner;
      if (tokens[i] == "," && inner == 0) return false;
    }
  }
  return true;
}

}  // namespace autokernel::compile
