// A kernel of several files under the binary itself.
#include <gmock/gmock.h>

#include <filesystem>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// The elementwise case, whose kernel takes how often it adds from a header of its own.
class EditableFiles : public LoopWorkplace {
 protected:
  EditableFiles() {
    repository_.write("kernels/case.toml", "editable_files = [\"include/*.cuh\"]\n" +
                                               repository_.read("kernels/case.toml"));
    edit(kernel_of_two());
    write_factor(2);
    repository_.commit("a kernel of two files");
  }

  static std::string kernel_of_two(int rounds = kSlow) {
    return "#include \"include/factor.cuh\"\n" +
           kernel_with(rounds, "sum = 2 * x[i] + y[i]", "sum = FACTOR * x[i] + y[i]");
  }
  void write_factor(int factor, const std::string& folder = "kernels") const {
    repository_.write(folder + "/include/factor.cuh",
                      "#define FACTOR " + std::to_string(factor) + "\n");
  }
  [[nodiscard]] Outcome bench(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"bench", "--case", "kernels", "--device",
                                          "cpu",   "--size", "check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_autokernel(arguments);
  }
};

TEST_F(EditableFiles, AreCompiledTogether) {
  EXPECT_EQ(bench().code, 0) << bench().out;
  write_factor(3);
  const Outcome wrong = bench();
  EXPECT_EQ(wrong.code, 11) << "the cache goes by all files\n" << wrong.out;
}

TEST_F(EditableFiles, ThatTheCaseDoesNotNameCannotBeIncluded) {
  repository_.write("kernels/factor.cuh", "#define FACTOR 2\n");
  repository_.write("factor.cuh", "#define FACTOR 2\n");
  fs::create_symlink(repository_.root() / "factor.cuh",
                     repository_.root() / "kernels/include/link.cuh");
  for (const std::string name : {"factor.cuh", "../factor.cuh", "include/link.cuh",
                                 "include/../../factor.cuh", "case.toml", "reference.cu"}) {
    edit("#include \"" + name + "\"\n" + kernel(kFaster));
    const Outcome run = bench();
    EXPECT_EQ(run.code, 12) << name << run.out;
  }
}

TEST_F(EditableFiles, OfAFolderAreMeasuredAndComparedWith) {
  repository_.write("tries/kernel.cu", kernel_of_two(kFaster));
  write_factor(2, "tries");
  EXPECT_EQ(bench({"--kernel", "tries"}).code, 0) << bench({"--kernel", "tries"}).out;
  const Outcome slower = bench({"--against", "tries"});
  EXPECT_EQ(slower.code, 10) << slower.out << slower.err;
  const Outcome faster = bench({"--kernel", "tries", "--against", "kernels/kernel.cu"});
  EXPECT_EQ(faster.code, 0) << faster.out << faster.err;
  write_factor(3, "tries");
  EXPECT_EQ(bench({"--kernel", "tries/kernel.cu"}).code, 11) << "each has its own";
  fs::remove(repository_.root() / "tries/kernel.cu");
  const Outcome none = bench({"--kernel", "tries"});
  EXPECT_EQ(none.code, 2) << none.out;
  EXPECT_THAT(none.err, HasSubstr("has no kernel.cu"));
}

TEST_F(EditableFiles, ThatNoPatternMatchesAreMissed) {
  const std::string text = repository_.read("kernels/case.toml");
  repository_.write("kernels/case.toml",
                    "editable_files = [\"inclde/*.cuh\"]" + text.substr(text.find('\n')));
  const Outcome run = bench();
  EXPECT_EQ(run.code, 12) << run.out;
  EXPECT_THAT(run.err, HasSubstr("\"inclde/*.cuh\", which matches no file"));
}

