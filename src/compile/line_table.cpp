// From a line of PTX to the line of the source it was made from, by the .loc directives that the
// compiler leaves there.
#include <charconv>
#include <map>
#include <ranges>
#include <string_view>
#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/compile/source_text.h"

namespace autokernel::compile {
namespace {

struct Location {
  std::uint32_t file = 0;  // 0: none
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

// A .loc directive: a place, and where its function was called if it was inlined there.
struct Directive {
  Location own;
  std::optional<Location> caller;
};

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// Takes the number at the front of `text`, blanks before it included; 0 where there is none.
std::uint32_t take_number(std::string_view& text) {
  text = without_leading_blanks(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

Location take_location(std::string_view text) {
  Location location;
  location.file = take_number(text);
  location.line = take_number(text);
  location.column = take_number(text);
  return location;
}

Directive directive_of(std::string_view text) {
  constexpr std::string_view kCaller = "inlined_at";
  Directive directive{take_location(text), std::nullopt};
  const std::size_t at = text.find(kCaller);
  if (at != std::string_view::npos)
    directive.caller = take_location(text.substr(at + kCaller.size()));
  return directive;
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, text.find('\n', begin) - begin);
}

// `.file 1 "/folder/kernel.cu"` by number. They stand at the end of the text.
std::map<std::uint32_t, std::string> files_of(std::string_view ptx) {
  constexpr std::string_view kFile = ".file";
  std::map<std::uint32_t, std::string> files;
  for (std::size_t at = 0; at < ptx.size(); at += line_at(ptx, at).size() + 1) {
    std::string_view line = without_leading_blanks(line_at(ptx, at));
    if (!line.starts_with(kFile)) continue;
    line.remove_prefix(kFile.size());
    const std::uint32_t number = take_number(line);
    const std::size_t open = line.find('"');
    const std::size_t close = line.rfind('"');
    if (open == std::string_view::npos || close == open) continue;
    files[number] = line.substr(open + 1, close - open - 1);
  }
  return files;
}

// The directives of the function that holds a line of PTX, up to that line: the last one is in
// force there.
std::vector<Directive> directives_before(std::string_view ptx, std::uint32_t ptx_line) {
  constexpr std::string_view kLoc = ".loc";
  std::vector<Directive> found;
  std::uint32_t number = 1;
  for (std::size_t at = 0; at < ptx.size() && number <= ptx_line; ++number) {
    const std::string_view whole = line_at(ptx, at);
    const std::string_view line = without_leading_blanks(whole);
    if (line.starts_with(kLoc)) found.push_back(directive_of(line.substr(kLoc.size())));
    // What stands behind the end of a function belongs to another.
    if (whole.starts_with("}")) found.clear();
    at += whole.size() + 1;
  }
  return number > ptx_line ? found : std::vector<Directive>();
}

}  // namespace

std::optional<SourceLine> source_line(const std::string& ptx, const Source& source,
                                      std::uint32_t ptx_line) {
  const std::vector<Directive> directives = directives_before(ptx, ptx_line);
  const std::map<std::uint32_t, std::string> files = files_of(ptx);
  const std::string compiled = compiled_name(source.name);
  const std::string main = compiled.substr(compiled.rfind('/'));
  const auto in_source = [&](const Location& location) -> std::optional<SourceLine> {
    const auto path = files.find(location.file);
    if (location.line == 0 || path == files.end()) return std::nullopt;
    if (path->second.ends_with(main)) return SourceLine{source.name, location.line};
    // A file that was compiled from memory is called what it was included as, behind the folder
    // that the compiler runs in.
    for (const auto& [name, text] : source.files) {
      if (path->second == name || path->second.ends_with("/" + name))
        return SourceLine{name, location.line};
    }
    return std::nullopt;
  };
  // Of a header's function that was inlined, the line that called it; where that stands in a header
  // as well, an earlier directive says who called that.
  std::optional<Location> wanted;
  for (const Directive& directive : std::ranges::reverse_view(directives)) {
    if (wanted && directive.own != *wanted) continue;
    if (auto line = in_source(directive.own)) return line;
    wanted = directive.caller;
    if (!wanted) return std::nullopt;
    if (auto line = in_source(*wanted)) return line;
  }
  return std::nullopt;
}

}  // namespace autokernel::compile
