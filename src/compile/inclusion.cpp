#include "autokernel/compile/inclusion.h"

#include <algorithm>
#include <vector>

#include "autokernel/compile/source_text.h"

namespace autokernel::compile {
namespace {

// `#include <x>` or `# include "x"`, without what stands around it; empty where the line is none.
std::string_view named_header(std::string_view line) {
  constexpr std::string_view kBlank = " \t";
  constexpr std::string_view kWord = "include";
  const auto skip = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  };
  skip();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip();
  if (!line.starts_with(kWord)) return {};
  line.remove_prefix(kWord.size());
  skip();
  if (line.empty() || (line.front() != '<' && line.front() != '"')) return {};
  const std::size_t close = line.find(line.front() == '<' ? '>' : '"', 1);
  return close == std::string_view::npos ? std::string_view() : line.substr(0, close + 1);
}

std::string_view without_marks(std::string_view header) {
  return header.substr(1, header.size() - 2);
}

bool is_named(std::string_view path, std::string_view header) {
  const std::string_view name = without_marks(header);
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '/';
}

// "<cub/cub.cuh>" is of the library that /usr/include/cub/util.cuh is of.
bool is_of_library(std::string_view path, std::string_view header) {
  const std::string_view name = without_marks(header);
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  return path.find("/" + std::string(name.substr(0, slash + 1))) != std::string_view::npos;
}

bool is_ours(const Inclusion& inclusion) {
  return without_marks(inclusion.header) == "autokernel.cuh";
}

}  // namespace

std::vector<Inclusion> inclusions(std::string_view source) {
  std::vector<Inclusion> found;
  const std::string code = without_comments(source);
  std::size_t begin = 0;
  for (std::size_t line = 1; begin < source.size(); ++line) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view header = named_header(source.substr(begin, end - begin));
    // What is in a literal or a comment is blank there.
    const bool is_code = code.find('#', begin) < end;
    if (!header.empty() && is_code) {
      const auto offset = static_cast<std::size_t>(header.data() - source.data());
      found.push_back({line, offset, std::string(header)});
    }
    begin = end + 1;
  }
  return found;
}

bool has_hidden_inclusion(std::string_view source) {
  // As the compiler goes about it: lines are joined, then comments become blanks, then directives
  // are looked for.
  std::string joined;
  joined.reserve(source.size());
  for (std::size_t at = 0; at < source.size(); ++at) {
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("\\\n")) {
      at += 1;
    } else if (rest.starts_with("\\\r\n")) {
      at += 2;
    } else {
      joined += rest.front();
    }
  }
  const std::string code = without_comments(joined);
  std::size_t directives = 0;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    std::string_view line = std::string_view(code).substr(begin, end - begin);
    begin = end + 1;
    const auto skip = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t\v\f\r"), line.size()));
    };
    skip();
    if (!line.starts_with('#') && !line.starts_with("%:")) continue;
    line.remove_prefix(line.front() == '#' ? 1 : 2);
    skip();
    if (line.starts_with("include") || line.starts_with("import")) ++directives;
  }
  return directives != inclusions(source).size();
}

std::string with_names_resolved(
    std::string text,
    const std::function<std::optional<std::string>(const std::string& name, bool is_quoted)>&
        resolve) {
  std::size_t grown = 0;
  for (const Inclusion& inclusion : inclusions(std::string(text))) {
    const std::string name(without_marks(inclusion.header));
    const auto found = resolve(name, inclusion.header.front() == '"');
    if (!found || *found == name) continue;
    text.replace(inclusion.offset + 1 + grown, name.size(), *found);
    grown += found->size() - name.size();
  }
  return text;
}

std::optional<Inclusion> inclusion_of(std::string_view source, std::string_view path) {
  std::vector<Inclusion> all = inclusions(source);
  std::erase_if(all, is_ours);
  for (const auto matches : {is_named, is_of_library}) {
    const auto found = std::ranges::find_if(
        all, [&](const Inclusion& each) { return matches(path, each.header); });
    if (found != all.end()) return *found;
  }
  if (all.size() != 1) return std::nullopt;
  return all.front();
}

}  // namespace autokernel::compile
