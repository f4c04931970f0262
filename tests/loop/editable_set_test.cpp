// A run whose kernel is more than one file: they are tried, kept, taken back and shown together.
#include "loop/editable_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kMain = "#include \"include/time.cuh\"\n";

class SeveralFiles : public testing::Test {
 protected:
  using Files = std::map<std::string, std::string>;

  SeveralFiles() {
    git().write("kernels/case.toml",
                "editable_files = [\"include/**/*.cuh\"]\n" + git().read("kernels/case.toml"));
    write("kernel.cu", kMain);
    write("include/time.cuh", kernel(100));
    write("include/deep/more.cuh", "int more;\n");
    git().write(".gitignore", "*.o\n");
    git().commit("several files");
    workplace_.start();
  }

  [[nodiscard]] const test::ScratchRepository& git() const { return workplace_.git(); }
  void write(const std::string& name, const std::string& text) const {
    git().write("kernels/" + name, text);
  }
  void remove(const std::string& name) const { fs::remove(workplace_.root() / "kernels" / name); }
  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests look at what is left
  Step step(const std::string& idea = "an idea") const {
    return workplace_.open().step({.idea = idea});
  }
  // By path from the case.
  [[nodiscard]] Files files() const {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(workplace_.root() / "kernels")) {
      const std::string path =
          entry.path().lexically_relative(workplace_.root() / "kernels").generic_string();
      if (!entry.is_directory() && path != "case.toml" && path != "reference.cu")
        files[path] = git().read("kernels/" + path);
    }
    return files;
  }
  [[nodiscard]] std::string strayed() const { return workplace_.status().strayed; }

  const Files at_start_ = {{"kernel.cu", kMain},
                           {"include/time.cuh", kernel(100)},
                           {"include/deep/more.cuh", "int more;\n"}};
  Workplace workplace_;
};

TEST_F(SeveralFiles, AreKeptTogether) {
  write("include/time.cuh", kernel(80));
  write("include/new/one.cuh", "int one;\n");
  remove("include/deep/more.cuh");
  const Files edited = files();

  EXPECT_EQ(step().experiment.verdict, "kept");

  EXPECT_EQ(files(), edited);
  EXPECT_EQ(git().git("diff", "--name-status", "HEAD~1", "HEAD", "--no-renames"),
            "D\tkernels/include/deep/more.cuh\nA\tkernels/include/new/one.cuh\n"
            "M\tkernels/include/time.cuh\n");
  EXPECT_EQ(git().git("status", "--porcelain"), "?? results.tsv\n");
}

TEST_F(SeveralFiles, AreTakenBackTogether) {
  write("kernel.cu", std::string(kMain) + "// more\nint a;\n");
  write("include/time.cuh", kernel(120));
  write("include/new/one.cuh", "int one;\n");
  remove("include/deep/more.cuh");
  git().git("add", "-A", "kernels");

  EXPECT_EQ(step().experiment.verdict, "not faster");

  EXPECT_EQ(files(), at_start_);
  EXPECT_FALSE(workplace_.has("kernels/include/new")) << "as git leaves no empty folder";
  EXPECT_EQ(git().git("status", "--porcelain"), "?? results.tsv\n");
  EXPECT_THAT(faults_in(git()), IsEmpty());
}

TEST_F(SeveralFiles, ThatGitIgnoresAreEditedAsWell) {
  git().write(".git/info/exclude", "");  // as at the start
  write("include/object.o", "none of it");
  EXPECT_THAT(strayed(), IsEmpty()) << "what git ignores is nobody's change";
  git().write("kernels/include/.gitignore", "ignored.cuh\n");
  EXPECT_THAT(strayed(), HasSubstr("kernels/include/.gitignore"));
}

TEST_F(SeveralFiles, AreShownComparedAndRestoredTogether) {
  write("include/time.cuh", kernel(120));
  write("include/new.cuh", "int one;\n");
  remove("include/deep/more.cuh");
  const Files tried = files();
  step();
  {
    const Loop loop = workplace_.open();
    const cases::KernelSource source = loop.source(loop.experiment(1));
    EXPECT_EQ(source.text, kMain);
    EXPECT_EQ(source.files,
              (Files{{"include/time.cuh", kernel(120)}, {"include/new.cuh", "int one;\n"}}));
  }
  EXPECT_THAT(workplace_.open().diff(1), AllOf(HasSubstr("+constexpr float time_us = 120;"),
                                               HasSubstr("+int one;"), HasSubstr("-int more;")));
  workplace_.open().restore(1);
  EXPECT_EQ(files(), tried);
  workplace_.open().restore(0);
  EXPECT_EQ(files(), at_start_);
}

