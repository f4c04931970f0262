#include <fmt/format.h>
#include <muParser.h>

#include <cmath>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "autokernel/cases/names.h"
#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

// Formulas are a few terms long; muparser's own limit is higher.
constexpr std::size_t kLongestFormula = 500;

[[noreturn]] void refuse(const std::string& formula, const std::string& problem) {
  throw Error(Stop::usage, fmt::format("cannot evaluate \"{}\": {}", formula, problem));
}

std::string names_of(const Sizes& sizes) {
  std::vector<std::string> names;
  names.reserve(sizes.size());
  for (const auto& [name, value] : sizes) names.push_back(name);
  return one_of(names);
}

}  // namespace

double evaluate(const std::string& formula, const Sizes& sizes) {
  if (formula.size() > kLongestFormula) {
    refuse(formula.substr(0, kLongestFormula / 10) + "...",
           fmt::format("it is longer than {} characters", kLongestFormula));
  }
  try {
    mu::Parser parser;
    for (const auto& [name, value] : sizes) {
      parser.DefineConst(name, static_cast<double>(value));
    }
    parser.SetExpr(formula);
    const double value = parser.Eval();
    // "M, N" is a list to muparser, of which Eval gives the last.
    if (parser.GetNumResults() != 1) refuse(formula, "it gives more than one value");
    if (!std::isfinite(value)) refuse(formula, "the result is not a finite number");
    return value;
  } catch (const mu::ParserError& error) {
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
      refuse(formula, fmt::format("\"{}\" is not a size symbol; write {}", error.GetToken(),
                                  names_of(sizes)));
    }
    refuse(formula, error.GetMsg());
  }
}

bool is_function(const std::string& name) { return mu::Parser().GetFunDef().contains(name); }

}  // namespace autokernel::cases
