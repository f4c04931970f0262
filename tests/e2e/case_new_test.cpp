// `case new`, `case list`, `case show` and `case program`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "e2e/authoring_workplace.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

const fs::path kCases = AUTOKERNEL_SOURCES "/tests/data";

class CaseNew : public AuthoringWorkplace {};

TEST_F(CaseNew, IsRightAtOnce) {
  EXPECT_THAT(
      done({"case", "new", "squares"}),
      AllOf(HasSubstr("new      squares/kernel.cu\n"), HasSubstr("autokernel case show squares "),
            HasSubstr("autokernel bench --case squares ")));
  EXPECT_THAT(files(), UnorderedElementsAre(Key("squares/case.toml"), Key("squares/kernel.cu"),
                                            Key("squares/reference.cu")));
  EXPECT_THAT(files().at("squares/case.toml"), HasSubstr("\nname = \"squares\"\n"));
  EXPECT_THAT(done({"bench", "--case", "squares", "--device", "cpu", "--size", "check", "--full"}),
              AllOf(HasSubstr("verdict:          correct\n"), HasSubstr("edge_sizes PASS")));
}

TEST_F(CaseNew, MayBeAnyProgramThatIsCopied) {
  EXPECT_THAT(done({"case", "list"}), HasSubstr("rank 600 articles for 300 queries"));
  EXPECT_THAT(done({"case", "new", "mine", "--from", "ranking"}),
              AllOf(HasSubstr("new      mine/hidden/check.py\n"),
                    HasSubstr("autokernel bench --case mine # measure it\n")));
  EXPECT_THAT(done({"case", "show", "mine"}), HasSubstr("ndcg"));
}

TEST_F(CaseNew, GoesBelowKernelsIfThereIsSuchAFolderAndElsewhereByItsPath) {
  fs::create_directory(repository_.root() / "kernels");
  (void)done({"case", "new", "one"});
  (void)done({"case", "new", "work/of mine/two/"});
  EXPECT_THAT(files(),
              AllOf(testing::Contains(Key("kernels/one/case.toml")),
                    testing::Contains(Key("work/of mine/two/case.toml")), testing::SizeIs(6)));
}

TEST_F(CaseNew, TakesAllFilesOfAnotherCaseAndNothingElse) {
  fs::create_directories(repository_.root() / "from");
  for (const char* file : {"case.toml", "kernel.cu"}) {
    fs::copy_file(kCases / "row_sums" / file, repository_.root() / "from" / file);
  }
  for (const char* file : {"reference.cu", "reference_fp64.cu"}) {
    fs::copy_file(kCases / "row_sums" / file, repository_.root() / "from" / file);
  }
  const std::string text =
      "editable_files = [\"include/*.cuh\"]\n" + contents(kCases / "row_sums" / "case.toml");
  repository_.write("from/case.toml", text);
  repository_.write("from/include/sum.cuh", "// mine\n");
  repository_.write("from/notes.txt", "not the case's\n");

  (void)done({"case", "new", "copy", "--from", "from"});

  auto held = files();
  std::erase_if(held, [](const auto& file) { return file.first.starts_with("from/"); });
  EXPECT_THAT(held, UnorderedElementsAre(Key("copy/case.toml"), Key("copy/kernel.cu"),
                                         Key("copy/include/sum.cuh"), Key("copy/reference.cu"),
                                         Key("copy/reference_fp64.cu")));
  std::string renamed = text;
  renamed.replace(renamed.find("\"RowSums\""), 9, "\"copy\"");
  EXPECT_EQ(held.at("copy/case.toml"), renamed);
  EXPECT_EQ(held.at("copy/kernel.cu"), contents(kCases / "row_sums" / "kernel.cu"));
}

TEST_F(CaseNew, StartsFromACaseThatComesWithTheProgram) {
  (void)done({"case", "new", "rows", "--from", "softmax"});
  EXPECT_EQ(files().at("rows/reference_fp64.cu"),
            contents(AUTOKERNEL_SOURCES "/kernels/softmax/reference_fp64.cu"));
  (void)done({"case", "new", "product", "--from", "matmul"});
  EXPECT_EQ(files().at("product/kernel.cu"), contents(AUTOKERNEL_SOURCES "/kernels/kernel.cu"));
}

