// What the ledger costs with many experiments in it, as rows of the table in docs/performance.md.
// Takes a minute and, below TMPDIR, a gigabyte.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "autokernel/base/scratch.h"
#include "autokernel/ledger/ledger.h"

namespace {

using namespace autokernel;  // NOLINT(google-build-using-namespace): a program of one file
using ledger::Ledger;

constexpr int kMany = 1'000'000;
constexpr int kUsual = 10'000;
// Of calls that take milliseconds; the median of so many no longer changes much.
constexpr int kCalls = 101;
// A kernel of usual length with 2 x 50 samples.
constexpr std::size_t kUsualResult = 10'000;

ledger::Experiment experiment(int number, std::size_t result_bytes) {
  ledger::Experiment experiment;
  experiment.at = "2026-01-31T12:34:56.789Z";
  experiment.tag = "campaign";
  experiment.number = number;
  experiment.description = fmt::format("idea {}: tiles of 64 x 64, four stages", number);
  experiment.verdict = "not faster";
  experiment.reason = "0.3 % slower than the incumbent, with 120 pairs of launches";
  experiment.commit = fmt::format("{:040x}", number);
  experiment.incumbent = fmt::format("{:040x}", number / 10);
  experiment.source_digest = fmt::format("{:040x}", number + kMany);
  experiment.median_us = 1467.141 - number * 1e-4;
  experiment.tflops_s = 1.4625;
  experiment.vs_reference = 0.0137;
  experiment.gain = ledger::Gain{.estimate = -0.003, .low = -0.005, .high = -0.001, .pairs = 120};
  experiment.seconds = 1.2345;
  experiment.log = fmt::format(".autokernel/logs/campaign-{}.txt", number);
  experiment.result = fmt::format(R"({{"source":"{}"}})", std::string(result_bytes, 'x'));
  return experiment;
}

Ledger filled(const std::filesystem::path& folder, int count, std::size_t result_bytes) {
  constexpr int kBatch = 1000;  // so that the disk is not waited for a million times
  Ledger ledger = Ledger::open(folder);
  for (int first = 0; first < count; first += kBatch) {
    std::vector<ledger::Entry> entries;
    for (int i = first; i < first + kBatch; ++i) entries.emplace_back(experiment(i, result_bytes));
    ledger.append(ledger.chained(entries).text);
  }
  return ledger;
}

template <typename Call>
double median_ms(Call call) {
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::ranges::nth_element(times, times.begin() + kCalls / 2);
  return times[kCalls / 2];
}

double append_ms(Ledger& ledger) {
  const ledger::Experiment usual = experiment(0, kUsualResult);
  return median_ms([&] { ledger.append(ledger.chained({usual}).text); });
}

void row(const char* what, double measured_ms, const char* bar) {
  fmt::print("| {} | {:.2f} ms | {} | build/release/tests/autokernel_ledger_perf |\n", what,
             measured_ms, bar);
}

}  // namespace

int main() {
  const ScratchDirectory scratch;
  Ledger fresh = Ledger::open(scratch.path() / "fresh");
  row("an append to an empty ledger, disk included", append_ms(fresh), "<= 20 ms");

  Ledger many = filled(scratch.path() / "many", kMany, 100);
  row("the same with 1,000,000 entries in it", append_ms(many), "<= 20 ms");
  row("opening that ledger",
      median_ms([&] { static_cast<void>(Ledger::open(scratch.path() / "many")); }), "<= 5 ms");
  row("its last 20 rows", median_ms([&] { static_cast<void>(many.last_rows(20)); }), "<= 5 ms");

  const Ledger usual = filled(scratch.path() / "usual", kUsual, kUsualResult);
  row("all rows of 10,000 entries", median_ms([&] { static_cast<void>(usual.rows()); }),
      "<= 20 ms");
  return 0;
}
