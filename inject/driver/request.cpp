#include "driver/request.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace autokernel::inject {
namespace {

// More than a launch of nearly every program reaches.
constexpr std::uint64_t kDefaultBytes = std::uint64_t{4} << 30U;

[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, separator);) pieces.push_back(piece);
  return pieces;
}

[[nodiscard]] std::vector<unsigned> numbers(const std::string& text) {
  std::vector<unsigned> found;
  if (text == "*") return found;
  for (const std::string& piece : split(text, ',')) {
    found.push_back(static_cast<unsigned>(std::strtoul(piece.c_str(), nullptr, 10)));
  }
  return found;
}

[[nodiscard]] std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

[[nodiscard]] Request read() {
  Request read;
  read.folder = variable("AUTOKERNEL_CAPTURE_DIR");
  const std::string bytes = variable("AUTOKERNEL_CAPTURE_BYTES");
  read.most_bytes = bytes.empty() ? kDefaultBytes : std::strtoull(bytes.c_str(), nullptr, 10);
  std::ifstream in(variable("AUTOKERNEL_CAPTURE"));
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> fields = split(line, '\t');
    constexpr std::size_t kFields = 5;
    if (fields.size() != kFields) continue;
    Wanted wanted;
    wanted.name = fields[0];
    wanted.grid = numbers(fields[1]);
    wanted.block = numbers(fields[2]);
    if (fields[3] != "*") wanted.shared_bytes = std::strtol(fields[3].c_str(), nullptr, 10);
    for (const std::string& piece : split(fields[4], ',')) {
      wanted.occurrences.insert(std::strtoull(piece.c_str(), nullptr, 10));
    }
    read.wanted.push_back(std::move(wanted));
  }
  return read;
}

}  // namespace

bool Wanted::matches(const Shape& shape) const {
  return (grid.empty() || std::ranges::equal(grid, shape.grid)) &&
         (block.empty() || std::ranges::equal(block, shape.block)) &&
         (shared_bytes < 0 || static_cast<unsigned long>(shared_bytes) == shape.shared_bytes);
}

const Request& request() {
  static const auto* const own = new Request(read());
  return *own;
}

}  // namespace autokernel::inject
