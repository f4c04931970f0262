#include "ptx/declarations.h"

#include <string>
#include <utility>

#include "ptx/constants.h"
#include "ptx/dotted_words.h"
#include "ptx/register_parameters.h"
#include "ptx/skipped.h"

namespace emulator::ptx {
namespace {

// No device has more memory; small enough that sums over all variables of a module cannot overflow.
constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40U;
constexpr std::uint32_t kLargestAlignment = 1U << 16U;
constexpr std::size_t kMostExtents = 16;

std::uint32_t read_alignment(Reading& reading) {
  const Location where = reading.tokens.peek().where;
  const std::uint32_t alignment = read_u32(reading.tokens, "an alignment");
  const bool is_power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power_of_two || alignment > kLargestAlignment) {
    throw Error(where,
                "an alignment has to be a power of two up to " + std::to_string(kLargestAlignment));
  }
  return alignment;
}

bool can_be_stored(Type type) { return type != Type::pred && bits(type) % 8 == 0; }

// Behind .ptr: what the pointer points to, which no load or store depends on.
void skip_pointer_words(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  for (;;) {
    if (tokens.take_if_dotted("align")) {
      static_cast<void>(read_alignment(reading));
    } else if (tokens.peek().kind == TokenKind::dotted && space_of(tokens.peek().text)) {
      tokens.take();
    } else {
      return;
    }
  }
}

void read_extents(Reading& reading, Declared& declared) {
  TokenStream& tokens = reading.tokens;
  while (tokens.at("[")) {
    const Location where = tokens.take().where;
    if (declared.extents.size() == kMostExtents) {
      throw Error(where, "an array has more than " + std::to_string(kMostExtents) + " dimensions");
    }
    std::uint64_t extent = 0;
    if (tokens.at("]")) {
      if (!declared.extents.empty())
        throw Error(where, "only the first array size can be left out");
    } else {
      const Location size_at = tokens.peek().where;
      const Constant size = read_integer(tokens, "an array size");
      if (size.bits == 0 || size.bits > kLargestVariable) {
        throw Error(size_at,
                    "an array size has to lie between 1 and " + std::to_string(kLargestVariable));
      }
      extent = size.bits;
    }
    tokens.expect("]");
    declared.extents.push_back(extent);
  }
}

std::uint64_t total_size(const Declared& declared, std::uint64_t element) {
  std::uint64_t size = element;
  bool open = false;
  for (const std::uint64_t extent : declared.extents) {
    open = open || extent == 0;
    const std::uint64_t factor = extent == 0 ? 1 : extent;
    if (size > kLargestVariable / factor) {
      throw Error(declared.name.where, in_quotes(declared.name) + " is larger than " +
                                           std::to_string(kLargestVariable) + " bytes");
    }
    size *= factor;
  }
  return open ? 0 : size;
}

}  // namespace

DeclarationHead read_head(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  DeclarationHead head;
  while (tokens.peek().kind == TokenKind::dotted) {
    const Token word = tokens.take();
    if (word.text == "align") {
      head.alignment = read_alignment(reading);
    } else if (word.text == "attribute") {
      skip_attribute(reading.tokens);
    } else if (word.text == "ptr") {
      skip_pointer_words(reading);
    } else if (const auto width = vector_width_of(word.text)) {
      head.vector_width = *width;
    } else if (const auto type = type_of(word.text)) {
      head.type = *type;
    } else if (word.text == "texref" || word.text == "samplerref" || word.text == "surfref") {
      throw Error(word.where, "textures and surfaces are not supported by the emulator");
    } else {
      throw Error(word.where, "unknown word " + in_quotes(word) + " in a declaration");
    }
  }
  if (head.type == Type::none) tokens.fail_expecting("a type");
  return head;
}

Declared read_declared(Reading& reading, const DeclarationHead& head, Space space) {
  Declared declared;
  declared.name = reading.tokens.expect_identifier("a name");
  if (!can_be_stored(head.type)) {
    throw Error(declared.name.where,
                "the type of " + in_quotes(declared.name) + " is one that only registers have");
  }
  const std::uint32_t element = bits(head.type) / 8 * head.vector_width;
  read_extents(reading, declared);
  Variable& variable = declared.variable;
  variable.name = declared.name.text;
  variable.space = space;
  variable.type = head.type;
  variable.alignment = head.alignment != 0 ? head.alignment : element;
  variable.size = total_size(declared, element);
  variable.where = declared.name.where;
  if (head.vector_width > 1) declared.extents.push_back(head.vector_width);
  return declared;
}

Declared read_parameter(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  const Location where = tokens.peek().where;
  const bool in_register = tokens.take_if_dotted("reg");
  if (!in_register && !tokens.take_if_dotted("param")) tokens.fail_expecting("'.param'");
  DeclarationHead head = read_head(reading);
  if (!in_register) return read_declared(reading, head, Space::param);
  const std::uint8_t components = std::exchange(head.vector_width, 1);
  const bool is_predicate = head.type == Type::pred;
  if (is_predicate) head.type = kPredicateWord;
  if (components > 4 || (is_predicate && components > 1)) {
    throw Error(where, "a parameter in a register is a scalar, or a vector of two or four");
  }
  Declared declared = read_declared(reading, head, Space::param);
  declared.in_register = true;
  declared.components = components;
  declared.is_predicate = is_predicate;
  return declared;
}

void name_symbol(Reading& reading, const Declared& declared, Symbol symbol) {
  if (reading.names.add(declared.name.text, NamedSymbol{symbol, bits(declared.variable.type) / 8}))
    return;
  throw Error(declared.name.where, in_quotes(declared.name) + " is already defined");
}

}  // namespace emulator::ptx
