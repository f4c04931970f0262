#include "ptx/source_lines.h"

#include <algorithm>
#include <iterator>

namespace emulator::ptx {
namespace {

// Of functions inlined into each other.
constexpr int kDeepestInlining = 256;

}  // namespace

SourceLines::SourceLines(std::string_view ptx) { static_cast<void>(read(ptx)); }

bool SourceLines::read(std::string_view ptx) {
  try {
    TokenStream tokens(ptx);
    std::uint32_t open_braces = 0;
    while (tokens.peek().kind != TokenKind::end) {
      const Token token = tokens.take();
      if (token.kind == TokenKind::punctuation && token.text == "{") ++open_braces;
      if (token.kind == TokenKind::punctuation && token.text == "}") {
        open_braces -= open_braces == 0 ? 0 : 1;
        if (open_braces == 0) end_function(token.where.line);
      }
      if (token.kind != TokenKind::dotted) continue;
      if (open_braces == 0 && (token.text == "entry" || token.text == "func")) {
        header_line_ = token.where.line;
      }
      static_cast<void>(read_directive(token, tokens));
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool SourceLines::read_directive(const Token& word, TokenStream& tokens) {
  try {
    if (word.text == "loc") add(word.where.line, read_loc(tokens));
    if (word.text == "file") {
      const FileDirective file = read_file(tokens);
      files_.try_emplace(file.number, file.name);
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

void SourceLines::add(std::uint32_t ptx_line, const LocDirective& loc) {
  Stretch stretch{ptx_line, loc.place, loc.inlined_at, std::nullopt};
  if (stretch.caller) {
    const auto known = latest_.find(*stretch.caller);
    if (known != latest_.end()) stretch.callers_stretch = known->second;
  }
  // The first line of a function is that of its header, too, which has no directive.
  if (header_line_ != 0)
    stretches_.push_back({header_line_, loc.place, std::nullopt, std::nullopt});
  header_line_ = 0;
  latest_[loc.place] = stretches_.size();
  stretches_.push_back(stretch);
}

void SourceLines::end_function(std::uint32_t ptx_line) {
  header_line_ = 0;
  if (latest_.empty()) return;
  latest_.clear();
  stretches_.push_back({ptx_line, {}, std::nullopt, std::nullopt});
}

void SourceLines::name(const SourcePlace& place, std::vector<SourceLine>& lines) const {
  const auto file = files_.find(place.file);
  if (place.line != 0 && file != files_.end()) lines.push_back({file->second, place.line});
}

std::vector<SourceLine> SourceLines::at(std::uint32_t ptx_line) const {
  const auto behind = std::ranges::upper_bound(stretches_, ptx_line, {}, &Stretch::ptx_line);
  if (behind == stretches_.begin()) return {};
  const Stretch* stretch = &*std::prev(behind);
  std::vector<SourceLine> lines;
  name(stretch->place, lines);
  // Callers lie in earlier stretches, so this ends; a text made for it could make it long.
  for (int depth = 0; stretch->caller && depth < kDeepestInlining; ++depth) {
    name(*stretch->caller, lines);
    if (!stretch->callers_stretch) break;
    stretch = &stretches_[*stretch->callers_stretch];
  }
  return lines;
}

}  // namespace emulator::ptx
