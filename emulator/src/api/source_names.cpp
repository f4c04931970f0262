#include "api/source_names.h"

#include <algorithm>
#include <string_view>

namespace emulator::api {
namespace {

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// "%rd6" of "ld.global.f32 %f1, [%rd6+4]"; empty where the address is no register's.
std::string_view address_register(std::string_view instruction) {
  const std::size_t open = instruction.find("[%");
  if (open == std::string_view::npos) return {};
  const std::string_view behind = instruction.substr(open + 1);
  return behind.substr(0, behind.find_first_of("+-] ,"));
}

// Whether a line of PTX writes the register: "add.s64 %rd6, %rd4, %rd5;".
bool writes(std::string_view line, std::string_view reg) {
  const std::string_view statement = trimmed(line);
  const std::size_t blank = statement.find_first_of(" \t");
  if (blank == std::string_view::npos) return false;
  const std::string_view operands = trimmed(statement.substr(blank));
  return operands.starts_with(reg) && operands.substr(reg.size()).starts_with(',');
}

// The nearest line of PTX above, of the same function, that writes the register; 0: none does.
std::uint32_t line_that_writes(std::string_view ptx, std::uint32_t ptx_line, std::string_view reg) {
  std::uint32_t found = 0;
  std::uint32_t number = 1;
  for (std::size_t at = 0; at < ptx.size() && number < ptx_line; ++number) {
    const std::string_view line = ptx.substr(at, ptx.find('\n', at) - at);
    if (line.starts_with('}')) found = 0;
    if (writes(line, reg)) found = number;
    at += line.size() + 1;
  }
  return found;
}

// A relative path is as the source's owner wrote it, and says which of two files of a name it is.
std::string text_of(const ptx::SourceLine& line) {
  const std::string name = line.file.starts_with('/') ? without_folder(line.file) : line.file;
  return name + ":" + std::to_string(line.line);
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

std::uint32_t SourceNames::address_line(std::uint32_t ptx_line,
                                        const std::string& instruction) const {
  const std::string_view reg = address_register(instruction);
  if (texts_.size() != 1 || reg.empty()) return 0;
  const std::uint32_t written = line_that_writes(texts_.front(), ptx_line, reg);
  if (written == 0) return 0;
  const std::vector<ptx::SourceLine> here = lines(ptx_line);
  const std::vector<ptx::SourceLine> there = lines(written);
  const ptx::SourceLine* access = line_to_look_at(here);
  const ptx::SourceLine* address = line_to_look_at(there);
  const bool is_other = access != nullptr && address != nullptr && access->file == address->file &&
                        access->line != address->line;
  return is_other ? address->line : 0;
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
