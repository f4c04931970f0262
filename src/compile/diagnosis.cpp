#include "compile/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <ranges>
#include <sstream>
#include <string_view>
#include <vector>

#include "autokernel/compile/inclusion.h"
#include "autokernel/compile/program.h"
#include "autokernel/compile/source_text.h"
#include "compile/builtin_headers.h"
#include "compile/hints.h"
#include "compile/kernel_names.h"
#include "compile/limits.h"
#include "compile/ptxas_report.h"

namespace autokernel::compile {
namespace {

struct Diagnostic {
  std::string file;
  std::size_t line = 0;
  std::string message;
};

// NVRTC carries declarations of its own.
constexpr std::string_view kBuiltIn = "__nv_nvrtc_builtin_header.h";

// Names of the served header that are unknown where it was not included.
constexpr std::string_view kMacro = "AUTOKERNEL_LAUNCH";
constexpr std::string_view kInclude = "<autokernel.cuh>";

// The longest source line worth showing.
constexpr std::size_t kLongestLine = 160;
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// "kernel.cu(12): error: ..", also "catastrophic error" and "error #20-D".
std::optional<Diagnostic> error_in(std::string_view line) {
  for (const std::string_view kind : {"): error", "): catastrophic error"}) {
    const std::size_t close = line.find(kind);
    if (close == std::string_view::npos) continue;
    const std::size_t open = line.rfind('(', close);
    const std::size_t colon = line.find(": ", close + kind.size());
    if (open == std::string_view::npos || colon == std::string_view::npos) continue;
    Diagnostic found;
    const auto [end, error] =
        std::from_chars(line.data() + open + 1, line.data() + close, found.line);
    if (error != std::errc{} || end != line.data() + close) continue;
    found.file = line.substr(0, open);
    found.message = line.substr(colon + 2);
    return found;
  }
  return std::nullopt;
}

// "At end of source: error: expected a "}"", which has no line of its own, and below it the place
// of the brace that is open: "kernel.cu(3): note #3196-D: to match this "{"".
std::optional<Diagnostic> error_at_end(const std::vector<std::string>& log, std::size_t at,
                                       const Source& source) {
  constexpr std::string_view kAtEnd = "At end of source: ";
  constexpr std::string_view kMatch = "to match this ";
  const std::string& line = log[at];
  const std::size_t colon = line.find(": ", kAtEnd.size());
  if (!line.starts_with(kAtEnd) || colon == std::string::npos ||
      line.find("error") != kAtEnd.size()) {
    return std::nullopt;
  }
  Diagnostic found{
      .file = source.name, .line = lines_of(source.text).size(), .message = line.substr(colon + 2)};
  if (at + 1 == log.size()) return found;
  const std::string_view note = log[at + 1];
  const std::size_t close = note.find("): note");
  const std::size_t match = note.find(kMatch);
  const std::size_t open = close == std::string_view::npos ? close : note.rfind('(', close);
  if (match == std::string_view::npos || open == std::string_view::npos) return found;
  found.file = note.substr(0, open);
  std::from_chars(note.data() + open + 1, note.data() + close, found.line);
  found.message += fmt::format(" {}", note.substr(match));
  return found;
}

// The line of the source that led to an error in a header: "detected during .. at line 12 of
// kernel.cu". None where the log does not say.
SourceLine line_that_led_to(const std::vector<std::string>& log, std::size_t from,
                            const Source& source) {
  constexpr std::string_view kAtLine = "at line ";
  constexpr std::string_view kOf = " of ";
  for (std::size_t i = from; i < log.size() && !error_in(log[i]); ++i) {
    const std::string_view line = log[i];
    const std::size_t at = line.rfind(kAtLine);
    const std::size_t of = at == std::string_view::npos ? at : line.find(kOf, at);
    if (of == std::string_view::npos) continue;
    std::string_view file = line.substr(of + kOf.size());
    while (!file.empty() && (file.back() == ' ' || file.back() == ']')) file.remove_suffix(1);
    if (text_of(source, file) == nullptr) continue;
    SourceLine found{.file = std::string(file)};
    std::from_chars(line.data() + at + kAtLine.size(), line.data() + line.size(), found.line);
    return found;
  }
  return {};
}

std::string source_line(const std::string& text, std::size_t number) {
  const std::vector<std::string> lines = lines_of(text);
  if (number == 0 || number > lines.size()) return "";
  std::string line = lines[number - 1];
  line.erase(0, line.find_first_not_of(" \t"));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
    line.pop_back();
  if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + "...";
  return line;
}

// The path by which one of the source's own files can be included that is called like the one that
// was not found, but for its folder and for capital letters; empty where there is none.
std::string near_miss(const Source& source, const std::string& message) {
  constexpr std::string_view kMissing = "open source file \"";
  const std::size_t at = message.find(kMissing);
  const std::size_t close = at == std::string::npos ? at : message.find('"', at + kMissing.size());
  if (close == std::string::npos) return {};
  const auto name_of = [](std::string path) {
    path = path.substr(path.rfind('/') + 1);
    std::ranges::transform(path, path.begin(), [](unsigned char c) { return std::tolower(c); });
    return path;
  };
  const std::string wanted =
      name_of(message.substr(at + kMissing.size(), close - at - kMissing.size()));
  for (const auto& [path, text] : source.files) {
    if (name_of(path) == wanted) return path;
  }
  return {};
}

// A header that is included twice meets its own definitions.
bool is_repeated(const Diagnostic& diagnostic, const Source& source) {
  return source.files.contains(diagnostic.file) &&
         diagnostic.message.find(
             fmt::format("(previous definition at line {})", diagnostic.line)) != std::string::npos;
}

std::string advice_on(const Diagnostic& diagnostic, const std::string& line, const Source& source,
                      const std::string& text, std::size_t number) {
  if (const std::string path = near_miss(source, diagnostic.message); !path.empty())
    return fmt::format("write #include \"{}\"", path);
  if (is_repeated(diagnostic, source))
    return "it is included twice: write #pragma once at the top of it";
  const bool macro_unknown = line.find(kMacro) != std::string::npos &&
                             text.find(kInclude) == std::string::npos &&
                             diagnostic.message.find("already been defined") == std::string::npos;
  if (macro_unknown) return "write #include <autokernel.cuh> at the top of the file";
  const bool lacks_braces = line.find(kMacro) != std::string::npos &&
                            diagnostic.message.find("designator") != std::string::npos;
  if (lacks_braces) return "write each launch in braces: AUTOKERNEL_LAUNCH({.kernel = ..., ...});";
  return hint(diagnostic.message, text, number);
}

// An error in a header that no line of the source used: including it is what does not compile.
// None where none of its files is known to have included it.
std::optional<std::string> described_by_inclusion(const Diagnostic& diagnostic,
                                                  const Source& source,
                                                  const KnownHeaders& headers) {
  const auto in_file = [&](const std::string& name,
                           const std::string& text) -> std::optional<std::string> {
    const auto inclusion = inclusion_of(text, diagnostic.file);
    if (!inclusion) return std::nullopt;
    const std::string advice = headers.library.contains(diagnostic.file)
                                   ? hint_on_library(diagnostic.message)
                                   : hint_on_cuda_header(inclusion->header);
    return fmt::format("{}:{}: error: {} does not compile here: {} ({}:{})\n    {}{}{}", name,
                       inclusion->line, inclusion->header, diagnostic.message, diagnostic.file,
                       diagnostic.line, source_line(text, inclusion->line),
                       advice.empty() ? "" : "\n", advice);
  };
  if (auto found = in_file(source.name, source.text)) return found;
  for (const auto& [name, text] : source.files) {
    if (auto found = in_file(name, text)) return found;
  }
  return std::nullopt;
}

std::string described(const Diagnostic& diagnostic, const Source& source, const SourceLine& led_by,
                      const KnownHeaders& headers) {
  const bool in_source = text_of(source, diagnostic.file) != nullptr;
  const bool is_included = !in_source && diagnostic.file != kServedHeaderName &&
                           diagnostic.file != kSizesHeaderName && diagnostic.file != kBuiltIn;
  if (is_included && led_by.line == 0) {
    if (auto text = described_by_inclusion(diagnostic, source, headers)) return *std::move(text);
  }
  const std::string& file = in_source ? diagnostic.file : led_by.file;
  const std::size_t number = in_source ? diagnostic.line : led_by.line;
  std::string text = number > 0 ? fmt::format("{}:{}: error: {}", file, number, diagnostic.message)
                                : fmt::format("{}:{}: error: {}", diagnostic.file, diagnostic.line,
                                              diagnostic.message);
  if (!in_source && number > 0)
    text += fmt::format(" (in {}:{})", diagnostic.file, diagnostic.line);
  const std::string* const of_file = text_of(source, number > 0 ? file : source.name);
  const std::string line = source_line(*of_file, number);
  if (!line.empty()) text += "\n    " + line;
  const std::string advice = advice_on(diagnostic, line, source, *of_file, number);
  if (!advice.empty()) text += "\n" + advice;
  return text;
}

// Whether a file is one that kernels are meant to include.
bool is_header(const std::string& file, const KnownHeaders& headers) {
  if (file == kServedHeaderName || file == kSizesHeaderName || file == kBuiltIn) return true;
  if (headers.library.contains(file)) return true;
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  return std::ranges::any_of(headers.cuda, [&](const std::filesystem::path& folder) {
    const std::string rest = path.lexically_relative(folder.lexically_normal()).string();
    return !rest.empty() && !rest.starts_with("..");
  });
}

std::string foreign(const Diagnostic& diagnostic, const Source& source) {
  return fmt::format(
      "{}: it includes {}, which does not compile (line {}); include nothing but "
      "<autokernel.cuh>, CUDA's headers, those of [compile] include, and files that editable_files "
      "of the case names",
      source.name, diagnostic.file, diagnostic.line);
}

// The line of the source that led to "ptxas application ptx input, line 38; fatal : ..": the number
// is of the PTX. Line 0 where that is unknown.
SourceLine line_assembled(const std::string& message, const std::string& ptx,
                          const Source& source) {
  constexpr std::string_view kLine = ", line ";
  SourceLine unknown{.file = source.name};
  const std::size_t at = message.find(kLine);
  if (at == std::string::npos) return unknown;
  std::uint32_t number = 0;
  std::from_chars(message.data() + at + kLine.size(), message.data() + message.size(), number);
  return compile::source_line(ptx, source, number).value_or(std::move(unknown));
}

// Errors of ptxas name lines of the PTX: they are about inline assembly, calls that nothing
// answers, or limits.
std::optional<std::string> ptxas_error(const std::vector<std::string>& log, const Source& source,
                                       const std::string& ptx) {
  for (const std::string& line : log) {
    const bool fatal = line.starts_with("ptxas fatal");
    // "error" or "fatal", behind a place or not.
    const bool error = line.starts_with("ptxas") && (line.find("error") != std::string::npos ||
                                                     line.find("; fatal") != std::string::npos);
    if (!fatal && !error) continue;
    const std::size_t external = line.find("Unresolved extern function");
    if (external != std::string::npos) {
      const std::size_t open = line.find('\'', external);
      const std::size_t close = line.find('\'', open == std::string::npos ? open : open + 1);
      const std::string name =
          close == std::string::npos ? "" : readable_name(line.substr(open + 1, close - open - 1));
      return fmt::format("{}{}: it is declared and called but not defined in the file",
                         name.empty() ? place(source.name, 0) : place(place_of_word(source, name)),
                         line.substr(external));
    }
    return fmt::format("{}{} (the lines of ptxas are of the generated PTX: look at the inline asm)",
                       place(line_assembled(line, ptx, source)), line);
  }
  return std::nullopt;
}

}  // namespace

std::string first_error(const std::string& log, const Source& source, const KnownHeaders& headers,
                        const std::string& ptx) {
  const std::vector<std::string> lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto found = error_at_end(lines, i, source);
    if (!found) found = error_in(lines[i]);
    if (!found) continue;
    if (text_of(source, found->file) == nullptr && !is_header(found->file, headers))
      return foreign(*found, source);
    return described(*found, source, line_that_led_to(lines, i + 1, source), headers);
  }
  if (auto found = ptxas_error(lines, source, ptx)) return *found;
  if (auto found = too_much_static_shared(read_ptxas_report(log).resources, source)) return *found;
  const auto last = std::ranges::find_if(std::ranges::reverse_view(lines),
                                         [](const std::string& l) { return !l.empty(); });
  return fmt::format("{}: the compiler rejects it without an error message; its last line: {}",
                     source.name, last == lines.rend() ? "nothing" : *last);
}

}  // namespace autokernel::compile
