#include "autokernel/compile/module_objects.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace autokernel::compile {
namespace {

[[nodiscard]] bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$';
}

// Where the text has that name as a whole, from `at` on.
[[nodiscard]] std::size_t mention(std::string_view text, std::string_view name, std::size_t at) {
  for (at = text.find(name, at); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end])))
      return at;
  }
  return at;
}

[[nodiscard]] int mentions(std::string_view text, std::string_view name) {
  int count = 0;
  for (std::size_t at = mention(text, name, 0); at != std::string_view::npos;
       at = mention(text, name, at + 1))
    ++count;
  return count;
}

// A mention, and the line that it is in: compilers write a statement in a line of its own.
struct Mention {
  std::string_view line;    // without blanks in front
  std::string_view before;  // of the line, what stands before the name
};

[[nodiscard]] Mention mention_at(std::string_view ptx, std::size_t at) {
  const std::size_t end_before = ptx.find_last_of('\n', at);
  std::size_t begin = end_before == std::string_view::npos ? 0 : end_before + 1;
  begin = ptx.find_first_not_of(" \t", begin);
  return {ptx.substr(begin, ptx.find('\n', at) - begin), ptx.substr(begin, at - begin)};
}

[[nodiscard]] bool declares(const Mention& mention, std::string_view space) {
  return mention.line.starts_with('.') && mention.before.find(space) != std::string_view::npos &&
         mention.before.find('=') == std::string_view::npos;
}

// Loads it by its name, and does nothing else in that line, as inline PTX may; under a predicate
// perhaps: "@%p1 ld.global.u32 ...".
[[nodiscard]] bool is_load(std::string_view line) {
  if (line.find(';') + 1 != line.size()) return false;
  if (line.starts_with('@')) {
    line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  }
  return line.starts_with("ld.");
}

[[nodiscard]] bool may_change(std::string_view ptx, std::string_view name) {
  bool may = false;
  for (std::size_t at = mention(ptx, name, 0); at != std::string_view::npos;
       at = mention(ptx, name, at + 1)) {
    const Mention found = mention_at(ptx, at);
    if (declares(found, ".const ")) return false;
    may |= !declares(found, ".global ") && !found.line.starts_with("//") && !is_load(found.line);
  }
  return may;
}

}  // namespace

bool uses_objects(const Program& program) {
  return std::ranges::any_of(program.objects, [&](const ModuleObject& object) {
    return mentions(program.ptx, object.name) != 1;
  });
}

bool may_read_objects(const Program& program, const std::string& kernel) {
  const std::size_t entry = program.ptx.find(".entry " + kernel);
  const std::size_t body = program.ptx.find('{', entry);
  if (entry == std::string::npos || body == std::string::npos) return false;
  std::size_t end = body;
  for (int depth = 0; end < program.ptx.size(); ++end) {
    if (program.ptx[end] == '{') ++depth;
    if (program.ptx[end] == '}' && --depth == 0) break;
  }
  std::string text = program.ptx.substr(body, end - body);
  if (mentions(text, "call") > 0) text = program.ptx.substr(0, entry) + text;
  const int least = mentions(text, "call") > 0 ? 2 : 1;  // a declaration may be among it
  return std::ranges::any_of(program.objects, [&](const ModuleObject& object) {
    return mentions(text, object.name) >= least;
  });
}

std::vector<ModuleObject> changeable_objects(const Program& program) {
  std::vector<ModuleObject> found;
  for (const ModuleObject& object : program.objects) {
    if (program.ptx.empty() || may_change(program.ptx, object.name)) found.push_back(object);
  }
  return found;
}

}  // namespace autokernel::compile
