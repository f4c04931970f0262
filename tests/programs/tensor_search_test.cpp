// Where tensors are found, by comparing on the host and on the device.
#include "programs/capture/tensor_search.h"

#include <gtest/gtest.h>

#include "doubling_launch.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

class TensorSearchBy : public testing::TestWithParam<TensorSearch::Compares> {
 protected:
  [[nodiscard]] Study searched(const CapturedLaunch& launch) {
    const driver::Driver driver = driver::Driver::open(driver::parse_device("cpu"));
    const driver::Device device(driver);
    const Replay replay(launch, device, whole_ranges(launch));
    ProbeAnswers answers(scratch_.path() / "answers");
    TensorSearch search(launch, device, replay, answers);
    Study study;
    EXPECT_TRUE(search.repeats(study)) << study.trouble;
    search.find(study, GetParam());
    return study;
  }

  const test::ScratchFolder scratch_;
};

INSTANTIATE_TEST_SUITE_P(Comparing, TensorSearchBy,
                         testing::Values(TensorSearch::Compares::on_host,
                                         TensorSearch::Compares::on_device));

TEST_P(TensorSearchBy, FindsTheBytesThatAreReadAndWrittenAmongOthers) {
  const Study study = searched(doubling_launch());
  ASSERT_EQ(study.tensors.size(), 2U);
  EXPECT_EQ(study.tensors[0].begin, kInputAt);
  EXPECT_EQ(study.tensors[0].end, kInputAt + kDoubled);
  EXPECT_EQ(study.tensors[0].read, kDoubled);
  EXPECT_EQ(study.tensors[0].written, 0U);
  EXPECT_EQ(study.tensors[1].begin, kOutputAt);
  EXPECT_EQ(study.tensors[1].end, kOutputAt + kDoubled);
  EXPECT_EQ(study.tensors[1].read, 0U);
  EXPECT_EQ(study.tensors[1].written, kDoubled);
}

TEST_P(TensorSearchBy, GoesOnWhereAnEarlierProcessHasEnded) {
  const Study first = searched(doubling_launch());
  const Study second = searched(doubling_launch());
  ASSERT_EQ(second.tensors.size(), first.tensors.size());
  for (std::size_t t = 0; t < first.tensors.size(); ++t) {
    EXPECT_EQ(second.tensors[t].begin, first.tensors[t].begin);
    EXPECT_EQ(second.tensors[t].end, first.tensors[t].end);
  }
}

}  // namespace
}  // namespace autokernel::programs
