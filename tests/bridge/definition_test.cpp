// Cases of definitions with workloads, and their solutions.
#include "autokernel/bridge/definition.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "autokernel/base/error.h"
#include "autokernel/bridge/exported_solution.h"
#include "autokernel/bridge/solution.h"
#include "autokernel/cases/case.h"

namespace autokernel::bridge {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string data_text(const std::string& name) {
  std::ifstream stream(std::string(AUTOKERNEL_SOURCES) + "/tests/data/definition/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The text with one part of it replaced.
std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), other);
}

struct Files {
  std::string definition = data_text("definition.json");
  std::string workloads = data_text("workload.jsonl");
  std::map<std::string, std::string> blobs = {};
};

std::vector<ImportedProblem> problems_of(const Files& files) {
  return import_definition({.definition_file = "definition.json",
                            .definition = files.definition,
                            .workloads_file = "workload.jsonl",
                            .workloads = files.workloads,
                            .blob = [&](const std::string& path) -> std::optional<std::string> {
                              const auto found = files.blobs.find(path);
                              if (found == files.blobs.end()) return std::nullopt;
                              return found->second;
                            }},
                           std::nullopt);
}

cases::Case case_of(const ImportedProblem& problem) {
  return cases::parse(problem.files.at("case.toml"), {});
}

std::string definition_refusal(const Files& files) {
  try {
    static_cast<void>(problems_of(files));
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    return error.what();
  }
  return "";
}

TEST(Definition, BecomesACaseWithASizeForEachWorkload) {
  const std::vector<ImportedProblem> problems = problems_of({});
  ASSERT_THAT(problems, SizeIs(1));
  const cases::Case problem = case_of(problems[0]);
  EXPECT_EQ(problem.name, "scaled_rows");
  ASSERT_THAT(problem.sizes, SizeIs(3));
  EXPECT_EQ(problem.sizes.at("default").at("rows"), 40);
  EXPECT_EQ(problem.sizes.at("check").at("rows"), 3);
  EXPECT_EQ(problem.sizes.at("w_33333333").at("rows"), 17);
  EXPECT_EQ(problem.sizes.at("check").at("width"), 96);
  EXPECT_EQ(problem.sizes.at("check").at("pairs"), 48);
  ASSERT_THAT(problem.tensors, SizeIs(4));
  EXPECT_EQ(problem.tensors[0].name, "x");
  EXPECT_EQ(problem.tensors[0].dtype, cases::DType::f16);
  EXPECT_EQ(problem.tensors[2].name, "y");
  EXPECT_EQ(problem.tensors[2].role, cases::Role::out);
  EXPECT_EQ(problem.tensors[3].name, "offset") << "scalars come behind the tensors";
}

TEST(Definition, HasTheTightestToleranceOfItsWorkloadsForEveryElement) {
  const std::vector<ImportedProblem> problems = problems_of({});
  EXPECT_THAT(problems[0].files.at("case.toml"),
              AllOf(HasSubstr("absolute = 0.001"), HasSubstr("relative = 0.001")));
  EXPECT_THAT(problems[0].notes, Contains(HasSubstr("lets 1 % of the elements be wrong")));
}

TEST(Definition, LetsElementsBeWrongWhereThatIsAskedFor) {
  const Files files;
  const auto lax = import_definition({.definition_file = "definition.json",
                                      .definition = files.definition,
                                      .workloads_file = "workload.jsonl",
                                      .workloads = files.workloads,
                                      .lax = true,
                                      .blob = [](const std::string&) { return std::nullopt; }},
                                     std::nullopt);
  EXPECT_NEAR(case_of(lax[0]).may_be_wrong, 0.01, 1e-9);
  EXPECT_EQ(case_of(problems_of({})[0]).may_be_wrong, 0);
}

TEST(Definition, KeepsWhatItWasMadeOf) {
  const ImportedProblem problem = problems_of({})[0];
  EXPECT_EQ(problem.files.at("definition.json"), data_text("definition.json"));
  EXPECT_EQ(problem.files.at("workloads.jsonl"), data_text("workload.jsonl"));
  EXPECT_THAT(problem.files.at("definition.py"), HasSubstr("def run(x, scale, offset)"));
}

