#include "autokernel/ledger/results_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "ledger/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::SizeIs;
using testing::Throws;
using testing::ThrowsMessage;

const std::string kHeader = "commit\tmedian_us\ttflops_s\tstatus\tdescription\n";
const ResultsRow kKept{.commit = "0123456",
                       .median_us = 1467.141,
                       .tflops_s = 1.46,
                       .status = Status::keep,
                       .description = "larger tiles"};
const ResultsRow kCrashed{.commit = "89abcde",
                          .median_us = std::nullopt,
                          .tflops_s = std::nullopt,
                          .status = Status::crash,
                          .description = "a bold one"};

std::vector<ResultsRow> parsed(const std::string& text) {
  return parse_results(text, "some/results.tsv");
}

auto is_refused_with(const std::string& what) {
  return Throws<Error>(AllOf(Property(&Error::stop, Stop::usage),
                             Property(&Error::what, HasSubstr("some/results.tsv:" + what))));
}

TEST(ResultsRow, HoldsWhatTheExperimentWas) {
  Experiment of_kernel = full_experiment();
  of_kernel.metric.reset();
  EXPECT_EQ(results_row(of_kernel), (ResultsRow{.commit = "0123456",
                                                .median_us = 1467.141,
                                                .tflops_s = 1.4625,
                                                .status = Status::keep,
                                                .description = of_kernel.description}));
}

TEST(ResultsRow, OfACommandHoldsTheMetricInPlaceOfTheTime) {
  const ResultsRow row = results_row(full_experiment());
  EXPECT_EQ(row.median_us, full_experiment().metric->value);
  EXPECT_THAT(results_line(row), HasSubstr("\t0.25\t"));
}

TEST(ResultsLine, HasThreeDigitsOfMicrosecondsAndTwoOfTeraflops) {
  EXPECT_EQ(results_line(kKept), "0123456\t1467.141\t1.46\tkeep\tlarger tiles\n");
}

TEST(ResultsLine, OfAFailedRunHasTheFiguresThatPlotsKnow) {
  EXPECT_EQ(results_line(kCrashed), "89abcde\t999999.000\t0.00\tcrash\ta bold one\n");
}

TEST(ResultsLine, IsOneLineOfFiveColumnsWhateverTheDescriptionHolds) {
  ResultsRow row = kKept;
  row.description = "tabs\tand\r\nlines\x1B and \xFF";
  EXPECT_EQ(results_line(row),
            "0123456\t1467.141\t1.46\tkeep\ttabs and lines\\u001B and \xEF\xBF\xBD\n");
}

TEST(ResultsTable, IsReadBack) {
  EXPECT_THAT(parsed(results_header() + results_line(kKept) + results_line(kCrashed)),
              ElementsAre(kKept, kCrashed));
  EXPECT_EQ(results_header(), kHeader);
}

TEST(ResultsTable, WithoutRowsIsReadBack) {
  EXPECT_THAT(parsed(""), IsEmpty());
  EXPECT_THAT(parsed("\n\r\n"), IsEmpty());
  EXPECT_THAT(parsed(kHeader), IsEmpty());
}

TEST(ResultsTable, MayBeWrittenWithCarriageReturns) {
  EXPECT_THAT(parsed("commit\tmedian_us\ttflops_s\tstatus\tdescription\r\n"
                     "0123456\t1467.141\t1.46\tkeep\tlarger tiles\r\n"
                     "89abcde\t999999.000\t0.00\tcrash\ta bold one\r\r\n"),
              ElementsAre(kKept, kCrashed));
}

TEST(ResultsTable, MayHaveBlankLinesAndNoNewlineAtItsEnd) {
  EXPECT_THAT(parsed("\n" + kHeader + "\n0123456\t1467.141\t1.46\tkeep\tlarger tiles"),
              ElementsAre(kKept));
}

TEST(ResultsTable, MayHaveFurtherColumns) {
  EXPECT_THAT(parsed("commit\tmedian_us\ttflops_s\tstatus\tdescription\twhen\n"
                     "0123456\t1467.141\t1.46\tkeep\tlarger tiles\tnoon\tearly\n"),
              ElementsAre(kKept));
}

TEST(ResultsTable, MayBeSpeltInCapitalsAndWithBlanks) {
  EXPECT_THAT(parsed("\xEF\xBB\xBF"
                     "Commit\tMedian_us \tTFLOPS_S\t Status\tDescription\n"
                     " 0123456\t 1467.141\t1.46 \tKEEP\tlarger tiles\n"),
              ElementsAre(kKept));
}

TEST(ResultsTable, TakesQuotesAsTheyAre) {
  ResultsRow quoted = kKept;
  quoted.description = "\"larger\" 'tiles'";
  EXPECT_THAT(parsed(kHeader + results_line(quoted)), ElementsAre(quoted));
}

