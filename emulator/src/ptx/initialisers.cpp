#include "ptx/initialisers.h"

#include <bit>
#include <utility>

#include "ptx/constants.h"

namespace emulator::ptx {
namespace {

constexpr std::uint64_t kAddressBytes = 8;

std::uint32_t f32_bits(Constant value) {
  if (value.kind == Constant::Kind::f32) return static_cast<std::uint32_t>(value.bits);
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
}

// The bytes a constant has in a variable of that type, in the low end. As in NVIDIA's assembler
// numbers are not converted between integers and floats, and untyped variables take both.
std::uint64_t stored_bits(Constant value, Type type, Location where) {
  if (value.is_integer()) {
    if (!is_float(type)) return value.bits;
    throw Error(where, "an integer cannot be the initial value of this type");
  }
  if (type == Type::f32 || type == Type::b32) return f32_bits(value);
  const bool is_double = value.kind == Constant::Kind::f64;
  if (is_double && (type == Type::f64 || type == Type::b64)) return value.bits;
  throw Error(where, "a floating-point number cannot be the initial value of this type");
}

class InitialiserReader {
 public:
  InitialiserReader(Reading& reading, Declared& declared)
      : reading_(reading),
        tokens_(reading.tokens),
        name_(declared.name),
        variable_(declared.variable) {
    width_ = bits(variable_.type) / 8;
    // counts_[i]: how many scalars the part of the variable has that i pairs of braces lead to.
    std::uint64_t count = 1;
    for (std::size_t i = declared.extents.size(); i-- > 0;) {
      counts_.insert(counts_.begin(), count);
      count *= declared.extents[i];
    }
    // An open array grows as values come; the allowance for initial bytes is its bound.
    open_ = count == 0;
    counts_.insert(counts_.begin(), open_ ? reading.allowance.initial_bytes : count);
  }

  void read() {
    if (!open_) grow_to(variable_.size);
    const Location where = tokens_.peek().where;
    const bool is_scalar = counts_.size() == 1;
    if (is_scalar) {
      if (tokens_.at("{")) throw Error(where, "braces around what is no array");
      read_scalar(0);
    } else {
      tokens_.expect("{");
      read_braces(0, 0, where);
    }
    if (masked_bytes_ != 0) fail_masked(where);
    if (open_) variable_.size = variable_.initial.size();
  }

 private:
  // Braces have opened around the part that begins at scalar `begin`: of further parts, each in
  // braces of its own, or of scalars. The recursion is as deep as the variable has dimensions.
  void read_braces(std::size_t level, std::uint64_t begin, Location opened) {
    const std::uint64_t end = begin + counts_[level];
    const std::uint64_t part = counts_[level + 1];
    const bool of_scalars = level + 2 == counts_.size();
    std::uint64_t position = begin;
    if (tokens_.take_if("}")) return;
    do {
      const Location where = tokens_.peek().where;
      if (position >= end) fail_too_many(where);
      if (of_scalars) {
        if (tokens_.at("{")) throw Error(where, "braces around what is no array");
        read_scalar(position);
      } else {
        tokens_.expect("{");
        read_braces(level + 1, position, where);
      }
      position += part;
      if (open_) grow_to(position * width_);
    } while (tokens_.take_if(","));
    if (!tokens_.at("}")) throw_unclosed(opened);
    tokens_.take();
  }

  void throw_unclosed(Location opened) const {
    if (tokens_.peek().kind == TokenKind::end) throw Error(opened, "'{' is not closed");
    tokens_.fail_expecting("',' or '}'");
  }

  [[noreturn]] void fail_too_many(Location where) const {
    throw Error(where, "too many initial values for " + in_quotes(variable_.name));
  }

  void grow_to(std::uint64_t size) {
    const std::uint64_t present = variable_.initial.size();
    if (size <= present) return;
    Allowance::spend(reading_.allowance.initial_bytes, size - present, name_.where,
                     "bytes of initial values");
    variable_.initial.resize(size);
  }