TEST(Definition, WorkloadsMayBeWrappedAsInFlashInferTrace) {
  Files files;
  files.workloads =
      R"({"definition": "another", "solution": null, "workload": {"uuid": "0", "axes": {"rows": 9}, "inputs": {}}}
{"definition": "scaled_rows", "solution": null, "workload": {"uuid": "1", "axes": {"rows": 5}, "inputs": {"x": {"type": "random"}, "scale": {"type": "random"}, "offset": {"type": "scalar", "value": 1}}}, "evaluation": null}
{"definition": "scaled_rows", "solution": "somebody's", "workload": {"uuid": "2", "axes": {"rows": 7}, "inputs": {}}}
)";
  const ImportedProblem problem = problems_of(files)[0];
  EXPECT_EQ(case_of(problem).sizes.at("default").at("rows"), 5);
  EXPECT_THAT(problem.notes, Not(Contains(HasSubstr("be wrong"))));
}

TEST(Definition, NamesThatCppDoesNotTakeAreOthers) {
  Files files;
  for (int i = 0; i < 3; ++i) files.definition = with(files.definition, "\"width\"", "\"int\"");
  files.definition = with(files.definition, "\"expression\": \"width", "\"expression\": \"int");
  const cases::Case problem = case_of(problems_of(files)[0]);
  EXPECT_TRUE(problem.sizes.at("default").contains("int_"));
}

TEST(Definition, ScalarsOfOtherWorkloadsAreLeftOut) {
  Files files;
  files.workloads = with(files.workloads, "\"value\": 0.25}}, \"tolerance\": {\"max_atol\": 0.001",
                         "\"value\": 2}}, \"tolerance\": {\"max_atol\": 0.001");
  const ImportedProblem problem = problems_of(files)[0];
  EXPECT_EQ(case_of(problem).sizes.at("check").at("rows"), 17);
  EXPECT_THAT(problem.notes, Contains(HasSubstr("of 3 workloads, the 2 are taken")));
}

// A file of safetensors with one tensor.
std::string safetensors(const std::string& entry, const std::string& values) {
  const std::string header = "{\"scales\":" + entry + "}";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  return bytes + header + values;
}

const std::string kScalesOfThree(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})");

Files with_stored_scales(const std::string& blob) {
  Files files;
  files.workloads = with(files.workloads, R"("scale": {"type": "random"})",
                         R"("scale": {"type": "safetensors", "path": "blob/s.safetensors",)"
                         R"( "tensor_key": "scales"})");
  files.blobs["blob/s.safetensors"] = blob;
  return files;
}

TEST(Definition, WorkloadsWithValuesAreCasesOfTheirOwn) {
  const std::string values("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12);
  const std::vector<ImportedProblem> problems =
      problems_of(with_stored_scales(safetensors(kScalesOfThree, values)));
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_EQ(problems[0].name, "scaled_rows_11111111");
  EXPECT_EQ(problems[0].files.at("values/scale.bin"), values);
  EXPECT_THAT(problems[0].files.at("case.toml"), HasSubstr("values = \"perturbed\""));
  EXPECT_EQ(case_of(problems[0]).sizes.at("default").at("rows"), 3);
  EXPECT_EQ(case_of(problems[1]).sizes.at("check").at("rows"), 17);
}

TEST(Definition, DamagedValuesAreRefusedWhereverTheyAreCut) {
  const std::string whole = safetensors(kScalesOfThree, std::string(12, '\x01'));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(definition_refusal(with_stored_scales(whole.substr(0, length))),
                HasSubstr("cannot read blob/s.safetensors"))
        << length;
  }
  EXPECT_EQ(definition_refusal(with_stored_scales(whole)), "");
}

TEST(Definition, ValuesOfAnotherShapeAreRefused) {
  const std::string four = R"({"dtype":"F32","shape":[4],"data_offsets":[0,12]})";
  EXPECT_THAT(definition_refusal(with_stored_scales(safetensors(four, std::string(12, '\0')))),
              HasSubstr("has other extents than the workload says"));
}

TEST(Definition, ValuesThatAreNotThereAreNamed) {
  Files files = with_stored_scales("");
  files.blobs.clear();
  EXPECT_THAT(definition_refusal(files), HasSubstr("blob/s.safetensors, which is not there"));
}

