#include "compile/ptx_text.h"

#include <charconv>
#include <string_view>

namespace autokernel::compile {
namespace {

// A constant larger than the whole of constant memory is none.
constexpr std::size_t kMostBytes = 64 << 10;
// More threads than any block has: what is larger was not written by a compiler.
constexpr std::size_t kMostThreads = 1 << 16;

// Eats `text` word by word; every step says whether it found what it wanted.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  bool eat(std::string_view wanted) {
    skip_blanks();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  bool number(std::size_t& value, std::size_t most) {
    skip_blanks();
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value > most) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }
  // Up to the next blank or mark.
  std::string_view word() {
    skip_blanks();
    const std::string_view word = text_.substr(0, text_.find_first_of(" \t\r\n,()[]{};"));
    text_.remove_prefix(word.size());
    return word;
  }

 private:
  void skip_blanks() {
    const std::size_t at = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(at == std::string_view::npos ? text_.size() : at);
  }

  std::string_view text_;
};

std::optional<std::vector<std::byte>> parsed(Words words, const std::string& name) {
  std::size_t alignment = 0;
  std::size_t size = 0;
  const bool head = (words.eat(".visible"), words.eat(".const")) && words.eat(".align") &&
                    words.number(alignment, kMostBytes) && words.eat(".b8") && words.eat(name) &&
                    words.eat("[") && words.number(size, kMostBytes) && words.eat("]");
  if (!head) return std::nullopt;
  std::vector<std::byte> bytes;
  if (words.eat("=")) {
    if (!words.eat("{")) return std::nullopt;
    do {
      std::size_t value = 0;
      if (!words.number(value, 255) || bytes.size() == size) return std::nullopt;
      bytes.push_back(static_cast<std::byte>(value));
    } while (words.eat(","));
    if (!words.eat("}")) return std::nullopt;
  }
  if (!words.eat(";")) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

// ".param .u64 name", ".param .align 8 .b8 name[24]", ".param .u64 .ptr .align 1 name".
std::optional<Parameter> parameter(Words& words) {
  std::size_t alignment = 0;
  if (!words.eat(".param")) return std::nullopt;
  if (words.eat(".align") && !words.number(alignment, kMostBytes)) return std::nullopt;
  const std::string_view type = words.word();
  // ".u64", ".b8", ".f32": the digits are the bits.
  std::size_t bits = 0;
  if (type.size() < 3 || !Words(type.substr(2)).number(bits, 128)) return std::nullopt;
  std::string_view name = words.word();
  while (name.starts_with('.')) {
    if (name == ".align" && !words.number(alignment, kMostBytes)) return std::nullopt;
    name = words.word();
  }
  std::size_t count = 1;
  const bool is_array = words.eat("[");
  if (is_array && !(words.number(count, kMostBytes) && words.eat("]"))) return std::nullopt;
  constexpr std::size_t kWordBits = 64;
  const bool is_word = !is_array && bits == kWordBits && (type[1] == 'u' || type[1] == 'b');
  return Parameter{static_cast<std::uint32_t>(bits / 8 * count), is_word};
}

std::optional<std::vector<Parameter>> parameter_list(Words& words) {
  std::vector<Parameter> parameters;
  if (words.eat(")")) return parameters;
  do {
    const auto each = parameter(words);
    if (!each) return std::nullopt;
    parameters.push_back(*each);
  } while (words.eat(","));
  if (!words.eat(")")) return std::nullopt;
  return parameters;
}

// What follows ".entry NAME(".
std::optional<Words> after_entry(const std::string& ptx, const std::string& name) {
  const std::string intro = ".entry " + name + "(";
  const std::size_t at = ptx.find(intro);
  if (at == std::string::npos) return std::nullopt;
  return Words(std::string_view(ptx).substr(at + intro.size()));
}

}  // namespace

std::optional<std::vector<std::byte>> constant_bytes(const std::string& ptx,
                                                     const std::string& name) {
  // Declarations of the module start their line; what a function declares is indented or stands in
  // braces.
  const std::string_view text(ptx);
  std::size_t line = 0;
  while (line < text.size()) {
    const std::string_view rest = text.substr(line);
    if (rest.starts_with(".const") || rest.starts_with(".visible")) {
      if (auto bytes = parsed(Words(rest), name)) return bytes;
    }
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    line += end + 1;
  }
  return std::nullopt;
}

std::optional<std::vector<Parameter>> parameters(const std::string& ptx, const std::string& name) {
  auto words = after_entry(ptx, name);
  if (!words) return std::nullopt;
  return parameter_list(*words);
}

std::optional<std::vector<std::uint32_t>> parameter_bytes(const std::string& ptx,
                                                          const std::string& name) {
  const auto found = parameters(ptx, name);
  if (!found) return std::nullopt;
  std::vector<std::uint32_t> sizes;
  for (const Parameter& each : *found) sizes.push_back(each.bytes);
  return sizes;
}

std::optional<std::array<std::uint32_t, 3>> thread_bounds(const std::string& ptx,
                                                          const std::string& name) {
  auto words = after_entry(ptx, name);
  if (!words || !parameter_list(*words)) return std::nullopt;
  // Directives stand between the parameters and the body: ".maxntid 256, 1, 1".
  while (!words->eat("{")) {
    const std::string_view directive = words->word();
    if (directive.empty()) return std::nullopt;
    if (directive != ".maxntid" && directive != ".reqntid") continue;
    std::array<std::uint32_t, 3> bounds = {1, 1, 1};
    for (std::uint32_t& bound : bounds) {
      std::size_t value = 0;
      if (!words->number(value, kMostThreads)) return std::nullopt;
      bound = static_cast<std::uint32_t>(value);
      if (!words->eat(",")) break;
    }
    return bounds;
  }
  return std::nullopt;
}

}  // namespace autokernel::compile