TEST_F(CaseNew, HasAKernelInTritonWhereThatIsAskedFor) {
  EXPECT_THAT(done({"case", "new", "squares", "--backend", "triton"}),
              HasSubstr("new      squares/kernel.py\n"));
  EXPECT_THAT(files(), UnorderedElementsAre(Key("squares/case.toml"), Key("squares/kernel.py"),
                                            Key("squares/reference.cu")));
  EXPECT_THAT(files().at("squares/case.toml"),
              HasSubstr("\nname = \"squares\"\nkernel = \"kernel.py\"\n"));
  EXPECT_THAT(done({"case", "program", "squares"}),
              AllOf(HasSubstr("`squares/kernel.py`"), HasSubstr("def launch(x, y, a):")));
  (void)done({"case", "new", "rows", "--from", "softmax", "--backend", "triton"});
  EXPECT_EQ(files().at("rows/kernel.py"),
            contents(AUTOKERNEL_SOURCES "/kernels/softmax/kernel.py"));
  expect_refused({"case", "new", "k", "--from", "topk", "--backend", "triton"}, 2,
                 "it has no kernel.py");
}

TEST_F(CaseNew, OverwritesNothing) {
  repository_.write("mine/kernel.cu", "an afternoon's work\n");
  repository_.write("file", "mine\n");
  fs::create_symlink("nowhere", repository_.root() / "link");
  const auto before = files();
  expect_refused({"case", "new", "mine"}, 2, "mine is there already; choose another name");
  expect_refused({"case", "new", "file"}, 2, "file is there already");
  expect_refused({"case", "new", "link"}, 2, "link is there already");
  expect_refused({"case", "new", "file/below/name"}, 3, "a file is in its place; move it away");
  EXPECT_EQ(files(), before);
}

TEST_F(CaseNew, RefusesANameThatAShellOrTomlWouldNotTake) {
  for (const char* name : {"a b", "", ".", "..", ".hidden", "quo\"te", "na\xC3\xAFve", "a\nb", "$x",
                           "work/..", "a;b"}) {
    SCOPED_TRACE(name);
    const Outcome outcome = run_autokernel({"case", "new", name});
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("cannot be the name of a case"));
  }
  EXPECT_EQ(run_autokernel({"case", "new", std::string(65, 'a')}).code, 2);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(CaseNew, LeavesNothingOfACaseThatCannotBeRead) {
  repository_.write("broken/case.toml", "name = \"Broken\"\n");
  expect_refused({"case", "new", "copy", "--from", "broken"}, 2, "broken/case.toml:1:1: ");
  expect_refused({"case", "new", "copy", "--from", "nothing-like-it"}, 2,
                 "there is no case nothing-like-it; 'autokernel case list' shows");
  EXPECT_FALSE(fs::exists(repository_.root() / "copy"));
}

TEST_F(CaseNew, RefusesToLeaveHeadersBehind) {
  (void)done({"case", "new", "mine"});
  repository_.write("mine/case.toml",
                    repository_.read("mine/case.toml") + "[compile]\ninclude = [\"../lib\"]\n");
  repository_.write("lib/a.cuh", "\n");
  (void)done({"case", "new", "beside", "--from", "mine"});
  expect_refused({"case", "new", "work/deeper", "--from", "mine"}, 2,
                 "[compile] include has ../lib, from the case's folder; write an absolute path");
}

class CaseList : public AuthoringWorkplace {};

TEST_F(CaseList, HasTheCasesOfTheRepositoryAndThoseToStartFrom) {
  (void)done({"case", "new", "squares"});
  const std::string text = done({"case", "list"});
  EXPECT_THAT(text,
              StartsWith("squares  squares  a * x + x * x of 4194304 float32\n\nto start from"));
  EXPECT_THAT(text, HasSubstr("  Softmax "));
  const std::string below = run_in(repository_.root() / "squares", {"case", "list"}).out;
  EXPECT_THAT(below, StartsWith(".  squares  "));
}

