// `autokernel init`, from an empty repository to a run.
#include <gmock/gmock.h>

#include "e2e/authoring_workplace.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class Init : public AuthoringWorkplace {};

TEST_F(Init, LeadsToARunByTheCommandsThatItNames) {
  EXPECT_THAT(
      done({"init"}),
      AllOf(
          HasSubstr("new      kernels/case.toml\nnew      program.md\nnew      AGENTS.md\nnew      "
                    ".gitignore\n"),
          HasSubstr("  git add .gitignore AGENTS.md kernels program.md\n"),
          Not(HasSubstr("git config"))));
  EXPECT_THAT(files(), UnorderedElementsAre(Key("kernels/case.toml"), Key("kernels/kernel.cu"),
                                            Key("kernels/reference.cu"), Key("program.md"),
                                            Key("AGENTS.md"), Key(".gitignore")));
  EXPECT_EQ(files().at(".gitignore"), "/.autokernel/\n");
  repository_.git("add", ".gitignore", "AGENTS.md", "kernels", "program.md");
  repository_.git("commit", "--quiet", "-m", "A case for autokernel");

  EXPECT_THAT(done({"bench", "--device", "cpu", "--size", "check"}),
              HasSubstr("verdict:          correct\n"));
  EXPECT_THAT(done({"loop", "start", "first", "--device", "cpu", "--size", "check"}),
              HasSubstr("verdict:          baseline\n"));
  EXPECT_EQ(repository_.git("status", "--porcelain"), "?? results.tsv\n");
}

TEST_F(Init, ChangesNothingTheSecondTime) {
  (void)done({"init", "--from", "softmax", "--case-name", "rows"});
  EXPECT_THAT(files().at("kernels/case.toml"), HasSubstr("\nname = \"rows\"\n"));
  EXPECT_THAT(files().at("program.md"), HasSubstr("## Playbook: Reductions"));
  repository_.write("kernels/kernel.cu", "// better already\n");
  const auto before = files();
  for (const std::vector<std::string>& again : std::vector<std::vector<std::string>>{
           {"init"}, {"init", "--from", "softmax", "--case-name", "rows"}}) {
    EXPECT_THAT(done(again), AllOf(HasSubstr("kept     kernels/case.toml\n"),
                                   HasSubstr("nothing was changed: all of it is there\n")));
    EXPECT_EQ(files(), before);
  }
  expect_refused({"init", "--from", "rmsnorm"}, 2,
                 "kernels/case.toml is there already, the case rows; omit --from");
  EXPECT_EQ(files(), before);
}

TEST_F(Init, WritesWhatIsMissing) {
  (void)done({"init"});
  const auto before = files();
  fs::remove(repository_.root() / "program.md");
  fs::remove(repository_.root() / "AGENTS.md");
  EXPECT_THAT(done({"init"}),
              AllOf(HasSubstr("new      program.md\n"), HasSubstr("new      AGENTS.md\n")));
  EXPECT_EQ(files(), before);
}

TEST_F(Init, GoesOnAfterItWasKilledBetweenTwoFiles) {
  (void)done({"init"});
  const auto before = files();
  for (const char* file : {"kernels/case.toml", "program.md", "AGENTS.md", ".gitignore"}) {
    fs::remove(repository_.root() / file);
  }
  (void)done({"init"});
  EXPECT_EQ(files(), before);
}

TEST_F(Init, AddsItsSectionToWhatAgentsAreToldAndItsLineToWhatGitIgnores) {
  const std::string told = "# How we work\n\nTabs, not spaces.";
  repository_.write("AGENTS.md", told);
  repository_.write(".gitignore", "build");
  EXPECT_THAT(done({"init"}),
              AllOf(HasSubstr("changed  AGENTS.md\n"), HasSubstr("changed  .gitignore\n")));
  EXPECT_THAT(files().at("AGENTS.md"), StartsWith(told + "\n\n<!-- autokernel: begin"));
  EXPECT_EQ(files().at(".gitignore"), "build\n/.autokernel/\n");

  // What others write around it stays, and so does their line ending.
  const std::string around = files().at("AGENTS.md") + "\nMore rules.\r\n";
  repository_.write("AGENTS.md", around);
  (void)done({"init"});
  EXPECT_EQ(files().at("AGENTS.md"), around);
}

