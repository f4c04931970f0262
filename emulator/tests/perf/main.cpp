// What the emulated device costs, measured on this machine.
//
//   emulator_perf                  the table
//   emulator_perf [--ir] FILE.cu.. these matmuls, 1024^3; with --ir the LLVM IR they are lowered to
//   emulator_perf [--ir] COUNT KIND  a kernel of so many instructions (long_kernels.h), by number
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/host_matmul.h"
#include "perf/kernel_times.h"
#include "perf/long_kernels.h"
#include "runtime/engine.h"
#include "support/nvrtc.h"

namespace {

using namespace emulator::perf;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::int64_t kSide = 1024;
constexpr int kCompiles = 5;
constexpr int kLaunches = 9;
constexpr int kHostRuns = 3;
constexpr unsigned kLong = 5000;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the kernel has no " + from);
  return text.replace(at, from.size(), to);
}

// A matmul of CUDA C++. A line of it says how it is launched, as "// launch: grid 32 128 block 32
// 8".
Program compiled(const std::string& name, const std::string& source) {
  Program program;
  program.name = name;
  program.ptx = emulator::testing::ptx_of(source);
  program.kernel = "matmul";
  const std::string mark = "// launch: ";
  const std::size_t at = source.find(mark);
  std::istringstream line(at == std::string::npos ? "" : source.substr(at + mark.size()));
  std::string grid;
  std::string block;
  if (!(line >> grid >> program.grid[0] >> program.grid[1] >> block >> program.block[0] >>
        program.block[1]) ||
      grid != "grid" || block != "block") {
    throw std::runtime_error(name + ": no line says \"// launch: grid X Y block X Y\"");
  }
  constexpr auto kBytes = static_cast<std::size_t>(kSide * kSide) * 2;
  program.buffers = {kBytes, kBytes, kBytes};
  return program;
}

void row(const Program& program, int compiles, int launches) {
  const Times t = measure(program, compiles, launches);
  fmt::print("| {} | {} |", program.name, t.instructions);
  for (const double seconds : {t.parse, t.check, t.lower, t.optimise, t.generate, t.link,
                               t.compile(), t.from_cache, t.launch}) {
    fmt::print(" {:.1f} |", seconds * 1000);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void head() {
  fmt::print(
      "Milliseconds. JIT is from the PTX's text to code that runs, cached the same where an "
      "earlier "
      "process compiled it.\n\n"
      "| kernel | PTX instructions | parse | check | lower | optimise | generate | link | JIT | "
      "cached | launch |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void everything() {
  head();
  const auto kernel = [](const std::string& name) {
    return text_of(EMULATOR_PERF_KERNELS "/" + name);
  };
  const std::string naive = kernel("naive.cu");
  const std::string square =
      replaced(replaced(replaced(naive, "grid 32 128 block 32 8", "grid 64 64 block 16 16"),
                        "BLOCK_COLS = 32", "BLOCK_COLS = 16"),
               "BLOCK_ROWS = 8", "BLOCK_ROWS = 16");
  row(compiled("naive, 32 x 8", naive), kCompiles, kLaunches);
  row(compiled("naive, 16 x 16", square), kCompiles, kLaunches);
  row(compiled("tiled, 32 x 32", kernel("tiled_32.cu")), kCompiles, kLaunches);
  row(compiled("tiled, 16 x 16", kernel("tiled_16.cu")), kCompiles, kLaunches);
  row(compiled("mma", kernel("mma.cu")), kCompiles, kLaunches);
  row(compiled("wmma", kernel("wmma.cu")), kCompiles, kLaunches);
  for (const Make make : {Make::arithmetic, Make::consecutive, Make::uniform, Make::scattered,
                          Make::branches, Make::uniform_branches, Make::matrices}) {
    row(long_kernel(make, kLong), 1, kLaunches);
  }
  const auto host = [](Nest nest) {
    return host_matmul(nest, kSide, emulator::runtime::default_workers(), kHostRuns) * 1000;
  };
  fmt::print(
      "\nNaive in C++ at -O3 on as many threads: {:.1f} ms; with the loops interchanged, so that "
      "they become vectors: {:.1f} ms.\n",
      host(Nest::as_in_the_kernel), host(Nest::vectorised));
}

// The kernels that the command line names.
std::vector<Program> wanted(const std::vector<std::string>& arguments) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (arguments.size() == 2 && is_number(arguments[0]) && is_number(arguments[1])) {
    return {long_kernel(static_cast<Make>(std::stoul(arguments[1])),
                        static_cast<unsigned>(std::stoul(arguments[0])))};
  }
  std::vector<Program> programs;
  programs.reserve(arguments.size());
  for (const std::string& file : arguments) programs.push_back(compiled(file, text_of(file)));
  return programs;
}

}  // namespace

int main(int count, char** words) {
  try {
    std::vector<std::string> arguments(words + 1, words + count);
    const bool only_ir = !arguments.empty() && arguments[0] == "--ir";
    if (only_ir) arguments.erase(arguments.begin());
    if (arguments.empty()) {
      everything();
      return 0;
    }
    const std::vector<Program> programs = wanted(arguments);
    if (!only_ir) head();
    for (const Program& program : programs) {
      if (only_ir) {
        fmt::print("{}", ir_of(program));
      } else {
        row(program, 1, kLaunches);
      }
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emulator_perf: %s\n", error.what());
    return 1;
  }
}
