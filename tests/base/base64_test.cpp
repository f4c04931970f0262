#include "autokernel/base/base64.h"

#include <gtest/gtest.h>

namespace autokernel {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, GivesEveryByteBack) {
  std::string bytes;
  for (int i = 0; i < 4'000'001; ++i) bytes += static_cast<char>(i * 7 % 256);
  for (const std::size_t size : {0U, 1U, 2U, 3U, 255U, 3'145'728U, 3'145'729U, 4'000'001U}) {
    const std::string some = bytes.substr(0, size);
    EXPECT_EQ(bytes_of_base64(base64(some)), some) << size;
  }
}

TEST(Base64, OfSomethingElseIsNone) {
  EXPECT_FALSE(bytes_of_base64("Zg="));
  EXPECT_FALSE(bytes_of_base64("Zg!="));
  EXPECT_FALSE(bytes_of_base64("\xff\xff\xff\xff"));
}

}  // namespace
}  // namespace autokernel
