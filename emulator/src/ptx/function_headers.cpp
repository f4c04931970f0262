#include "ptx/function_headers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ptx/constants.h"
#include "ptx/declarations.h"
#include "ptx/dotted_words.h"
#include "ptx/function_bodies.h"
#include "ptx/register_parameters.h"
#include "ptx/skipped.h"

namespace emulator::ptx {
namespace {

std::vector<Declared> read_parameters(Reading& reading) {
  TokenStream& tokens = reading.tokens;
  std::vector<Declared> parameters;
  tokens.expect("(");
  if (tokens.take_if(")")) return parameters;
  do {
    parameters.push_back(read_parameter(reading));
  } while (tokens.take_if(","));
  tokens.expect(")");
  return parameters;
}

std::vector<Variable> variables_of(const std::vector<Declared>& parameters) {
  std::vector<Variable> variables;
  variables.reserve(parameters.size());
  for (const Declared& declared : parameters) {
    variables.insert(variables.end(), declared.components, declared.variable);
  }
  return variables;
}

void name_parameters(Reading& reading, const std::vector<Declared>& parameters,
                     Symbol::Where where) {
  std::uint32_t index = 0;
  for (const Declared& declared : parameters) {
    if (declared.name.text != "_" && !declared.in_register) {
      name_symbol(reading, declared, {where, index});
    }
    index += declared.components;
  }
}

// One to three numbers, as .maxntid and its like have; the ones left out are 1.
std::array<std::uint32_t, 3> read_shape(Reading& reading) {
  std::array<std::uint32_t, 3> shape{1, 1, 1};
  std::size_t dimension = 0;
  do {
    if (dimension == shape.size()) {
      throw Error(reading.tokens.peek().where, "a shape has at most three numbers");
    }
    shape.at(dimension++) = read_u32(reading.tokens, "a shape");
  } while (reading.tokens.take_if(","));
  return shape;
}

// The directives between the parameters and the body.
void read_directive(Reading& reading, Function& function) {
  TokenStream& tokens = reading.tokens;
  const Token word = tokens.take();
  if (word.text == "maxntid") {
    function.max_threads = read_shape(reading);
  } else if (word.text == "reqntid") {
    function.required_threads = read_shape(reading);
  } else if (word.text == "reqnctapercluster") {
    function.required_cluster = read_shape(reading);
  } else if (word.text == "maxnreg") {
    function.max_registers = read_u32(tokens, "a number of registers");
  } else if (word.text == "noreturn") {
    function.no_return = true;
  } else if (word.text == "maxclusterrank") {
    function.max_cluster = read_u32(tokens, "a number of blocks");
  } else if (word.text == "explicitcluster") {
    function.explicit_cluster = true;
  } else if (word.text == "blocksareclusters") {
    function.blocks_are_clusters = true;
  } else if (word.text == "minnctapersm" || word.text == "maxnctapersm" ||
             word.text == "abi_preserve" || word.text == "abi_preserve_control") {
    // Advice on allocating registers.
    static_cast<void>(read_u32(tokens, "a number"));
  } else if (word.text == "attribute") {
    skip_attribute(reading.tokens);
  } else if (word.text == "pragma") {
    skip_pragma(reading.tokens);
  } else {
    throw Error(word.where, "unknown directive " + in_quotes(word) + " of a function");
  }
}

// Which directives exclude each other, and which need others, is as in NVIDIA's assembler. To it, a
// size of 0 says nothing.
void settle_directives(Function& function, const Token& name) {
  const auto require = [&](bool condition, const char* otherwise) {
    if (!condition) throw Error(name.where, in_quotes(name) + " " + otherwise);
  };
  require(!function.max_threads || !function.required_threads,
          "has .maxntid and .reqntid, of which a kernel has one");
  require(!function.max_cluster || !function.required_cluster,
          "has .maxclusterrank and .reqnctapercluster, of which a kernel has one");
  require(!function.blocks_are_clusters || (function.required_threads && function.required_cluster),
          "has .blocksareclusters, which needs .reqntid and .reqnctapercluster");
  if (function.max_cluster == 0) function.max_cluster.reset();
  if (function.required_cluster && function.required_cluster->front() == 0) {
    function.required_cluster.reset();
  }
}

// Compilers of PTX 2.0 and before ended a declaration with nothing.
bool begins_another_item(const TokenStream& tokens) {
  constexpr std::array<std::string_view, 8> kWords = {"entry", "func",   "visible", "extern",
                                                      "weak",  "common", "file",    "section"};
  const Token& next = tokens.peek();
  if (next.kind != TokenKind::dotted) return next.kind == TokenKind::end;
  return std::ranges::find(kWords, next.text) != kWords.end() || space_of(next.text).has_value();
}

// The function's place in the module: a new one, or that of an earlier declaration.
std::uint32_t place_of(Reading& reading, const Function& function, const Token& name) {
  std::vector<Function>& functions = reading.module.functions;
  const Meaning* const earlier = reading.names.find(name.text);
  if (earlier == nullptr) {
    const auto index = static_cast<std::uint32_t>(functions.size());
    const NamedSymbol named{{Symbol::Where::function, index}, 1};
    static_cast<void>(reading.names.add(name.text, named));
    functions.push_back(function);
    functions.back().defined = false;  // not before its body has been read
    return index;
  }
  const auto* const named = std::get_if<NamedSymbol>(earlier);
  if (named == nullptr || named->symbol.where != Symbol::Where::function) {
    throw Error(name.where, in_quotes(name) + " is already defined");
  }
  const Function& before = functions[named->symbol.index];
  if (before.defined && function.defined) {
    throw Error(name.where, in_quotes(name) + " is already defined");
  }
  if (!same_call(before, function)) {
    throw Error(name.where, in_quotes(name) + " was declared differently before");
  }
  return named->symbol.index;
}

// A declaration after the definition adds nothing but that the function may not return.
void store(Reading& reading, std::uint32_t place, Function function) {
  Function& stored = reading.module.functions[place];
  function.no_return = function.no_return || stored.no_return;
  if (stored.defined) {
    stored.no_return = function.no_return;
  } else {
    stored = std::move(function);
  }
}

}  // namespace

void read_function(Reading& reading, Linkage linkage) {
  TokenStream& tokens = reading.tokens;
  Function function;
  function.linkage = linkage;
  function.entry = tokens.take().text == "entry";
  if (tokens.take_if_dotted("attribute")) skip_attribute(reading.tokens);
  std::vector<Declared> returns;
  if (!function.entry && tokens.at("(")) returns = read_parameters(reading);
  const Token name = tokens.expect_identifier("the name of a function");
  std::vector<Declared> parameters;
  if (tokens.at("(")) parameters = read_parameters(reading);
  while (tokens.peek().kind == TokenKind::dotted && !begins_another_item(tokens)) {
    read_directive(reading, function);
  }
  settle_directives(function, name);

  function.name = name.text;
  function.where = name.where;
  function.returns = variables_of(returns);
  function.parameters = variables_of(parameters);
  function.defined = tokens.at("{");
  const std::uint32_t place = place_of(reading, function, name);
  reading.names.open_scope();
  name_parameters(reading, returns, Symbol::Where::return_parameter);
  name_parameters(reading, parameters, Symbol::Where::parameter);
  function.body = name_registers(reading, function, parameters, Symbol::Where::parameter);
  const auto before_return =
      name_registers(reading, function, returns, Symbol::Where::return_parameter);
  if (function.entry && !function.body.empty()) {
    throw Error(name.where, "a kernel has no parameters in registers");
  }
  if (function.defined) {
    read_body(reading, function, before_return);
  } else if (!tokens.take_if(";") && !begins_another_item(tokens)) {
    tokens.fail_expecting("'{' or ';'");
  }
  reading.names.close_scope();
  store(reading, place, std::move(function));
}

}  // namespace emulator::ptx
