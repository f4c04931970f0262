#include "autokernel/driver/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <span>

#include "autokernel/base/error.h"
#include "driver/sound_driver.h"
#include "support/present.h"

namespace autokernel::driver {
namespace {

using ::testing::HasSubstr;

template <CUresult status>
CUresult launch_gives(const CUlaunchConfig*, CUfunction, void**, void**) {
  return status;
}
template <CUresult status>
CUresult wait_gives(CUstream) {
  return status;
}

std::optional<Fault> launch_on(const Api& api) {
  const Opened opened(api);
  return opened.device.make_stream().launch(Kernel(nullptr, {}), Shape{}, {});
}

std::optional<Fault> wait_on(const Api& api) {
  const Opened opened(api);
  return opened.device.make_stream().wait();
}

TEST(Stream, ALaunchThatIsTakenHasNoFault) { EXPECT_FALSE(launch_on(sound_driver()).has_value()); }

TEST(Stream, AnImpossibleShapeIsARefusedLaunch) {
  Api api = sound_driver();
  api.launch_kernel = launch_gives<CUDA_ERROR_INVALID_VALUE>;
  const auto fault = launch_on(api);
  EXPECT_EQ(test::present(fault).occasion, Occasion::launch);
  EXPECT_EQ(test::present(fault).name, "CUDA_ERROR_INVALID_VALUE");
}

std::map<CUlaunchAttributeID, CUlaunchAttributeValue> attributes;
CUresult launch_notes_attributes(const CUlaunchConfig* config, CUfunction, void**, void**) {
  attributes.clear();
  for (const CUlaunchAttribute& attribute : std::span(config->attrs, config->numAttrs))
    attributes[attribute.id] = attribute.value;
  return CUDA_SUCCESS;
}

TEST(Stream, ALaunchAsksForNothingButWhatItsShapeSays) {
  Api api = sound_driver();
  api.launch_kernel = launch_notes_attributes;
  const Opened opened(api);
  const Stream stream = opened.device.make_stream();
  const Kernel kernel(nullptr, {});

  EXPECT_EQ(stream.launch(kernel, {}, {}), std::nullopt);
  EXPECT_TRUE(attributes.empty());

  EXPECT_EQ(stream.launch(kernel, {.cluster = {2, 1, 4}, .cooperative = true}, {}), std::nullopt);
  EXPECT_EQ(attributes.size(), 2U);
  const auto& [x, y, z] = attributes.at(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
  EXPECT_EQ(x, 2U);
  EXPECT_EQ(y, 1U);
  EXPECT_EQ(z, 4U);
  EXPECT_EQ(attributes.at(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative, 1);

  EXPECT_EQ(stream.launch(kernel, {.programmatic = true}, {}), std::nullopt);
  EXPECT_EQ(attributes.size(), 1U);
  EXPECT_EQ(attributes.at(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
                .programmaticStreamSerializationAllowed,
            1);
}

TEST(Stream, TooManyRegistersForTheBlockIsARefusedLaunch) {
  Api api = sound_driver();
  api.launch_kernel = launch_gives<CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES>;
  const auto fault = launch_on(api);
  EXPECT_EQ(test::present(fault).occasion, Occasion::launch);
}

TEST(Stream, AFaultOfAnEarlierLaunchIsAFaultOfTheRun) {
  Api api = sound_driver();
  api.launch_kernel = launch_gives<CUDA_ERROR_ILLEGAL_ADDRESS>;
  const auto fault = launch_on(api);
  EXPECT_EQ(test::present(fault).occasion, Occasion::run);
  EXPECT_EQ(test::present(fault).code, 700);
}

TEST(Stream, ALaunchOnALostDeviceIsAnError) {
  Api api = sound_driver();
  api.launch_kernel = launch_gives<CUDA_ERROR_DEVICE_UNAVAILABLE>;
  EXPECT_THROW(static_cast<void>(launch_on(api)), Error);
}

template <CUresult status>
int code_of_wait() {
  Api api = sound_driver();
  api.stream_synchronize = wait_gives<status>;
  const auto fault = wait_on(api);
  return fault ? fault->code : 0;
}

TEST(Stream, EveryStickyFaultComesOutOfWaitingAsAValue) {
  EXPECT_EQ(code_of_wait<CUDA_ERROR_ILLEGAL_ADDRESS>(), 700);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_LAUNCH_TIMEOUT>(), 702);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_ASSERT>(), 710);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_HARDWARE_STACK_ERROR>(), 714);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_ILLEGAL_INSTRUCTION>(), 715);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_MISALIGNED_ADDRESS>(), 716);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_INVALID_ADDRESS_SPACE>(), 717);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_INVALID_PC>(), 718);
  EXPECT_EQ(code_of_wait<CUDA_ERROR_LAUNCH_FAILED>(), 719);
}

TEST(Stream, AMemoryErrorOfTheHardwareIsNotTheKernelsFault) {
  Api api = sound_driver();
  api.stream_synchronize = wait_gives<CUDA_ERROR_ECC_UNCORRECTABLE>;
  try {
    static_cast<void>(wait_on(api));
    FAIL() << "taken for a fault";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), HasSubstr("[cuStreamSynchronize]"));
  }
}

TEST(Stream, AnInvalidValueWhileWaitingIsAnError) {
  Api api = sound_driver();
  api.stream_synchronize = wait_gives<CUDA_ERROR_INVALID_VALUE>;
  EXPECT_THROW(static_cast<void>(wait_on(api)), Error);
}

TEST(Stream, ARecordMayMeetTheFaultOfALaunch) {
  Api api = sound_driver();
  api.event_record = [](CUevent, CUstream) { return CUDA_ERROR_MISALIGNED_ADDRESS; };
  const Opened opened(api);
  const auto fault = opened.device.make_stream().record(opened.device.make_event());
  EXPECT_EQ(test::present(fault).code, 716);
}

TEST(Event, CountsInMicroseconds) {
  const Opened opened(sound_driver());
  EXPECT_DOUBLE_EQ(opened.device.make_event().microseconds_since(opened.device.make_event()), 1500);
}

TEST(Event, ATimeThatCannotBeReadIsAnError) {
  Api api = sound_driver();
  api.event_elapsed_time = [](float*, CUevent, CUevent) { return CUDA_ERROR_NOT_READY; };
  const Opened opened(api);
  EXPECT_THROW(
      static_cast<void>(opened.device.make_event().microseconds_since(opened.device.make_event())),
      Error);
}

}  // namespace
}  // namespace autokernel::driver
