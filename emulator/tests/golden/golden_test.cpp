// What the emulated device computes with Hopper's own instructions is what a GPU computed: golden/
// has the kernels, hopper.txt what an H100 left in memory.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "golden/cases.h"
#include "support/full_test.h"

namespace emulator::golden {
namespace {

// By the case's name.
const std::map<std::string, std::string>& vectors() {
  static const std::map<std::string, std::string> kAll = [] {
    std::map<std::string, std::string> all;
    std::ifstream file(GOLDEN_VECTORS);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with('#')) continue;
      const std::size_t blank = line.find(' ');
      all[line.substr(blank + 1)] = line.substr(0, blank);
    }
    return all;
  }();
  return kAll;
}

struct Family {
  const char* name;
  std::vector<Case> (*cases)();
  std::size_t step;  // of the cases every so manieth, but for the full test
};

class Golden : public ::testing::TestWithParam<Family> {
 protected:
  static void SetUpTestSuite() { open_driver(); }
};

TEST_P(Golden, VectorsAreThoseOfAGpu) {
  const std::vector<Case> cases = GetParam().cases();
  const std::size_t step = emulator::testing::everything_is_wanted() ? 1 : GetParam().step;
  for (std::size_t i = 0; i < cases.size(); i += step) {
    const auto vector = vectors().find(cases[i].name);
    ASSERT_NE(vector, vectors().end()) << cases[i].name << " has no vector: take them again";
    const std::string outcome = outcome_of(cases[i]);
    EXPECT_EQ(outcome, vector->second) << cases[i].name;
    if (outcome.starts_with("fault")) start_again();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Golden,
                         ::testing::Values(Family{"WarpgroupProducts", warpgroup_products, 5},
                                           Family{"SparseProducts", sparse_products, 1},
                                           Family{"TensorCopies", tensor_copies, 3},
                                           Family{"Clusters", clusters, 1}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace emulator::golden
