// How many times as long kernels take on the emulated device as the same computation takes in C++
// with OpenMP on as many threads: medians of runs in turn, ratios of those.
//
//   emulator_ratios [RUNS [NAME..]]   e.g. emulator_ratios 7 gelu softmax
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "perf/host_kernels.h"
#include "perf/kernel_times.h"
#include "perf/prepared_kernel.h"
#include "runtime/engine.h"
#include "runtime/memory.h"
#include "support/nvrtc.h"

namespace {

using namespace emulator::perf;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kCount = std::size_t{1} << 26U;
constexpr std::size_t kColumns = 4096;
constexpr std::size_t kBins = 256;
constexpr std::size_t kPartialSums = 4096;
constexpr std::size_t kSide = 512;
constexpr int kDefaultRuns = 7;
constexpr int kCompiles = 3;

// What both work on: the inputs, then the output, which may be one of them.
struct Arrays {
  std::vector<const float*> in;
  void* out;
};

struct Row {
  std::string name;
  std::string file;
  std::string kernel;
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  std::vector<std::size_t> inputs;  // how many floats each has
  std::size_t outputs;              // how many words of 4 bytes; 0: the last input is the output
  std::function<void(const Arrays&)> host;
  float lowest;
  float highest;
  // How far apart both results may be, of their size; where that is less than 0 they are compared
  // as integers, and where it is infinite not at all.
  float tolerance;
};

std::vector<Row> rows() {
  constexpr std::uint32_t kThreads = 256;
  constexpr std::uint32_t kBlocks = kCount / kThreads;
  const auto floats = [](void* out) { return static_cast<float*>(out); };
  const auto histogram = [](const Arrays& a) {
    host_histogram(a.in[0], static_cast<std::uint32_t*>(a.out), kCount);
  };
  const auto sgemm = [=](const Arrays& a) { host_sgemm(a.in[0], a.in[1], floats(a.out), kSide); };
  constexpr std::size_t kSquare = kSide * kSide;
  constexpr float kNotCompared = INFINITY;
  return {
      {"tanh-GELU",
       "gelu",
       "gelu",
       {kBlocks, 1, 1},
       {kThreads, 1, 1},
       {kCount},
       kCount,
       [=](const Arrays& a) { host_gelu(a.in[0], floats(a.out), kCount); },
       -4,
       4,
       1e-2F},
      {"softmax, rows of 4096",
       "softmax",
       "softmax",
       {kCount / kColumns, 1, 1},
       {kThreads, 1, 1},
       {kCount},
       kCount,
       [=](const Arrays& a) { host_softmax(a.in[0], floats(a.out), kCount / kColumns, kColumns); },
       -4,
       4,
       1e-4F},
      {"histogram, shared memory",
       "histogram_shared",
       "histogram",
       {1024, 1, 1},
       {kThreads, 1, 1},
       {kCount},
       kBins,
       histogram,
       0,
       1,
       -1},
      {"histogram, global memory",
       "histogram_global",
       "histogram",
       {kBlocks, 1, 1},
       {kThreads, 1, 1},
       {kCount},
       kBins,
       histogram,
       0,
       1,
       -1},
      {"axpy",
       "axpy",
       "axpy",
       {kBlocks, 1, 1},
       {kThreads, 1, 1},
       {kCount, kCount},
       0,
       [=](const Arrays& a) { host_axpy(a.in[0], floats(a.out), kCount); },
       0,
       1,
       kNotCompared},
      {"reduction",
       "reduction",
       "reduction",
       {kPartialSums, 1, 1},
       {kThreads, 1, 1},
       {kCount},
       kPartialSums,
       [=](const Arrays& a) { *floats(a.out) = host_sum(a.in[0], kCount); },
       0,
       1,
       kNotCompared},
      {"matmul 512^3, naive",
       "sgemm_naive",
       "sgemm",
       {kSide / 32, kSide / 8, 1},
       {32, 8, 1},
       {kSquare, kSquare},
       kSquare,
       sgemm,
       0,
       1,
       1e-4F},
      {"matmul 512^3, tiled",
       "sgemm_tiled",
       "sgemm",
       {kSide / 32, kSide / 32, 1},
       {32, 32, 1},
       {kSquare, kSquare},
       kSquare,
       sgemm,
       0,
       1,
       1e-4F},
      {"matmul 512^3, registers 4 x 4",
       "sgemm_registers",
       "sgemm",
       {kSide / 64, kSide / 64, 1},
       {16, 16, 1},
       {kSquare, kSquare},
       kSquare,
       sgemm,
       0,
       1,
       1e-4F},
  };
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void compare(const Row& row, const void* emulated, const void* host) {
  for (std::size_t i = 0; i < row.outputs; ++i) {
    if (row.tolerance < 0) {
      const auto* a = static_cast<const std::uint32_t*>(emulated);
      const auto* b = static_cast<const std::uint32_t*>(host);
      if (a[i] == b[i]) continue;
      throw std::runtime_error(fmt::format("{}: {} and {} at {}", row.name, a[i], b[i], i));
    }
    const float a = static_cast<const float*>(emulated)[i];
    const float b = static_cast<const float*>(host)[i];
    if (std::abs(a - b) <= row.tolerance * std::max(std::abs(b), 1e-3F)) continue;
    if (std::isinf(row.tolerance)) return;
    throw std::runtime_error(fmt::format("{}: {} and {} at {}", row.name, a, b, i));
  }
}

void measure(const Row& row, int runs) {
  Program program;
  program.name = row.name;
  program.ptx = emulator::testing::ptx_of(text_of(EMULATOR_PERF_KERNELS "/" + row.file + ".cu"));
  program.kernel = row.kernel;
  program.grid = row.grid;
  program.block = row.block;
  for (const std::size_t floats : row.inputs) program.buffers.push_back(floats * sizeof(float));
  if (row.outputs != 0) program.buffers.push_back(row.outputs * sizeof(float));

  emulator::runtime::Memory memory;
  Compiled compiled = compile(program, memory);
  for (int i = 1; i < kCompiles; ++i) {
    Compiled other = compile(program, memory);
    if (other.times.compile() < compiled.times.compile()) compiled = std::move(other);
  }
  PreparedKernel kernel(program, *compiled.kernel, memory);
  Arrays arrays{};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> drawn(row.lowest, row.highest);
  for (std::size_t i = 0; i < row.inputs.size(); ++i) {
    auto* floats = static_cast<float*>(kernel.buffer(i));
    // Just below, where rounding would give the end of the range.
    std::generate_n(floats, row.inputs[i],
                    [&] { return std::min(drawn(random), std::nextafter(row.highest, 0.0F)); });
    arrays.in.push_back(floats);
  }
  std::vector<std::uint32_t> out(row.outputs);
  arrays.out = row.outputs == 0 ? kernel.buffer(row.inputs.size() - 1) : out.data();

  std::vector<double> emulated;
  std::vector<double> host;
  for (int run = 0; run <= runs; ++run) {
    if (row.outputs != 0) std::memset(kernel.buffer(row.inputs.size()), 0, row.outputs * 4);
    const double launch = kernel.launch();
    const auto begin = std::chrono::steady_clock::now();
    row.host(arrays);
    const std::chrono::duration<double> loops = std::chrono::steady_clock::now() - begin;
    if (run == 0) {
      if (row.outputs != 0) compare(row, kernel.buffer(row.inputs.size()), out.data());
      continue;  // pages are touched for the first time, threads begin
    }
    emulated.push_back(launch);
    host.push_back(loops.count());
  }
  fmt::print("| {} | {:.1f} ms | {:.1f} ms | {:.2f} | {:.1f} ms |\n", row.name, median(host) * 1000,
             median(emulated) * 1000, median(emulated) / median(host),
             compiled.times.compile() * 1000);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::vector<std::string> names(words + std::min(count, 2), words + count);
    const int runs = count > 1 ? std::stoi(words[1]) : kDefaultRuns;
    host_threads(emulator::runtime::default_workers());
    fmt::print("| kernel | C++ with OpenMP | emulated | ratio | JIT |\n|---|---|---|---|---|\n");
    for (const Row& row : rows()) {
      if (names.empty() || std::ranges::find(names, row.file) != names.end()) measure(row, runs);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emulator_ratios: %s\n", error.what());
    return 1;
  }
}