TEST_F(Init, WritesNothingIfSomethingIsInTheWay) {
  struct InTheWay {
    std::string file;
    std::string bytes;
    std::string words;
  };
  for (const auto& [file, bytes, words] :
       {InTheWay{"program.md", "mine\n", "program.md is there already and is another file"},
        InTheWay{"kernels/kernel.cu", "mine\n", "kernels/kernel.cu is there already"},
        InTheWay{"kernels/reference.cu", "mine\n", "kernels/reference.cu is there already"},
        InTheWay{"kernels/case.toml", "mine\n", "kernels/case.toml:1:"},
        InTheWay{"kernels", "a file\n", "kernels/"},
        InTheWay{"AGENTS.md", "<!-- autokernel: end -->\n", "are not there once each"},
        InTheWay{".gitignore", "kernels\n", "git ignores kernels/kernel.cu"},
        InTheWay{".gitignore", "*.toml\n", "git ignores kernels/case.toml"}}) {
    SCOPED_TRACE(testing::Message() << file << ": " << bytes);
    repository_.write(file, bytes);
    const auto before = files();
    expect_refused({"init"}, 2, words);
    EXPECT_EQ(files(), before);
    fs::remove_all(repository_.root() / "kernels");
    fs::remove(repository_.root() / file);
  }
}

// The library that makes the disk so is loaded into the program: support/faulty_disk.
TEST_F(Init, LeavesEverythingAsItWasOnADiskThatFails) {
  repository_.write("AGENTS.md", "# Ours\n");
  repository_.write(".gitignore", "build\n");
  const auto before = files();
  int failures = 0;
  for (int change = 1; change <= 60; ++change) {
    SCOPED_TRACE(change);
    const Outcome outcome = run_with(
        {{"LD_PRELOAD", AUTOKERNEL_FAULTY_DISK},
         {"ASAN_OPTIONS", "verify_asan_link_order=0"},
         {"AUTOKERNEL_TEST_DISK", std::to_string(change) + ":once:" + repository_.root().string()}},
        {"init"});
    if (outcome.code == 0) break;
    ++failures;
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_EQ(files(), before);
    EXPECT_FALSE(fs::exists(repository_.root() / "kernels"));
  }
  EXPECT_GT(failures, 10);
  EXPECT_EQ(files().size(), 6U);
}

TEST_F(Init, FollowsNoLink) {
  fs::create_directory(repository_.beside("elsewhere"));
  fs::create_directory_symlink(repository_.beside("elsewhere"), repository_.root() / "kernels");
  EXPECT_NE(run_autokernel({"init"}).code, 0);
  EXPECT_TRUE(fs::is_empty(repository_.beside("elsewhere")));
  fs::remove(repository_.root() / "kernels");
  fs::create_symlink(repository_.beside("elsewhere") / "told", repository_.root() / "AGENTS.md");
  expect_refused({"init"}, 2, "AGENTS.md: it is a symbolic link");
  EXPECT_FALSE(fs::exists(repository_.root() / "kernels"));
}

TEST_F(Init, KeepsTheCaseOfARepositoryThatIsOne) {
  (void)done({"case", "new", "squares"});
  for (const char* file : {"case.toml", "kernel.cu", "reference.cu"}) {
    fs::rename(repository_.root() / "squares" / file, repository_.root() / file);
  }
  (void)done({"init"});
  EXPECT_FALSE(fs::exists(repository_.root() / "kernels"));
  EXPECT_THAT(files().at("program.md"), HasSubstr("You edit **one file, `kernel.cu`**"));
}

TEST_F(Init, WorksOnTheRootFromAnywhereBelowIt) {
  fs::create_directories(repository_.root() / "deep" / "down");
  const Outcome outcome = run_in(repository_.root() / "deep" / "down", {"init"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  cd " + repository_.root().string() + "\n"));
  EXPECT_TRUE(fs::exists(repository_.root() / "kernels" / "case.toml"));
}

TEST_F(Init, SaysHowToMakeARepositoryAndWhoCommits) {
  const Outcome outside = run_in(repository_.beside("tmp"), {"init"});
  EXPECT_EQ(outside.code, 4);
  EXPECT_THAT(outside.err, HasSubstr("make one there: git init"));
  EXPECT_TRUE(fs::is_empty(repository_.beside("tmp")));
  repository_.git("config", "--unset", "user.name");
  repository_.git("config", "--unset", "user.email");
  EXPECT_THAT(done({"init"}), HasSubstr("  git config user.name \"YOUR NAME\"\n"));
}

}  // namespace
}  // namespace autokernel::test