TEST_F(CaseList, FollowsNoLinkAndLooksIntoNoHiddenFolder) {
  (void)done({"case", "new", "squares"});
  fs::create_directory_symlink("squares", repository_.root() / "link");
  fs::create_directory_symlink("..", repository_.root() / "squares" / "up");
  fs::rename(repository_.root() / "squares", repository_.root() / ".hidden");
  EXPECT_THAT(done({"case", "list"}), StartsWith("no case here; 'autokernel init' makes one\n"));
}

TEST_F(CaseList, IsJsonForPrograms) {
  (void)done({"case", "new", "squares"});
  repository_.write("broken/case.toml", "name = \"Broken\"\n");
  const json list = json::parse(done({"case", "list", "--json"}));
  EXPECT_EQ(list.at("schema_version"), 1);
  EXPECT_EQ(list.at("cut"), false);
  const json& broken = list.at("cases").at(0);
  EXPECT_EQ(broken.at("folder"), "broken");
  EXPECT_TRUE(broken.at("name").is_null());
  EXPECT_THAT(broken.at("error").get<std::string>(),
              HasSubstr("case.toml:1:1: problem is missing"));
  const json& squares = list.at("cases").at(1);
  EXPECT_EQ(squares.at("name"), "squares");
  EXPECT_EQ(squares.at("problem"), "a * x + x * x of 4194304 float32");
  EXPECT_EQ(squares.at("installed"), false);
  EXPECT_EQ(list.at("cases").at(2).at("installed"), true);
}

class CaseShow : public AuthoringWorkplace {};

TEST_F(CaseShow, HasWhatAKernelTakes) {
  (void)done({"case", "new", "squares"});
  const std::string text = done({"case", "show", "squares", "--size", "check"});
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("x  in f32 [N], normal (5000)\n"), HasSubstr("y  out f32 [N] (5000)\n"),
          HasSubstr("a  scalar f32 uniform from -2 to 2\n"),
          HasSubstr("check    N=5000: 39.1 KiB of tensors, 15 kFLOP, 40 kB moved, 0.375 FLOP per"),
          HasSubstr("each element within 2e-06 + 1e-06 * |expected|\n"),
          HasSubstr("extern \"C\" __global__ void NAME(const float* x, float* y, float a)\n")));
}

TEST_F(CaseShow, HasLayoutsRuntimeSizesAndTheGoal) {
  ASSERT_EQ(done({"case", "new", "squares"}).empty(), false);
  std::string text = repository_.read("squares/case.toml");
  text.insert(text.find("[sizes.default]"), "runtime_sizes = [\"N\"]\n");
  const std::string shape = "shape = [\"N\"]\n";
  text.insert(text.find(shape) + shape.size(), "pitch = \"N + 8\"\n");
  repository_.write("squares/case.toml", text +
                                             "[score]\ndefault = 1\ncheck = 2\n"
                                             "[guard]\nregisters = 64\n"
                                             "[guard.loss_pct]\ncheck = 3\n");
  for (const std::string command : {"show", "program"}) {
    const std::string shown = done({"case", command, "squares"});
    EXPECT_THAT(shown, AllOf(HasSubstr("a row every N + 8 elements"), HasSubstr(", int N)"),
                             HasSubstr(".arguments = \""), HasSubstr("the time at check, weight 2"),
                             HasSubstr("at most 64 registers per thread"),
                             HasSubstr("at most 3 % lost at check")));
  }
}

