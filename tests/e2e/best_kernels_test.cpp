// The kernels in kernels/best and kernels/*/best, which were the fastest on an H200, are right on
// the emulated device. Each takes rows or tiles of certain lengths only. So it is judged in a copy
// of its case, at a size `check` that has these lengths and little else. The emulated device then
// takes seconds to compile it and the references, and little to run them. So some kernels
// stand for the others, which AUTOKERNEL_TEST_FULL=1 judges as well.
#include <gmock/gmock.h>

#include <cstdint>
#include <set>

#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

const fs::path kCasesOfBest = AUTOKERNEL_SOURCES "/kernels";

struct Replacement {
  std::string from;
  std::string to;
};

// Whether another kernel of the same structure stands for it.
enum class Judged : std::uint8_t { always, in_full_test };

struct BestKernel {
  std::string name;    // of the test
  std::string folder;  // of its case, below kernels/
  std::string file;    // in the folder best/ there
  Judged judged = Judged::always;
  std::vector<std::string> size;  // as lines of [sizes.check]
  // Of the kernel, where only a large problem would go through all of it.
  std::vector<Replacement> edits = {};
};
void PrintTo(const BestKernel& best, std::ostream* out) { *out << best.file; }

const std::vector<BestKernel>& best_kernels() {
  static const std::vector<BestKernel> all = {
      {"Softmax4096", "softmax", "rows_4096.cu", Judged::always, {"ROWS = 3", "COLS = 4096"}},
      {"Softmax8192", "softmax", "rows_8192.cu", Judged::in_full_test, {"ROWS = 3", "COLS = 8192"}},
      // Four rows fill the ring more than once.
      {"Softmax65536", "softmax", "rows_65536.cu", Judged::always, {"ROWS = 4", "COLS = 65536"}},
      {"RmsNorm8192", "rmsnorm", "rows_4096_8192.cu", Judged::always, {"ROWS = 3", "COLS = 8192"}},
      {"RmsNorm65536",
       "rmsnorm",
       "rows_65536.cu",
       Judged::in_full_test,
       {"ROWS = 5", "COLS = 65536"}},
      {"LayerNorm4096", "layernorm", "rows_4096.cu", Judged::always, {"ROWS = 3", "COLS = 4096"}},
      {"LayerNorm8192",
       "layernorm",
       "rows_8192.cu",
       Judged::in_full_test,
       {"ROWS = 3", "COLS = 8192"}},
      {"LayerNorm65536",
       "layernorm",
       "rows_65536.cu",
       Judged::always,
       {"ROWS = 5", "COLS = 65536"}},
      {"CrossEntropy4096",
       "cross_entropy",
       "rows_4096.cu",
       Judged::in_full_test,
       {"ROWS = 7", "COLS = 4096"}},
      {"CrossEntropy8192",
       "cross_entropy",
       "rows_8192.cu",
       Judged::always,
       {"ROWS = 7", "COLS = 8192"}},
      {"CrossEntropy65536",
       "cross_entropy",
       "rows_65536.cu",
       Judged::in_full_test,
       {"ROWS = 7", "COLS = 65536"}},
      // Four parts of 50 rows, more than the ring and than a chain of sums have.
      {"Reduce",
       "reduce",
       "elements_2_30.cu",
       Judged::always,
       {"ROWS = 200", "COLS = 4096"},
       {{"MOST_PARTS = 132 / TILES;", "MOST_PARTS = 4 / TILES;"}}},
      // Two clusters for three tiles, of which they share the second.
      {"AttentionFull",
       "flash_attention",
       "full.cu",
       Judged::always,
       {"BATCH = 1", "QUERIES = 256", "KEYS = 256", "HEADS = 3", "KV_HEADS = 1", "DIM = 128",
        "FIRST_SEES = 256"},
       {{"MULTIPROCESSORS = 132;", "MULTIPROCESSORS = 4;"}}},
      // The blocks of a cluster see three and four tiles of keys.
      {"AttentionCausal16",
       "flash_attention",
       "causal_16.cu",
       Judged::in_full_test,
       {"BATCH = 1", "QUERIES = 256", "KEYS = 512", "HEADS = 1", "KV_HEADS = 1", "DIM = 128",
        "FIRST_SEES = 257"}},
      // One block takes both tiles.
      {"AttentionCausal64",
       "flash_attention",
       "causal_64.cu",
       Judged::in_full_test,
       {"BATCH = 1", "QUERIES = 256", "KEYS = 256", "HEADS = 1", "KV_HEADS = 1", "DIM = 128",
        "FIRST_SEES = 1"},
       {{"MULTIPROCESSORS = 132;", "MULTIPROCESSORS = 1;"}}},
      // More steps than stages.
      {"Product1024", "", "square_1024.cu", Judged::always, {"M = 128", "N = 256", "K = 640"}},
      // Two tiles for each block, one after the other.
      {"Product2048",
       "",
       "square_2048.cu",
       Judged::always,
       {"M = 128", "N = 512", "K = 512"},
       {{"N / BN < 8 ? N / BN : 8;", "1;"}}},
      {"Product4096",
       "",
       "square_4096_8192.cu",
       Judged::always,
       {"M = 256", "N = 512", "K = 256"},
       {{"N / BN < 16 ? N / BN : 16;", "2;"}}}};
  return all;
}

