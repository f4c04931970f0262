#include <gmock/gmock.h>
#include <sys/stat.h>

#include "autokernel/cases/case.h"
#include "cases/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(CaseFile, KeepsItsTextAndItsFolder) {
  const Case problem = parse(sample(), "some/case");

  EXPECT_EQ(problem.text, sample());
  EXPECT_EQ(problem.directory, "some/case");
  EXPECT_EQ(problem.kernel_file(), "some/case/kernel.cu");
}

TEST(CaseFile, HasDefaultsForTimingThatItMayReplaceOneByOne) {
  const Case usual = parse(sample(), "some/case");
  const Case own = parse(sample() + "[timing]\nsamples = 7\ncap_seconds = 2.5\n", "some/case");

  EXPECT_EQ(usual.timing.samples, 50);
  EXPECT_EQ(own.timing.samples, 7);
  EXPECT_EQ(own.timing.warmups, usual.timing.warmups);
  EXPECT_DOUBLE_EQ(own.timing.cap_seconds, 2.5);
}

TEST(CaseFile, HasThePlaybookThatItNames) {
  for (const char* word : {"compute", "memory", "reduction", "attention", "scan"}) {
    const std::string text = "playbook = \"" + std::string(word) + "\"\n" + sample();
    EXPECT_STREQ(spelling(parse(text, "c").playbook), word);
  }
}

TEST(CaseFile, HasElseThePlaybookThatFollowsFromItsIntensity) {
  // 65536 operations, 7168 bytes by the cost that the sample states.
  EXPECT_EQ(parse(sample(), "c").playbook, Playbook::memory);
  EXPECT_EQ(parse(sample_with("flops = \"2*M*N*K\"", "flops = \"50*M*N*K\""), "c").playbook,
            Playbook::compute);
}

TEST(CaseFile, IsNotDeterministicUnlessItSaysSo) {
  EXPECT_FALSE(parse(sample(), "some/case").deterministic);
  EXPECT_TRUE(parse(sample_with("sum_over = \"K\"", "sum_over = \"K\"\ndeterministic = true"), "c")
                  .deterministic);
}

TEST(CaseFile, LetsNoElementBeWrongUnlessItSaysSo) {
  const auto with_share = [](const std::string& share) {
    return sample_with("sum_over = \"K\"", "sum_over = \"K\"\nmay_be_wrong = " + share);
  };
  EXPECT_EQ(parse(sample(), "some/case").may_be_wrong, 0);
  EXPECT_THAT(complaint_about(with_share("0.01")), HasSubstr("goes with exact = \"never\""));
  EXPECT_THAT(complaint_about(with_share("0.5")), HasSubstr("may_be_wrong"));
}

TEST(CaseFile, ThatIsNoTomlIsRefusedWithItsLine) {
  EXPECT_THAT(complaint_about("name = \"MatMul\"\nproblem = \n"),
              StartsWith("some/case/case.toml:2:11: not valid TOML: "));
}

TEST(CaseFile, NamesFileLineAndKeyOfWhatIsMissing) {
  EXPECT_EQ(
      complaint_about(sample_with("role = \"out\"\n", "")),
      "some/case/case.toml:25:1: [[tensor]] C role is missing; write \"in\", \"out\" or \"inout\"");
}

TEST(CaseFile, NamesTheSectionThatIsMissing) {
  EXPECT_EQ(complaint_about(sample_with("[cost]\n", "[costs]\n")),
            "some/case/case.toml:40:2: costs is not known here, did you mean cost?");
  EXPECT_EQ(complaint_about(sample_with("[cost]\n", "[elsewhere]\n")),
            "some/case/case.toml:1:1: the section [cost] is missing; add it");
}

TEST(CaseFile, RefusesAKeyItDoesNotKnowAndSaysWhichWasMeant) {
  const std::string complaint = complaint_about(sample() + "[timing]\nsampels = 7\n");

  EXPECT_THAT(
      complaint,
      StartsWith(
          "some/case/case.toml:44:1: [timing] sampels is not known here, did you mean samples?"));
  EXPECT_THAT(complaint, HasSubstr("cap_seconds, samples or warmups"));
}