TEST(Definition, RunsNothingUnlessItIsAllowed) {
  Files files;
  files.definition =
      with(files.definition, "\"op_type\"", "\"custom_inputs_entrypoint\": \"make\", \"op_type\"");
  files.workloads =
      R"({"uuid": "1", "axes": {"rows": 4}, "inputs": {"x": {"type": "custom"}, "scale": {"type": "custom"}, "offset": {"type": "scalar", "value": 1}}})";
  EXPECT_THAT(definition_refusal(files),
              AllOf(HasSubstr("its inputs are made by make()"), HasSubstr("--allow lets it run")));
}

struct Mistake {
  std::string part;
  std::string other;
  std::string message;
};

TEST(Definition, MistakesAreNamedWithTheirPlaces) {
  const std::vector<Mistake> mistakes = {
      {"\"type\": \"var\"", "\"type\": \"wide\"", "definition.json, axes rows: it is an axis"},
      {"\"value\": 96", "\"value\": -1", "no whole number from 0 to 2^40"},
      {"[\"rows\", \"width\"]", "[\"rows\", \"depth\"]", "inputs x: it has \"depth\" in its shape"},
      {"\"dtype\": \"float16\"", "\"dtype\": \"complex64\"", "x has the dtype complex64"},
      {"width // 2", "width // zero", "workload.jsonl:1: it cannot tell the axis pairs"},
      {"\"outputs\": {", "\"results\": {", "it has no \"outputs\""},
      {"\"name\"", "\"title\"", "it has no \"name\""},
  };
  for (const Mistake& mistake : mistakes) {
    Files files;
    files.definition = with(files.definition, mistake.part, mistake.other);
    EXPECT_THAT(definition_refusal(files), HasSubstr(mistake.message));
  }
  for (const Mistake& mistake : std::vector<Mistake>{
           {"\"rows\": 3", "\"columns\": 3", "workload.jsonl:1: it has no value for the axis rows"},
           {"\"x\": {\"type\": \"random\"}", "\"z\": {\"type\": \"random\"}",
            "it says nothing of the input x"},
           {"\"random\"", "\"normal\"", "it is of the type \"normal\""},
           {"{\"uuid\"", "{uuid", "workload.jsonl:1: it is no JSON"}}) {
    Files files;
    files.workloads = with(files.workloads, mistake.part, mistake.other);
    EXPECT_THAT(definition_refusal(files), HasSubstr(mistake.message));
  }
}

TEST(Definition, IsRefusedWhereverItIsCut) {
  const std::string whole = data_text("definition.json");
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    Files files;
    files.definition = whole.substr(0, length);
    EXPECT_THAT(definition_refusal(files), HasSubstr("it is no JSON")) << length;
  }
}

TEST(Definition, FillsGoByNameAsSolExecBenchsDo) {
  Files files;
  files.definition = with(files.definition, "\"scale\": {\"shape\": [\"rows\"]",
                          "\"pre_norm_weight\": {\"shape\": [\"rows\"]");
  for (int i = 0; i < 3; ++i)
    files.workloads = with(files.workloads, "\"scale\"", "\"pre_norm_weight\"");
  const ImportedProblem problem = problems_of(files)[0];
  EXPECT_THAT(problem.files.at("case.toml"),
              HasSubstr("fill = \"uniform\"\nlow = 0.5\nhigh = 1.5"));
  EXPECT_THAT(problem.notes, Contains(HasSubstr("pre_norm_weight: it is 1 in the benchmark")));
}

const std::string kSolution = R"({
 "name": "by_rows", "definition": "scaled_rows", "author": "somebody",
 "spec": {"languages": ["triton"], "target_hardware": ["LOCAL"],
          "entry_point": "src/kernel.py::run", "destination_passing_style": false},
 "sources": [{"path": "src/kernel.py", "content": "def run(x, scale, offset): pass\n"},
             {"path": "src/parts.py", "content": "N = 1\n"}]})";

DefinitionInCase in_case() {
  const ImportedProblem problem = problems_of({})[0];
  return {.definition = problem.files.at("definition.json"),
          .workloads = problem.files.at("workloads.jsonl"),
          .problem = problem.files.at("problem.json")};
}

