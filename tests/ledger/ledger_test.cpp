#include "autokernel/ledger/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "autokernel/base/error.h"
#include "ledger/full_disk.h"
#include "ledger/sample.h"
#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using test::contents;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::Throws;

auto fails_with(Stop stop, const std::string& text) {
  return Throws<Error>(
      AllOf(Property(&Error::stop, stop), Property(&Error::what, HasSubstr(text))));
}

class LedgerOf : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path folder() const { return scratch_.path() / "ledger"; }
  [[nodiscard]] std::filesystem::path file() const { return folder() / "ledger.jsonl"; }
  [[nodiscard]] std::filesystem::path index() const { return folder() / "ledger.index"; }
  [[nodiscard]] Ledger open() const { return Ledger::open(folder()); }
  [[nodiscard]] Ledger with(int first, int last) const {
    Ledger ledger = open();
    ledger.append(lines_of(experiments(first, last)));
    return ledger;
  }
  test::ScratchFolder scratch_;
};

TEST_F(LedgerOf, NothingIsMadeWithItsFolder) {
  const Ledger ledger = open();
  EXPECT_EQ(ledger.end(), 0);
  EXPECT_THAT(ledger.notes(), IsEmpty());
  EXPECT_THAT(ledger.rows(), IsEmpty());
  EXPECT_THAT(ledger.last_rows(5), IsEmpty());
  EXPECT_THAT(test::files_below(folder()), ElementsAre("ledger.index", "ledger.jsonl"));
}

