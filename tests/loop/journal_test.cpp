#include "loop/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "loop/workplace.h"
#include "support/scratch_folder.h"

namespace autokernel::loop {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

Trying a_trial() {
  Trying trying{.branch = "autokernel/demo", .editable = "kernels/kernel.cu", .experiment = {}};
  trying.experiment.tag = "demo";
  trying.experiment.number = 7;
  trying.experiment.description = "größer: \"tiles\"\\";
  trying.experiment.commit = std::string(40, 'a');
  return trying;
}

Recording a_recording() {
  Recording recording;
  recording.what = "experiment 7";
  recording.branch = "autokernel/demo";
  recording.editable = "kernels/kernel.cu";
  recording.references = {{"refs/autokernel/demo/7", std::string(40, 'a')},
                          {"refs/autokernel/demo/8", std::string(40, 'b')}};
  recording.seal = {"refs/autokernel-seals/demo", std::string(40, 'f')};
  recording.ledger = {.at = 1'234'567'890'123, .text = "{}\n"};
  recording.results_aside = "/somewhere/results-1.tsv";
  recording.results = {.at = 17, .text = "a\tb\n"};
  recording.from = std::string(40, 'c');
  recording.to = std::string(40, 'd');
  recording.file_from = std::string(40, 'e');
  return recording;
}

void expect_same(const Recording& read, const Recording& expected) {
  EXPECT_EQ(read.what, expected.what);
  EXPECT_EQ(read.branch, expected.branch);
  EXPECT_EQ(read.editable, expected.editable);
  ASSERT_EQ(read.references.size(), expected.references.size());
  for (std::size_t i = 0; i < expected.references.size(); ++i) {
    EXPECT_EQ(read.references[i].name, expected.references[i].name);
    EXPECT_EQ(read.references[i].commit, expected.references[i].commit);
  }
  EXPECT_EQ(read.seal.name, expected.seal.name);
  EXPECT_EQ(read.seal.blob, expected.seal.blob);
  EXPECT_EQ(read.ledger.at, expected.ledger.at);
  EXPECT_EQ(read.ledger.text, expected.ledger.text);
  EXPECT_EQ(read.results_aside, expected.results_aside);
  EXPECT_EQ(read.results.at, expected.results.at);
  EXPECT_EQ(read.results.text, expected.results.text);
  EXPECT_EQ(read.from, expected.from);
  EXPECT_EQ(read.to, expected.to);
  EXPECT_EQ(read.file_from, expected.file_from);
}

// As version 0.1.0 wrote them.
constexpr const char* kEarlierRecording =
    R"({"autokernel_journal":1,"branch":"autokernel/demo","editable":"kernels/kernel.cu",)"
    R"("file_from":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",)"
    R"("from":"cccccccccccccccccccccccccccccccccccccccc","kind":"recording",)"
    R"("ledger":{"at":1234567890123,"text":"{}\n"},)"
    R"("references":[{"commit":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",)"
    R"("name":"refs/autokernel/demo/7"},{"commit":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",)"
    R"("name":"refs/autokernel/demo/8"}],"results":{"at":17,"text":"a\tb\n"},)"
    R"("results_aside":"/somewhere/results-1.tsv",)"
    R"("seal":{"blob":"ffffffffffffffffffffffffffffffffffffffff",)"
    R"("name":"refs/autokernel-seals/demo"},"to":"dddddddddddddddddddddddddddddddddddddddd",)"
    R"("what":"experiment 7"})"
    "\n";
constexpr const char* kEarlierTrial =
    R"({"autokernel_journal":1,"branch":"autokernel/demo","editable":"kernels/kernel.cu",)"
    R"("experiment":"{\"schema_version\":1,\"kind\":\"experiment\",\"at\":null,)"
    R"(\"tag\":\"demo\",\"number\":7,\"description\":\"größer: \\\"tiles\\\"\\\\\",)"
    R"(\"status\":\"discard\",\"verdict\":null,\"reason\":null,)"
    R"(\"commit\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"incumbent\":null,)"
    R"(\"source_digest\":null,\"median_us\":null,\"tflops_s\":null,\"vs_reference\":null,)"
    R"(\"gain\":null,\"seconds\":0.0,\"log\":null,\"result\":null}\n",)"
    R"("kind":"trying"})"
    "\n";

class AJournal : public testing::Test {
 protected:
  [[nodiscard]] std::string complaint_about(const std::string& text) const {
    folder_.write("journal.json", text);
    return refusal(Stop::internal, [&] { static_cast<void>(read_journal(file_)); });
  }

  test::ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "journal.json";
};

