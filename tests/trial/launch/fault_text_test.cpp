// What the device reports of a fault, in the words of the case.
#include "trial/launch/fault_text.h"

#include <gmock/gmock.h>

#include <vector>

#include "trial/launch/rejection.h"

namespace autokernel::trial {
namespace {

using driver::AccessKind;
using driver::FaultKind;
using driver::MemoryKind;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kBegin = 0x10000;
constexpr std::uint64_t kElements = 1024;

const std::vector<NamedBuffer> kBuffers = {
    {.name = "A", .begin = kBegin, .bytes = 4 * kElements, .element_bytes = 4},
    {.name = "the workspace", .begin = 0x90000, .bytes = 64, .element_bytes = 0}};

driver::Fault access(FaultKind kind, std::uint64_t address, std::uint64_t bytes) {
  driver::Fault fault;
  fault.kind = kind;
  fault.text = "the driver's words, by thread (1,2,3) of block (4,5,6), kernel.cu:27 (PTX line 41)";
  driver::FaultDetail& detail = fault.detail.emplace();
  detail.instruction = "ld.global.f32 %f1, [%rd1]";
  detail.ptx_line = 41;
  detail.lines = {{"cuda_fp16.hpp", 900}, {"kernel.cu", 27}, {"kernel.cu", 80}};
  detail.line_to_look_at = 1;
  detail.thread = driver::FaultThread{{1, 2, 3}, {4, 5, 6}};
  driver::FaultedAccess& what = detail.access.emplace();
  what.memory = MemoryKind::device;
  what.address = address;
  what.bytes = bytes;
  what.alignment = bytes;
  what.begin = kBegin;
  what.end = kBegin + 4 * kElements;
  return fault;
}

std::string out_of_bounds(std::uint64_t address, std::uint64_t bytes = 4) {
  return fault_text(access(FaultKind::out_of_bounds, address, bytes), kBuffers);
}

TEST(FaultText, NameTensorIndexDistanceThreadBlockAndInstruction) {
  EXPECT_EQ(out_of_bounds(kBegin + 4096),
            "out-of-bounds load of 4 bytes at A[1024], one past its end (it has 1024 elements), by "
            "thread (1,2,3) of block (4,5,6): ld.global.f32 %f1, [%rd1]");
}

TEST(FaultText, CountFromTheNearerEnd) {
  EXPECT_THAT(out_of_bounds(kBegin + 4096 + 8), HasSubstr("at A[1026], 3 past its end"));
  EXPECT_THAT(out_of_bounds(kBegin - 12), HasSubstr("at A[-3], 3 before its beginning"));
  EXPECT_THAT(out_of_bounds(kBegin - 4), HasSubstr("at A[-1], one before its beginning"));
}

TEST(FaultText, OfNoWholeElementCountBytes) {
  EXPECT_THAT(out_of_bounds(kBegin + 4098, 2),
              HasSubstr("at byte 4098 of A, 2 bytes past its end"));
  EXPECT_THAT(out_of_bounds(kBegin - 1, 1), HasSubstr("at byte -1 of A, 1 byte before"));
}

TEST(FaultText, OfAVectorAcrossTheEndSayHowMuchLiesBehindIt) {
  EXPECT_THAT(out_of_bounds(kBegin + 4088, 16),
              HasSubstr("load of 16 bytes at A[1022], of which 8 bytes lie past its end"));
}

TEST(FaultText, OfAMisalignedAccessNameItsElementAndTheAlignment) {
  EXPECT_THAT(fault_text(access(FaultKind::misaligned, kBegin + 12, 16), kBuffers),
              StartsWith("misaligned load of 16 bytes at A[3], whose address is 12 bytes past a "
                         "multiple of 16, by thread"));
}

TEST(FaultText, OfMemoryThatHasNoNameAreTheDrivers) {
  driver::Fault fault = access(FaultKind::out_of_bounds, kBegin + 4096, 4);
  fault.detail->access->begin -= 512;
  EXPECT_EQ(fault_text(fault, kBuffers), "the driver's words, by thread (1,2,3) of block (4,5,6)");
  fault.detail->access->memory = MemoryKind::unknown;
  EXPECT_THAT(fault_text(fault, kBuffers), StartsWith("the driver's words"));
}

TEST(FaultText, WithinBoundsAreTheDriversSinceSomethingElseIsWrong) {
  EXPECT_THAT(out_of_bounds(kBegin), StartsWith("the driver's words"));
}

TEST(FaultText, OfSharedMemoryNameTheVariableAndItsSide) {
  driver::Fault fault = access(FaultKind::out_of_bounds, 1028, 4);
  driver::FaultedAccess& what = *fault.detail->access;
  what.memory = MemoryKind::shared;
  what.kind = AccessKind::store;
  what.variable = "_ZZ4stepPfE4tile";
  what.variable_begin = 0;
  what.variable_end = 1024;
  EXPECT_THAT(fault_text(fault, kBuffers),
              HasSubstr("store of 4 bytes at byte 1028 of tile, 4 bytes "
                        "past its end (the __shared__ variable has"));
  what.address = 0xfffffffc;
  EXPECT_THAT(fault_text(fault, kBuffers),
              HasSubstr("byte -4 of tile, 4 bytes before its beginning"));
  what.address = ~std::uint64_t{0} - 7;
  EXPECT_THAT(fault_text(fault, kBuffers),
              HasSubstr("byte -8 of tile, 8 bytes before its beginning"));
}

TEST(FaultText, PlaceIsTheLineToLookAtOrNone) {
  driver::Fault fault = access(FaultKind::out_of_bounds, kBegin, 4);
  EXPECT_EQ(place_of(fault), "kernel.cu:27");
  fault.detail->lines.clear();
  EXPECT_EQ(place_of(fault), "");
  fault.detail.reset();
  EXPECT_EQ(place_of(fault), "");
}

TEST(FaultText, InARejectionTheLineComesFirstAndTheLogHasTheWholeChain) {
  const Rejection rejected =
      rejection(access(FaultKind::misaligned, kBegin + 12, 16), "f", "check launch 1", kBuffers);
  EXPECT_EQ(rejected.verdict, Verdict::crashed);
  EXPECT_EQ(rejected.cause, Cause::misaligned);
  EXPECT_THAT(rejected.reason, StartsWith("kernel.cu:27: check launch 1: misaligned load"));
  EXPECT_THAT(rejected.detail, HasSubstr("cuda_fp16.hpp:900, kernel.cu:27, kernel.cu:80"));
}

TEST(FaultText, OfWhatTheEmulatorLacksIsTheVerdictUnsupported) {
  driver::Fault fault = access(FaultKind::unsupported, 0, 0);
  fault.text = "'wgmma.fence.sync.aligned' is not supported by the emulator";
  fault.occasion = driver::Occasion::load;
  const Rejection rejected = rejection(fault, "", "loading");
  EXPECT_EQ(rejected.verdict, Verdict::unsupported);
  EXPECT_EQ(
      rejected.reason,
      "kernel.cu:27: the emulated device lacks what this needs: 'wgmma.fence.sync.aligned' is "
      "not supported by the emulator (PTX line 41)");
}

}  // namespace
}  // namespace autokernel::trial
