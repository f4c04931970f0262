// Prints how far the approximate functions are off, as the table of docs/emulator-numerics.md:
//
//   emulator_numeric_figures [STRIDE]   every STRIDEth operand of f32 (1: all 2^32, 256 unless
//   given)
//
// Where EMULATOR_TESTS_DRIVER names a CUDA driver, it is that driver's functions.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <string_view>

#include "numerics/measurement.h"

namespace {

using namespace emulator::testing::numerics;  // NOLINT(google-build-using-namespace): a program

constexpr std::uint64_t kBatch = std::uint64_t{1} << 22;

std::string text(Measure measure, double error) {
  if (std::isinf(error)) return "none named";
  switch (measure) {
    case Measure::ulp:
      return fmt::format("{:.3g} ulp", error);
    case Measure::relative:
      return error == 0 ? "0" : fmt::format("2^{:.2f} relative", std::log2(error));
    case Measure::absolute:
      break;
  }
  return error == 0 ? "0" : fmt::format("2^{:.2f} absolute", std::log2(error));
}

// True if all is within bounds.
bool print(const Function& function, std::uint64_t stride) {
  Measurement measurement(function);
  const std::uint64_t count = operand_count(function, stride);
  for (std::uint64_t first = 0; first < count; first += kBatch) {
    measurement.add(operands(function, stride, first, std::min(kBatch, count - first)));
  }
  bool within = measurement.wrong() == 0;
  for (std::size_t i = 0; i < function.bounds.size(); ++i) {
    const Bound& bound = function.bounds[i];
    const Worst& worst = measurement.worst()[i];
    within = within && worst.error <= bound.most;
    fmt::print("| {} | {} | {} | {} | {} | {:#x}{} | {} |\n",
               i == 0 ? "`" + function.name + "`" : "", i == 0 ? function.section : "", bound.where,
               text(bound.measure, bound.most), text(bound.measure, worst.error), worst.at.a,
               function.operands == 2 ? fmt::format(", {:#x}", worst.at.b) : "",
               measurement.count());
  }
  if (measurement.wrong() != 0) {
    fmt::print(
        "{} results of {} are NaN or infinite and should not be, or the other way round; {:#x}, "
        "{:#x}\n",
        measurement.wrong(), function.name, measurement.wrong_at().a, measurement.wrong_at().b);
  }
  std::fflush(stdout);
  return within;
}

}  // namespace

int main(int count, char** texts) try {
  const std::span arguments(texts, static_cast<std::size_t>(count));
  std::uint64_t stride = 256;
  if (arguments.size() > 1) {
    const std::string_view wanted = arguments[1];
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), stride);
    if (error != std::errc() || end != wanted.data() + wanted.size() || stride == 0) {
      fmt::print(stderr, "usage: emulator_numeric_figures [STRIDE [NAME]]\n");
      return 2;
    }
  }
  const std::string_view name = arguments.size() > 2 ? arguments[2] : "";
  fmt::print(
      "| function | PTX ISA | operands | PTX allows | largest error | at | operands tried |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  bool within = true;
  for (const Function& function : functions()) {
    if (function.name.starts_with(name)) within = print(function, stride) && within;
  }
  return within ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "emulator_numeric_figures: %s\n", error.what());
  return 70;
}