TEST_F(AJournal, GivesBackWhatIsBeingTried) {
  write_journal(file_, a_trial());
  const Journal read = read_journal(file_).value_or(Recording{});
  const auto* trying = std::get_if<Trying>(&read);
  ASSERT_NE(trying, nullptr);
  EXPECT_EQ(trying->branch, a_trial().branch);
  EXPECT_EQ(trying->editable, a_trial().editable);
  EXPECT_EQ(trying->experiment, a_trial().experiment);
}

TEST_F(AJournal, GivesBackWhatIsToBeRecorded) {
  for (const Recording& expected : {a_recording(), Recording{}}) {
    write_journal(file_, expected);
    const Journal read = read_journal(file_).value_or(Trying{});
    const auto* recording = std::get_if<Recording>(&read);
    ASSERT_NE(recording, nullptr);
    expect_same(*recording, expected);
  }
}

// A program that was killed may have been replaced by a later version since.
TEST_F(AJournal, OfAnEarlierVersionIsRead) {
  folder_.write("journal.json", kEarlierRecording);
  const Journal read = read_journal(file_).value_or(Trying{});
  const auto* recording = std::get_if<Recording>(&read);
  ASSERT_NE(recording, nullptr);
  expect_same(*recording, a_recording());

  folder_.write("journal.json", kEarlierTrial);
  const Journal read_trial = read_journal(file_).value_or(Recording{});
  const auto* trying = std::get_if<Trying>(&read_trial);
  ASSERT_NE(trying, nullptr);
  EXPECT_EQ(trying->branch, a_trial().branch);
  EXPECT_EQ(trying->editable, a_trial().editable);
  EXPECT_EQ(trying->experiment, a_trial().experiment);
}

// An earlier version finds the same names and values, in whatever order; the sum is new to it.
TEST_F(AJournal, SaysTheSameToAnEarlierVersion) {
  const auto without_sum = [&] {
    Json json = Json::parse(test::contents(file_));
    EXPECT_EQ(json.erase("sha256"), 1U);
    return json;
  };
  write_journal(file_, a_recording());
  EXPECT_EQ(without_sum(), Json::parse(kEarlierRecording));
  write_journal(file_, a_trial());
  Json trial = Json::parse(kEarlierTrial);
  trial["experiment"] = ledger::lines_of({a_trial().experiment});
  EXPECT_EQ(without_sum(), trial);
}

// A number that is another would give an experiment's reference to another one.
TEST_F(AJournal, WithAnyBitChangedIsRefusedOrSaysTheSame) {
  write_journal(file_, a_recording());
  const std::string whole = test::contents(file_);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << bit));
      folder_.write("journal.json", damaged);
      try {
        const Journal read = read_journal(file_).value_or(Trying{});
        const auto* recording = std::get_if<Recording>(&read);
        ASSERT_NE(recording, nullptr) << i << " " << bit;
        expect_same(*recording, a_recording());
      } catch (const Error& error) {
        ASSERT_THAT(error.what(), HasSubstr("move the file away")) << i << " " << bit;
      }
    }
  }
}

TEST_F(AJournal, ThatNamesWhatBelongsToNoRunIsRefused) {
  const auto expect_refused = [&](const char* place, const char* name) {
    Json json = Json::parse(kEarlierRecording);
    json[Json::json_pointer(place)] = name;
    EXPECT_THAT(complaint_about(json.dump()), HasSubstr(name + std::string("' belongs to no run")));
  };
  expect_refused("/branch", "main");
  expect_refused("/references/0/name", "refs/heads/main");
  expect_refused("/seal/name", "refs/heads/main");
}

TEST_F(AJournal, FromBeforeRunsWereSealedSealsNothing) {
  Json json = Json::parse(kEarlierRecording);
  json.erase("seal");
  folder_.write("journal.json", json.dump());
  const Journal read = read_journal(file_).value_or(Trying{});
  const auto* recording = std::get_if<Recording>(&read);
  ASSERT_NE(recording, nullptr);
  Recording expected = a_recording();
  expected.seal = {};
  expect_same(*recording, expected);
}

TEST_F(AJournal, IsNoneWhereThereIsNoFile) {
  EXPECT_FALSE(read_journal(file_));
  write_journal(file_, a_trial());
  remove_journal(file_);
  EXPECT_FALSE(read_journal(file_));
  remove_journal(file_);
}

TEST_F(AJournal, CutAnywhereIsAnErrorThatSaysHowToGoOn) {
  write_journal(file_, a_recording());
  const std::string whole = test::contents(file_);
  // The last byte is the newline.
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    ASSERT_THAT(complaint_about(whole.substr(0, length)),
                AllOf(HasSubstr("move the file away"), HasSubstr("refs/autokernel")))
        << length;
  }
}

