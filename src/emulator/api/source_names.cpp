#include "emulator/api/source_names.h"

#include <algorithm>

namespace emulator::api {
namespace {

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string text_of(const ptx::SourceLine& line) {
  return without_folder(line.file) + ":" + std::to_string(line.line);
}

}  // namespace

const ptx::SourceLine* line_to_look_at(const std::vector<ptx::SourceLine>& lines) {
  if (lines.empty()) return nullptr;
  return &*std::ranges::find(lines, lines.back().file, &ptx::SourceLine::file);
}

std::vector<ptx::SourceLine> SourceNames::lines(std::uint32_t ptx_line) const {
  if (texts_.size() != 1) return {};
  std::call_once(read_, [this] { lines_.emplace(texts_.front()); });
  return lines_ ? lines_->at(ptx_line) : std::vector<ptx::SourceLine>();
}

std::string SourceNames::place(std::uint32_t ptx_line) const {
  const std::vector<ptx::SourceLine> all = lines(ptx_line);
  const ptx::SourceLine* line = line_to_look_at(all);
  return line == nullptr ? "PTX line " + std::to_string(ptx_line) : text_of(*line);
}

std::string SourceNames::name(std::uint32_t ptx_line) const {
  const std::vector<ptx::SourceLine> all = lines(ptx_line);
  const ptx::SourceLine* line = line_to_look_at(all);
  std::string in_ptx = "PTX line " + std::to_string(ptx_line);
  if (line == nullptr) return in_ptx;
  // What the line leads to is named behind it.
  const std::string inner = line == &all.front() ? "" : "in " + text_of(all.front()) + ", ";
  return text_of(*line) + " (" + inner + in_ptx + ")";
}

}  // namespace emulator::api
