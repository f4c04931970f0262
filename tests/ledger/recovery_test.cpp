// Every file of the ledger in every state that a kill, a loss of power or a person can leave it in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "autokernel/ledger/ledger.h"
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

const std::vector<int> kAll = {0, 1, 2, 3, 4};

auto fails_with(Stop stop, const std::string& text) {
  return Throws<Error>(
      AllOf(Property(&Error::stop, stop), Property(&Error::what, HasSubstr(text))));
}

std::size_t end_of_line(const std::string& text, int lines) {
  std::size_t end = 0;
  for (int i = 0; i < lines; ++i) end = text.find('\n', end) + 1;
  return end;
}

// A ledger of five experiments, which each test damages.
class Recovery : public testing::Test {
 protected:
  Recovery() {
    Ledger::open(scratch_.path()).append(lines_of(experiments(0, 4)));
    ledger_ = contents(file());
    index_ = contents(index());
  }

  [[nodiscard]] std::filesystem::path file() const { return scratch_.path() / "ledger.jsonl"; }
  [[nodiscard]] std::filesystem::path index() const { return scratch_.path() / "ledger.index"; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_of(scratch_.path()); }
  [[nodiscard]] std::vector<int> numbers() const { return numbers_in_ledger(scratch_.path()); }
  [[nodiscard]] std::string aside(int n) const {
    return contents(scratch_.path() / ("ledger.damaged-" + std::to_string(n) + ".jsonl"));
  }
  void write(const std::string& ledger, const std::string& index) const {
    scratch_.write("ledger.jsonl", ledger);
    scratch_.write("ledger.index", index);
  }
  [[nodiscard]] std::size_t start_of(int line) const { return end_of_line(ledger_, line - 1); }
  // The ledger with other bytes in place of line `line`, from 1, newline included.
  [[nodiscard]] std::string with_line(int line, const std::string& text) const {
    return ledger_.substr(0, start_of(line)) + text + ledger_.substr(start_of(line + 1));
  }
  // After any recovery: opening again finds nothing to do, and the index is that of the ledger.
  void expect_settled() const {
    EXPECT_THAT(notes(), IsEmpty());
    const std::string repaired = contents(index());
    std::filesystem::remove(index());
    static_cast<void>(notes());
    EXPECT_EQ(contents(index()), repaired);
  }

  test::ScratchFolder scratch_;
  std::string ledger_;
  std::string index_;
};

TEST_F(Recovery, OfSoundFilesDoesNothing) {
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_EQ(contents(file()), ledger_);
  EXPECT_EQ(contents(index()), index_);
}

TEST_F(Recovery, OfALedgerCutAtAnyByteOfItsLastLineSetsThatAsideWithANote) {
  const std::string short_index = index_.substr(0, end_of_line(index_, 5));
  for (std::size_t cut = start_of(5) + 1; cut < ledger_.size(); ++cut) {
    const test::ScratchFolder scratch;
    scratch.write("ledger.jsonl", ledger_.substr(0, cut));
    scratch.write("ledger.index", short_index);
    const Ledger opened = Ledger::open(scratch.path());
    ASSERT_THAT(numbers_in(opened.rows()), ElementsAre(0, 1, 2, 3)) << cut;
    ASSERT_THAT(opened.notes(), ElementsAre(HasSubstr("were moved to ledger.damaged-1.jsonl")))
        << cut;
    ASSERT_EQ(contents(scratch.path() / "ledger.jsonl") +
                  contents(scratch.path() / "ledger.damaged-1.jsonl"),
              ledger_.substr(0, cut));
  }
}

TEST_F(Recovery, OfADamagedEndNeedsNoIndex) {
  write(ledger_ + "{\"schema", "");
  std::filesystem::remove(index());
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("ledger.index was missing"),
                                   HasSubstr("the last 8 bytes of ledger.jsonl are not an entry")));
  EXPECT_EQ(numbers(), kAll);
  EXPECT_EQ(aside(1), "{\"schema");
  expect_settled();
}

TEST_F(Recovery, OfAnEndFilledWithZerosSetsThemAside) {
  const std::string zeros(5000, '\0');
  write(ledger_ + zeros, index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("the last 5000 bytes")));
  EXPECT_EQ(numbers(), kAll);
  EXPECT_EQ(aside(1), zeros);
  expect_settled();
}

TEST_F(Recovery, OfAnEndOfManyDamagedLinesSetsAllOfThemAside) {
  const std::string garbage =
      "\x7F"
      "ELF\n\n{}\n[1,\n" +
      ledger_.substr(0, 30);
  write(ledger_ + garbage, index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("not an entry (it is not JSON)")));
  EXPECT_EQ(aside(1), garbage);
  EXPECT_EQ(contents(file()), ledger_);
  expect_settled();
}

TEST_F(Recovery, SetsEveryDamagedEndAsideInAFileOfItsOwn) {
  write(ledger_ + "one", index_);
  static_cast<void>(notes());
  write(ledger_ + "two", index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("ledger.damaged-2.jsonl")));
  EXPECT_EQ(aside(1), "one");
  EXPECT_EQ(aside(2), "two");
}

