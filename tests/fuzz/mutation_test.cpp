// The fuzzers' entry points under mutations of good input that are the same in every run: what is
// left of fuzzing where there is no time for it. A fault ends the test program, as it would the
// fuzzer; tests/fuzz/CMakeLists.txt says how to run those.
#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/message_seeds.h"
#include "support/full_test.h"

extern "C" int fuzz_case_toml(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_message(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_ledger_line(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_results_table(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_chrome_trace(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_profile_record(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_image_description(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_workload(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_replacements(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_cuda_source(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_definition(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_notify_toml(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_event_stream(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_answer_piece(const std::uint8_t* data, std::size_t size);

namespace autokernel::fuzz {
namespace {

using EntryPoint = int (*)(const std::uint8_t*, std::size_t);

// Texts longer than this only make the others wait.
constexpr std::size_t kLongest = 32768;
constexpr int kMostChangesAtOnce = 6;

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  [[nodiscard]] std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    const std::size_t changes = 1 + below(kMostChangesAtOnce);
    for (std::size_t i = 0; i < changes; ++i) change(text);
    // A line is what a message is; cut ones are tried often enough.
    if (!text.empty() && below(2) == 0) text.back() = '\n';
    return text.substr(0, kLongest);
  }

 private:
  [[nodiscard]] std::size_t below(std::size_t limit) { return random_() % limit; }

  [[nodiscard]] std::string piece_of(const std::string& text) {
    if (text.empty()) return {};
    const std::size_t at = below(text.size());
    return text.substr(at, 1 + below(64));
  }

  void change(std::string& text) {
    static const std::vector<std::string> kOdd = {
        "",        "0",        "-1", "18446744073709551616",
        "1e999",   "nan",      "\"", "{",
        "}",       "[",        "]",  "(",
        "\\u0000", "\xff\xfe", ";",  ",",
        "//",      "/*",       "\n", "null",
        "0x",      "%",        "<",  "-",
        "=",       "."};
    if (text.empty()) text = "x";
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.erase(at, 1 + below(32));
        break;
      case 2:
        text.insert(at, piece_of(text));
        break;
      case 3:
        text.insert(at, piece_of(seeds_[below(seeds_.size())]));
        break;
      case 4:
        text.replace(at, below(8), kOdd[below(kOdd.size())]);
        break;
      default:
        if (below(8) == 0) text.resize(at);
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_{20'240'501};  // any number, the same in every run
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(std::filesystem::path(AUTOKERNEL_SOURCES) / file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.empty()) throw std::runtime_error("cannot read " + file.string());
  return text;
}

int runs(EntryPoint entry, std::vector<std::string> seeds, int count) {
  Mutator mutator(std::move(seeds));
  int done = 0;
  for (; done < count; ++done) {
    const std::string text = mutator.next();
    if (entry(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()) != 0) break;
  }
  return done;
}

// About two seconds each in the full test, else half of one.
const int kShare = test::everything_is_wanted() ? 1 : 4;
const int kCaseRuns = 10'000 / kShare;
const int kMessageRuns = 60'000 / kShare;
const int kLedgerRuns = 60'000 / kShare;
const int kResultsRuns = 200'000 / kShare;
const int kTraceRuns = 10'000 / kShare;
const int kRecordRuns = 8'000 / kShare;
const int kImageRuns = 8'000 / kShare;
const int kWorkloadRuns = 1'500 / kShare;
const int kReplacementRuns = 60'000 / kShare;
const int kSourceRuns = 3'000 / kShare;
const int kDefinitionRuns = 20'000 / kShare;
const int kNotifyRuns = 30'000 / kShare;
const int kEventStreamRuns = 100'000 / kShare;
const int kAnswerPieceRuns = 100'000 / kShare;

TEST(Mutations, OfCaseFilesAreCasesOrMistakesOfTheUser) {
  EXPECT_EQ(runs(fuzz_case_toml,
                 {text_of("kernels/case.toml"), text_of("tests/fuzz/case_toml/in_place.toml"),
                  text_of("tests/fuzz/case_toml/fp64_reference.toml"),
                  text_of("tests/fuzz/case_toml/product_of_a_kernel.toml")},
                 kCaseRuns),
            kCaseRuns);
}

TEST(Mutations, OfLedgerLinesAreEntriesOrDamage) {
  EXPECT_EQ(runs(fuzz_ledger_line,
                 {text_of("tests/fuzz/ledger_line/run_started.jsonl"),
                  text_of("tests/fuzz/ledger_line/experiment.jsonl"),
                  text_of("tests/fuzz/ledger_line/turn.jsonl"),
                  text_of("tests/fuzz/ledger_line/run_finished.jsonl")},
                 kLedgerRuns),
            kLedgerRuns);
}

TEST(Mutations, OfResultsTablesAreRowsOrMistakesOfTheUser) {
  EXPECT_EQ(runs(fuzz_results_table,
                 {text_of("tests/fuzz/results_table/plain.tsv"),
                  text_of("tests/fuzz/results_table/carriage_returns.tsv")},
                 kResultsRuns),
            kResultsRuns);
}

TEST(Mutations, OfTracesAreProfilesOrMistakesOfTheUser) {
  EXPECT_EQ(runs(fuzz_chrome_trace,
                 {text_of("tests/fuzz/chrome_trace/shapes.json"),
                  text_of("tests/fuzz/chrome_trace/graph.json"),
                  text_of("tests/fuzz/chrome_trace/old_spelling.json")},
                 kTraceRuns),
            kTraceRuns);
}

TEST(Mutations, OfMessagesAreMessagesOrErrors) {
  EXPECT_EQ(runs(fuzz_message, message_seeds(), kMessageRuns), kMessageRuns);
}

TEST(Mutations, OfRecordsAreProfiles) {
  EXPECT_EQ(
      runs(fuzz_profile_record, {text_of("tests/fuzz/profile_record/small.record")}, kRecordRuns),
      kRecordRuns);
}

TEST(Mutations, OfImageDescriptionsAreProgramsOrRefusals) {
  EXPECT_EQ(
      runs(fuzz_image_description, {text_of("tests/fuzz/image_description/add.txt")}, kImageRuns),
      kImageRuns);
}

TEST(Mutations, OfWorkloadsAreWorkloadsOrMistakesOfTheUser) {
  EXPECT_EQ(
      runs(fuzz_workload, {text_of("workloads/gpt2.toml"), text_of("workloads/llama-7b.toml")},
           kWorkloadRuns),
      kWorkloadRuns);
}

TEST(Mutations, OfReplacementsAreReplacementsOrNone) {
  EXPECT_EQ(runs(fuzz_replacements,
                 {text_of("tests/fuzz/replacements/two_kernels.txt"),
                  text_of("tests/fuzz/replacements/product.txt")},
                 kReplacementRuns),
            kReplacementRuns);
}

TEST(Mutations, OfSourcesAreCasesOrNone) {
  EXPECT_EQ(runs(fuzz_cuda_source,
                 {text_of("tests/data/import/vector_add.cu"), text_of("tests/data/import/rows.cu"),
                  text_of("tests/data/import/launches.cu")},
                 kSourceRuns),
            kSourceRuns);
}

TEST(Mutations, OfDefinitionsAreCasesOrRefused) {
  EXPECT_EQ(runs(fuzz_definition,
                 {text_of("tests/data/definition/definition.json"),
                  text_of("tests/data/definition/workload.jsonl")},
                 kDefinitionRuns),
            kDefinitionRuns);
}

TEST(Mutations, OfNotificationsAreConfigurationsOrMistakesOfTheUser) {
  EXPECT_EQ(runs(fuzz_notify_toml,
                 {text_of("tests/fuzz/notify_toml/three.txt"),
                  text_of("tests/fuzz/notify_toml/inline.txt")},
                 kNotifyRuns),
            kNotifyRuns);
}

TEST(Mutations, OfEventStreamsAreTheSameEventsHoweverTheyAreCut) {
  EXPECT_EQ(runs(fuzz_event_stream,
                 {text_of("tests/fuzz/event_stream/chat.txt"),
                  text_of("tests/fuzz/event_stream/line_ends.txt")},
                 kEventStreamRuns),
            kEventStreamRuns);
}

TEST(Mutations, OfAnswersArePiecesOrNoJsonObjects) {
  EXPECT_EQ(runs(fuzz_answer_piece,
                 {text_of("tests/fuzz/answer_piece/chat.json"),
                  text_of("tests/fuzz/answer_piece/whole.json")},
                 kAnswerPieceRuns),
            kAnswerPieceRuns);
}

}  // namespace
}  // namespace autokernel::fuzz
