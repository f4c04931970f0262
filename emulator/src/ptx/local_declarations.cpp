#include "ptx/local_declarations.h"

#include <array>
#include <string>
#include <utility>

#include "ptx/constants.h"
#include "ptx/declarations.h"
#include "ptx/dotted_words.h"
#include "ptx/initialisers.h"

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
    if (!is_new) throw Error(name.where, in_quotes(name) + " is already defined");
  }

  void declare_range(const Token& name) {
    const std::uint64_t count = number_value(tokens_.expect(TokenKind::number, "a number")).bits;
    tokens_.expect(">");
    if (name.text.size() > kLongestRangeName) {
      throw Error(name.where, "the name of a range of registers is too long");
    }
    // Each is at least one register: no product of more overflows.
    reserve(count, name);
    if (head_.vector_width > 1) reserve(count * (head_.vector_width - 1U), name);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string each = std::string(name.text) + std::to_string(i);
      const Meaning meaning = head_.vector_width > 1
                                  ? Meaning(VectorRegister{next().index, head_.vector_width})
                                  : Meaning(next());
      if (!reading_.names.add_copy(each, meaning)) {
        throw Error(name.where, in_quotes(each) + " is already defined");
      }
      if (head_.vector_width > 1) {
        append_components(each, name);
      } else {
        append(std::move(each));
      }
    }
  }

  void declare_vector(const Token& name) {
    reserve(head_.vector_width, name);
    require(reading_.names.add(name.text, VectorRegister{next().index, head_.vector_width}), name);
    append_components(std::string(name.text), name);
  }

  void append_components(const std::string& of, const Token& name) {
    constexpr std::string_view kComponents = "xyzw";
    if (head_.vector_width > kComponents.size()) {
      throw Error(name.where, "a vector register has two or four components");
    }
    for (const char component : kComponents.substr(0, head_.vector_width)) {
      append(of + '.' + component);
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
  // Global and constant memory outlives the function: such a variable is one of the module's, by a
  // name that no other can have.
  const bool lasts = space == Space::global || space == Space::constant;
  std::vector<Variable>& variables = lasts ? reading.module.variables : function.variables;
  do {
    Declared declared = read_declared(reading, head, space);
    const auto index = static_cast<std::uint32_t>(variables.size());
    name_symbol(reading, declared,
                {lasts ? Symbol::Where::module_variable : Symbol::Where::local_variable, index});
    read_optional_initialiser(reading, declared);
    if (declared.variable.size == 0) {
      throw Error(declared.name.where, "the size of " + in_quotes(declared.name) + " is missing");
    }
    if (lasts) {
      declared.variable.name =
          function.name + "." + declared.variable.name + "." + std::to_string(index);
    }
    variables.push_back(std::move(declared.variable));
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
