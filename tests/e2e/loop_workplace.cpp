#include "e2e/loop_workplace.h"

#include <gmock/gmock.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

// The reads are volatile: the compiler may leave none out.
constexpr const char* kBody = R"(// z = 2x + y, ROUNDS times over.
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "combine", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void combine(const volatile float* x, const volatile float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float sum = 0;
  for (int round = 0; round < ROUNDS; ++round) sum = 2 * x[i] + y[i];
  z[i] = sum;
}
)";

[[nodiscard]] std::string replaced(std::string text, const std::string& piece,
                                   const std::string& replacement) {
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return at == std::string::npos ? text : text.replace(at, piece.size(), replacement);
}

}  // namespace

std::string kernel(int rounds) {
  return kernel_with(rounds, "z = 2x + y, ROUNDS", "z = 2x + y, so many");
}

std::string kernel_with(int rounds, const std::string& piece, const std::string& replacement) {
  return replaced(replaced(kBody, "round < ROUNDS", "round < " + std::to_string(rounds)), piece,
                  replacement);
}

std::string wrong_kernel() { return kernel_with(kFaster, "2 * x[i]", "3 * x[i]"); }
std::string kernel_that_does_not_compile() {
  return kernel_with(kFaster, "float sum", "flaot sum");
}
std::string endless_kernel() {
  return kernel_with(kFaster, "z[i] = sum;", "while (x[i] == x[i]) {}");
}

void wait_for(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!done() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  EXPECT_TRUE(done());
}

LoopWorkplace::LoopWorkplace() {
  const fs::path from = fs::path(AUTOKERNEL_SOURCES) / "tests" / "data" / "elementwise";
  repository_.write("kernels/case.toml", contents(from / "case.toml"));
  repository_.write("kernels/reference.cu", contents(from / "reference.cu"));
  edit(kernel(kSlow));
  repository_.commit("a case");
  fs::create_directories(repository_.beside("tmp"));
}

Invocation LoopWorkplace::autokernel_in(const fs::path& folder,
                                        const std::vector<std::string>& arguments) const {
  std::map<std::string, std::string> environment = repository_.environment();
  environment["TMPDIR"] = repository_.beside("tmp").string();
  environment["XDG_CACHE_HOME"] = repository_.beside("cache").string();
  return {.program = AUTOKERNEL_PROGRAM,
          .arguments = arguments,
          .directory = folder,
          .environment = environment};
}

Invocation LoopWorkplace::autokernel(const std::vector<std::string>& arguments) const {
  return autokernel_in(repository_.root(), arguments);
}

Outcome LoopWorkplace::start(const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {"loop", "start",  "demo", "--device",
                                        "cpu",  "--size", "check"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Outcome started = run_autokernel(arguments);
  EXPECT_EQ(started.code, 0) << started.out << started.err;
  return started;
}

Outcome LoopWorkplace::step(const std::string& source, const std::string& idea,
                            const std::vector<std::string>& more) const {
  edit(source);
  std::vector<std::string> arguments = {"loop", "step", "-m", idea};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_autokernel(arguments);
}

std::string LoopWorkplace::experiment(int number) const {
  return repository_.line("rev-parse", "refs/autokernel/demo/" + std::to_string(number));
}

std::vector<std::string> LoopWorkplace::rows() const {
  std::istringstream table(repository_.read("results.tsv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "commit\tmedian_us\ttflops_s\tstatus\tdescription");
  std::vector<std::string> rows;
  while (std::getline(table, line)) {
    std::istringstream columns(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(columns, cell, '\t');) cells.push_back(cell);
    EXPECT_EQ(cells.size(), 5U) << line;
    if (cells.size() == 5) rows.push_back(cells[3] + " " + cells[4]);
  }
  return rows;
}

std::vector<nlohmann::json> LoopWorkplace::entries(const std::string& kind) const {
  std::istringstream ledger(repository_.read(".autokernel/ledger.jsonl"));
  std::vector<nlohmann::json> entries;
  for (std::string line; std::getline(ledger, line);) {
    nlohmann::json entry = nlohmann::json::parse(line);
    if (entry.at("kind") == kind) entries.push_back(std::move(entry));
  }
  return entries;
}

void LoopWorkplace::expect_nothing_left() const {
  expect_nothing_under_way();
  EXPECT_THAT(files_below(repository_.beside("tmp")), IsEmpty());
}

void LoopWorkplace::expect_nothing_under_way() const {
  EXPECT_THAT(processes_still_marked(repository_.root().parent_path().string()), IsEmpty());
  EXPECT_FALSE(fs::exists(repository_.root() / ".autokernel" / "journal.json"));
  EXPECT_FALSE(fs::exists(repository_.root() / ".git" / "index.lock"));
}

void LoopWorkplace::expect_at(const std::string& commit) const {
  EXPECT_EQ(head(), commit);
  EXPECT_EQ(repository_.line("symbolic-ref", "HEAD"), "refs/heads/autokernel/demo");
  EXPECT_EQ(repository_.git("diff", "HEAD"), "");
  EXPECT_EQ(repository_.git("diff", "--cached"), "");
  EXPECT_EQ(repository_.git("status", "--porcelain"), "?? results.tsv\n");
}

}  // namespace autokernel::test