TEST_F(LedgerOf, NothingIsNotMadeByWhoOnlyReads) {
  const Ledger ledger = Ledger::open_to_read(folder());
  EXPECT_EQ(ledger.end(), 0);
  EXPECT_THAT(ledger.rows(), IsEmpty());
  EXPECT_THAT(ledger.last_rows(5), IsEmpty());
  EXPECT_THAT(ledger.inspect().rows, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST_F(LedgerOf, EntriesIsReadWithAnIndexOfAnotherLedgerAndWithoutOneAsItIs) {
  static_cast<void>(with(0, 4));
  const std::string sound = contents(index());
  for (const std::string& text :
       {sound, sound.substr(0, sound.size() / 2), std::string("no index"), std::string()}) {
    scratch_.write("ledger/ledger.index", text);
    const Ledger ledger = Ledger::open_to_read(folder());
    EXPECT_THAT(numbers_in(ledger.rows()), ElementsAre(0, 1, 2, 3, 4)) << text;
    EXPECT_THAT(numbers_in(ledger.last_rows(2)), ElementsAre(3, 4)) << text;
    EXPECT_THAT(ledger.notes(), IsEmpty());
    EXPECT_EQ(contents(index()), text);
  }
  std::filesystem::remove(index());
  EXPECT_THAT(numbers_in(Ledger::open_to_read(folder()).rows()), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(std::filesystem::exists(index()));
}

TEST_F(LedgerOf, EntriesKeepsForWhoOnlyReadsWhatIsNoEntryAtItsEnd) {
  static_cast<void>(with(0, 2));
  const std::string damaged = contents(file()) + "{\"half of";
  scratch_.write("ledger/ledger.jsonl", damaged);
  const Ledger ledger = Ledger::open_to_read(folder());
  EXPECT_THAT(numbers_in(ledger.rows()), ElementsAre(0, 1, 2));
  EXPECT_THAT(ledger.notes(),
              ElementsAre(HasSubstr("the last 9 bytes of ledger.jsonl are not an entry")));
  EXPECT_EQ(contents(file()), damaged);
  EXPECT_THAT(test::files_below(folder()), ElementsAre("ledger.index", "ledger.jsonl"));
}

TEST_F(LedgerOf, EntriesHoldsTheirLinesAndNothingElse) {
  Ledger ledger = open();
  ledger.append(lines_of({full_run_started()}));
  ledger.append(lines_of({full_experiment(), full_turn()}));
  EXPECT_EQ(contents(file()), lines_of({full_run_started(), full_experiment(), full_turn()}));
  EXPECT_EQ(ledger.end(), contents(file()).size());
}

TEST_F(LedgerOf, EveryKindGivesItBackWithoutMeasurementsInRowsAndWhollyByRead) {
  Ledger ledger = open();
  ledger.append(lines_of(full_entries()));
  for (const Ledger& opened : {ledger, open()}) {
    const std::vector<Row> rows = opened.rows();
    ASSERT_EQ(rows.size(), full_entries().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Entry expected = full_entries()[i];
      EXPECT_EQ(opened.read(rows[i]), expected);
      Entry without = expected;
      if (auto* experiment = std::get_if<Experiment>(&without)) experiment->result.clear();
      EXPECT_EQ(rows[i].entry, without);
    }
  }
}

TEST_F(LedgerOf, EntriesWithNothingSetGivesThemBack) {
  Ledger ledger = open();
  ledger.append(lines_of(empty_entries()));
  const std::vector<Row> rows = ledger.rows();
  ASSERT_EQ(rows.size(), empty_entries().size());
  EXPECT_EQ(rows[1].entry, Entry(Experiment{}));
  EXPECT_EQ(ledger.read(rows[3]), Entry(RunFinished{}));
}

TEST_F(LedgerOf, RowsNamesThePlacesOfTheirLines) {
  const std::vector<Row> rows = with(0, 9).rows();
  const std::string text = contents(file());
  EXPECT_EQ(text.substr(rows[4].offset, rows[4].length), lines_of(experiments(4, 4)));
}

TEST_F(LedgerOf, WhatWasAppendedIsThereWhenOpenedAgain) {
  static_cast<void>(with(0, 2));
  static_cast<void>(with(3, 4));
  EXPECT_THAT(numbers_in_ledger(folder()), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(notes_of(folder()), IsEmpty());
}

TEST_F(LedgerOf, ManyEntriesGivesTheLastOfThem) {
  const Ledger ledger = with(0, 999);
  EXPECT_THAT(numbers_in(ledger.last_rows(3)), ElementsAre(997, 998, 999));
  EXPECT_EQ(ledger.last_rows(999).size(), 999);
  EXPECT_EQ(ledger.last_rows(5000).size(), 1000);
  EXPECT_THAT(ledger.last_rows(0), IsEmpty());
}

TEST_F(LedgerOf, EntriesWithLongTextsGivesTheLastOfThem) {
  Ledger ledger = open();
  for (int number = 0; number < 4; ++number) {
    Experiment wordy = experiment(number);
    wordy.description.assign(200'000, 'x');
    ledger.append(lines_of({wordy}));
  }
  EXPECT_THAT(numbers_in(ledger.last_rows(2)), ElementsAre(2, 3));
  EXPECT_THAT(numbers_in(open().last_rows(3)), ElementsAre(1, 2, 3));
}

TEST_F(LedgerOf, AFullFileIsLeftAsItWas) {
  Ledger ledger = with(0, 3);
  const std::string before = contents(file());
  {
    const test::FullDisk full(before.size() + 20);
    EXPECT_THAT([&] { ledger.append(lines_of(experiments(4, 4))); },
                fails_with(Stop::environment, "cannot write"));
  }
  EXPECT_EQ(contents(file()), before);
  EXPECT_EQ(ledger.end(), before.size());
  ledger.append(lines_of(experiments(4, 4)));
  EXPECT_THAT(numbers_in(ledger.rows()), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(numbers_in_ledger(folder()), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(LedgerOf, AnIndexThatCannotBeWrittenKnowsItsEntriesAllTheSame) {
  Ledger ledger = with(0, 3);
  std::filesystem::remove(index());
  std::filesystem::create_directory(index());
  ledger.append(lines_of(experiments(4, 4)));
  ledger.append(lines_of(experiments(5, 5)));
  std::filesystem::remove(index());
  EXPECT_THAT(numbers_in(ledger.rows()), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers_in(ledger.last_rows(2)), ElementsAre(4, 5));
  EXPECT_THAT(numbers_in_ledger(folder()), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(LedgerOf, AnIndexThatWasCutMeanwhileKnowsItsEntriesAllTheSame) {
  Ledger ledger = with(0, 3);
  std::filesystem::resize_file(index(), 300);
  ledger.append(lines_of(experiments(4, 4)));
  EXPECT_THAT(numbers_in(ledger.rows()), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(numbers_in(ledger.last_rows(2)), ElementsAre(3, 4));
  EXPECT_THAT(numbers_in_ledger(folder()), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(LedgerOf, AFileThatAnotherProgramWritesTooIsNotAppendedTo) {
  Ledger ledger = with(0, 3);
  Ledger other = open();
  other.append(lines_of(experiments(4, 4)));
  const std::string before = contents(file());
  EXPECT_THAT([&] { ledger.append(lines_of(experiments(5, 5))); },
              fails_with(Stop::repository, "another program is writing to it"));
  EXPECT_EQ(contents(file()), before);
}

TEST_F(LedgerOf, AnotherProcessIsReadUpToWhereItWasWhenOpened) {
  Ledger writer = with(0, 3);
  const Ledger reader = open();
  writer.append(lines_of(experiments(4, 4)));
  EXPECT_THAT(numbers_in(reader.rows()), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(numbers_in(reader.last_rows(2)), ElementsAre(2, 3));
  EXPECT_THAT(numbers_in(writer.rows()), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(LedgerOf, AnotherProcessIsNotTakenForDamagedWhileThatOneAppends) {
  constexpr int kCount = 30;
  std::atomic<bool> is_done = false;
  std::thread writer([&, ledger = open()]() mutable {
    for (int number = 0; number < kCount; ++number) {
      Experiment long_one = experiment(number);
      long_one.result = R"({"source":")" + std::string(1'000'000, 'x') + R"("})";
      ledger.append(lines_of({long_one}));
    }
    is_done = true;
  });
  std::vector<std::string> notes;
  while (!is_done) {
    const std::vector<std::string> said = open().notes();
    notes.insert(notes.end(), said.begin(), said.end());
  }
  writer.join();
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_EQ(open().rows().size(), kCount);
}

TEST_F(LedgerOf, WhatIsNoWholeEntryIsNotAppended) {
  Ledger ledger = with(0, 0);
  const std::string before = contents(file());
  std::string cut = lines_of(experiments(1, 1));
  cut.pop_back();
  for (const std::string& wrong : {std::string("text\n"), std::string("\n"), cut}) {
    EXPECT_THAT([&] { ledger.append(wrong); },
                fails_with(Stop::internal, "the entry is incomplete"))
        << wrong;
  }
  EXPECT_EQ(contents(file()), before);
}

TEST_F(LedgerOf, NothingAppendedIsUnchanged) {
  Ledger ledger = with(0, 0);
  const std::string before = contents(file());
  ledger.append("");
  EXPECT_EQ(contents(file()), before);
}

TEST_F(LedgerOf, ALineThatWasChangedSinceRefusesToReadIt) {
  const Ledger ledger = with(0, 3);
  const std::vector<Row> rows = ledger.rows();
  std::string text = contents(file());
  text.replace(text.find("idea 2"), 6, "idea 9");
  scratch_.write("ledger/ledger.jsonl", text);
  EXPECT_EQ(ledger.read(rows[1]), Entry(experiment(1)));
  EXPECT_THAT([&] { (void)ledger.read(rows[2]); },
              fails_with(Stop::repository, "the file was changed"));
}

TEST_F(LedgerOf, AFolderThatCannotBeMadeIsAnError) {
  scratch_.write("ledger", "a file");
  EXPECT_THAT([&] { (void)open(); }, fails_with(Stop::environment, "cannot make the folder"));
}

}  // namespace
}  // namespace autokernel::ledger
