// What NVRTC makes for each compute capability that it lists can be read: the declaration, the
// objects and what the kernels take. They do not depend on the chip, so that all are held against
// those of sm_90. AUTOKERNEL_TEST_FULL=1: the honest kernels of tests/adversarial as well.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "adversarial/kernel_file.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/compiler.h"
#include "autokernel/trial/kernel_signature.h"
#include "compile/nvrtc.h"
#include "compile/ptxas_report.h"
#include "support/full_test.h"
#include "support/scratch_folder.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

const compile::Compiler& compiler() {
  static const compile::Compiler opened = compile::Compiler::open();
  return opened;
}

// "sm_80", and from 9.0 and 10.0 on the variants with what only this chip or its family has.
std::vector<std::string> architectures() {
  std::vector<std::string> all;
  for (const int number : compile::Nvrtc(compiler().library()).architectures()) {
    all.push_back(fmt::format("sm_{}", number));
    if (number >= 90) all.push_back(fmt::format("sm_{}a", number));
    if (number >= 100) all.push_back(fmt::format("sm_{}f", number));
  }
  return all;
}

struct Subject {
  fs::path problem;
  fs::path kernel;
};

const fs::path kSources = AUTOKERNEL_SOURCES;

std::vector<Subject> kernels_of_cases() {
  std::vector<Subject> all = {{kSources / "kernels", kSources / "kernels" / "kernel.cu"}};
  for (const auto& entry : fs::directory_iterator(kSources / "tests" / "data")) {
    if (!fs::exists(entry.path() / "case.toml")) continue;
    all.push_back({entry.path(), entry.path() / "kernel.cu"});
  }
  return all;
}

bool is_before_9_0(const std::string& architecture) {
  return architecture.size() == std::string_view("sm_80").size() && architecture < "sm_90";
}

// Those that can be compiled for it.
std::vector<Subject> honest_kernels(const std::string& architecture) {
  std::vector<Subject> all;
  for (const fs::path& file : test::kernel_files(kSources / "tests" / "adversarial" / "honest")) {
    const test::KernelFile kernel = test::read_kernel_file(file);
    const bool runs_there = kernel.architecture.empty() ||
                            (kernel.architecture == "sm_90" && !is_before_9_0(architecture)) ||
                            kernel.architecture == architecture;
    if (runs_there) all.push_back({kSources / kernel.problem, kernel.source});
  }
  return all;
}

// Refusals throw their reason.
compile::Program program(const Subject& subject, const std::string& architecture) {
  const cases::Case problem = cases::load(subject.problem);
  const SizedCase sized(problem, "check");
  const std::string source = test::contents(subject.kernel);
  compile::Compilation compilation =
      compiler().compile({{subject.kernel.filename().string(), source}, architecture, sized.sizes});
  if (const auto* refusal = std::get_if<compile::Refusal>(&compilation))
    throw std::runtime_error(refusal->reason + "\n" + refusal->log);
  auto& compiled = std::get<compile::Program>(compilation);
  const auto wrong =
      compile::wrong_parameters(compiled, signature(problem, OutputType::declared), {"", source});
  if (wrong) throw std::runtime_error(*wrong);
  return std::move(compiled);
}

// The one that all others are held against; compiled once.
const compile::Program& program_for_sm_90a(const Subject& subject) {
  static std::map<std::pair<fs::path, fs::path>, compile::Program> known;
  const std::pair key(subject.problem, subject.kernel);
  const auto found = known.find(key);
  return found != known.end() ? found->second
                              : known.emplace(key, program(subject, "sm_90a")).first->second;
}

std::string text_of(const compile::Declaration& declaration) {
  std::string text = fmt::format("line {}, workspace {} {}", declaration.line,
                                 declaration.workspace_bytes, declaration.workspace_zeroed);
  for (const compile::Launch& launch : declaration.launches) {
    text += fmt::format("; {} {} {} {} {} {}", launch.kernel, fmt::join(launch.grid, " "),
                        fmt::join(launch.block, " "), launch.shared_bytes,
                        fmt::join(launch.cluster, " "), launch.programmatic);
  }
  return text;
}

// In no order: how they lie in memory is ptxas's affair.
std::set<std::string> objects_of(const compile::Program& program) {
  std::set<std::string> objects;
  for (const compile::ModuleObject& object : program.objects) {
    objects.insert(fmt::format("{}: {} bytes, {} of them given", object.name, object.bytes,
                               object.initial.size()));
  }
  return objects;
}

// Read from the image, they are what ptxas prints.
void expect_what_ptxas_reports(const compile::Program& program) {
  const compile::PtxasReport report = compile::read_ptxas_report(program.log);
  ASSERT_EQ(program.resources.size(), report.resources.size());
  for (const auto& [kernel, resources] : program.resources) {
    const compile::Resources& reported = report.resources.at(kernel);
    EXPECT_GT(resources.registers, 0U) << kernel;
    EXPECT_EQ(resources.registers, reported.registers) << kernel;
    EXPECT_EQ(resources.static_shared_bytes, reported.static_shared_bytes) << kernel;
    EXPECT_EQ(resources.local_bytes, reported.local_bytes) << kernel;
  }
}

class Capability : public testing::TestWithParam<std::string> {
 protected:
  static void expect_readable(const std::vector<Subject>& subjects) {
    for (const Subject& subject : subjects) {
      SCOPED_TRACE(subject.kernel.string());
      const compile::Program image = program(subject, GetParam());
      const compile::Program& other = program_for_sm_90a(subject);
      EXPECT_EQ(text_of(image.declaration), text_of(other.declaration));
      // From where tensor maps are aligned differs.
      if (image.declaration.tensor_maps.empty()) {
        EXPECT_EQ(image.parameters, other.parameters);
      }
      // What CUDA's headers declare for 9.0 and later, <cooperative_groups.h> for one, is theirs.
      if (is_before_9_0(GetParam())) {
        EXPECT_THAT(objects_of(image), testing::IsSubsetOf(objects_of(other)));
      } else {
        EXPECT_EQ(objects_of(image), objects_of(other));
      }
      expect_what_ptxas_reports(image);
    }
  }
};

TEST_P(Capability, CompilesEveryCaseToAnImageThatCanBeRead) {
  // Of each generation the first, and one of each kind of variant.
  if (!test::is_wanted(GetParam(),
                       {"sm_75", "sm_80", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_120a"}))
    GTEST_SKIP() << "others stand for it; AUTOKERNEL_TEST_FULL=1 takes it";
  expect_readable(kernels_of_cases());
}

TEST_P(Capability, CompilesEveryHonestKernelToAnImageThatCanBeRead) {
  if (!test::everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  if (GetParam() == "sm_75")
    GTEST_SKIP() << "honest kernels may use what came with 8.0: bf16 tensor cores, cp.async";
  expect_readable(honest_kernels(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Listed, Capability, testing::ValuesIn(architectures()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace autokernel::trial