TEST(Solution, InTritonIsAKernelThatNamesItsFunction) {
  const SolutionKernel kernel =
      kernel_of_solution(read_solution("solution.json", kSolution), in_case());
  EXPECT_EQ(kernel.main, "kernel.py");
  EXPECT_THAT(kernel.files.at("kernel.py"),
              AllOf(HasSubstr("solution(\"solution/src/kernel.py\", \"run\""),
                    HasSubstr("inputs=[\"x\", \"scale\", \"offset\"]"),
                    HasSubstr("outputs=[\"y\"]"), HasSubstr("destination_passing=False")));
  EXPECT_EQ(kernel.files.at("solution/src/parts.py"), "N = 1\n");
}

std::string solution_refusal(const std::string& text) {
  try {
    static_cast<void>(kernel_of_solution(read_solution("solution.json", text), in_case()));
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    return error.what();
  }
  return "";
}

TEST(Solution, MistakesAreNamed) {
  const std::vector<Mistake> mistakes = {
      {"src/kernel.py::run", "src/kernel.py", "not FILE::FUNCTION"},
      {"src/kernel.py::run", "other.py::run", "in none of its sources"},
      {"kernel.py::run", "kernel.py::run()", "in none of its sources"},
      {"\"path\": \"src/parts.py\"", "\"path\": \"../parts.py\"", "no path within a folder"},
      {"\"path\": \"src/parts.py\"", "\"path\": \"/tmp/parts.py\"", "no path within a folder"},
      {"\"path\": \"src/parts.py\"", "\"path\": \"src/kernel.py\"", "twice"},
      {"\"definition\": \"scaled_rows\"", "\"definition\": \"other\"", "a solution of other"},
      {"[\"triton\"]", "[\"tilelang\"]", "it is in tilelang"},
      {"\"name\": \"by_rows\", ", "", "it has no \"name\""}};
  for (const Mistake& mistake : mistakes)
    EXPECT_THAT(solution_refusal(with(kSolution, mistake.part, mistake.other)),
                HasSubstr(mistake.message));
  for (std::size_t length = 0; length < kSolution.size(); ++length)
    EXPECT_THAT(solution_refusal(kSolution.substr(0, length)), HasSubstr("it is no JSON"));
}

TEST(Solution, WorkloadsAreFoundByTheirAxes) {
  const std::vector<WorkloadOfCase> workloads = workloads_in_case(in_case());
  ASSERT_THAT(workloads, SizeIs(3));
  EXPECT_EQ(workloads[1].uuid, "22222222-bbbb");
  EXPECT_EQ(workloads[1].symbols.at("rows"), 40);
  EXPECT_EQ(workloads[1].symbols.at("pairs"), 48);
}

TEST(Solution, ATraceHasFiguresWhereTheFormatHasThem) {
  const Solution solution = read_solution("solution.json", kSolution);
  const WorkloadOfCase workload = workloads_in_case(in_case())[0];
  SolutionRun run{.status = "PASSED",
                  .hardware = "a GPU",
                  .libs = {{"driver", "580"}},
                  .log = "",
                  .timestamp = "2026-01-02T03:04:05Z",
                  .max_relative_error = 0.5,
                  .max_absolute_error = 0.25,
                  .latency_ms = 0.5,
                  .reference_latency_ms = 2};
  const std::string passed = trace_line(solution, workload, run);
  EXPECT_THAT(passed,
              AllOf(HasSubstr(R"("solution":"by_rows")"), HasSubstr(R"("uuid":"11111111-aaaa")"),
                    HasSubstr(R"("speedup_factor":4.0)"), Not(HasSubstr("\n"))));
  run.status = "INCORRECT_NUMERICAL";
  EXPECT_THAT(trace_line(solution, workload, run),
              AllOf(HasSubstr(R"("max_absolute_error":0.25)"), HasSubstr(R"("performance":null)")));
  run.status = "COMPILE_ERROR";
  EXPECT_THAT(trace_line(solution, workload, run),
              AllOf(HasSubstr(R"("correctness":null)"), HasSubstr(R"("performance":null)")));
}

std::string text_of_solution() { return data_text("solution_cuda.json"); }

TEST(Solution, InCudaIsTheKernelThatItsHostCodeLaunches) {
  const SolutionKernel kernel = kernel_of_solution(
      read_solution("solution.json", data_text("solution_cuda.json")), in_case());
  EXPECT_EQ(kernel.main, "kernel.cu");
  const std::string& text = kernel.files.at("kernel.cu");
  EXPECT_THAT(text, AllOf(HasSubstr(".kernel = \"rows_kernel\""),
                          HasSubstr(".arguments = \"y, x, scale, rows, width, offset\""),
                          HasSubstr("__device__ float scaled"), Not(HasSubstr("torch"))));
}

