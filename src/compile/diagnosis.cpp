#include "compile/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <ranges>
#include <sstream>
#include <string_view>
#include <vector>

#include "autokernel/compile/compiler.h"
#include "compile/builtin_headers.h"
#include "compile/hints.h"
#include "compile/inclusion.h"
#include "compile/kernel_names.h"
#include "compile/limits.h"
#include "compile/ptxas_report.h"
#include "compile/source_text.h"

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
                                       const std::string& source, const std::string& file_name) {
  constexpr std::string_view kAtEnd = "At end of source: ";
  constexpr std::string_view kMatch = "to match this ";
  const std::string& line = log[at];
  const std::size_t colon = line.find(": ", kAtEnd.size());
  if (!line.starts_with(kAtEnd) || colon == std::string::npos ||
      line.find("error") != kAtEnd.size()) {
    return std::nullopt;
  }
  Diagnostic found{
      .file = file_name, .line = lines_of(source).size(), .message = line.substr(colon + 2)};
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

// The line of the file that led to an error in a header: "detected during .. at line 12 of
// kernel.cu".
std::size_t line_that_led_to(const std::vector<std::string>& log, std::size_t from,
                             const std::string& file_name) {
  constexpr std::string_view kAtLine = "at line ";
  for (std::size_t i = from; i < log.size() && !error_in(log[i]); ++i) {
    const std::string_view line = log[i];
    const std::size_t at = line.rfind(kAtLine);
    if (at == std::string_view::npos || line.find(" of " + file_name) == std::string_view::npos)
      continue;
    std::size_t number = 0;
    std::from_chars(line.data() + at + kAtLine.size(), line.data() + line.size(), number);
    return number;
  }
  return 0;
}

std::string source_line(const std::string& source, std::size_t number) {
  const std::vector<std::string> lines = lines_of(source);
  if (number == 0 || number > lines.size()) return "";
  std::string line = lines[number - 1];
  line.erase(0, line.find_first_not_of(" \t"));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
    line.pop_back();
  if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + "...";
  return line;
}

std::string advice_on(const Diagnostic& diagnostic, const std::string& line,
                      const std::string& source, std::size_t number) {
  const bool macro_unknown =
      line.find(kMacro) != std::string::npos && source.find(kInclude) == std::string::npos;
  if (macro_unknown) return "write #include <autokernel.cuh> at the top of the file";
  const bool lacks_braces = line.find(kMacro) != std::string::npos &&
                            diagnostic.message.find("designator") != std::string::npos;
  if (lacks_braces) return "write each launch in braces: AUTOKERNEL_LAUNCH({.kernel = ..., ...});";
  return hint(diagnostic.message, source, number);
}

// An error in a header that no line of the file used: including it is what does not compile.
std::string described_by(const Inclusion& inclusion, const Diagnostic& diagnostic,
                         const std::string& source, const std::string& file_name,
                         const std::string& advice) {
  return fmt::format("{}:{}: error: {} does not compile here: {} ({}:{})\n    {}{}{}", file_name,
                     inclusion.line, inclusion.header, diagnostic.message, diagnostic.file,
                     diagnostic.line, source_line(source, inclusion.line),
                     advice.empty() ? "" : "\n", advice);
}

std::string described(const Diagnostic& diagnostic, const std::string& source,
                      const std::string& file_name, std::size_t led_by,
                      const KnownHeaders& headers) {
  const bool in_file = diagnostic.file == file_name;
  const bool is_included = !in_file && diagnostic.file != kServedHeaderName &&
                           diagnostic.file != kSizesHeaderName && diagnostic.file != kBuiltIn;
  if (is_included && led_by == 0) {
    if (const auto inclusion = inclusion_of(source, diagnostic.file))
      return described_by(*inclusion, diagnostic, source, file_name,
                          headers.library.contains(diagnostic.file)
                              ? hint_on_library(diagnostic.message)
                              : hint_on_cuda_header(inclusion->header));
  }
  const std::size_t number = in_file ? diagnostic.line : led_by;
  std::string text =
      number > 0
          ? fmt::format("{}:{}: error: {}", file_name, number, diagnostic.message)
          : fmt::format("{}:{}: error: {}", diagnostic.file, diagnostic.line, diagnostic.message);
  if (!in_file && number > 0) text += fmt::format(" (in {}:{})", diagnostic.file, diagnostic.line);
  const std::string line = source_line(source, number);
  if (!line.empty()) text += "\n    " + line;
  const std::string advice = advice_on(diagnostic, line, source, number);
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

std::string foreign(const Diagnostic& diagnostic, const std::string& file_name) {
  return fmt::format(
      "{}: it includes {}, which does not compile (line {}); a kernel is one file: include nothing "
      "but <autokernel.cuh> and CUDA's headers",
      file_name, diagnostic.file, diagnostic.line);
}

// The line of the file that led to "ptxas application ptx input, line 38; fatal : ..": the number
// is of the PTX. 0 where that is unknown.
std::uint32_t line_assembled(const std::string& message, const std::string& ptx,
                             const std::string& file_name) {
  constexpr std::string_view kLine = ", line ";
  const std::size_t at = message.find(kLine);
  if (at == std::string::npos) return 0;
  std::uint32_t number = 0;
  std::from_chars(message.data() + at + kLine.size(), message.data() + message.size(), number);
  return compile::source_line(ptx, file_name, number).value_or(0);
}

// Errors of ptxas name lines of the PTX: they are about inline assembly, calls that nothing
// answers, or limits.
std::optional<std::string> ptxas_error(const std::vector<std::string>& log,
                                       const std::string& source, const std::string& file_name,
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
                         place(file_name, name.empty() ? 0 : line_of_word(source, name)),
                         line.substr(external));
    }
    return fmt::format("{}{} (the lines of ptxas are of the generated PTX: look at the inline asm)",
                       place(file_name, line_assembled(line, ptx, file_name)), line);
  }
  return std::nullopt;
}

}  // namespace

std::string first_error(const std::string& log, const std::string& source,
                        const std::string& file_name, const KnownHeaders& headers,
                        const std::string& ptx) {
  const std::vector<std::string> lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto found = error_at_end(lines, i, source, file_name);
    if (!found) found = error_in(lines[i]);
    if (!found) continue;
    if (found->file != file_name && !is_header(found->file, headers))
      return foreign(*found, file_name);
    return described(*found, source, file_name, line_that_led_to(lines, i + 1, file_name), headers);
  }
  if (auto found = ptxas_error(lines, source, file_name, ptx)) return *found;
  if (auto found = too_much_static_shared(read_ptxas_report(log).resources, source, file_name)) {
    return *found;
  }
  const auto last = std::ranges::find_if(std::ranges::reverse_view(lines),
                                         [](const std::string& l) { return !l.empty(); });
  return fmt::format("{}: the compiler rejects it without an error message; its last line: {}",
                     file_name, last == lines.rend() ? "nothing" : *last);
}

}  // namespace autokernel::compile