TEST(CaseFile, RefusesASectionItDoesNotKnow) {
  EXPECT_THAT(
      complaint_about(sample() + "[timings]\nsamples = 7\n"),
      StartsWith("some/case/case.toml:43:2: timings is not known here, did you mean timing?"));
}

TEST(CaseFile, RefusesAValueOfTheWrongKind) {
  EXPECT_EQ(complaint_about(sample_with("\"MatMul\"", "3")),
            "some/case/case.toml:1:8: name is 3; write a text in quotes, on one line, without tabs "
            "and not empty");
}

TEST(CaseFile, MayBeIndentedByTabsAndEndItsLinesAsOnWindows) {
  const std::string tabs =
      with(kernel_sample(), "name = \"Count\"\n", "\tname\t=\t\"Count\"\t\r\n");

  EXPECT_EQ(parse(tabs, "c").name, "Count");
}

TEST(CaseFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(parse("\xEF\xBB\xBF" + kernel_sample(), "c").name, "Count");
}

TEST(CaseFile, RefusesATextOverSeveralLines) {
  EXPECT_THAT(complaint_about(sample_with("\"MatMul\"", R"("Mat\nMul")")),
              HasSubstr("on one line"));
}

TEST(CaseFile, RefusesANegativeTolerance) {
  EXPECT_EQ(
      complaint_about(sample_with("absolute = 0.01", "absolute = -0.01")),
      "some/case/case.toml:36:12: [check] absolute is -0.01; write a finite number, at least 0");
}

TEST(CaseFile, RefusesAToleranceThatNothingExceeds) {
  EXPECT_THAT(complaint_about(sample_with("absolute = 0.01", "absolute = inf")),
              HasSubstr("a finite number"));
  EXPECT_THAT(complaint_about(sample_with("relative = 0.001", "relative = nan")),
              HasSubstr("a finite number"));
}

TEST(CaseFile, RefusesAFormulaOfUnknownSymbolsAndNamesThoseThereAre) {
  EXPECT_EQ(complaint_about(sample_with("2*M*N*K", "2*M*N*Q")),
            "some/case/case.toml:41:9: [cost] flops: cannot evaluate \"2*M*N*Q\": \"Q\" is not a "
            "size symbol; write K, M or N");
}

TEST(CaseFile, RefusesACostOfNothing) {
  EXPECT_THAT(complaint_about(sample_with("2*M*N*K", "M - 64")),
              HasSubstr("must give more than 0"));
}

TEST(CaseFile, RefusesAnUnknownSymbolInTheProblemLine) {
  EXPECT_THAT(complaint_about(sample_with("[{M},{K}]", "[{M},{X}]")),
              HasSubstr("the unknown symbol \"{X}\""));
  EXPECT_THAT(complaint_about(sample_with("x [{K},{N}]", "x [{K},{N]")),
              HasSubstr("has a { without }"));
}

TEST(CaseFile, RefusesTimingThatCannotBe) {
  EXPECT_THAT(complaint_about(sample() + "[timing]\nsamples = 0\n"),
              HasSubstr("a whole number from 1 to"));
  EXPECT_THAT(complaint_about(sample() + "[timing]\nwarmups = 1.5\n"),
              HasSubstr("a whole number from 0 to"));
  EXPECT_THAT(complaint_about(sample() + "[timing]\ncap_seconds = 0\n"),
              HasSubstr("at least 0.01"));
}

TEST(CaseFile, ThatIsTooLongForOneIsRefused) {
  EXPECT_THAT(complaint_about(sample() + std::string(2U << 20U, '#')),
              HasSubstr("a case has at most"));
}

TEST(CaseFolder, WithoutCaseTomlSaysWhatACaseIs) {
  const test::ScratchFolder folder;

  EXPECT_THAT([&] { static_cast<void>(load(folder.path())); },
              testing::ThrowsMessage<Error>(HasSubstr("a case is a folder with case.toml in it")));
}

TEST(CaseFolder, WithAFolderInThePlaceOfCaseTomlIsRefused) {
  const test::ScratchFolder folder;
  static_cast<void>(folder.folder("case.toml"));

  EXPECT_THAT([&] { static_cast<void>(load(folder.path())); },
              testing::ThrowsMessage<Error>(HasSubstr("case.toml: it is a folder")));
}