TEST_F(SeveralFiles, WithAnEditInNoneOfTheExperimentsAreNotOverwritten) {
  write("include/time.cuh", kernel(70));
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace_.open().restore(0); }),
              HasSubstr("kernels/include/time.cuh has an edit that is in no experiment"));
  write("include/time.cuh", kernel(100));
  write("include/new.cuh", "mine\n");
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace_.open().restore(0); }),
              HasSubstr("kernels/include/new.cuh has an edit that is in no experiment"));
}

TEST_F(SeveralFiles, ThatDifferInCommentsOnlyAreNothingNew) {
  write("include/time.cuh", "// a comment\n" + kernel(100));
  EXPECT_THAT(refusal(Stop::usage, [&] { step(); }), HasSubstr("except for comments"));
  write("include/time.cuh", kernel(100));
  EXPECT_THAT(refusal(Stop::usage, [&] { step(); }),
              HasSubstr("kernels/kernel.cu and kernels/include/**/*.cuh are the same as in"));
}

TEST_F(SeveralFiles, LeaveEverythingElseToItsUser) {
  write("include/notes.txt", "notes\n");
  EXPECT_EQ(strayed(), "kernels/include/notes.txt (new)");
  remove("include/notes.txt");
  write("include/new/one.cuh", "int one;\n");
  EXPECT_THAT(strayed(), IsEmpty());
  write("include/new/notes.txt", "notes\n");
  EXPECT_EQ(strayed(), "kernels/include/new/notes.txt (new)");
  EXPECT_THAT(refusal(Stop::scope, [&] { step(); }), HasSubstr("only kernels/kernel.cu and "));
  remove("include/new/notes.txt");
  write("other.cuh", "int other;\n");
  EXPECT_EQ(strayed(), "kernels/other.cuh (new)");
}

TEST_F(SeveralFiles, AreNoLinks) {
  git().write("secret", "secret\n");
  git().git("add", "secret");
  fs::create_symlink(workplace_.root() / "notes.txt",
                     workplace_.root() / "kernels/include/link.cuh");
  EXPECT_THAT(strayed(), HasSubstr("kernels/include/link.cuh (new, a link)"));
  remove("include/link.cuh");
  remove("include/time.cuh");
  fs::create_symlink(workplace_.root() / "notes.txt",
                     workplace_.root() / "kernels/include/time.cuh");
  EXPECT_THAT(strayed(), HasSubstr("kernels/include/time.cuh (modified, a link)"));
}

TEST_F(SeveralFiles, AreNoLinksAndSayWhy) {
  fs::create_symlink(workplace_.root() / "notes.txt",
                     workplace_.root() / "kernels/include/link.cuh");
  EXPECT_EQ(strayed(), "kernels/include/link.cuh (new, a link)");
  remove("include/link.cuh");
  write(
      "include/gr\xC3\xB6\xC3\x9F"
      "e.cuh",
      "int x;\n");
  EXPECT_THAT(strayed(), HasSubstr("(new, a name with other letters than ASCII)"));
}

TEST_F(SeveralFiles, ThatNothingIncludesMakeNoNewKernel) {
  write("include/empty.cuh", "");
  EXPECT_THAT(refusal(Stop::usage, [&] { step(); }), HasSubstr("except for comments"));
}

TEST_F(SeveralFiles, ThatNothingIncludesMakeItNoSimpler) {
  write("include/padding.cuh", std::string(9000, ';'));
  write("include/time.cuh", kernel(80));
  EXPECT_EQ(step().experiment.verdict, "kept");
  remove("include/padding.cuh");
  write("include/time.cuh", kernel(80) + "int more;\n");
  EXPECT_EQ(workplace_.open().step({.idea = "less", .simpler = true}).experiment.verdict,
            "not faster");
}