TEST(ResultsTable, HasNoValueWhereNothingWasMeasured) {
  EXPECT_THAT(parsed(kHeader + "89abcde\tinf\tnan\tcrash\ta bold one\n"), ElementsAre(kCrashed));
}

TEST(ResultsTable, WithAnotherHeaderIsRefused) {
  EXPECT_THAT([] { (void)parsed("commit,median_us\n"); }, is_refused_with("1: the header is"));
  EXPECT_THAT([] { (void)parsed("\n" + results_line(kKept)); }, is_refused_with("2: the header"));
  EXPECT_THAT([] { (void)parsed(std::string(5000, '\0')); }, is_refused_with("1: the header is"));
}

TEST(ResultsTable, WithADoubledHeaderIsRefused) {
  EXPECT_THAT([] { (void)parsed(kHeader + kHeader); }, is_refused_with("2: median_us is"));
}

TEST(ResultsTable, WithTooFewColumnsIsRefused) {
  EXPECT_THAT([] { (void)parsed(kHeader + "0123456\t1467.141\t1.46\tkeep\n"); },
              is_refused_with("2: it has 4 columns, not 5"));
}

TEST(ResultsTable, WithAValueThatIsNoneIsRefused) {
  EXPECT_THAT([] { (void)parsed(kHeader + "a\tfast\t1\tkeep\td\n"); },
              is_refused_with("2: median_us is 'fast'"));
  EXPECT_THAT([] { (void)parsed(kHeader + "a\t-1\t1\tkeep\td\n"); },
              is_refused_with("2: median_us is '-1'"));
  EXPECT_THAT([] { (void)parsed(kHeader + "a\t1e999\t1\tkeep\td\n"); },
              is_refused_with("2: median_us is '1e999'"));
  for (const char* const number : {"1.7e308", "5e-324"}) {
    EXPECT_THAT(
        [&] { (void)parsed(kHeader + "abc\t" + number + "\t0\tkeep\tx\n"); },
        is_refused_with(std::string("2: median_us is '") + number + "', which is out of range"));
  }
  EXPECT_THAT([] { (void)parsed(kHeader + "a\t1\t\tkeep\td\n"); },
              is_refused_with("2: tflops_s is ''"));
  EXPECT_THAT([] { (void)parsed(kHeader + "a\t1\t1\tmaybe\td\n"); },
              is_refused_with("2: status is 'maybe'"));
}

TEST(ResultsTable, QuotesWhatItRefusesOnOneShortLine) {
  const std::string long_value = std::string(1000, 'x') + "\x1B[31m";
  EXPECT_THAT([&] { (void)parsed(kHeader + "a\t\x1B[31m" + long_value + "\t1\tkeep\td\n"); },
              ThrowsMessage<Error>(AllOf(Not(HasSubstr("\x1B")), SizeIs(testing::Lt(200U)))));
}

TEST(ResultsTable, MadeFromTheLedgerIsTheOneThatAppendingMade) {
  const test::ScratchFolder scratch;
  Ledger ledger = Ledger::open(scratch.path());
  std::vector<Entry> entries = full_entries();
  Experiment odd = experiment(8);
  odd.description = "tab\tnewline\n\xFF\xC3";
  odd.median_us.reset();
  odd.status = Status::crash;
  entries.emplace_back(odd);
  entries.emplace_back(experiment(9));
  const auto table = scratch.path() / "results.tsv";
  for (const Entry& entry : entries) {
    ledger.append(lines_of({entry}));
    if (const auto* written = std::get_if<Experiment>(&entry)) {
      finish_append(table, results_append(table, {results_row(*written)}));
    }
  }
  EXPECT_EQ(results_from(ledger.rows(), ""), test::contents(table));
  EXPECT_EQ(results_from(ledger.rows(), "demo"), test::contents(table));
  EXPECT_EQ(results_from(ledger.rows(), "another"), kHeader);
}

TEST(ResultsTable, MadeFromTheLedgerHasTheExperimentsOfARunAlone) {
  const test::ScratchFolder scratch;
  Ledger ledger = Ledger::open(scratch.path());
  Experiment other = experiment(0);
  other.tag = "other";
  ledger.append(lines_of({experiment(1), other, experiment(2)}));
  EXPECT_EQ(parsed(results_from(ledger.rows(), "demo")).size(), 2);
  EXPECT_EQ(parsed(results_from(ledger.rows(), "other")).size(), 1);
  EXPECT_EQ(parsed(results_from(ledger.rows(), "")).size(), 3);
}

}  // namespace
}  // namespace autokernel::ledger