  void read_scalar(std::uint64_t position) {
    const std::uint64_t offset = position * width_;
    if (open_) grow_to(offset + width_);
    const Location where = tokens_.peek().where;
    if (tokens_.peek().kind == TokenKind::identifier && !at_constant(tokens_)) {
      if (masked_bytes_ != 0) fail_masked(where);
      if (width_ != kAddressBytes) {
        throw Error(where, "an address needs a variable of a 64-bit type");
      }
      variable_.relocations.push_back(read_address(offset));
      return;
    }
    const Constant value = read_constant(tokens_);
    if (tokens_.at("(")) return read_masked(value, offset, where);
    if (masked_bytes_ != 0) fail_masked(where);
    const std::uint64_t stored = stored_bits(value, variable_.type, where);
    for (std::uint64_t byte = 0; byte < width_ && byte < sizeof stored; ++byte) {
      variable_.initial[offset + byte] = static_cast<std::uint8_t>(stored >> (8 * byte));
    }
  }

  // symbol, symbol+k, generic(symbol), generic(symbol)+k
  Relocation read_address(std::uint64_t offset) {
    Relocation relocation{offset, {}, 0, false};
    Token name = tokens_.take();
    if (name.text == "generic" && tokens_.take_if("(")) {
      relocation.generic = true;
      name = tokens_.expect_identifier("a variable");
      relocation.addend = read_addend();
      tokens_.expect(")");
    }
    relocation.symbol = name.text;
    reading_.mentioned.push_back(name);
    relocation.addend += read_addend();
    return relocation;
  }

  std::int64_t read_addend() {
    if (!tokens_.at("+") && !tokens_.at("-")) return 0;
    const Location where = tokens_.peek().where;
    const auto addend = static_cast<std::int64_t>(read_integer(tokens_, "an offset").bits);
    // Far beyond every variable, and small enough that two of them can be added.
    constexpr std::int64_t kLargest = std::int64_t{1} << 48U;
    if (addend > kLargest || addend < -kLargest) throw Error(where, "an offset is out of range");
    return addend;
  }

  // 0xFF(symbol), 0xFF00(symbol), ..: an address put together from its pieces, lowest first, which
  // is how one that is not aligned is written. All pieces of one address have to follow each other.
  void read_masked(Constant mask, std::uint64_t offset, Location where) {
    if (width_ >= kAddressBytes)
      throw Error(where, "a mask needs a variable of a type below 64 bits");
    const std::uint64_t piece = (std::uint64_t{1} << (8 * width_)) - 1;
    if (mask.bits != piece << (8 * masked_bytes_)) fail_masked(where);
    tokens_.expect("(");
    if (tokens_.peek().kind != TokenKind::identifier) tokens_.fail_expecting("a variable");
    Relocation relocation = read_address(offset);
    tokens_.expect(")");
    if (masked_bytes_ == 0) {
      variable_.relocations.push_back(std::move(relocation));
    } else {
      const Relocation& first = variable_.relocations.back();
      const bool same = first.symbol == relocation.symbol && first.addend == relocation.addend &&
                        first.generic == relocation.generic &&
                        first.offset + masked_bytes_ == offset;
      if (!same) fail_masked(where);
    }
    masked_bytes_ = (masked_bytes_ + width_) % kAddressBytes;
  }

  [[noreturn]] static void fail_masked(Location where) {
    throw Error(where,
                "only all pieces of one address, lowest first, are supported by the emulator");
  }

  Reading& reading_;
  TokenStream& tokens_;
  Token name_;
  Variable& variable_;
  std::uint64_t width_ = 1;  // bytes of one scalar
  std::vector<std::uint64_t> counts_;
  bool open_ = false;               // the first extent is not written
  std::uint64_t masked_bytes_ = 0;  // of the address whose pieces are being read
};

}  // namespace

void read_optional_initialiser(Reading& reading, Declared& declared) {
  if (!reading.tokens.at("=")) return;
  const Location where = reading.tokens.take().where;
  const Space space = declared.variable.space;
  if (space != Space::global && space != Space::constant) {
    throw Error(where, "only .global and .const variables can have initial values");
  }
  InitialiserReader(reading, declared).read();
}

}  // namespace emulator::ptx
