#include "ledger/entry_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "autokernel/base/error.h"
#include "ledger/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using nlohmann::ordered_json;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Property;
using testing::StartsWith;
using testing::Throws;
using testing::VariantWith;

ParsedLine read_back(const Entry& entry) { return parse_line(line_of(entry)); }

auto is_damage(const std::string& why) {
  return VariantWith<Damage>(Field(&Damage::why, HasSubstr(why)));
}

// A line with one field of an experiment replaced.
std::string with(const std::string& name, const ordered_json& value) {
  ordered_json object = ordered_json::parse(line_of(full_experiment()));
  object[name] = value;
  return object.dump() + "\n";
}

TEST(EntryLine, OfEveryKindWithAllFieldsSetIsReadBack) {
  for (const Entry& entry : full_entries()) {
    EXPECT_THAT(read_back(entry), VariantWith<Entry>(entry)) << line_of(entry);
  }
}

TEST(EntryLine, OfEveryKindWithNothingSetIsReadBack) {
  for (const Entry& entry : empty_entries()) {
    EXPECT_THAT(read_back(entry), VariantWith<Entry>(entry)) << line_of(entry);
  }
}

TEST(EntryLine, BeginsWithItsVersionAndKind) {
  EXPECT_THAT(line_of(RunStarted{}), StartsWith(R"({"schema_version":1,"kind":"run_started",)"));
  EXPECT_THAT(line_of(Experiment{}), StartsWith(R"({"schema_version":1,"kind":"experiment",)"));
  EXPECT_THAT(line_of(Turn{}), StartsWith(R"({"schema_version":1,"kind":"turn",)"));
  EXPECT_THAT(line_of(RunFinished{}), StartsWith(R"({"schema_version":1,"kind":"run_finished",)"));
}

