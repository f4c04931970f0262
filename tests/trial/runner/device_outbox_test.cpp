#include "trial/runner/device_outbox.h"

#include <gmock/gmock.h>

#include "support/present.h"
#include "trial/inputs/case_text.h"
#include "trial/launch/memory_driver.h"

namespace autokernel::trial {
namespace {

class ADeviceOutbox : public ::testing::Test {
 protected:
  ADeviceOutbox()
      : problem_(product_case("bf16", "bf16", 8, 16, 32)),
        sized_(problem_, "default"),
        memory_(driver_.device(), Operands::required_bytes(driver_.device(), sized_, Extras{})),
        operands_(driver_.device(), sized_, Extras{}, memory_),
        outbox_(driver_.device(), sized_.output_bytes()) {
    driver_.device().copy_in(operands_.address(2), Bytes(sized_.output_bytes(), std::byte{7}));
  }
  [[nodiscard]] Bytes bytes_of(const driver::Buffer& buffer) const {
    Bytes bytes(buffer.bytes());
    driver_.device().copy_out(bytes, buffer.address());
    return bytes;
  }

  MemoryDriver driver_;
  cases::Case problem_;
  SizedCase sized_;
  DeviceMemory memory_;
  Operands operands_;
  DeviceOutbox outbox_;
};

TEST_F(ADeviceOutbox, HandsOutputsOver) {
  const auto opened = DeviceInbox::open(driver_.device(), outbox_.name(), sized_.output_bytes());
  const DeviceInbox& inbox = test::present(opened);
  outbox_.put(operands_, sized_);

  const std::vector<driver::Buffer> outputs = inbox.take(sized_);

  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[0].bytes(), 0U);
  EXPECT_EQ(outputs[1].bytes(), 0U);
  EXPECT_EQ(bytes_of(outputs[2]), Bytes(sized_.output_bytes(), std::byte{7}));
}

TEST_F(ADeviceOutbox, WhatWasTakenDoesNotChangeAnyMoreAndNothingStays) {
  const auto opened = DeviceInbox::open(driver_.device(), outbox_.name(), sized_.output_bytes());
  const DeviceInbox& inbox = test::present(opened);
  outbox_.put(operands_, sized_);
  const std::vector<driver::Buffer> outputs = inbox.take(sized_);

  outbox_.clear(sized_);

  EXPECT_EQ(bytes_of(outputs[2]), Bytes(sized_.output_bytes(), std::byte{7}));
  EXPECT_EQ(bytes_of(inbox.take(sized_)[2]), Bytes(sized_.output_bytes()));
}

TEST_F(ADeviceOutbox, ThatIsTooSmallIsNotOpened) {
  EXPECT_TRUE(DeviceInbox::open(driver_.device(), outbox_.name(), kSharedBytes));
  EXPECT_FALSE(DeviceInbox::open(driver_.device(), outbox_.name(), kSharedBytes + 1));
}

TEST_F(ADeviceOutbox, IsNotOpenedByAnotherName) {
  const std::string name = outbox_.name();
  for (const std::string& other :
       {std::string(), name.substr(1), name + "0", std::string(name.size(), 'x'),
        std::string(name.size(), '0'), "-1" + name.substr(2), " 1" + name.substr(2)}) {
    EXPECT_FALSE(DeviceInbox::open(driver_.device(), other, 1)) << other;
  }
}

TEST(DeviceOutbox, HasNoNameOnTheEmulatedDevice) {
  const driver::Driver driver = driver::Driver::open(driver::parse_device("cpu"));
  const driver::Device device(driver);
  EXPECT_EQ(DeviceOutbox(device, 100).name(), "");
  EXPECT_FALSE(DeviceInbox::open(device, std::string(128, '1'), 100));
}

}  // namespace
}  // namespace autokernel::trial