TEST(Solution, InCudaThatCannotBeTakenFromItsHostCodeSaysWhy) {
  const std::string whole = data_text("solution_cuda.json");
  const std::vector<Mistake> mistakes = {
      {"factor.data_ptr<float>(), rows", "factor.data_ptr<float>() + 1, rows",
       "its parameter factor begins in the middle of scale"},
      {"rows, width, static_cast", "counted(), width, static_cast", "calls counted()"},
      {"rows_kernel<<<blocks", "missing_kernel<<<blocks", "launches no kernel of its own"},
      {"m.def(\\\"run\\\"", "m.def(\\\"walk\\\"", "it has no function run()"},
      {"double offset) {\\n  TORCH", "double offset, int more) {\\n  TORCH",
       "run() takes 4 parameters, and 3 are handed over"}};
  for (const Mistake& mistake : mistakes)
    EXPECT_THAT(solution_refusal(with(whole, mistake.part, mistake.other)),
                HasSubstr(mistake.message));
}

// What else host code may do, at its beginning or behind the launch: its kernel alone is not it.
TEST(Solution, InCudaThatDoesMoreThanItsKernelIsRefused) {
  const std::string whole = text_of_solution();
  const std::string behind = "offset, at::cuda::getCurrentCUDAStream());\\n";
  const std::string before = "  auto result = torch::empty_like(x);\\n";
  const std::string launch = "  rows_kernel<<<blocks";
  const std::vector<Mistake> mistakes = {
      {behind, behind + "  result.mul_(2);\\n", "calls mul_()"},
      {behind, behind + "  result += 1;\\n", "changes result"},
      {behind, behind + "  result = result + 1;\\n", "changes result"},
      {behind, behind + "  cudaMemset(result.data_ptr(), 0, 4);\\n", "calls cudaMemset()"},
      {before, before + "  auto y = x + 1;\\n  torch::Tensor z = x + scale;\\n",
       "computes with tensors"},
      {before, before + "  if (getenv(\\\"HOME\\\")) return result;\\n", "calls getenv()"},
      {before, before + "  static bool done;\\n", "has a static variable"},
      {launch, "  for (int i = 0; i < 2; ++i)\\n" + launch, "is a loop"},
      {launch, "  auto rows_kernel = other_kernel;\\n" + launch, "which is a variable there"},
      {launch, "  *&blocks = 1;\\n" + launch, "changes what a pointer leads to"},
      {launch, "  auto more = cudaLaunchKernel;\\n" + launch, "hides cudaLaunchKernel"},
      {"void launch_rows(torch::Tensor& out, const torch::Tensor& in, const torch::Tensor& factor, "
       "double shift,\\n",
       "struct Late { ~Late() {} };\\nvoid launch_rows(torch::Tensor& out, const torch::Tensor& "
       "in, "
       "const torch::Tensor& factor, double shift,\\n",
       "is a destructor"}};
  for (const Mistake& mistake : mistakes)
    EXPECT_THAT(solution_refusal(with(whole, mistake.part, mistake.other)),
                HasSubstr(mistake.message));
}

KernelToExport to_export(const SolutionKernel& kernel) {
  return {.main = kernel.main,
          .files = kernel.files,
          .operands = {{.name = "x", .dtype = "f16"},
                       {.name = "scale", .dtype = "f32"},
                       {.name = "y", .dtype = "f16"},
                       {.name = "offset", .dtype = "f32", .is_scalar = true}},
          .sizes = {{.symbols = {{"rows", 40}, {"width", 96}, {"pairs", 48}},
                     .kernels = {"rows_kernel"},
                     .maps = {},
                     .variables = {}}}};
}

std::string source_of(const std::string& json, const std::string& path) {
  return read_solution("exported.json", json).sources.at(path);
}

TEST(Export, GivesAnImportedSolutionBackAsItWas) {
  for (const SolutionFormat format :
       {SolutionFormat::sol_execbench, SolutionFormat::flashinfer_trace}) {
    const std::string whole = data_text("solution_triton.json");
    const SolutionKernel kernel =
        kernel_of_solution(read_solution("solution.json", whole), in_case());
    const ExportedSolution exported = export_solution(to_export(kernel), in_case(), format, {});
    EXPECT_THAT(exported.lost, IsEmpty());
    if (format == SolutionFormat::sol_execbench) {
      EXPECT_EQ(exported.json, whole);
    } else {
      EXPECT_THAT(exported.json, HasSubstr("\"language\": \"triton\""));
    }
  }
}

