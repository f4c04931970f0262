#include "trial/runner/outbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

class AnOutbox : public ::testing::Test {
 protected:
  AnOutbox()
      : problem_(product_case("bf16", "bf16", 8, 16, 32)),
        sized_(problem_, "default"),
        ours_(sized_.output_bytes()),
        theirs_(Descriptor(::fcntl(ours_.descriptor().get(), F_DUPFD_CLOEXEC, 0))) {}

  cases::Case problem_;
  SizedCase sized_;
  Outbox ours_;
  Outbox theirs_;
};

TEST_F(AnOutbox, HandsOutputsOver) {
  std::ranges::fill(theirs_.room(), std::byte{7});

  const std::vector<Bytes> outputs = ours_.take(sized_);

  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_TRUE(outputs[0].empty());
  EXPECT_TRUE(outputs[1].empty());
  EXPECT_EQ(outputs[2], Bytes(sized_.output_bytes(), std::byte{7}));
}

TEST_F(AnOutbox, WhatWasTakenDoesNotChangeAnyMore) {
  std::ranges::fill(theirs_.room(), std::byte{7});
  const std::vector<Bytes> outputs = ours_.take(sized_);
  std::ranges::fill(theirs_.room(), std::byte{8});

  EXPECT_EQ(outputs[2], Bytes(sized_.output_bytes(), std::byte{7}));
}

// Memory that shrank would end whoever reads it.
TEST_F(AnOutbox, CannotBeMadeSmallerOrLarger) {
  EXPECT_NE(::ftruncate(theirs_.descriptor().get(), 1), 0);
  EXPECT_NE(::ftruncate(theirs_.descriptor().get(), 1 << 20), 0);
  EXPECT_NE(::fcntl(theirs_.descriptor().get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

}  // namespace
}  // namespace autokernel::trial
