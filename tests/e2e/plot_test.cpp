// `autokernel plot` with the real gnuplot, and its page in a real browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "autokernel/base/files.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/search_path.h"
#include "support/program.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kHeader = "commit\tmedian_us\ttflops_s\tstatus\tdescription\n";

class PlotCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (find_on_path("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  }
  void table(const std::string& rows) const {
    write_file_atomically(scratch_.path() / "results.tsv", kHeader + rows);
  }
  // A baseline, then `count` - 1 experiments; every tenth is faster than all before.
  void table_of(int count) const {
    std::ostringstream rows;
    double best = 400;
    for (int i = 0; i < count; ++i) {
      const bool keeps = i % 10 == 0;
      if (keeps) best *= 0.97;
      rows << "abc" << 1000 + i << '\t' << (keeps ? best : best * 1.2) << '\t'
           << 2000 / (keeps ? best : best * 1.2) << '\t' << (keeps ? "keep" : "discard")
           << "\tidea " << i << '\n';
    }
    table(rows.str());
  }
  [[nodiscard]] Outcome plot(std::vector<std::string> arguments,
                             const std::map<std::string, std::string>& environment = {}) const {
    arguments.insert(arguments.begin(), "plot");
    return run({.program = AUTOKERNEL_PROGRAM,
                .arguments = std::move(arguments),
                .directory = scratch_.path(),
                .environment = environment});
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return read_file(scratch_.path() / name, "a file of the test");
  }

  ScratchDirectory scratch_;
};

TEST_F(PlotCommand, DrawsAPngOfTheTableBesideIt) {
  table_of(34);
  const Outcome drawn = plot({});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(file("progress.png"), StartsWith("\x89PNG\r\n\x1a\n"));
  EXPECT_GT(file("progress.png").size(), 20000U);
}

TEST_F(PlotCommand, DrawsEveryFormatWhereTheNameOfTheOutputSaysWhich) {
  table_of(12);
  EXPECT_EQ(plot({"-o", "a.svg"}).code, 0);
  EXPECT_THAT(file("a.svg"), HasSubstr("<svg"));
  EXPECT_EQ(plot({"-o", "a.html"}).code, 0);
  EXPECT_THAT(file("a.html"), StartsWith("<!DOCTYPE html>"));
  const Outcome text = plot({"--format", "term"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("388.0 us to 376.4 us"));
  EXPECT_THAT(text.out, HasSubstr("\nO kept, o discarded, x failed, * best so far\n"));
  EXPECT_THAT(text.out, StartsWith("Kernel experiments\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("\f")));
  // Dots of a grid would look like marks.
  EXPECT_THAT(text.out, Not(HasSubstr("..")));
  const Outcome piped = plot({"--format", "svg", "-o", "-"});
  EXPECT_THAT(piped.out, HasSubstr("</svg>"));
}

TEST_F(PlotCommand, SaysInItsWordsWhatWasMeasured) {
  table(
      "abc1234\t400\t5\tkeep\tbaseline\nabc1235\t100\t20\tkeep\ttiles\n"
      "abc1236\t999999.000\t0.00\tcrash\toops\nabc1237\t150\t13\tdiscard\tno\n");
  const Outcome drawn = plot({"--format", "svg", "-o", "-"});
  EXPECT_THAT(drawn.out, HasSubstr("400.0 us to 100.0 us, 4.00 times as fast"));
  EXPECT_THAT(drawn.out, HasSubstr("baseline and 3 experiments: 1 kept, 1 discarded, 1 failed"));
  EXPECT_THAT(drawn.out, HasSubstr("tiles"));
  EXPECT_THAT(drawn.out, HasSubstr("baseline 400.0 us"));
}

TEST_F(PlotCommand, DrawsWhatThereIs) {
  for (const char* rows :
       {"abc1234\t400\t5\tkeep\tbaseline\n",           // one row
        "abc1234\t400\t5\tdiscard\tnone kept\n",       // no kept row
        "abc1234\t999999.000\t0.00\tcrash\tfailed\n",  // nothing timed
        "abc1234\t400\t5\tkeep\tsame\nb\t400\t5\tkeep\tsame\n",
        "abc1234\tinf\t0\tkeep\tof a Python harness\n", "abc1234\t0\t0\tkeep\tno time at all\n",
        "abc1234\t1e-3\t0\tkeep\ta\nb\t1e12\t1\tdiscard\twide\n"}) {
    table(rows);
    const Outcome drawn = plot({});
    EXPECT_EQ(drawn.code, 0) << rows << drawn.err;
    EXPECT_THAT(drawn.err, Not(HasSubstr("warning"))) << rows;
  }
}

TEST_F(PlotCommand, TakesAnyTextForADescription) {
  table(
      "abc1234\t400\t5\tkeep\tbaseline\n"
      "abc1235\t300\t6\tkeep\t`touch ran` $(touch ran) '; system('touch ran') # \"q\" \\n %s {/b}\n"
      "abc1236\t200\t9\tkeep\t<b>&amp;</b> @x ^2 _3 größere Kacheln 共享内存 \xF0\x9F\x9A\x80\n"
      "abc1237\t100\t9\tkeep\tbroken \xC3\x28 bytes\tand a further column\n");
  for (const char* format : {"png", "svg", "html", "term"}) {
    const Outcome drawn = plot({"--format", format});
    EXPECT_EQ(drawn.code, 0) << format << drawn.err;
  }
  EXPECT_FALSE(fs::exists(scratch_.path() / "ran"));
  EXPECT_THAT(file("progress.svg"), HasSubstr("&lt;b>"));
  EXPECT_THAT(file("progress.html"), Not(HasSubstr("<b>")));
}

TEST_F(PlotCommand, NamesTheLineThatIsWrong) {
  table("abc1234\t400\t5\tkeep\tbaseline\nabc1235\tfast\t5\tkeep\tno number\n");
  const Outcome drawn = plot({});
  EXPECT_EQ(drawn.code, 2);
  EXPECT_THAT(drawn.err, HasSubstr("results.tsv:3: median_us is 'fast'"));
  EXPECT_FALSE(fs::exists(scratch_.path() / "progress.png"));
}

TEST_F(PlotCommand, SaysWhatToDoWhereThereIsNothingToDraw) {
  EXPECT_EQ(plot({}).code, 2);
  EXPECT_THAT(plot({}).err, HasSubstr("there is no results.tsv in"));
  table("");
  EXPECT_EQ(plot({}).code, 2);
  EXPECT_THAT(plot({}).err, HasSubstr("it has no rows yet"));
  EXPECT_EQ(plot({"--input", "nowhere.tsv"}).code, 2);
  table_of(3);
  EXPECT_EQ(plot({"-o", "picture.gif"}).code, 2);
  EXPECT_EQ(plot({"--format", "gif"}).code, 2);
  EXPECT_EQ(plot({"-o", "nowhere/a.png"}).code, 3);
}

TEST_F(PlotCommand, SaysHowToGetGnuplot) {
  table_of(3);
  const Outcome drawn = plot({}, {{"PATH", scratch_.path().string()}});
  EXPECT_EQ(drawn.code, 3);
  EXPECT_THAT(drawn.err, HasSubstr("sudo apt-get install gnuplot-nox"));
}

TEST_F(PlotCommand, ReportsWhatABrokenGnuplotSays) {
  table_of(3);
  const fs::path program = scratch_.path() / "gnuplot";
  std::ofstream(program) << "#!/bin/sh\necho no terminal of that name\nexit 1\n";
  fs::permissions(program, fs::perms::owner_all);
  const Outcome drawn = plot({}, {{"PATH", scratch_.path().string() + ":" + std::getenv("PATH")}});
  EXPECT_EQ(drawn.code, 3);
  EXPECT_THAT(drawn.err, HasSubstr("no terminal of that name"));
}

TEST_F(PlotCommand, OpensThePictureInWhateverTheDesktopHas) {
  table_of(3);
  const fs::path program = scratch_.path() / "xdg-open";
  std::ofstream(program) << "#!/bin/sh\necho \"$1\" >opened.new && mv opened.new opened\n";
  fs::permissions(program, fs::perms::owner_all);
  const std::string path = scratch_.path().string() + ":" + std::getenv("PATH");
  EXPECT_EQ(plot({"--open"}, {{"PATH", path}}).code, 0);
  for (int i = 0; i < 500 && !fs::exists(scratch_.path() / "opened"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(file("opened"), (scratch_.path() / "progress.png").string() + "\n");
  EXPECT_EQ(plot({"--open", "-o", "-"}).code, 2);
}

TEST_F(PlotCommand, SaysThatNothingOnTheDesktopShowsThePicture) {
  table_of(3);
  const fs::path program = scratch_.path() / "xdg-open";
  std::ofstream(program) << "#!/bin/sh\necho firefox: not found >&2\nexit 3\n";
  fs::permissions(program, fs::perms::owner_all);
  const std::string path = scratch_.path().string() + ":" + std::getenv("PATH");
  const Outcome drawn = plot({"--open"}, {{"PATH", path}});
  EXPECT_EQ(drawn.code, 3);
  EXPECT_THAT(drawn.err, HasSubstr("progress.png (it is written): xdg-open found no program"));
  EXPECT_THAT(drawn.err, Not(HasSubstr("firefox")));
  EXPECT_THAT(file("progress.png"), StartsWith("\x89PNG"));
}

TEST_F(PlotCommand, DrawsTenThousandRows) {
  table_of(10000);
  const Outcome drawn = plot({"--format", "html"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(file("progress.html"), HasSubstr("<tr id=\"e9999\""));
}

TEST_F(PlotCommand, IsAPageThatABrowserReads) {
  const fs::path browser = find_on_path("chromium");
  if (browser.empty()) GTEST_SKIP() << "chromium is not installed";
  table_of(34);
  ASSERT_EQ(plot({"--format", "html"}).code, 0);
  // What the page has become: the browser's own idea of it, after all its scripts.
  const Outcome read =
      run({.program = browser,
           .arguments = {"--headless", "--no-sandbox", "--disable-gpu",
                         "--user-data-dir=" + (scratch_.path() / "user").string(), "--dump-dom",
                         "file://" + (scratch_.path() / "progress.html").string()},
           .directory = scratch_.path(),
           .environment = {{"HOME", scratch_.path().string()}}});
  ASSERT_EQ(read.code, 0) << read.err;
  const auto count = [&](const std::string& pattern) {
    const std::regex expression(pattern);
    return std::distance(std::sregex_iterator(read.out.begin(), read.out.end(), expression), {});
  };
  EXPECT_EQ(count("<circle class=\"hit\""), 68);
  EXPECT_EQ(count("<title>"), 69);
  EXPECT_EQ(count("<tr id=\"e"), 34);
  EXPECT_EQ(count("parsererror"), 0);
  EXPECT_EQ(count("(src|href)=\"http"), 0) << "it needs nothing from elsewhere";
}

}  // namespace
}  // namespace autokernel::test
