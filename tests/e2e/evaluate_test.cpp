// Definitions of other benchmarks become cases, and their solutions are judged in them. CI has no
// PyTorch: what is right is computed with the NumPy that `./dev test` puts into build/triton.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "e2e/authoring_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const fs::path kNumpyPython = AUTOKERNEL_SOURCES "/build/triton";
const fs::path kDefinitions = AUTOKERNEL_SOURCES "/tests/data/definition";

class Evaluate : public AuthoringWorkplace {
 protected:
  void SetUp() override {
    if (!fs::exists(kNumpyPython / "bin" / "python3"))
      GTEST_SKIP() << "there is no NumPy in build/triton; ./dev test puts it there";
    for (const std::string name : {"definition.json", "workload.jsonl", "solution_cuda.json"})
      repository_.write("rows/" + name, text_of(name));
    done({"import", "rows"});
    repository_.write("cases/scaled_rows/reference.py",
                      "ARRAYS = \"numpy\"\n"
                      "def reference(x, scale, offset):\n"
                      "    return x.astype('f4') * scale[:, None] + offset\n");
  }
  [[nodiscard]] static std::string text_of(const std::string& name) {
    std::ifstream stream(kDefinitions / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] Outcome evaluate(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"evaluate", "rows/solution_cuda.json", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_with({{"VIRTUAL_ENV", kNumpyPython.string()}}, arguments);
  }
  // The solution with one part of its text replaced.
  void change(const std::string& part, const std::string& other) const {
    std::string text = text_of("solution_cuda.json");
    const std::size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos);
    repository_.write("rows/solution_cuda.json", text.replace(at, part.size(), other));
  }
};

TEST_F(Evaluate, JudgesASolutionAtEachWorkload) {
  const Outcome run = evaluate({"--traces", "traces.jsonl"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("sizes:            3 of 3 measured"), Not(HasSubstr("incorrect"))));
  const std::string traces = files().at("traces.jsonl");
  EXPECT_EQ(std::ranges::count(traces, '\n'), 3);
  EXPECT_THAT(traces, AllOf(HasSubstr("\"uuid\":\"22222222-bbbb\""),
                            HasSubstr("\"status\":\"PASSED\""), Not(HasSubstr("INCORRECT"))));
}

TEST_F(Evaluate, RefusesASolutionThatIsWrong) {
  change("* factor + shift", "* factor + shift + (factor > 2 ? 0.1f : 0)");
  const Outcome run = evaluate({"--traces", "traces.jsonl"});
  EXPECT_EQ(run.code, 11) << run.out << run.err;
  EXPECT_THAT(files().at("traces.jsonl"), HasSubstr("\"status\":\"INCORRECT_NUMERICAL\""));
}

TEST_F(Evaluate, LetsElementsBeWrongWhereTheBenchmarkDoes) {
  change("factor[index / width], shift)", "factor[index / width], shift) + (index % 97 == 5)");
  const std::string path = "cases/scaled_rows/case.toml";
  std::string text = files().at(path);
  const auto judged = [&](const std::string& more) {
    std::string changed = text;
    changed.insert(changed.find("\n[cost]"), more);
    repository_.write(path, changed);
    return evaluate({"--sizes", "default"});
  };
  EXPECT_EQ(judged("").code, 11);
  const Outcome lax = judged("may_be_wrong = 0.1\n");
  EXPECT_EQ(lax.code, 0) << lax.out << lax.err;
  EXPECT_THAT(lax.err, HasSubstr("the case lets 10 % of the elements of a result be wrong"));
  const Outcome refused = judged("may_be_wrong = 0.2\n");
  EXPECT_EQ(refused.code, 2) << refused.err;
}