// What the user has in the same folder is the user's, whatever becomes of the kernel's files there.
TEST_F(SeveralFiles, LieBesideTheUsersOwn) {
  write("include/exp/notes.txt", "mine\n");
  write("include/exp/my.o", "ignored\n");
  workplace_.start("two");
  EXPECT_THAT(strayed(), IsEmpty());
  write("include/exp/one.cuh", "int one;\n");
  write("include/time.cuh", kernel(80));
  EXPECT_EQ(step().experiment.verdict, "kept");
  EXPECT_THAT(strayed(), IsEmpty()) << "git lists the file by itself now";
  remove("include/exp/one.cuh");
  write("include/time.cuh", kernel(60));
  EXPECT_EQ(step().experiment.verdict, "kept");
  EXPECT_THAT(strayed(), IsEmpty()) << "and the folder again";
  write("include/exp/notes.txt", "others\n");
  EXPECT_THAT(strayed(), AllOf(StartsWith("kernels/include/exp/notes.txt (modified) ["),
                               HasSubstr("'git cat-file -p")));
  remove("include/exp/notes.txt");
  EXPECT_THAT(strayed(), StartsWith("kernels/include/exp/notes.txt (reset) ["));
  EXPECT_EQ(git().read("kernels/include/exp/my.o"), "ignored\n");
}

TEST_F(SeveralFiles, AreNotThoseOfARepositoryWithinThis) {
  write("include/exp/one.cuh", "int one;\n");
  fs::create_directory(workplace_.root() / "kernels/include/exp/.git");
  EXPECT_EQ(strayed(), "kernels/include/exp/ (new, a repository of its own)");
}

TEST_F(SeveralFiles, AreNotWhatWasALink) {
  fs::create_symlink("time.cuh", workplace_.root() / "kernels/include/link.cuh");
  git().commit("a link");
  workplace_.start("two");
  EXPECT_THAT(strayed(), IsEmpty());
  remove("include/link.cuh");
  EXPECT_THAT(strayed(), HasSubstr("kernels/include/link.cuh (deleted"));
  write("include/link.cuh", "int link;\n");
  EXPECT_THAT(strayed(), HasSubstr("kernels/include/link.cuh (modified"));
}

TEST_F(SeveralFiles, BehindALinkAreNobodys) {
  const fs::path outside = git().beside("outside");
  fs::create_directories(outside);
  std::ofstream(outside / ".time.cuh.0123456789abcdef") << "theirs";
  fs::remove_all(workplace_.root() / "kernels/include");
  fs::create_directory_symlink(outside, workplace_.root() / "kernels/include");
  EXPECT_THAT(refusal(Stop::scope, [&] { step(); }), HasSubstr("kernels/include"));
  EXPECT_TRUE(fs::exists(outside / ".time.cuh.0123456789abcdef"));
}

TEST_F(SeveralFiles, MayBecomeFoldersAndFilesAgain) {
  remove("include/deep/more.cuh");
  write("include/deep/more.cuh/inner.cuh", "int inner;\n");
  write("include/time.cuh", kernel(80));
  const Files as_folder = files();
  EXPECT_EQ(step().experiment.verdict, "kept");
  EXPECT_EQ(files(), as_folder);
  EXPECT_EQ(git().git("status", "--porcelain"), "?? results.tsv\n");
  fs::remove_all(workplace_.root() / "kernels/include/deep/more.cuh");
  write("include/deep/more.cuh", "int again;\n");
  write("include/time.cuh", kernel(90));
  EXPECT_EQ(step().experiment.verdict, "not faster");
  EXPECT_EQ(files(), as_folder);
  EXPECT_EQ(git().git("status", "--porcelain"), "?? results.tsv\n");
  EXPECT_THAT(faults_in(git()), IsEmpty());
}

TEST_F(SeveralFiles, AreRestoredAllOrNone) {
  write("include/deep/more.cuh", "int other;\n");
  write("include/time.cuh", kernel(120));
  step();
  fs::remove(workplace_.root() / "kernels/include/deep/more.cuh");
  git().write("kernels/include/deep/more.cuh/notes.txt", "notes\n");
  const Files before = files();
  EXPECT_THAT(
      refusal(Stop::repository, [&] { workplace_.open().restore(1); }),
      AllOf(HasSubstr("kernels/include/deep/more.cuh is a folder"), HasSubstr("move it away")));
  EXPECT_EQ(files(), before);
}