TEST_F(EditableFiles, OfARevisionAreComparedWith) {
  edit(kernel_of_two(kFaster));
  write_factor(2);
  repository_.write("kernels/include/other.cuh", "int other;\n");
  const Outcome run = bench({"--against", "HEAD"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  // With what is in the worktree now it would be wrong, and nobody would see.
  repository_.write("kernels/include/factor.cuh", "#error not that of the revision\n");
  edit(kernel(kFaster));
  EXPECT_EQ(bench({"--against", "HEAD"}).code, 0);
}

TEST_F(EditableFiles, OfAFolderNeedNoPatternsWhereTheCaseHasNone) {
  const std::string text = repository_.read("kernels/case.toml");
  repository_.write("kernels/case.toml", text.substr(text.find('\n') + 1));
  EXPECT_EQ(bench().code, 12);
  EXPECT_EQ(bench({"--kernel", "kernels"}).code, 0) << bench({"--kernel", "kernels"}).out;
}

TEST_F(EditableFiles, OfAFolderThatIsARevisionTooAreNotGuessed) {
  repository_.write("main/kernel.cu", kernel(kFaster));
  const Outcome run = bench({"--against", "main"});
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr("write ./main for the folder"));
  EXPECT_EQ(bench({"--against", "./main"}).code, 10);
  EXPECT_EQ(bench({"--against", ""}).code, 2);
  EXPECT_EQ(bench({"--kernel", ""}).code, 2);
}

TEST_F(EditableFiles, AreReplayedAsTheyWere) {
  write_factor(3);
  const Outcome wrong = bench({"--json"});
  ASSERT_EQ(wrong.code, 11) << wrong.err;
  EXPECT_EQ(json::parse(wrong.out).at("request").at("files").at("include/factor.cuh"),
            "#define FACTOR 3\n");
  repository_.write("bad.json", wrong.out);
  write_factor(2);
  EXPECT_EQ(bench({"--replay", "bad.json"}).code, 11);
}

TEST_F(EditableFiles, AreKeptAndRevertedByTheLoop) {
  start();
  write_factor(3);
  const Outcome wrong = step(kernel_of_two(kFaster), "three times");
  EXPECT_EQ(wrong.code, 11) << wrong.out << wrong.err;
  EXPECT_EQ(repository_.read("kernels/include/factor.cuh"), "#define FACTOR 2\n");
  EXPECT_EQ(kernel_now(), kernel_of_two());
  repository_.write("kernels/include/factor.cuh", "#include \"two.cuh\"\n#define FACTOR TWO\n");
  repository_.write("kernels/include/two.cuh", "#define TWO 2\n");
  const Outcome kept = step(kernel_of_two(kFaster), "a tenth of the rounds");
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  expect_at(experiment(2));
  EXPECT_EQ(run_autokernel({"verify-run", "--processes", "2"}).code, 0);
  const Outcome source = run_autokernel({"show", "2", "--source"});
  EXPECT_EQ(source.out, kernel_of_two(kFaster));
  EXPECT_THAT(source.err,
              HasSubstr("the kernel has 2 more files; 'autokernel show 2 --files DIR'"));
  const std::string folder = repository_.beside("two").string();
  EXPECT_EQ(run_autokernel({"show", "2", "--files", folder}).code, 0);
  EXPECT_EQ(bench({"--kernel", folder}).code, 0);
  const Outcome again = run_autokernel({"show", "2", "--files", folder});
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("there is a "));
  // Not even beside what it would write: #include "factor.cuh" would mean another file.
  repository_.write("other/include/deeper/factor.cuh", "#define FACTOR 9\n");
  const std::string other = (repository_.root() / "other").string();
  const Outcome beside = run_autokernel({"show", "2", "--files", other});
  EXPECT_EQ(beside.code, 2);
  EXPECT_THAT(beside.err, HasSubstr("there is a include already; name a folder that is empty"));
  EXPECT_FALSE(fs::exists(repository_.root() / "other/kernel.cu"));
  EXPECT_THAT(run_autokernel({"diff", "2"}).out, HasSubstr("+#define TWO 2"));
}

TEST_F(EditableFiles, AreEditedByAnAgent) {
  start();
  const std::string agent =
      "mkdir kernels/include/x; echo x > kernels/include/x/y.txt; "
      "echo '#define FACTOR 3' > kernels/include/factor.cuh; echo IDEA: three";
  const Outcome run = run_autokernel({"loop", "run", "--max-runs", "1", "--agent", agent});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), testing::ElementsAre("keep baseline", "crash three"));
  EXPECT_EQ(repository_.read("kernels/include/factor.cuh"), "#define FACTOR 2\n");
  EXPECT_FALSE(fs::exists(repository_.root() / "kernels/include/x/y.txt"));
}

}  // namespace
}  // namespace autokernel::test
