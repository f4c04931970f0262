#include <string>
#include <utility>
#include <vector>

#include "ptx/aliases.h"
#include "ptx/ast.h"
#include "ptx/constants.h"
#include "ptx/debug_directives.h"
#include "ptx/declarations.h"
#include "ptx/dotted_words.h"
#include "ptx/function_headers.h"
#include "ptx/initialisers.h"
#include "ptx/parser_state.h"
#include "ptx/skipped.h"

namespace emulator::ptx {
namespace {

class ModuleReader {
 public:
  explicit ModuleReader(std::string_view text) : reading_(text), tokens_(reading_.tokens) {}

  Module read() {
    read_version();
    read_target();
    while (tokens_.peek().kind != TokenKind::end) read_item();
    for (const Token& name : reading_.mentioned) {
      if (reading_.names.find(name.text) == nullptr) {
        throw Error(name.where, "undefined name " + in_quotes(name));
      }
    }
    aliases_.resolve(reading_.module);
    return std::move(reading_.module);
  }

 private:
  void read_version() {
    if (!tokens_.take_if_dotted("version")) tokens_.fail_expecting("'.version'");
    const Token number = tokens_.expect(TokenKind::number, "a version such as 9.0");
    // Not a number but two: 8.10 is not 8.1.
    const std::size_t dot = number.text.find('.');
    const std::string_view parts[] = {
        number.text.substr(0, dot),
        dot == std::string_view::npos ? "" : number.text.substr(dot + 1)};
    unsigned values[] = {0, 0};
    for (int i = 0; i < 2; ++i) {
      for (const char c : parts[i]) {
        if (c < '0' || c > '9' || values[i] > 999) fail_version(number);
        values[i] = values[i] * 10 + static_cast<unsigned>(c - '0');
      }
      if (parts[i].empty()) fail_version(number);
    }
    constexpr unsigned kNewestMajor = 9;
    if (values[0] > kNewestMajor) {
      throw Error(number.where, "PTX version " + std::string(number.text) +
                                    " is newer than the emulator knows; it reads versions up to 9");
    }
    reading_.module.version_major = values[0];
    reading_.module.version_minor = values[1];
  }

  [[noreturn]] static void fail_version(const Token& number) {
    throw Error(number.where, "malformed version " + in_quotes(number));
  }

  void read_target() {
    if (!tokens_.take_if_dotted("target")) tokens_.fail_expecting("'.target'");
    reading_.module.target = tokens_.expect_identifier("a target such as sm_90a").text;
    while (tokens_.take_if(",")) tokens_.expect_identifier("a word of .target");
  }

  void read_item() {
    if (tokens_.peek().kind != TokenKind::dotted) tokens_.fail_expecting("a directive");
    const Linkage linkage = read_linkage();
    if (tokens_.at_dotted("entry") || tokens_.at_dotted("func")) {
      return read_function(reading_, linkage);
    }
    if (tokens_.peek().kind != TokenKind::dotted) {
      tokens_.fail_expecting("'.entry', '.func' or a state space");
    }
    const Token word = tokens_.take();
    const auto space = space_of(word.text);
    if (space && space->space != Space::param) return read_variables(space->space, linkage);
    read_directive(word);
  }

  Linkage read_linkage() {
    Linkage linkage = Linkage::internal;
    for (;;) {
      if (tokens_.take_if_dotted("extern")) {
        linkage = Linkage::external;
      } else if (tokens_.take_if_dotted("visible")) {
        linkage = Linkage::visible;
      } else if (tokens_.take_if_dotted("weak") || tokens_.take_if_dotted("common")) {
        linkage = Linkage::weak;
      } else {
        return linkage;
      }
    }
  }

  void read_directive(const Token& word) {
    if (word.text == "address_size") return read_address_size();
    if (word.text == "file") return static_cast<void>(read_file(tokens_));
    if (word.text == "loc") return static_cast<void>(read_loc(tokens_));
    if (word.text == "section") return skip_section(tokens_);
    if (word.text == "pragma") return skip_pragma(tokens_);
    if (word.text == "alias") return aliases_.read(reading_);
    throw Error(word.where, "unknown directive " + in_quotes(word));
  }

  void read_address_size() {
    const Token number = tokens_.expect(TokenKind::number, "64");
    if (number.text == "64") return;
    throw Error(number.where, "only 64-bit PTX is supported by the emulator, not .address_size " +
                                  std::string(number.text.substr(0, 20)));
  }

  void read_variables(Space space, Linkage linkage) {
    const DeclarationHead head = read_head(reading_);
    do {
      Declared declared = read_declared(reading_, head, space);
      declared.variable.external = linkage == Linkage::external;
      declared.variable.linkage = linkage;
      read_optional_initialiser(reading_, declared);
      if (declared.variable.size == 0 && !declared.variable.external) {
        throw Error(declared.name.where, "the size of " + in_quotes(declared.name) + " is missing");
      }
      add_variable(std::move(declared));
    } while (tokens_.take_if(","));
    tokens_.expect(";");
  }

  // A variable may be declared .extern any number of times besides being defined once.
  void add_variable(Declared declared) {
    std::vector<Variable>& variables = reading_.module.variables;
    const Meaning* const earlier = reading_.names.find(declared.name.text);
    const auto* const named = earlier == nullptr ? nullptr : std::get_if<NamedSymbol>(earlier);
    if (named == nullptr || named->symbol.where != Symbol::Where::module_variable) {
      const auto index = static_cast<std::uint32_t>(variables.size());
      name_symbol(reading_, declared, {Symbol::Where::module_variable, index});
      variables.push_back(std::move(declared.variable));
      return;
    }
    Variable& before = variables[named->symbol.index];
    if (!before.external && !declared.variable.external) {
      throw Error(declared.name.where, in_quotes(declared.name) + " is already defined");
    }
    if (before.space != declared.variable.space || before.type != declared.variable.type) {
      throw Error(declared.name.where,
                  in_quotes(declared.name) + " was declared differently before");
    }
    if (before.external) before = std::move(declared.variable);
  }

  Reading reading_;
  TokenStream& tokens_;
  Aliases aliases_;
};

}  // namespace

Module parse(const std::string& text) { return ModuleReader(text).read(); }

}  // namespace emulator::ptx