TEST_F(SeveralFiles, ThatAreInNoCommitGoAsideAsTheyLay) {
  workplace_.reached = [&](std::string_view name) {
    if (name != "measured") return;
    write("include/time.cuh", kernel(33));
    write("include/new/late.cuh", "int late;\n");
  };
  write("include/time.cuh", kernel(120));
  step();
  workplace_.reached = nullptr;
  EXPECT_EQ(files(), at_start_);
  EXPECT_EQ(git().read(".autokernel/aside/edit-1/kernels/include/time.cuh"), kernel(33));
  EXPECT_EQ(git().read(".autokernel/aside/edit-1/kernels/include/new/late.cuh"), "int late;\n");
}

TEST_F(SeveralFiles, ThatAreTooManyAreRefused) {
  for (std::size_t i = 0; i <= cases::kMostEditableFiles; ++i)
    write("include/" + std::to_string(i) + ".cuh", "");
  EXPECT_THAT(refusal(Stop::usage, [&] { step(); }), HasSubstr("a kernel has at most 256"));
}

TEST_F(SeveralFiles, MustBeCommittedBeforeARun) {
  write("include/new.cuh", "int one;\n");
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace_.start("two"); }),
              HasSubstr("kernels/include/new.cuh is not committed"));
  remove("include/new.cuh");
  write("include/time.cuh", kernel(90));
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace_.start("two"); }),
              HasSubstr("kernels/include/time.cuh has uncommitted changes"));
  remove("include/time.cuh");
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace_.start("two"); }),
              HasSubstr("kernels/include/time.cuh has uncommitted changes"));
}

class KilledWithSeveralFiles : public SeveralFiles,
                               public testing::WithParamInterface<const char*> {};

TEST_P(KilledWithSeveralFiles, TheyAreKeptOrTakenBackTogether) {
  write("include/time.cuh", kernel(120));
  write("include/new.cuh", "int one;\n");
  remove("include/deep/more.cuh");
  const Files edited = files();
  workplace_.reached = [&](std::string_view name) {
    if (name == GetParam()) ::raise(SIGKILL);
  };
  ASSERT_EQ(in_a_process([&] { step(); }), 128 + SIGKILL);
  workplace_.reached = nullptr;
  workplace_.repair();
  EXPECT_EQ(files(), std::string(GetParam()) == "committed" ? edited : at_start_);
  // An edit that no experiment was made of is its user's.
  if (files() == at_start_) {
    EXPECT_THAT(faults_in(git()), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(AtAnyPoint, KilledWithSeveralFiles,
                         testing::Values("committed", "trying", "referenced", "measured", "decided",
                                         "ledger written", "branch set", "file set"));

TEST(EditableSet, OfACaseInTheRootHasPathsWithoutAFolder) {
  ledger::RunStarted run;
  run.editable = "kernel.cu";
  run.editable_files = {"**/*.cuh", "*.md", "*.tsv"};
  run.guarded = {{"case.toml", "1"}, {"program.md", "2"}, {"other/x.cuh", "3"}};
  const EditableSet set(run);
  EXPECT_TRUE(set.contains("a/b.cuh"));
  EXPECT_TRUE(set.contains("notes.md"));
  for (const char* path : {"program.md", "other/x.cuh", "results.tsv", ".autokernel/a.cuh"})
    EXPECT_FALSE(set.contains(path)) << path;
  EXPECT_EQ(set.names(), "kernel.cu, **/*.cuh, *.md and *.tsv");
}

TEST(EditableSet, OfAnEarlierRunIsItsOneFile) {
  ledger::RunStarted run;
  run.editable = "kernels/kernel.cu";
  const EditableSet set(run);
  EXPECT_EQ(set.names(), "kernels/kernel.cu");
  EXPECT_FALSE(set.contains("kernels/a.cuh"));
  EXPECT_FALSE(set.may_lie_in("kernels/"));
  EXPECT_THAT(set.in_worktree("/nowhere"), ElementsAre("kernels/kernel.cu"));
}

}  // namespace
}  // namespace autokernel::loop
