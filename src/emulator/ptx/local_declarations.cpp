#include "emulator/ptx/local_declarations.h"

#include <array>
#include <string>
#include <utility>

#include "emulator/ptx/constants.h"
#include "emulator/ptx/declarations.h"
#include "emulator/ptx/dotted_words.h"
#include "emulator/ptx/initialisers.h"

namespace emulator::ptx {
namespace {

constexpr std::uint64_t kMostRegisters =
    1'000'000;  // of one function; compilers stay below a tenth

class RegisterDeclarer {
 public:
  RegisterDeclarer(Reading& reading, Function& function)
      : reading_(reading), tokens_(reading.tokens), registers_(function.registers) {}

  void read() {
    head_ = read_head(reading_);
    do {
      const Token name = tokens_.expect_identifier("the name of a register");
      if (tokens_.take_if("<")) {
        declare_range(name);
      } else if (head_.vector_width > 1) {
        declare_vector(name);
      } else {
        reserve(1, name);
        require(reading_.names.add(name.text, next()), name);
        append(std::string(name.text));
      }
    } while (tokens_.take_if(","));
    tokens_.expect(";");
  }

 private:
  [[nodiscard]] Register next() const { return {static_cast<std::uint32_t>(registers_.size())}; }

  void append(std::string name) { registers_.push_back({std::move(name), head_.type}); }

  void reserve(std::uint64_t count, const Token& name) {
    if (count > kMostRegisters - registers_.size()) {
      throw Error(name.where,
                  "a function has more than " + std::to_string(kMostRegisters) + " registers");
    }
    Allowance::spend(reading_.allowance.registers, count, name.where, "registers");
  }

  static void require(bool is_new, const Token& name) {
    if (!is_new) throw Error(name.where, quoted(name) + " is already defined");
  }

  void declare_range(const Token& name) {
    const Location where = tokens_.peek().where;
    const std::uint64_t count = number_value(tokens_.expect(TokenKind::number, "a number")).bits;
    tokens_.expect(">");
    if (head_.vector_width > 1) throw Error(where, "a range of vector registers is not supported");
    if (name.text.size() > kLongestRangeName) {
      throw Error(name.where, "the name of a range of registers is too long");
    }
    reserve(count, name);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string each = std::string(name.text) + std::to_string(i);
      if (!reading_.names.add_copy(each, next())) {
        throw Error(name.where, quoted(each) + " is already defined");
      }
      append(std::move(each));
    }
  }

  void declare_vector(const Token& name) {
    constexpr std::string_view kComponents = "xyzw";
    if (head_.vector_width > kComponents.size()) {
      throw Error(name.where, "a vector register has two or four components");
    }
    reserve(head_.vector_width, name);
    require(reading_.names.add(name.text, VectorRegister{next().index, head_.vector_width}), name);
    for (const char component : kComponents.substr(0, head_.vector_width)) {
      append(std::string(name.text) + '.' + component);
    }
  }

  // Its characters are copied for each register of the range.
  static constexpr std::size_t kLongestRangeName = 256;

  Reading& reading_;
  TokenStream& tokens_;
  std::vector<RegisterDeclaration>& registers_;
  DeclarationHead head_;
};

}  // namespace

void declare_registers(Reading& reading, Function& function) {
  RegisterDeclarer(reading, function).read();
}

void declare_local_variables(Reading& reading, Function& function, Space space) {
  TokenStream& tokens = reading.tokens;
  const DeclarationHead head = read_head(reading);
  do {
    Declared declared = read_declared(reading, head, space);
    const auto index = static_cast<std::uint32_t>(function.variables.size());
    name_symbol(reading, declared, {Symbol::Where::local_variable, index});
    read_optional_initialiser(reading, declared);
    if (declared.variable.size == 0) {
      throw Error(declared.name.where, "the size of " + quoted(declared.name) + " is missing");
    }
    function.variables.push_back(std::move(declared.variable));
  } while (tokens.take_if(","));
  tokens.expect(";");
}

void skip_prototype(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  const auto skip_list = [&] {
    if (!tokens.take_if("(")) return;
    if (tokens.take_if(")")) return;
    do {
      static_cast<void>(read_parameter(reading));
    } while (tokens.take_if(","));
    tokens.expect(")");
  };
  skip_list();
  tokens.expect_identifier("'_'");
  skip_list();
  // .noreturn, .abi_preserve 8 and their like say nothing that a call depends on.
  while (tokens.peek().kind == TokenKind::dotted) {
    tokens.take();
    if (tokens.peek().kind == TokenKind::number) tokens.take();
  }
  tokens.expect(";");
}

}  // namespace emulator::ptx
