#include "autokernel/programs/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "programs/compressed.h"
#include "programs/traces.h"

namespace autokernel::programs {
namespace {

using testing::SizeIs;

class Import : public testing::Test {
 protected:
  [[nodiscard]] auto of(const std::string& name, std::string_view bytes) const {
    return [file = scratch_.write(name, bytes)] { (void)imported(file); };
  }
  test::ScratchFolder scratch_;
};

TEST_F(Import, TellsATraceByItsContent) {
  const Profile profile = imported(trace_file("shapes.json"));
  EXPECT_THAT(profile.launches, SizeIs(2));
  EXPECT_EQ(profile.program, trace_file("shapes.json").string());
  EXPECT_THAT(
      imported(scratch_.write("a.sqlite", "\xEF\xBB\xBF \n" + trace_text("graph.json"))).launches,
      SizeIs(4));
}

TEST_F(Import, ExpandsACompressedTrace) {
  const auto file = scratch_.write("trace.json", compressed(trace_text("shapes.json")));
  EXPECT_THAT(imported(file).launches, SizeIs(2));
}

TEST_F(Import, OfACompressedTraceThatIsCutIsRefused) {
  const std::string whole = compressed(trace_text("old_spelling.json"));
  for (std::size_t length = 2; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    EXPECT_THAT(
        of("trace.json.gz", whole.substr(0, length)),
        refuses_with("it is cut: the compressed data end at byte " + std::to_string(length)));
  }
}

TEST_F(Import, OfWhatIsNoFileIsRefused) {
  EXPECT_THAT([&] { (void)imported(scratch_.path()); }, refuses_with("it is a folder"));
  EXPECT_THAT([&] { (void)imported(scratch_.path() / "none"); }, refuses_with("No such file"));
  ASSERT_EQ(::mkfifo((scratch_.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { (void)imported(scratch_.path() / "pipe"); },
              refuses_with("it is not a regular file"));
}

TEST_F(Import, OfAnEmptyFileIsRefused) {
  EXPECT_THAT(of("trace.json", ""), refuses_with("it is empty"));
  EXPECT_THAT(of("trace.json.gz", compressed("")), refuses_with("its format is unknown"));
}

TEST_F(Import, OfAReportThatIsNotExportedSaysHowToExportIt) {
  EXPECT_THAT(of("a", "NVIDIA Tegra Profiler Report 2025"),
              refuses_with("nsys export --type sqlite"));
  EXPECT_THAT(of("a.nsys-rep", "x"), refuses_with("nsys export --type sqlite"));
  EXPECT_THAT(of("a.qdrep", "x"), refuses_with("nsys export --type sqlite"));
}

TEST_F(Import, OfAReportOfNsightComputeIsRefused) {
  EXPECT_THAT(of("a", std::string_view("NVR\0", 4)), refuses_with("Nsight Compute"));
  EXPECT_THAT(of("a.ncu-rep", "x"), refuses_with("Nsight Compute"));
}

TEST_F(Import, OfOtherFormatsSaysWhatTheyAre) {
  EXPECT_THAT(of("a.json", "<!DOCTYPE html><html>"), refuses_with("a page of a web site"));
  EXPECT_THAT(of("a.json", "PK\x03\x04"), refuses_with("unpack it first"));
  EXPECT_THAT(of("a.json", "\x28\xb5\x2f\xfd"), refuses_with("unzstd"));
  EXPECT_THAT(of("a.json", "version https://git-lfs.github.com/spec/v1\n"),
              refuses_with("git lfs"));
  EXPECT_THAT(of("a.gz", compressed("SQLite format 3")), refuses_with("gunzip"));
  EXPECT_THAT(of("a.json", "some text"), refuses_with("its format is unknown; give a trace"));
}

}  // namespace
}  // namespace autokernel::programs