TEST_F(Recovery, OnAFullDiskLeavesTheDamagedEndWhereItIs) {
  const std::string damaged = ledger_ + std::string(5000, 'x');
  write(damaged, index_);
  {
    const test::FullDisk full(4000);
    EXPECT_THAT([&] { (void)notes(); }, fails_with(Stop::environment, "ledger.damaged-1.jsonl"));
  }
  EXPECT_EQ(contents(file()), damaged);
  EXPECT_THAT(test::files_below(scratch_.path()), ElementsAre("ledger.index", "ledger.jsonl"));
}

TEST_F(Recovery, OfALedgerThatWasCutNamesWhatIsLost) {
  write(ledger_.substr(0, start_of(3)), index_);
  EXPECT_THAT(notes(), ElementsAre(AllOf(HasSubstr("ledger.jsonl ends at byte"),
                                         HasSubstr("lost: experiments 2 to 4 of demo"))));
  EXPECT_THAT(numbers(), ElementsAre(0, 1));
  expect_settled();
}

TEST_F(Recovery, OfALedgerCutAtAnyByteNamesWhatIsLostAndSetsTheRestAside) {
  for (std::size_t cut = start_of(4) + 1; cut < start_of(5); ++cut) {
    const test::ScratchFolder scratch;
    scratch.write("ledger.jsonl", ledger_.substr(0, cut));
    scratch.write("ledger.index", index_);
    const Ledger opened = Ledger::open(scratch.path());
    ASSERT_THAT(opened.notes(), ElementsAre(HasSubstr("lost: experiments 3 to 4 of demo"),
                                            HasSubstr("ledger.damaged-1.jsonl")))
        << cut;
    ASSERT_THAT(numbers_in(opened.rows()), ElementsAre(0, 1, 2)) << cut;
  }
}

TEST_F(Recovery, OfALedgerThatWasEmptiedOrRemovedNamesAllThatIsLost) {
  write("", index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("lost: experiments 0 to 4 of demo")));
  expect_settled();
  std::filesystem::remove(file());
  scratch_.write("ledger.index", index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("lost: experiments 0 to 4 of demo")));
  EXPECT_THAT(numbers(), IsEmpty());
}

TEST_F(Recovery, NamesLostEntriesOfAllKinds) {
  Ledger ledger = Ledger::open(scratch_.path());
  ledger.append(lines_of({full_turn(), full_experiment(), full_run_finished()}));
  std::filesystem::resize_file(file(), start_of(5));
  EXPECT_THAT(
      notes(),
      ElementsAre(HasSubstr("lost: experiment 4 of demo, experiment 7 of demo, 2 other entries")));
}

TEST_F(Recovery, OfADamagedLineInTheMiddleLeavesItOutWithItsPlaceAndTheFileAsItIs) {
  const std::string damaged = with_line(3, "### not an entry ###\n");
  write(damaged, "");
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("ledger.index was damaged"),
                                   AllOf(HasSubstr("line 3 of ledger.jsonl (at byte " +
                                                   std::to_string(start_of(3)) + ") is damaged"),
                                         HasSubstr("is skipped: it is not JSON"))));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(contents(file()), damaged);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(Recovery, KeepsALineThatIsLeftOutInItsCountOfLines) {
  write(with_line(3, "###\n"), "");
  static_cast<void>(notes());
  Ledger::open(scratch_.path()).append(lines_of(experiments(5, 5)));
  const std::string text = contents(file());
  scratch_.write("ledger.jsonl", text + "###\n" + lines_of(experiments(6, 6)));
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("line 7 of ledger.jsonl")));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 3, 4, 5, 6));
  EXPECT_THAT(numbers_in(Ledger::open(scratch_.path()).last_rows(4)), ElementsAre(3, 4, 5, 6));
}

TEST_F(Recovery, OfADoubledLineLeavesTheSecondOut) {
  const std::string line = ledger_.substr(start_of(2), start_of(3) - start_of(2));
  write(with_line(2, line + line + line), "");
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("ledger.index was damaged"),
                                   AllOf(HasSubstr("line 3 "), HasSubstr("repeats the line")),
                                   AllOf(HasSubstr("line 4 "), HasSubstr("repeats the line"))));
  EXPECT_EQ(numbers(), kAll);
}

TEST_F(Recovery, OfADoubledLastLineSetsTheSecondAside) {
  const std::string line = ledger_.substr(start_of(5));
  write(ledger_ + line, index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("it repeats the line before it")));
  EXPECT_EQ(numbers(), kAll);
  EXPECT_EQ(aside(1), line);
}