TEST_F(CaseShow, FindsACaseByItsNameAndTheDefaultOne) {
  EXPECT_THAT(done({"case", "show", "FlashAttention"}),
              AllOf(HasSubstr("scale  scalar f32 DIM ^ -0.5\n"),
                    HasSubstr("playbook:         attention\n")));
  (void)done({"case", "new", "work/kernels"});
  const Outcome shown = run_in(repository_.root() / "work", {"case", "show"});
  EXPECT_THAT(shown.out, StartsWith("name:             kernels\n"));
  for (const char* named : {"kernels/", "./kernels", "kernels/case.toml"}) {
    EXPECT_THAT(run_in(repository_.root() / "work", {"case", "show", named}).out,
                StartsWith("name:             kernels\n"))
        << named;
  }
}

TEST_F(CaseShow, SaysWhichSizesAndCasesThereAre) {
  (void)done({"case", "new", "a/same"});
  (void)done({"case", "new", "b/same"});
  expect_refused({"case", "show", "a/same", "--size", "huge"}, 2,
                 "has no size \"huge\"; it has check, default, edge_1");
  expect_refused({"case", "show", "same"}, 2,
                 "there are several cases called same; write the folder of one: a/same, b/same");
  expect_refused({"case", "show", "./none"}, 2, "there is no folder ./none");
  expect_refused({"case", "show", ""}, 2, "the case has no name");
  expect_refused({"case", "show"}, 2, "or make one: autokernel init");
}

TEST_F(CaseShow, IsJsonForPrograms) {
  const json shown = json::parse(done({"case", "show", "rmsnorm", "--json", "--size", "check"}));
  EXPECT_EQ(shown.at("size"), "check");
  EXPECT_EQ(shown.at("playbook"), "reduction");
  EXPECT_EQ(shown.at("exact"), "never");
  EXPECT_EQ(shown.at("tensors").at(0).at("shape"), json({"ROWS", "COLS"}));
  EXPECT_EQ(shown.at("tensors").at(0).at("fill"), "normal");
  EXPECT_EQ(shown.at("sizes").at(0).at("name"), "default");
  EXPECT_EQ(shown.at("reference").at("fp64_file"), "reference_fp64.cu");
  EXPECT_EQ(shown.at("editable"), json({"kernel.cu"}));
  EXPECT_THAT(shown.at("declaration").get<std::string>(),
              StartsWith("extern \"C\" __global__ void NAME(const TYPE* x, "));
}

class CaseProgram : public AuthoringWorkplace {};

TEST_F(CaseProgram, IsAboutTheCase) {
  (void)done({"case", "new", "squares"});
  const std::string text = done({"case", "program", "squares"});
  EXPECT_THAT(
      text,
      AllOf(StartsWith("<!-- made by autokernel for the case in squares; "),
            HasSubstr("You edit **one file, `squares/kernel.cu`**"),
            HasSubstr("autokernel loop start TAG --case squares --max-runs 40"),
            HasSubstr("autokernel bench --case squares --size check"),
            HasSubstr("    extern \"C\" __global__ void mine(const float* x, float* y, float a)\n"),
            HasSubstr("\n## Playbook: Memory-bound kernels\n"), HasSubstr("\n### Stages\n")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("{{")), Not(HasSubstr("kernels/kernel.cu")),
                          Not(HasSubstr("1024^3")), Not(HasSubstr("matmul"))));
}

TEST_F(CaseProgram, HasThePlaybookThatTheCaseNames) {
  (void)done({"case", "new", "squares"});
  const std::string text = repository_.read("squares/case.toml");
  const std::map<std::string, std::string> titles = {{"compute", "Compute-bound kernels"},
                                                     {"memory", "Memory-bound kernels"},
                                                     {"reduction", "Reductions"},
                                                     {"attention", "Attention"},
                                                     {"scan", "Scans"}};
  for (const auto& [playbook, title] : titles) {
    std::string chosen = "playbook = \"";
    chosen += playbook;
    chosen += "\"\n";
    chosen += text;
    repository_.write("squares/case.toml", chosen);
    std::string heading = "\n## Playbook: ";
    heading += title;
    heading += '\n';
    EXPECT_THAT(done({"case", "program", "squares"}), HasSubstr(heading));
  }
}

}  // namespace
}  // namespace autokernel::test
