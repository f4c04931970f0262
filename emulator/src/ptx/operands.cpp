#include "ptx/operands.h"

#include <optional>
#include <utility>

#include "ptx/constants.h"
#include "ptx/dotted_words.h"

namespace emulator::ptx {
namespace {

[[noreturn]] void fail_undefined(const Token& name) {
  const bool looks_like_register = name.text.front() == '%';
  throw Error(name.where, std::string("undefined ") +
                              (looks_like_register ? "register " : "name ") + in_quotes(name.text));
}

Immediate immediate_of(Constant constant) {
  switch (constant.kind) {
    case Constant::Kind::f32:
      return {constant.bits, Immediate::Form::f32};
    case Constant::Kind::f64:
      return {constant.bits, Immediate::Form::f64};
    default:
      return {constant.bits, Immediate::Form::integer};
  }
}

// Behind the base of an address: +k, -k or nothing.
std::int64_t read_offset(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  if (!tokens.at("+") && !tokens.at("-")) return 0;
  return static_cast<std::int64_t>(read_integer(tokens, "an offset").bits);
}

// .x .y .z of a special register, or a component of a vector register (.r .g .b .a are the same as
// .x .y .z .w).
std::optional<std::uint8_t> component_of(std::string_view word) {
  constexpr std::string_view kPositions = "xyzw";
  constexpr std::string_view kColours = "rgba";
  if (word.size() != 1) return std::nullopt;
  std::size_t found = kPositions.find(word);
  if (found == std::string_view::npos) found = kColours.find(word);
  if (found == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint8_t>(found);
}

std::uint8_t read_component(Reading& reading, const Token& of, unsigned width) {
  if (reading.tokens.peek().kind != TokenKind::dotted) {
    reading.tokens.fail_expecting("a component such as '.x' of " + in_quotes(of));
  }
  const Token word = reading.tokens.take();
  const auto component = component_of(word.text);
  if (!component || *component >= width) {
    throw Error(word.where, "unknown component " + in_quotes(word) + " of " + in_quotes(of));
  }
  return *component;
}

// b or h and digits: at most one for each of the parts that two registers have.
std::optional<Selector> selector_of(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h')) return std::nullopt;
  Selector selector{static_cast<std::uint8_t>(word[0] == 'b' ? 8 : 16), {}};
  const unsigned parts = 64U / selector.part_bits;
  const std::size_t most = parts / 2;
  if (word.size() - 1 > most) return std::nullopt;
  for (std::size_t i = word.size() - 1; i > 0; --i) {
    if (word[i] < '0' || word[i] >= static_cast<char>('0' + parts)) return std::nullopt;
    selector.digits.push_back(static_cast<std::uint8_t>(word[i] - '0'));
  }
  return selector;
}

std::optional<Selector> read_selector(Reading& reading, const Token& of) {
  if (reading.tokens.peek().kind != TokenKind::dotted) return std::nullopt;
  auto selector = selector_of(reading.tokens.peek().text);
  if (!selector) read_component(reading, of, 0);  // which says what is wrong
  reading.tokens.take();
  return selector;
}

Operand read_special(Reading& reading, const Token& name) {
  const auto special = special_of(name.text);
  if (!special) fail_undefined(name);
  SpecialRegister value{special->which, special->number};
  if (special->is_vector) value.dimension = read_component(reading, name, 4);
  return {value, false, name.where};
}

Operand read_vector_register(Reading& reading, const Token& name, VectorRegister registers) {
  if (reading.tokens.peek().kind == TokenKind::dotted) {
    const std::uint8_t component = read_component(reading, name, registers.width);
    return {Register{registers.first + component}, false, name.where};
  }
  Vector all;
  for (std::uint32_t i = 0; i < registers.width; ++i) {
    all.elements.push_back({Register{registers.first + i}, false, name.where});
  }
  return {std::move(all), false, name.where};
}

// sym, sym+k or sym[k]; the last counts elements of the variable.
Operand read_symbol(Reading& reading, const Token& name, const NamedSymbol& named) {
  TokenStream& tokens = reading.tokens;
  if (tokens.at("+") || tokens.at("-")) {
    return {Address{named.symbol, read_offset(reading)}, false, name.where};
  }
  if (!tokens.take_if("[")) return {named.symbol, false, name.where};
  if (tokens.peek().kind == TokenKind::identifier && !at_constant(tokens)) {
    throw Error(tokens.peek().where,
                "an array index that is no constant is not supported by the emulator");
  }
  const std::uint64_t index = read_integer(tokens, "an array index").bits;
  tokens.expect("]");
  return {Address{named.symbol, static_cast<std::int64_t>(index * named.element)}, false,
          name.where};
}

Operand read_named(Reading& reading) {
  const Token name = reading.tokens.take();
  if (name.text == "_") return {Sink{}, false, name.where};
  const Meaning* const meaning = reading.names.find(name.text);
  if (meaning == nullptr) return read_special(reading, name);
  if (const auto* const one = std::get_if<Register>(meaning)) {
    return {*one, false, name.where, read_selector(reading, name)};
  }
  if (const auto* const several = std::get_if<VectorRegister>(meaning)) {
    return read_vector_register(reading, name, *several);
  }
  if (const auto* const symbol = std::get_if<NamedSymbol>(meaning)) {
    return read_symbol(reading, name, *symbol);
  }
  throw Error(name.where, in_quotes(name) + " is a label, which is no operand here");
}

Operand read_constant_operand(Reading& reading) {
  const Location where = reading.tokens.peek().where;
  return {immediate_of(read_constant(reading.tokens)), false, where};
}

// A name, or a register and what is added to it: %r1+4.
Operand read_named_value(Reading& reading) {
  Operand operand = read_named(reading);
  const auto* const base = std::get_if<Register>(&operand.value);
  if (base == nullptr || operand.selector) return operand;
  if (reading.tokens.at("+") || reading.tokens.at("-")) {
    operand.value = Address{*base, read_offset(reading)};
  }
  return operand;
}

// Everything but brackets and pairs.
Operand read_simple(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  const Token& next = tokens.peek();
  if (next.kind == TokenKind::identifier && next.text != "WARP_SZ") {
    return read_named_value(reading);
  }
  const Token& second = tokens.peek_second();
  const bool sign = tokens.at("!") || tokens.at("-");
  if (sign && second.kind == TokenKind::identifier && second.text != "WARP_SZ") {
    const Location where = tokens.take().where;
    Operand operand = read_named(reading);
    if (!std::holds_alternative<Register>(operand.value)) {
      throw Error(where, "only a register or a constant can be negated");
    }
    operand.negated = true;
    operand.where = where;
    return operand;
  }
  if (at_constant(tokens)) return read_constant_operand(reading);
  tokens.fail_expecting("an operand");
}

Address read_base_and_offset(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  if (tokens.peek().kind != TokenKind::identifier || tokens.peek().text == "WARP_SZ") {
    return {std::monostate{}, static_cast<std::int64_t>(read_integer(tokens, "an address").bits)};
  }
  const Location where = tokens.peek().where;
  const Operand base = read_named(reading);
  if (const auto* const one = std::get_if<Register>(&base.value)) {
    return {*one, read_offset(reading)};
  }
  if (const auto* const symbol = std::get_if<Symbol>(&base.value)) return {*symbol, 0};
  if (const auto* const address = std::get_if<Address>(&base.value)) return *address;
  throw Error(where, "an address has to begin with a register, a variable or a number");
}

// Behind `[`: an address, or a tensor's or texture's address and coordinates.
Operand read_address(Reading& reading, Location opened) {
  TokenStream& tokens = reading.tokens;
  Operand address{read_base_and_offset(reading), false, opened};
  if (tokens.take_if("]")) return address;
  Vector parts;
  parts.elements.push_back(std::move(address));
  while (tokens.take_if(",")) {
    const Location where = tokens.peek().where;
    parts.elements.push_back(tokens.take_if("{") ? read_list(reading, "}", where)
                                                 : read_simple(reading));
  }
  tokens.expect("]");
  return {std::move(parts), false, opened};
}

bool may_begin_pair(const Operand& operand) {
  return std::holds_alternative<Register>(operand.value) ||
         std::holds_alternative<Sink>(operand.value);
}

}  // namespace

Operand read_operand(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  const Location where = tokens.peek().where;
  if (tokens.take_if("{")) return read_list(reading, "}", where);
  if (tokens.take_if("[")) return read_address(reading, where);
  Operand first = read_simple(reading);
  if (!may_begin_pair(first) || !tokens.take_if("|")) return first;
  Pair pair;
  pair.both.push_back(std::move(first));
  pair.both.push_back(read_simple(reading));
  return {std::move(pair), false, where};
}

Operand read_list(Reading& reading, std::string_view close, Location opened) {
  TokenStream& tokens = reading.tokens;
  Vector list;
  if (!tokens.take_if(close)) {
    do {
      list.elements.push_back(read_simple(reading));
    } while (tokens.take_if(","));
    tokens.expect(close);
  }
  return {std::move(list), false, opened};
}

Register find_register(const Reading& reading, const Token& name) {
  const Meaning* const meaning = reading.names.find(name.text);
  if (meaning == nullptr) fail_undefined(name);
  if (const auto* const found = std::get_if<Register>(meaning)) return *found;
  throw Error(name.where, in_quotes(name) + " is not a register");
}

}  // namespace emulator::ptx