TEST(Export, GivesWhatWasChangedInAnImportedSolution) {
  SolutionKernel kernel = kernel_of_solution(
      read_solution("solution.json", data_text("solution_triton.json")), in_case());
  kernel.files["solution/kernel.py"] += "# faster\n";
  kernel.files["solution/more.py"] = "N = 2\n";
  const ExportedSolution exported =
      export_solution(to_export(kernel), in_case(), SolutionFormat::sol_execbench,
                      {.name = "mine", .author = "me", .description = ""});
  EXPECT_THAT(source_of(exported.json, "kernel.py"), HasSubstr("# faster"));
  EXPECT_EQ(source_of(exported.json, "more.py"), "N = 2\n");
  EXPECT_THAT(exported.json, AllOf(HasSubstr("\"name\": \"mine\""),
                                   HasSubstr("\"entry_point\": \"kernel.py::run\"")));
}

TEST(Export, OfAKernelInTritonHasAHostInPython) {
  KernelToExport kernel = to_export({.main = "kernel.py", .files = {}, .notes = {}});
  kernel.files["kernel.py"] = "def launch(x, scale, y, offset): pass\n";
  const ExportedSolution exported =
      export_solution(kernel, in_case(), SolutionFormat::flashinfer_trace, {});
  const std::string host = source_of(exported.json, "main.py");
  EXPECT_THAT(
      host,
      AllOf(HasSubstr("def run(x, scale, offset):"), HasSubstr("    rows = x.shape[0]\n"),
            HasSubstr("    width = 96\n"), HasSubstr("    pairs = width // 2\n"),
            HasSubstr("y = torch.empty([rows, width], dtype=torch.float16"),
            HasSubstr(".launch(x, scale, y, offset)"), HasSubstr("return y"), Not(HasSubstr("@"))));
  EXPECT_EQ(source_of(exported.json, "kernel.py"), kernel.files.at("kernel.py"));
}

TEST(Export, OfAKernelInCudaHasAHostThatChecksShapes) {
  const SolutionKernel kernel = kernel_of_solution(
      read_solution("solution.json", data_text("solution_cuda.json")), in_case());
  const ExportedSolution exported =
      export_solution(to_export(kernel), in_case(), SolutionFormat::sol_execbench, {});
  EXPECT_THAT(source_of(exported.json, "main.cpp"),
              AllOf(HasSubstr("torch::Tensor run(const torch::Tensor& x, const torch::Tensor& "
                              "scale, double offset_given)"),
                    HasSubstr("const long long rows = x.size(0);"),
                    HasSubstr("if (pairs == 48 && rows == 40 && width == 96)")));
  EXPECT_THAT(source_of(exported.json, "size_0.cu"),
              AllOf(HasSubstr("reinterpret_cast<const void*>(rows_kernel)"),
                    HasSubstr("#include <cuda_fp16.h>"), HasSubstr("#include \"kernel.cuh\"")));
  EXPECT_THAT(source_of(exported.json, "kernel.cuh"), HasSubstr("#include \"autokernel.cuh\""));
  EXPECT_THAT(exported.lost, Contains(HasSubstr("tensors of the 1 sizes of the case")));
}

TEST(Export, RefusesAnAxisThatNoInputHas) {
  DefinitionInCase problem = in_case();
  problem.definition =
      with(problem.definition, "\"shape\": [\"rows\", \"width\"], \"dtype\": \"float16\"}",
           "\"shape\": [\"96\", \"width\"], \"dtype\": \"float16\"}");
  problem.definition = with(problem.definition, "\"scale\": {\"shape\": [\"rows\"]",
                            "\"scale\": {\"shape\": [\"width\"]");
  KernelToExport kernel = to_export({.main = "kernel.py", .files = {}, .notes = {}});
  kernel.files["kernel.py"] = "";
  try {
    static_cast<void>(export_solution(kernel, problem, SolutionFormat::sol_execbench, {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no input has the axis rows"));
  }
}

}  // namespace
}  // namespace autokernel::bridge