// The first occurrence, which must be there.
void replace_in(std::string& text, const std::string& from, const std::string& to,
                std::size_t begin = 0) {
  const std::size_t at = text.find(from, begin);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// Of the line at or behind `begin` that sets the key of `line`.
void replace_line(std::string& text, const std::string& line, std::size_t begin) {
  const std::string key = "\n" + line.substr(0, line.find('=') + 1);
  const std::size_t at = text.find(key, begin);
  ASSERT_NE(at, std::string::npos) << line;
  text.replace(at + 1, text.find('\n', at + 1) - at - 1, line);
}

// With few launches: emulated times are of no interest here.
[[nodiscard]] std::string small_case(std::string text, const BestKernel& best) {
  const std::size_t check = text.find("[sizes.check]");
  for (const std::string& line : best.size) replace_line(text, line, check);
  replace_line(text, "samples = 1", text.find("[timing]"));
  replace_line(text, "warmups = 0", text.find("[timing]"));
  // Seven losses are too few for a mean of their errors.
  if (best.folder == "cross_entropy") replace_in(text, "fp64_file = \"reference_fp64.cu\"\n", "");
  return text;
}

class BestKernelOf : public Workplace, public testing::WithParamInterface<BestKernel> {};

TEST_P(BestKernelOf, IsRight) {
  const BestKernel& best = GetParam();
  if (best.judged == Judged::in_full_test && !everything_is_wanted()) {
    GTEST_SKIP() << "another stands for it; AUTOKERNEL_TEST_FULL=1 judges it";
  }
  const fs::path original = kCasesOfBest / best.folder;
  fs::copy(original, scratch_.path() / "case");  // its files, without best/
  scratch_.write("case/case.toml", small_case(contents(original / "case.toml"), best));
  std::string source = contents(original / "best" / best.file);
  for (const auto& [from, to] : best.edits) replace_in(source, from, to);
  const fs::path kernel = scratch_.write(best.file, source);

  const Outcome run =
      run_autokernel({"bench", "--device", "cpu", "--case", scratch_.path() / "case", "--size",
                      "check", "--kernel", kernel});

  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Each, BestKernelOf, testing::ValuesIn(best_kernels()),
                         [](const auto& tested) { return tested.param.name; });

TEST(BestKernels, AreAllJudged) {
  std::set<fs::path> judged;
  for (const BestKernel& best : best_kernels()) {
    judged.insert((kCasesOfBest / best.folder / "best" / best.file).lexically_normal());
  }
  std::set<fs::path> found;
  for (const fs::directory_entry& each : fs::recursive_directory_iterator(kCasesOfBest)) {
    if (each.path().parent_path().filename() == "best") found.insert(each.path());
  }
  EXPECT_EQ(found, judged);
}

}  // namespace
}  // namespace autokernel::test