TEST_F(Evaluate, AddsTracesAndKeepsWhatIsNone) {
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(evaluate({"--sizes", "check", "--traces", "traces.jsonl"}).code, 0);
  EXPECT_EQ(std::ranges::count(files().at("traces.jsonl"), '\n'), 2);
  repository_.write("other.jsonl", "{\"run\": 1}\n");
  const Outcome run = evaluate({"--sizes", "check", "--traces", "other.jsonl"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot add traces to other.jsonl"));
  EXPECT_EQ(files().at("other.jsonl"), "{\"run\": 1}\n");
}

TEST_F(Evaluate, ComparesWithAnotherKernelWhoseTimeIsTheReferences) {
  EXPECT_EQ(evaluate({"--sizes", "check", "--kernel-out", "mine"}).code, 0);
  const Outcome run =
      evaluate({"--sizes", "check", "--against", "mine/kernel.cu", "--traces", "traces.jsonl"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("check"), HasSubstr("fast_p:           1.000 at 0.0")))
      << run.err;
  EXPECT_THAT(files().at("traces.jsonl"), AllOf(HasSubstr("\"status\":\"PASSED\""),
                                                Not(HasSubstr("\"reference_latency_ms\":0.0,"))));
}

TEST_F(Evaluate, ScoresSeveralOfWhichOneIsWrongAndOneIsNone) {
  EXPECT_EQ(evaluate({"--sizes", "check", "--traces", "baseline.jsonl"}).code, 0);
  repository_.write("rows/none.json", "{}");
  std::string wrong = text_of("solution_cuda.json");
  const std::string part = "* factor + shift";
  repository_.write("rows/wrong.json",
                    wrong.replace(wrong.find(part), part.size(), "* factor - shift"));
  const std::vector<std::string> more = {"rows/wrong.json", "rows/none.json", "--sizes",
                                         "check",           "--baseline",     "baseline.jsonl"};
  const Outcome run = evaluate(more);
  EXPECT_EQ(run.code, 11) << run.err;
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("== rows/solution_cuda.json in "), HasSubstr("right:            1 of 3"),
            HasSubstr("rows/none.json              no        -          -  not judged: ")));
  EXPECT_THAT(run.err, HasSubstr("no speedup: the baseline's times are of a GPU"));
  std::vector<std::string> as_json = more;
  as_json.emplace_back("--json");
  const Outcome records = evaluate(as_json);
  EXPECT_EQ(std::ranges::count(records.out, '\n'), 3) << records.out;
  EXPECT_THAT(records.out, HasSubstr("\"right\":1,\"fast_p\":null"));
  const Outcome two_baselines =
      evaluate({"--baseline", "baseline.jsonl", "--against", "kernel.cu"});
  EXPECT_EQ(two_baselines.code, 2);
  const Outcome levels = run_autokernel(
      {"evaluate", "level_1_problem_3_sample_0_kernel.py", "level_2_problem_3_sample_0_kernel.py"});
  EXPECT_EQ(levels.code, 2);
  EXPECT_THAT(levels.err, HasSubstr("cannot tell the problems of level 1 from those of level 2"));
  const Outcome neither = evaluate({"rows/workload.jsonl"});
  EXPECT_THAT(neither.err, HasSubstr("name a solution (.json) or a submission (.py)"));
}

TEST_F(Evaluate, FindsTheCaseOfADefinitionOrSaysThatThereIsNone) {
  change(R"("definition": "scaled_rows")", R"("definition": "other_rows")");
  const Outcome none = evaluate();
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("no case here is of that definition"));
  const Outcome other = evaluate({"--case", "cases/scaled_rows"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("it is a solution of other_rows"));
}

TEST_F(Evaluate, ASolutionIsExportedFromItsKernel) {
  EXPECT_EQ(evaluate({"--sizes", "check", "--kernel-out", "mine"}).code, 0);
  done({"export", "--case", "cases/scaled_rows", "--kernel", "mine/kernel.cu", "--as",
        "sol-execbench", "--out", "exported.json"});
  EXPECT_THAT(files().at("exported.json"),
              AllOf(HasSubstr("\"path\": \"size_2.cu\""), HasSubstr("main.cpp::run"),
                    HasSubstr("reinterpret_cast<const void*>(rows_kernel)")));
  expect_refused({"export", "--case", "cases/scaled_rows", "--as", "sol", "--out", "x.json"}, 2,
                 "flashinfer-trace or sol-execbench");
}

}  // namespace
}  // namespace autokernel::test