TEST(CaseFolder, WithAFolderInThePlaceOfItsReferenceIsRefused) {
  const test::ScratchFolder folder;
  static_cast<void>(folder.folder("reference.cu"));
  folder.write("case.toml", kernel_sample());

  EXPECT_THAT([&] { static_cast<void>(load(folder.path())); },
              testing::ThrowsMessage<Error>(
                  testing::AllOf(HasSubstr("the reference"), HasSubstr("it is a folder"))));
}

TEST(CaseFolder, IsReadOnceAndParsedFromThoseBytes) {
  const test::ScratchFolder folder;
  folder.write("case.toml", kernel_sample());
  folder.write("reference.cu", "the reference");
  const CaseFiles files = read_files(folder.path());
  std::filesystem::remove_all(folder.path());
  const Case problem = parse(files);
  EXPECT_EQ(problem.text, kernel_sample());
  EXPECT_EQ(std::get<KernelReference>(problem.reference).source, "the reference");
}

TEST(CaseFolder, OfBytesThatLackAFileIsRefused) {
  EXPECT_THAT([&] { static_cast<void>(parse(CaseFiles{"/case", {}})); },
              testing::ThrowsMessage<Error>(HasSubstr("/case/case.toml: there is no such file")));
  EXPECT_THAT(
      [&] { static_cast<void>(parse(CaseFiles{"/case", {{"case.toml", kernel_sample()}}})); },
      testing::ThrowsMessage<Error>(HasSubstr("which is not a file in /case; add it")));
}

TEST(CaseFolder, WhoseFilesAreLinksIsRefused) {
  const test::ScratchFolder folder;
  folder.write("elsewhere.toml", kernel_sample());
  folder.write("elsewhere.cu", "the reference");
  std::filesystem::create_symlink("elsewhere.toml", folder.path() / "case.toml");
  EXPECT_THAT([&] { static_cast<void>(read_files(folder.path())); },
              testing::ThrowsMessage<Error>(HasSubstr("symbolic link")));
  std::filesystem::remove(folder.path() / "case.toml");
  folder.write("case.toml", kernel_sample());
  std::filesystem::create_symlink("elsewhere.cu", folder.path() / "reference.cu");
  EXPECT_THAT([&] { static_cast<void>(read_files(folder.path())); },
              testing::ThrowsMessage<Error>(HasSubstr("symbolic link")));
}

TEST(CaseFolder, WhoseFilesArePipesIsRefusedAtOnce) {
  const test::ScratchFolder folder;
  folder.write("case.toml", kernel_sample());
  ASSERT_EQ(::mkfifo((folder.path() / "reference.cu").c_str(), 0600), 0);
  EXPECT_THAT([&] { static_cast<void>(read_files(folder.path())); },
              testing::ThrowsMessage<Error>(HasSubstr("not a regular file")));
}

TEST(CaseFolder, WhoseReferenceIsLargerThanAnySourceIsRefused) {
  const test::ScratchFolder folder;
  folder.write("case.toml", kernel_sample());
  std::filesystem::resize_file(folder.write("reference.cu", ""), std::uintmax_t{1} << 40U);
  EXPECT_THAT([&] { static_cast<void>(read_files(folder.path())); },
              testing::ThrowsMessage<Error>(HasSubstr("larger than 16 MiB")));
}

TEST(CaseFolder, WithoutItsReferenceKernelIsRefused) {
  const test::ScratchFolder folder;
  std::string text =
      sample_with("kind = \"cublas_gemm\"\nleft = \"A\"\nright = \"B\"\noutput = \"C\"",
                  "kind = \"kernel\"\nfile = \"reference.cu\"");
  text.replace(text.find("exact = \"sum-of-products\"\nsum_over = \"K\""),
               std::string("exact = \"sum-of-products\"\nsum_over = \"K\"").size(),
               "exact = \"never\"");
  folder.write("case.toml", text);

  EXPECT_THAT([&] { static_cast<void>(load(folder.path())); },
              testing::ThrowsMessage<Error>(
                  HasSubstr("[reference] file is \"reference.cu\", which is not a file in")));
}

}  // namespace
}  // namespace autokernel::cases
