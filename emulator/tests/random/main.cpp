// Runs many random programs on the emulator and compares:
//
//   emulator_random_programs FIRST COUNT   the programs of seeds FIRST to FIRST + COUNT - 1
//   emulator_random_programs print SEED    the PTX of one
//
// Prints each that differs, without the statements that do not matter, and how often each form of
// instruction came up. Exits with 1 if one differs. EMULATED_CUDA_ENGINE=threads runs each thread
// by itself, EMULATED_CUDA_COMPILE=parts or plain compiles them as long kernels or without
// optimisation, EMULATOR_TESTS_DRIVER=libcuda.so.1 all of it on a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string_view>

#include "jit/compiler.h"
#include "random/comparison.h"
#include "random/coverage.h"
#include "random/generator.h"

namespace {

using namespace emulator::testing::random;  // NOLINT(google-build-using-namespace): a program

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void print_coverage(const Coverage& coverage) {
  std::size_t fewest = SIZE_MAX;
  std::size_t all = 0;
  for (const Coverage::Count& count : coverage.counts()) {
    fewest = std::min(fewest, count.times);
    all += count.times;
  }
  fmt::print("{} statements of {} forms, each at least {} times\n", all, coverage.counts().size(),
             fewest);
  for (const std::string& form : coverage.missing()) fmt::print("  never: {}\n", form);
}

int run(std::uint64_t first, std::uint64_t count) {
  const auto engine = emulator::jit::engine_of_environment();
  const auto compilation = emulator::jit::compilation_of_environment();
  Coverage coverage;
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Program program = generate(seed);
    coverage.add(program);
    const auto found = difference(program, engine, compilation);
    if (!found) continue;
    ++wrong;
    fmt::print("seed {}: {}\n", seed, *found);
    std::fflush(stdout);  // shrinking takes its time
    const Program small = shrunk(program, engine, compilation);
    fmt::print("of which is left: {}\n{}\n",
               difference(small, engine, compilation).value_or("nothing"), ptx_of(small));
    std::fflush(stdout);
  }
  print_coverage(coverage);
  fmt::print("{} programs, {} differ\n", count, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** texts) try {
  const std::span arguments(texts, static_cast<std::size_t>(count));
  if (arguments.size() == 3) {
    const auto last = number(arguments[2]);
    const auto first = number(arguments[1]);
    if (last && std::string_view(arguments[1]) == "print") {
      fmt::print("{}", ptx_of(generate(*last)));
      return 0;
    }
    if (first && last) return run(*first, *last);
  }
  fmt::print(stderr, "usage: emulator_random_programs FIRST COUNT | print SEED\n");
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "emulator_random_programs: %s\n", error.what());
  return 70;
}
