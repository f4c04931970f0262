#include "programs/capture/ptx_hints.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>

namespace autokernel::programs {
namespace {

// From the name of a kernel or function up to the end of its body; its parameters in brackets are
// part of it.
[[nodiscard]] std::string_view definition_at(std::string_view ptx, std::size_t begin) {
  const std::size_t open = ptx.find('{', begin);
  if (open == std::string_view::npos) return {};
  std::size_t depth = 0;
  for (std::size_t i = open; i < ptx.size(); ++i) {
    if (ptx[i] == '{') ++depth;
    if (ptx[i] == '}' && --depth == 0) return ptx.substr(begin, i + 1 - begin);
  }
  return {};
}

[[nodiscard]] bool is_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$';
}

[[nodiscard]] std::string_view kernel_in(std::string_view ptx, std::string_view kernel) {
  constexpr std::string_view kEntry = ".entry ";
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos;
       at = ptx.find(kEntry, at + 1)) {
    const std::size_t name = at + kEntry.size();
    const bool is_it = ptx.substr(name, kernel.size()) == kernel &&
                       (name + kernel.size() >= ptx.size() || !is_name(ptx[name + kernel.size()]));
    if (is_it) return definition_at(ptx, name);
  }
  return {};
}

// "f32" of ".param .align 4 .f32 x"; the last type before a name.
[[nodiscard]] std::vector<std::string> parameters_of(std::string_view definition) {
  std::vector<std::string> types;
  const std::size_t end = std::min(definition.find('{'), definition.size());
  constexpr std::string_view kParameter = ".param ";
  for (std::size_t at = definition.find(kParameter); at < end;
       at = definition.find(kParameter, at + 1)) {
    std::string type;
    std::size_t i = at + kParameter.size();
    for (; i < end && definition[i] != ',' && definition[i] != ')'; ++i) {
      if (definition[i] != '.') continue;
      std::string word;
      for (++i; i < end && is_name(definition[i]); ++i) word += definition[i];
      --i;
      const bool is_type = word.size() > 1 &&
                           std::string_view("busf").find(word[0]) != std::string_view::npos &&
                           std::isdigit(static_cast<unsigned char>(word[1])) != 0;
      if (is_type && type.empty()) type = word;
    }
    types.push_back(type);
  }
  return types;
}

// Each instruction from its mnemonic up to the first space: "ld.global.nc.v4.f32".
[[nodiscard]] std::vector<std::string_view> mnemonics_of(std::string_view body) {
  std::vector<std::string_view> mnemonics;
  bool begins = true;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char letter = body[i];
    if (letter == ';' || letter == '{' || letter == '}' || letter == ':') {
      begins = true;
    } else if (begins && letter == '@') {
      while (i < body.size() && std::isspace(static_cast<unsigned char>(body[i])) == 0) ++i;
    } else if (begins && std::isalpha(static_cast<unsigned char>(letter)) != 0) {
      std::size_t end = i;
      while (end < body.size() && (is_name(body[end]) || body[end] == '.')) ++end;
      mnemonics.push_back(body.substr(i, end - i));
      i = end - 1;
      begins = false;
    }
  }
  return mnemonics;
}

[[nodiscard]] bool has(std::string_view mnemonic, std::string_view part) {
  for (std::size_t at = mnemonic.find(part); at != std::string_view::npos;
       at = mnemonic.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (end == mnemonic.size() || mnemonic[end] == '.') return true;
  }
  return false;
}

[[nodiscard]] std::string_view last_type(std::string_view mnemonic) {
  return mnemonic.substr(mnemonic.rfind('.') + 1);
}

[[nodiscard]] std::string only_floating(const std::set<std::string_view>& types) {
  if (types.size() != 1) return {};
  const std::string_view type = *types.begin();
  return type == "f32" || type == "f64" ? std::string(type) : std::string();
}

[[nodiscard]] bool adds_floats(std::string_view mnemonic) {
  if (!mnemonic.starts_with("atom.") && !mnemonic.starts_with("red.")) return false;
  const std::string_view type = last_type(mnemonic);
  return has(mnemonic, ".add") && (type.starts_with("f") || type.starts_with("bf"));
}

}  // namespace

PtxHints ptx_hints(std::string_view ptx, std::string_view kernel) {
  PtxHints hints;
  const std::string_view definition = kernel_in(ptx, kernel);
  if (definition.empty()) return hints;
  hints.parameters = parameters_of(definition);
  std::set<std::string_view> loads;
  std::set<std::string_view> stores;
  bool calls = false;
  for (const std::string_view mnemonic : mnemonics_of(definition.substr(definition.find('{')))) {
    const bool is_global =
        has(mnemonic, ".global") || !(has(mnemonic, ".shared") || has(mnemonic, ".param") ||
                                      has(mnemonic, ".local") || has(mnemonic, ".const"));
    if (is_global && mnemonic.starts_with("ld.")) loads.insert(last_type(mnemonic));
    if (is_global && mnemonic.starts_with("st.")) stores.insert(last_type(mnemonic));
    // Of others, such as bulk copies, the type is not told.
    if (mnemonic.starts_with("cp.")) loads.insert(mnemonic);
    if (mnemonic.starts_with("call")) calls = true;
    if (has(mnemonic, ".f16") || has(mnemonic, ".f16x2")) hints.has_f16 = true;
    if (has(mnemonic, ".bf16") || has(mnemonic, ".bf16x2")) hints.has_bf16 = true;
    if (adds_floats(mnemonic)) hints.adds_floats_atomically = true;
  }
  if (!calls) {
    hints.only_loads = only_floating(loads);
    hints.only_stores = only_floating(stores);
  }
  return hints;
}

}  // namespace autokernel::programs
