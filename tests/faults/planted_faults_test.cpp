// Every kernel in kernels/ has one fault, and a comment that marks its line. The program must give
// that very line first, whatever the fault and wherever the compiler moved it.
//
//   // must be: crashed, words of the reason
//   // must say next: words of the advice      (may be left out)
//   // arguments: --timeout 2                 (may be left out)
//   z[i + 1] = sum;  // here
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// The promise of the program: docs/emulator.md.
constexpr std::size_t kFewestKernels = 40;

const fs::path kKernels = fs::path(AUTOKERNEL_SOURCES) / "tests/faults/kernels";

struct Planted {
  fs::path file;
  std::string verdict;
  std::string words;
  std::string next;
  std::vector<std::string> arguments;
  int line = 0;
};

std::string behind(const std::string& line, const std::string& start) {
  return line.starts_with(start) ? line.substr(start.size()) : std::string();
}

Planted read_planted(const fs::path& file) {
  Planted planted{.file = file, .verdict = {}, .words = {}, .next = {}, .arguments = {}};
  std::ifstream stream(file);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with("// here")) planted.line = number;
    if (const std::string must = behind(line, "// must be: "); !must.empty()) {
      const std::size_t comma = must.find(", ");
      planted.verdict = must.substr(0, comma);
      planted.words = comma == std::string::npos ? "" : must.substr(comma + 2);
    }
    if (const std::string next = behind(line, "// must say next: "); !next.empty())
      planted.next = next;
    std::istringstream arguments(behind(line, "// arguments: "));
    for (std::string word; arguments >> word;) planted.arguments.push_back(word);
  }
  return planted;
}

std::vector<fs::path> kernels() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kKernels)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

int exit_code_of(const std::string& verdict) {
  if (verdict == "timed_out") return 13;
  return verdict == "unsupported" ? 17 : 14;
}

class PlantedFault : public Workplace, public testing::WithParamInterface<fs::path> {};

TEST_P(PlantedFault, IsReportedWithItsLineOfTheKernel) {
  const Planted planted = read_planted(GetParam());
  ASSERT_NE(planted.line, 0) << "no line is marked";
  std::vector<std::string> arguments = {"bench",
                                        "--device",
                                        "cpu",
                                        "--size",
                                        "check",
                                        "--case",
                                        std::string(AUTOKERNEL_SOURCES) + "/tests/data/elementwise",
                                        "--kernel",
                                        planted.file.string()};
  arguments.insert(arguments.end(), planted.arguments.begin(), planted.arguments.end());

  const Outcome run = run_autokernel(arguments);

  const std::string reason = value_of("reason", run.out);
  EXPECT_EQ(run.code, exit_code_of(planted.verdict)) << run.out << run.err;
  EXPECT_EQ(value_of("verdict", run.out), planted.verdict);
  EXPECT_THAT(reason, HasSubstr(planted.words));
  const std::string place = planted.file.filename().string() + ":" + std::to_string(planted.line);
  // A kernel that hangs was stopped by nobody's line: that of its warps stands where they are told.
  if (planted.verdict == "timed_out") {
    EXPECT_THAT(reason, HasSubstr("at " + place));
  } else {
    EXPECT_THAT(reason, StartsWith(place + ": "));
  }
  EXPECT_NE(value_of("next", run.out), "");
  EXPECT_THAT(value_of("next", run.out), HasSubstr(planted.next));
}

INSTANTIATE_TEST_SUITE_P(Kernels, PlantedFault, testing::ValuesIn(kernels()),
                         [](const auto& kernel) { return kernel.param.stem().string(); });

TEST(PlantedFaults, AreAsManyAsIsPromised) { EXPECT_GE(kernels().size(), kFewestKernels); }

}  // namespace
}  // namespace autokernel::test