TEST_F(Recovery, OfALedgerWithFirstLinesOfZerosLeavesThemOut) {
  write(std::string(100, '\0') + "\n" + ledger_, index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("belonged to another ledger"),
                                   HasSubstr("line 1 of ledger.jsonl (at byte 0)")));
  EXPECT_EQ(numbers(), kAll);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(Recovery, TakesLinesThatAnEditorHasGivenCarriageReturns) {
  std::string text;
  for (const char c : ledger_) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  write(text, index_);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("belonged to another ledger")));
  EXPECT_EQ(numbers(), kAll);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(Recovery, OfALedgerThatIsAllDamageNamesTheFirstLinesAndCountsTheRest) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "damage " + std::to_string(i) + "\n";
  write(text + ledger_, "");
  const std::vector<std::string> said = notes();
  EXPECT_EQ(said.size(), 22);
  EXPECT_EQ(said.back(), "so are 80 more lines of ledger.jsonl");
}

TEST_F(Recovery, RefusesALedgerOfALaterVersionAndLeavesItAsItIs) {
  const std::string later = ledger_ + "{\"schema_version\":2,\"kind\":\"dream\"}\n" + "damage";
  write(later, index_);
  EXPECT_THAT(
      [&] { (void)notes(); },
      fails_with(Stop::repository, "line 6 has schema_version 2, and this program reads 1"));
  EXPECT_EQ(contents(file()), later);
}

TEST_F(Recovery, RebuildsAnIndexCutAtAnyByte) {
  for (std::size_t cut = 0; cut < index_.size(); ++cut) {
    const test::ScratchFolder scratch;
    scratch.write("ledger.jsonl", ledger_);
    scratch.write("ledger.index", index_.substr(0, cut));
    ASSERT_EQ(numbers_in_ledger(scratch.path()), kAll) << cut;
    ASSERT_EQ(contents(scratch.path() / "ledger.index"), index_) << cut;
  }
}

TEST_F(Recovery, OfAnIndexThatLacksItsLastRowsSaysNothing) {
  write(ledger_, index_.substr(0, end_of_line(index_, 3) + 10));
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(Recovery, RebuildsAnIndexWithAnyByteChanged) {
  for (std::size_t at = 0; at < index_.size(); ++at) {
    const test::ScratchFolder scratch;
    std::string damaged = index_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    scratch.write("ledger.jsonl", ledger_);
    scratch.write("ledger.index", damaged);
    ASSERT_EQ(numbers_in_ledger(scratch.path()), kAll) << at;
    ASSERT_EQ(numbers_in_ledger(scratch.path()), kAll) << at;
    ASSERT_EQ(contents(scratch.path() / "ledger.index"), index_) << at;
  }
}

TEST_F(Recovery, OfADamagedIndexSaysSo) {
  std::string damaged = index_;
  damaged[index_.size() / 2] = '#';
  write(ledger_, damaged);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("ledger.index was damaged, and was rebuilt")));
}

TEST_F(Recovery, OfAMissingIndexSaysSo) {
  std::filesystem::remove(index());
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("ledger.index was missing, and was rebuilt")));
  EXPECT_EQ(contents(index()), index_);
}

TEST_F(Recovery, OfAnIndexOfAnotherVersionSaysSo) {
  std::string other = index_;
  other.replace(other.find(" 6\n"), 3, " 5\n");
  write(ledger_, other);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("of another version, and was rebuilt")));
  EXPECT_EQ(contents(index()), index_);
}

TEST_F(Recovery, OfTheIndexOfAnotherLedgerSaysSo) {
  const test::ScratchFolder other;
  std::vector<Entry> entries = experiments(0, 4);
  std::get<Experiment>(entries[0]).description = "IDEA 0";
  Ledger::open(other.path()).append(lines_of(entries));
  write(ledger_, contents(other.path() / "ledger.index"));
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("belonged to another ledger, and was rebuilt")));
  EXPECT_EQ(contents(index()), index_);
}

TEST_F(Recovery, RebuildsAnIndexWithADoubledRow) {
  const std::string row = index_.substr(end_of_line(index_, 5));
  write(ledger_, index_ + row);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("ledger.index was damaged")));
  EXPECT_EQ(contents(index()), index_);
}

TEST_F(Recovery, RebuildsAnIndexThatIsGarbage) {
  for (const std::string& garbage : {std::string(5000, '\0'),
                                     std::string("\x7F"
                                                 "ELF\n\n\n"),
                                     index_ + std::string(70'000, '\0'), index_ + "garbage\n",
                                     std::string("\n"), index_ + index_}) {
    write(ledger_, garbage);
    EXPECT_EQ(numbers(), kAll);
    EXPECT_EQ(contents(index()), index_);
  }
}

TEST_F(Recovery, ReadsAroundARowThatIsDamagedFarFromTheEnds) {
  Ledger ledger = Ledger::open(scratch_.path());
  ledger.append(lines_of(experiments(5, 1999)));
  std::string damaged = contents(index());
  const std::string sound = damaged;
  damaged[damaged.size() / 3] = '#';
  scratch_.write("ledger.index", damaged);
  const Ledger opened = Ledger::open(scratch_.path());
  EXPECT_THAT(opened.notes(), IsEmpty());
  EXPECT_EQ(opened.rows().size(), 2000);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("was missing, and was rebuilt")));
  EXPECT_EQ(contents(index()), sound);
}

}  // namespace
}  // namespace autokernel::ledger