TEST(EntryLine, IsOneLineWhateverTheTextsHold) {
  const std::string line = line_of(full_experiment());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(EntryLine, SaysNullForWhatDoesNotExist) {
  const ordered_json object = ordered_json::parse(line_of(Experiment{}));
  for (const char* name :
       {"reason", "incumbent", "median_us", "tflops_s", "vs_reference", "gain", "log", "result"}) {
    EXPECT_TRUE(object.at(name).is_null()) << name;
  }
}

TEST(EntryLine, SaysNullForANumberThatIsNone) {
  Experiment odd = full_experiment();
  odd.median_us = std::numeric_limits<double>::infinity();
  odd.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(ordered_json::parse(line_of(odd)).at("median_us").is_null());
  odd.median_us.reset();
  EXPECT_THAT(read_back(odd), VariantWith<Entry>(VariantWith<Experiment>(
                                  testing::AllOf(Field(&Experiment::median_us, std::nullopt),
                                                 Field(&Experiment::seconds, testing::IsNan())))));
}

TEST(EntryLine, HoldsAMeasurementAsTheObjectItIs) {
  const ordered_json object = ordered_json::parse(line_of(full_experiment()));
  EXPECT_EQ(object.at("result").at("samples_us"), ordered_json({1.0, 2.5, 0.1}));
}

TEST(EntryLine, ReplacesBytesThatAreNoText) {
  Experiment odd = full_experiment();
  odd.description = "a\xFF";
  odd.result = "{\"log\":\"b\xC3\"}";
  Experiment replaced = full_experiment();
  replaced.description = "a\xEF\xBF\xBD";
  replaced.result = "{\"log\":\"b\xEF\xBF\xBD\"}";
  EXPECT_THAT(read_back(odd), VariantWith<Entry>(Entry(replaced)));
}

TEST(EntryLine, IsRefusedForAMeasurementThatIsNoObject) {
  for (const char* result : {"[1]", "{\"cut\":", "text", "\"{}\"", "{} {}"}) {
    Experiment wrong = full_experiment();
    wrong.result = result;
    EXPECT_THAT([&] { (void)line_of(wrong); },
                Throws<Error>(Property(&Error::stop, Stop::internal)))
        << result;
  }
}

TEST(EntryLine, CutAnywhereIsNoEntry) {
  for (const Entry& entry : full_entries()) {
    const std::string line = line_of(entry);
    for (std::size_t length = 0; length + 1 < line.size(); ++length) {
      EXPECT_THAT(parse_line(line.substr(0, length)), is_damage("not JSON")) << length;
    }
  }
}

TEST(EntryLine, EndsAsItsReaderLikes) {
  const Entry entry = full_turn();
  std::string line = line_of(entry);
  line.pop_back();
  EXPECT_THAT(parse_line(line), VariantWith<Entry>(entry));
  EXPECT_THAT(parse_line(line + "\r\n"), VariantWith<Entry>(entry));
}

TEST(EntryLine, OfVersion1IsReadAsItWasWrittenOnce) {
  const std::filesystem::path written =
      std::filesystem::path(AUTOKERNEL_SOURCES) / "tests" / "fuzz" / "ledger_line";
  std::vector<Entry> entries = full_entries();
  std::get<RunStarted>(entries[0]).harness.clear();  // was not recorded then
  std::get<RunStarted>(entries[0]).git_rules.clear();
  std::get<RunStarted>(entries[0]).headers.clear();
  Experiment& tried = std::get<Experiment>(entries[1]);  // there were cases of kernels alone
  tried.metric.reset();
  tried.guards.clear();
  tried.webhook.reset();
  std::get<RunFinished>(entries[3]).baseline_metric.reset();
  std::get<RunFinished>(entries[3]).best_metric.reset();
  std::get<RunFinished>(entries[3]).webhook.reset();
  EXPECT_THAT(parse_line(test::contents(written / "run_started.jsonl")),
              VariantWith<Entry>(entries[0]));
  EXPECT_THAT(parse_line(test::contents(written / "experiment.jsonl")),
              VariantWith<Entry>(entries[1]));
  EXPECT_THAT(parse_line(test::contents(written / "turn.jsonl")), VariantWith<Entry>(entries[2]));
  EXPECT_THAT(parse_line(test::contents(written / "run_finished.jsonl")),
              VariantWith<Entry>(entries[3]));
}

TEST(EntryLine, MayHaveFurtherFields) {
  EXPECT_THAT(parse_line(with("mood", "good")), VariantWith<Entry>(Entry(full_experiment())));
}

TEST(EntryLine, MayLackFieldsThatMayBeNull) {
  Experiment none = full_experiment();
  none.gain.reset();
  ordered_json object = ordered_json::parse(line_of(full_experiment()));
  object.erase("gain");
  EXPECT_THAT(parse_line(object.dump()), VariantWith<Entry>(Entry(none)));
}

TEST(EntryLine, OfALaterVersionSaysSo) {
  EXPECT_THAT(parse_line(with("schema_version", 2)),
              VariantWith<LaterVersion>(Field(&LaterVersion::version, 2)));
}

TEST(EntryLine, WithoutAVersionIsNoEntry) {
  for (const ordered_json& version : std::vector<ordered_json>{0, -1, "1", 1.0, nullptr}) {
    EXPECT_THAT(parse_line(with("schema_version", version)), is_damage("schema_version"))
        << version;
  }
}

TEST(EntryLine, OfNoKnownKindIsNoEntry) {
  EXPECT_THAT(parse_line(with("kind", "dream")), is_damage("its kind is unknown"));
  EXPECT_THAT(parse_line(with("kind", 1)), is_damage("no kind"));
}

TEST(EntryLine, WithAFieldOfAnotherTypeIsNoEntryAndNamesIt) {
  EXPECT_THAT(parse_line(with("number", "7")), is_damage("'number'"));
  EXPECT_THAT(parse_line(with("number", 7.5)), is_damage("'number'"));
  EXPECT_THAT(parse_line(with("number", nullptr)), is_damage("'number'"));
  EXPECT_THAT(parse_line(with("number", 3'000'000'000)), is_damage("'number'"));
  EXPECT_THAT(parse_line(with("number", 18446744073709551615U)), is_damage("'number'"));
  EXPECT_THAT(parse_line(with("description", 1)), is_damage("'description'"));
  EXPECT_THAT(parse_line(with("status", "maybe")), is_damage("'status'"));
  EXPECT_THAT(parse_line(with("status", nullptr)), is_damage("'status'"));
  EXPECT_THAT(parse_line(with("median_us", "1")), is_damage("'median_us'"));
  EXPECT_THAT(parse_line(with("seconds", true)), is_damage("'seconds'"));
  EXPECT_THAT(parse_line(with("number", true)), is_damage("'number'"));
  EXPECT_THAT(parse_line(with("result", "{}")), is_damage("'result'"));
  EXPECT_THAT(parse_line(with("gain", ordered_json::array())), is_damage("'gain'"));
  EXPECT_THAT(parse_line(with("gain", {{"estimate", "x"}})), is_damage("'gain': 'estimate'"));
}

TEST(EntryLine, ThatIsGarbageIsNoEntry) {
  EXPECT_THAT(parse_line(""), is_damage("not JSON"));
  EXPECT_THAT(parse_line("\n"), is_damage("not JSON"));
  EXPECT_THAT(parse_line(std::string(4096, '\0')), is_damage("not JSON"));
  EXPECT_THAT(parse_line("\x7F"
                         "ELF\x02\x01\x01"),
              is_damage("not JSON"));
  EXPECT_THAT(parse_line("[]"), is_damage("not a JSON object"));
  EXPECT_THAT(parse_line("null"), is_damage("not a JSON object"));
  EXPECT_THAT(parse_line(line_of(Turn{}) + line_of(Turn{})), is_damage("not JSON"));
}

TEST(EntryLine, ThatIsNestedDeeplyIsNoEntryAndUsesUpNoStack) {
  constexpr std::size_t kDeep = 1'000'000;
  EXPECT_THAT(parse_line("{\"a\":" + std::string(kDeep, '[') + std::string(kDeep, ']') + "}"),
              is_damage("nested"));
}

TEST(EntryLines, AreThoseOfTheEntriesInOrder) {
  EXPECT_EQ(lines_of({full_turn(), full_experiment()}),
            line_of(full_turn()) + line_of(full_experiment()));
  EXPECT_EQ(lines_of({}), "");
}

}  // namespace
}  // namespace autokernel::ledger
