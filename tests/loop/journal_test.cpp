#include "loop/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "loop/workplace.h"
#include "support/scratch_folder.h"

namespace autokernel::loop {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

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
  write_journal(file_, a_recording());
  const Journal read = read_journal(file_).value_or(Trying{});
  const auto* recording = std::get_if<Recording>(&read);
  ASSERT_NE(recording, nullptr);
  const Recording expected = a_recording();
  EXPECT_EQ(recording->what, expected.what);
  EXPECT_EQ(recording->branch, expected.branch);
  EXPECT_EQ(recording->editable, expected.editable);
  ASSERT_THAT(recording->references, SizeIs(2));
  EXPECT_EQ(recording->references[1].name, "refs/autokernel/demo/8");
  EXPECT_EQ(recording->references[1].commit, std::string(40, 'b'));
  EXPECT_EQ(recording->seal.name, expected.seal.name);
  EXPECT_EQ(recording->seal.commit, expected.seal.commit);
  EXPECT_EQ(recording->ledger.at, expected.ledger.at);
  EXPECT_EQ(recording->ledger.text, expected.ledger.text);
  EXPECT_EQ(recording->results_aside, expected.results_aside);
  EXPECT_EQ(recording->results.at, expected.results.at);
  EXPECT_EQ(recording->results.text, expected.results.text);
  EXPECT_EQ(recording->from, expected.from);
  EXPECT_EQ(recording->to, expected.to);
  EXPECT_EQ(recording->file_from, expected.file_from);
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
