#include "compile/kernel_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace autokernel::compile {
namespace {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

// Where a character stands outside of every <> and (), from `start` on.
std::size_t find_outside(const std::string& text, char wanted) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text[i] == wanted) return i;
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
  }
  return std::string::npos;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace

std::string readable_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;
  std::string text = demangled(mangled);
  text.resize(std::min(text.size(), find_outside(text, '(')));
  // Instances of templates carry their return type, which for a kernel is void.
  const std::size_t blank = find_outside(text, ' ');
  return blank == std::string::npos ? text : text.substr(blank + 1);
}

std::optional<std::string> resolve_kernel(const std::string& name,
                                          const std::vector<std::string>& kernels) {
  if (std::ranges::find(kernels, name) != kernels.end()) return name;
  // "f<float,2>" is "f<float, 2>".
  const std::string wanted = without_blanks(name);
  std::optional<std::string> found;
  for (const std::string& kernel : kernels) {
    if (without_blanks(readable_name(kernel)) != wanted) continue;
    if (found) return std::nullopt;
    found = kernel;
  }
  return found;
}

std::string source_name(const std::string& name) {
  std::string text = name.starts_with("_Z") ? demangled(name) : name;
  // Of a function its parameters stand behind it; of a function's own variable the function stands
  // before it.
  if (text.ends_with(')')) text = readable_name(name);
  std::size_t begin = 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if ((text[i] == '>' || text[i] == ')') && depth > 0) --depth;
    if (depth == 0 && text[i] == ':' && text[i + 1] == ':') begin = i + 2;
  }
  return text.substr(begin, text.find('<', begin) - begin);
}

}  // namespace autokernel::compile