TEST_F(AJournal, ThatLacksAFieldOrHasOneOfAnotherTypeIsRefused) {
  const auto expect_needed = [&](const Json& whole, const Json::json_pointer& field) {
    const std::string name = field.to_string();
    for (const Json& wrong : {Json(nullptr), Json(1.5), Json("text"), Json::array({"text"}),
                              Json::object({{"text", "text"}})}) {
      const bool is_text = whole[field].is_string();
      const bool is_number = whole[field].is_number();
      if ((is_text && wrong.is_string()) || (is_number && wrong.is_number())) continue;
      if (name == "/references" && wrong.is_null()) continue;
      Json json = whole;
      json[field] = wrong;
      EXPECT_THAT(complaint_about(json.dump()), HasSubstr("move the file away"))
          << name << " is " << wrong;
    }
    if (name == "/seal") return;
    Json json = whole;
    json[field.parent_pointer()].erase(field.back());
    EXPECT_THAT(complaint_about(json.dump()), HasSubstr("move the file away"))
        << name << " is missing";
  };
  for (const char* earlier : {kEarlierRecording, kEarlierTrial}) {
    const Json whole = Json::parse(earlier);
    for (const auto& [name, value] : whole.items()) {
      expect_needed(whole, Json::json_pointer("/" + name));
    }
  }
  for (const char* name : {"/seal/name", "/seal/blob", "/references/1/name", "/references/1/commit",
                           "/ledger/at", "/ledger/text", "/results/at", "/results/text"}) {
    expect_needed(Json::parse(kEarlierRecording), Json::json_pointer(name));
  }
}

TEST_F(AJournal, OfALaterVersionIsRefused) {
  EXPECT_THAT(complaint_about(R"({"autokernel_journal": 2, "kind": "trying"})"),
              AllOf(HasSubstr("version 2"), HasSubstr("move the file away")));
}

TEST_F(AJournal, OfAnUnknownKindIsRefused) {
  EXPECT_THAT(complaint_about(R"({"autokernel_journal": 1, "kind": "dreaming"})"),
              HasSubstr("its kind is unknown: 'dreaming'"));
}

TEST_F(AJournal, WhoseEntryIsNoExperimentIsRefused) {
  EXPECT_THAT(complaint_about(R"({"autokernel_journal": 1, "kind": "trying", "branch": "b",
                                  "editable": "e", "experiment": "nonsense\n"})"),
              HasSubstr("move the file away"));
}

TEST_F(AJournal, ThatIsNoObjectIsRefused) {
  EXPECT_THAT(complaint_about("[1, 2]"), HasSubstr("cannot read the journal"));
}

void expect_journal_refused(const Workplace& workplace, const Journal& journal,
                            const char* complaint) {
  const auto file = workplace.root() / ".autokernel/journal.json";
  write_journal(file, journal);
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace.repair(); }),
              AllOf(HasSubstr(complaint), HasSubstr("move the journal away")));
  std::filesystem::remove(file);
}

TEST(DamagedJournal, TakesNoReferenceFromAnotherExperiment) {
  const Workplace workplace;
  workplace.start();
  static_cast<void>(workplace.try_out(kernel(80)));
  const std::string commit = workplace.git().line("rev-parse", "refs/autokernel/demo/1");
  Trying trying = a_trial();
  trying.experiment.number = 1;
  trying.experiment.commit = workplace.git().line("rev-parse", "refs/autokernel/demo/0");
  expect_journal_refused(workplace, trying, "refs/autokernel/demo/1 is another experiment");
  EXPECT_EQ(workplace.git().line("rev-parse", "refs/autokernel/demo/1"), commit);
}

TEST(DamagedJournal, WritesNothingOutsideTheWorktree) {
  const Workplace workplace;
  workplace.start();
  Recording recording = a_recording();
  recording.results_aside = "../results-1.tsv";
  expect_journal_refused(workplace, recording, "../results-1.tsv is not in the worktree");
  recording = a_recording();
  recording.results_aside.clear();
  recording.editable = "../kernel.cu";
  expect_journal_refused(workplace, recording, "../kernel.cu is not in the worktree");
}

TEST(DamagedJournal, StopsEveryLoopUntilItIsMovedAway) {
  const Workplace workplace;
  workplace.start();
  workplace.git().write(".autokernel/journal.json", "damaged");
  EXPECT_THAT(refusal(Stop::internal, [&] { workplace.repair(); }),
              HasSubstr("move the file away"));
  std::filesystem::remove(workplace.root() / ".autokernel/journal.json");
  EXPECT_EQ(workplace.try_out(kernel(80)).experiment.verdict, "kept");
}

}  // namespace
}  // namespace autokernel::loop
