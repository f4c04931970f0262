#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "driver/api.h"

namespace autokernel::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(OpenLibrary, SaysWhyThereIsNoSuchLibrary) {
  std::string why;
  EXPECT_EQ(open_library("/no/such/libcuda.so", why), nullptr);
  EXPECT_THAT(why, HasSubstr("/no/such/libcuda.so"));
}

TEST(OpenLibrary, RefusesALibraryThatIsNoDriver) {
  std::string why;
  try {
    static_cast<void>(open_library("libm.so.6", why));
    FAIL() << "taken for a driver";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("libm.so.6"), HasSubstr("cuInit"), HasSubstr("--device cpu")));
  }
}

}  // namespace
}  // namespace autokernel::driver
