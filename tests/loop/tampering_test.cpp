// What an agent may do to the record of a run between two commands: each act is found and named, a
// step does nothing, and when it is undone the run goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>

#include "autokernel/base/error.h"
#include "loop/consistency.h"
#include "loop/seal.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Lines = std::vector<std::string>;

Lines lines_in(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string replaced(std::string text, const std::string& piece, const std::string& by) {
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return at == std::string::npos ? text : text.replace(at, piece.size(), by);
}

constexpr const char* kResults = "results.tsv";
constexpr const char* kLedger = ".autokernel/ledger.jsonl";

// Runs of 100 us, 80 us (kept), a wrong one, 81 us, 60 us (kept).
class Tampering : public testing::Test {
 protected:
  Tampering() { workplace_.make_a_run(); }

  // The bytes of a file in place of the old ones; `sed -i` makes another file of that name.
  void write_in_place(const char* file, const std::string& bytes) const { git_.write(file, bytes); }
  void write_as_an_editor(const char* file, const std::string& bytes) const {
    fs::remove(workplace_.root() / file);
    git_.write(file, bytes);
  }
  // A step is refused for `why`, and has done nothing.
  void expect_found(const testing::Matcher<std::string>& why) const {
    workplace_.edit(kernel(40));
    const std::string before = state();
    EXPECT_THAT(refused_step(), why);
    EXPECT_EQ(state(), before);
    EXPECT_EQ(workplace_.edited(), kernel(40));
  }
  // But for the ledger's index, which is nobody's record.
  [[nodiscard]] std::string state() const {
    const std::string index = "!! .autokernel/ledger.index\n";
    const std::string all = workplace_.snapshot();
    return all.find(index) == std::string::npos ? all : replaced(all, index, "");
  }
  [[nodiscard]] std::string refused_step() const {
    return refusal(Stop::scope,
                   [&] { static_cast<void>(workplace_.open().step({.idea = "an idea"})); });
  }
  [[nodiscard]] std::string refused_finish() const {
    return refusal(Stop::scope, [&] { static_cast<void>(workplace_.open().finish(2)); });
  }
  void expect_to_go_on() const {
    EXPECT_EQ(workplace_.try_out(kernel(40), {.idea = "and on"}).experiment.verdict, "kept");
    EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
    EXPECT_EQ(refused_finish(), "no Error");
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(Tampering, IsNotFoundInAnUntouchedRun) { expect_to_go_on(); }

TEST_F(Tampering, WithARowOfTheResultsIsFound) {
  const std::string table = git_.read(kResults);
  write_in_place(kResults, replaced(table, "\t60.000\t", "\t6.000\t"));
  expect_found(AllOf(HasSubstr("row 5 of results.tsv"), HasSubstr("not what the ledger has"),
                     HasSubstr("remove ")));
  fs::remove(workplace_.root() / kResults);
  EXPECT_EQ(refused_step(), "no Error");
  EXPECT_THAT(git_.read(kResults), testing::StartsWith(table));
}

TEST_F(Tampering, WithTheStatusOfARowOfTheResultsIsFound) {
  write_in_place(kResults, replaced(git_.read(kResults), "crash\tskip", "keep\tskip"));
  expect_found(HasSubstr("row 3 of results.tsv"));
}

TEST_F(Tampering, WithARowMoreOrLessInTheResultsIsFound) {
  const Lines rows = lines_in(git_.read(kResults));
  Lines more = rows;
  more.emplace_back("abcdef0\t1.000\t9.00\tkeep\ta record\n");
  write_in_place(kResults, joined(more));
  expect_found(HasSubstr("row 6 of results.tsv (abcdef0"));
  Lines fewer = rows;
  fewer.erase(fewer.begin() + 3);
  write_in_place(kResults, joined(fewer));
  expect_found(HasSubstr("row 3 of results.tsv"));
  write_in_place(kResults, joined(Lines(rows.begin(), rows.end() - 1)));
  expect_found(HasSubstr("results.tsv lacks the row of experiment 4"));
  write_in_place(kResults, "rubbish\n");
  expect_found(HasSubstr("results.tsv:1"));
  write_in_place(kResults, joined(rows));
  expect_to_go_on();
}

TEST_F(Tampering, ThatLeavesTheResultsOfAnotherRunInPlaceIsNone) {
  workplace_.start("other");
  git_.git("switch", "--quiet", "autokernel/demo");
  EXPECT_EQ(workplace_.try_out(kernel(40), {.idea = "back"}).experiment.verdict, "kept");
  EXPECT_EQ(workplace_.try_out(kernel(30), {.idea = "again"}).experiment.verdict, "kept");
}

TEST_F(Tampering, WithTheLastEntryIsFoundByTheSeal) {
  const std::string ledger = git_.read(kLedger);
  Lines lines = lines_in(ledger);
  lines.back() = replaced(lines.back(), "vectors", "vectorS");
  write_in_place(kLedger, joined(lines));
  expect_found(AllOf(HasSubstr("the last entry of the run in the ledger was edited"),
                     HasSubstr("autokernel verify-run")));
  write_in_place(kLedger, ledger);
  expect_to_go_on();
}

TEST_F(Tampering, WithAnEditorLeavesWhatWasWrittenUnderItsSecondName) {
  Lines lines = lines_in(git_.read(kLedger));
  lines.back() = replaced(lines.back(), "vectors", "very wide vectors");
  write_as_an_editor(kLedger, joined(lines));
  expect_found(HasSubstr("'cp "));
  fs::copy_file(workplace_.root() / ".git/autokernel-ledger.jsonl", workplace_.root() / kLedger,
                fs::copy_options::overwrite_existing);
  expect_to_go_on();
}

TEST_F(Tampering, WithAnEntryInTheMiddleIsFoundWhereTheLedgerIsReadWhole) {
  const std::string ledger = git_.read(kLedger);
  write_in_place(kLedger, replaced(ledger, "\"median_us\":80.0", "\"median_us\":70.0"));
  EXPECT_THAT(refused_finish(), HasSubstr("line 3 (experiment 1 of demo) was edited"));
  // The index is made again from what is there now, and that is read whole as well.
  git_.write(".autokernel/ledger.index", "");
  expect_found(HasSubstr("line 3 (experiment 1 of demo) was edited"));
  write_in_place(kLedger, ledger);
  expect_to_go_on();
}

TEST_F(Tampering, ThatCutsTheLedgerIsFoundByTheSeal) {
  const std::string ledger = git_.read(kLedger);
  const Lines lines = lines_in(ledger);
  Lines left = lines;
  while (left.size() > 2) {
    left.pop_back();
    write_in_place(kLedger, joined(left));
    EXPECT_THAT(refused_finish(), HasSubstr("the ledger has lost the entry that was written last"));
  }
  write_in_place(kLedger, ledger);
  expect_to_go_on();
}

TEST_F(Tampering, ThatAddsAnEntryIsFoundByTheSeal) {
  const std::string ledger = git_.read(kLedger);
  const ledger::Ledger opened = ledger::Ledger::open(workplace_.root() / ".autokernel");
  ledger::Experiment forged = workplace_.status().best;
  forged.number = 5;
  forged.median_us = 1;
  write_in_place(kLedger, ledger + opened.chained({forged}).text);
  EXPECT_THAT(refused_finish(), HasSubstr("the ledger continues after the entry"));
}

TEST_F(Tampering, WithTheSealIsFound) {
  const std::string seal = workplace_.commit_of("refs/autokernel-seals/demo");
  git_.git("update-ref", "-d", "refs/autokernel-seals/demo");
  expect_found(HasSubstr("the seal of the run, refs/autokernel-seals/demo, is gone"));
  git_.git("update-ref", "refs/autokernel-seals/demo", "HEAD");
  EXPECT_THAT(refused_step(), HasSubstr("refs/autokernel-seals/demo"));
  git_.git("update-ref", "refs/autokernel-seals/demo", seal);
  expect_to_go_on();
}

TEST_F(Tampering, WithAReferenceOfAnExperimentIsFoundAtTheEnd) {
  const std::string commit = workplace_.commit_of("refs/autokernel/demo/2");
  git_.git("update-ref", "refs/autokernel/demo/2", "main");
  EXPECT_THAT(refused_finish(), HasSubstr("refs/autokernel/demo/2 is at"));
  git_.git("update-ref", "-d", "refs/autokernel/demo/2");
  EXPECT_THAT(refused_finish(), HasSubstr("refs/autokernel/demo/2 is gone"));
  git_.git("update-ref", "refs/autokernel/demo/2", commit);
  expect_to_go_on();
}

// Ledgers of versions that neither chained nor sealed.
TEST_F(Tampering, IsNotSuspectedOfARunOfAnEarlierVersion) {
  std::string text;
  for (const std::string& line : lines_in(git_.read(kLedger))) {
    text += ledger::lines_of({ledger::entry_of(line)});
  }
  write_in_place(kLedger, text);
  git_.git("update-ref", "-d", "refs/autokernel-seals/demo");
  fs::remove(workplace_.root() / ".autokernel/ledger.index");
  EXPECT_EQ(workplace_.try_out(kernel(40)).experiment.verdict, "kept");
  EXPECT_EQ(refused_finish(), "no Error");
  EXPECT_THAT(workplace_.open().verify("", 2).remarks,
              Contains(HasSubstr("the first 6 entries of the ledger are of an earlier version")));
}

TEST(Harness, ThatWasReplacedSinceTheStartIsFound) {
  Workplace workplace;
  const auto program = workplace.git().beside("program");
  workplace.git().write(program, "the program\n");
  workplace.harness = {program, workplace.git().beside("never there")};
  workplace.start();
  const auto stepped = [&] {
    workplace.edit(kernel(40));
    return refusal(Stop::scope,
                   [&] { static_cast<void>(workplace.open().step({.idea = "an idea"})); });
  };
  workplace.git().write(program, "another one\n");
  EXPECT_THAT(stepped(), AllOf(HasSubstr("program is not the file that the run was started with"),
                               HasSubstr("restore it")));
  fs::remove(program);
  EXPECT_THAT(stepped(), HasSubstr("is gone"));
  workplace.git().write(program, "the program\n");
  EXPECT_EQ(stepped(), "no Error");
}

TEST(Seal, IsReadAsItWasWrittenAndInNoOtherForm) {
  const Seal seal{.offset = 12, .length = 345, .sha256 = std::string(64, 'a')};
  const std::string text = text_of(seal);
  EXPECT_EQ(parse_seal(text), seal);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    EXPECT_EQ(parse_seal(text.substr(0, cut)), std::nullopt) << cut;
  }
  EXPECT_EQ(parse_seal(replaced(text, "seal 1", "seal 2")), std::nullopt);
  EXPECT_EQ(parse_seal(text + "more\n"), std::nullopt);
}

}  // namespace
}  // namespace autokernel::loop
