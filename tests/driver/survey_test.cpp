// What a driver says of itself, by a library that is broken as the test wants it.
#include "autokernel/driver/survey.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace autokernel::driver {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Survey survey_of_driver_that(const char* what) {
  ::setenv("AUTOKERNEL_TEST_CUDA", what, 1);  // NOLINT(concurrency-mt-unsafe): one thread
  return survey(FAKE_CUDA_LIBRARY);
}

TEST(Survey, TellsThatThereIsNoDriver) {
  const Survey found = survey("/no/such/libcuda.so.1");
  EXPECT_EQ(found.library, Survey::Library::absent);
  EXPECT_THAT(found.trouble, HasSubstr("/no/such/libcuda.so.1"));
}

TEST(Survey, TellsThatALibraryIsNoDriver) {
  const Survey found = survey("libm.so.6");
  EXPECT_EQ(found.library, Survey::Library::unusable);
  EXPECT_THAT(found.trouble, HasSubstr("cuInit"));
}

TEST(Survey, DescribesTheGpus) {
  const Survey found = survey_of_driver_that("works");
  EXPECT_EQ(found.library, Survey::Library::loaded);
  EXPECT_EQ(found.path, FAKE_CUDA_LIBRARY);
  EXPECT_EQ(found.cuda_version, 13000);
  EXPECT_EQ(found.failure_code, 0);
  ASSERT_THAT(found.gpus, SizeIs(1));
  EXPECT_EQ(found.gpus[0].name, "NVIDIA Fake");
  EXPECT_EQ(found.gpus[0].major, 9);
  EXPECT_EQ(found.gpus[0].memory_bytes, 80ULL << 30U);
  EXPECT_EQ(found.gpus[0].pci_bus_id, "0000:1B:00.0");
}

TEST(Survey, KeepsTheNumberWhereTheDriverHasNoWordsForItsFailure) {
  const Survey found = survey_of_driver_that("fails");
  EXPECT_EQ(found.failure_code, 999);
  EXPECT_EQ(found.failure, "error 999 (999, 999)");
  EXPECT_EQ(found.call, "cuInit");
  EXPECT_EQ(found.cuda_version, 13000);
  EXPECT_THAT(found.gpus, IsEmpty());
}

TEST(Survey, ReadsTheVersionOfADriverThatIsTooOld) {
  EXPECT_EQ(survey_of_driver_that("old").cuda_version, 11040);
}

TEST(Survey, TellsADriverWithoutAGpu) {
  const Survey found = survey_of_driver_that("empty");
  EXPECT_EQ(found.library, Survey::Library::loaded);
  EXPECT_EQ(found.failure_code, 0);
  EXPECT_THAT(found.gpus, IsEmpty());
}

}  // namespace
}  // namespace autokernel::driver
