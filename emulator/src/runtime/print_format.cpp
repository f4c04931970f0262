#include "runtime/print_format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/host_pointer.h"

namespace emulator::runtime {
namespace {

// Takes arguments one after the other, each at its natural alignment.
class Arguments {
 public:
  Arguments(std::uint64_t address, const ReadMemory& read) : next_(address), read_(read) {}

  // Zero once something could not be read.
  template <typename T>
  T take() {
    T value{};
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (!bad_ && !read_(next_, sizeof(T), &value)) bad_ = next_;
    next_ += sizeof(T);
    ++count_;
    return value;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] const std::optional<std::uint64_t>& bad() const { return bad_; }

 private:
  std::uint64_t next_;
  const ReadMemory& read_;
  std::uint32_t count_ = 0;
  std::optional<std::uint64_t> bad_;
};

// One conversion: the flags, width and precision with every * replaced by its value, ready for the
// host's printf.
struct Conversion {
  std::string prefix;  // "%-8.3"
  bool wide = false;   // a 64-bit integer
  char letter = 0;
};

constexpr std::string_view kFlags = "-+ #0";
constexpr std::string_view kLengths = "hlLqjzt";
constexpr std::string_view kLetters = "diouxXcsfFeEgGaAp";

// Reads the conversion that begins behind format[position] == '%' and moves `position` behind it.
// Nothing where the format has no valid conversion there.
std::optional<Conversion> parse(std::string_view format, std::size_t& position,
                                Arguments& arguments) {
  Conversion conversion;
  conversion.prefix += '%';
  std::size_t at = position + 1;
  const auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
  const auto number = [&] {
    if (peek() == '*') {
      ++at;
      conversion.prefix += std::to_string(std::clamp(arguments.take<std::int32_t>(), -9999, 9999));
      return;
    }
    // More digits than these are no width anybody wants, and the host would allocate them.
    for (int digits = 0; peek() >= '0' && peek() <= '9'; ++at) {
      if (digits++ < 4) conversion.prefix += peek();
    }
  };
  while (peek() != '\0' && kFlags.find(peek()) != std::string_view::npos) {
    conversion.prefix += format[at++];
  }
  number();
  if (peek() == '.') {
    conversion.prefix += format[at++];
    number();
  }
  while (peek() != '\0' && kLengths.find(peek()) != std::string_view::npos) {
    // On the device's LP64 model l, ll, j, z and t all are 64 bits wide.
    if (format[at++] != 'h') conversion.wide = true;
  }
  conversion.letter = peek();
  if (conversion.letter == '\0' || kLetters.find(conversion.letter) == std::string_view::npos) {
    return std::nullopt;
  }
  position = at + 1;
  return conversion;
}

template <typename T>
std::string formatted(const std::string& specification, T value) {
  std::array<char, 128> room{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int length = std::snprintf(room.data(), room.size(), specification.c_str(), value);
  if (length < 0) return {};
  const auto needed = static_cast<std::size_t>(length);
  if (needed < room.size()) return {room.data(), needed};
  std::string text(needed + 1, '\0');
  std::snprintf(text.data(), text.size(), specification.c_str(), value);
#pragma GCC diagnostic pop
  text.resize(needed);
  return text;
}

}  // namespace

std::optional<std::string> read_string(std::uint64_t address, const ReadMemory& read,
                                       std::size_t longest) {
  std::string text;
  for (char letter = 0; text.size() < longest; text += letter, ++address) {
    if (!read(address, 1, &letter)) return std::nullopt;
    if (letter == '\0') return text;
  }
  return text;
}

std::optional<Printed> format_print(std::uint64_t format_address, std::uint64_t argument_address,
                                    const ReadMemory& read, std::uint64_t& bad_address) {
  bad_address = format_address;
  const std::optional<std::string> format = read_string(format_address, read);
  if (!format) return std::nullopt;
  Arguments arguments(argument_address, read);
  std::string text;
  for (std::size_t at = 0; at < format->size();) {
    if ((*format)[at] != '%') {
      text += (*format)[at++];
      continue;
    }
    if (at + 1 < format->size() && (*format)[at + 1] == '%') {
      text += '%';
      at += 2;
      continue;
    }
    const std::optional<Conversion> conversion = parse(*format, at, arguments);
    if (!conversion) {
      text += (*format)[at++];  // as written, as CUDA does
      continue;
    }
    switch (conversion->letter) {
      case 'd':
      case 'i':
        text += conversion->wide ? formatted(conversion->prefix + "ll" + conversion->letter,
                                             static_cast<long long>(arguments.take<std::int64_t>()))
                                 : formatted(conversion->prefix + conversion->letter,
                                             arguments.take<std::int32_t>());
        break;
      case 'c':
        text += formatted(conversion->prefix + 'c', arguments.take<std::int32_t>());
        break;
      case 's': {
        const auto address = arguments.take<std::uint64_t>();
        if (arguments.bad()) break;
        const std::optional<std::string> string =
            address == 0 ? std::string("(null)") : read_string(address, read);
        if (!string) {
          bad_address = address;
          return std::nullopt;
        }
        text += formatted(conversion->prefix + 's', string->c_str());
        break;
      }
      case 'p': {
        const auto address = arguments.take<std::uint64_t>();
        text += formatted(conversion->prefix + 'p', host_pointer<const void>(address));
        break;
      }
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        text += conversion->wide
                    ? formatted(conversion->prefix + "ll" + conversion->letter,
                                static_cast<unsigned long long>(arguments.take<std::uint64_t>()))
                    : formatted(conversion->prefix + conversion->letter,
                                arguments.take<std::uint32_t>());
        break;
      default:
        text += formatted(conversion->prefix + conversion->letter, arguments.take<double>());
        break;
    }
    if (const std::optional<std::uint64_t> bad = arguments.bad()) {
      bad_address = *bad;
      return std::nullopt;
    }
  }
  return Printed{std::move(text), arguments.count()};
}

}  // namespace emulator::runtime
