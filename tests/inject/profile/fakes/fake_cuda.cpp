// libcuda.so.1 for tests: one device, and streams of which one is captured.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>

#include "fakes/fake_cupti.h"

#define FAKE extern "C" [[gnu::visibility("default")]]

FAKE std::int32_t cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
FAKE std::int32_t cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
FAKE std::int32_t cuDeviceGetName(char* name, int size, int /*device*/) {
  (void)std::snprintf(name, static_cast<std::size_t>(size), "Fake\tGPU");
  return 0;
}
FAKE std::int32_t cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  static const std::map<int, int> kValues = {
      {13, 1'980'000}, {16, 132}, {36, 2'619'000}, {37, 5120}, {38, 52'428'800}, {75, 9}, {76, 0}};
  const auto found = kValues.find(attribute);
  if (found == kValues.end()) return 1;
  *value = found->second;
  return 0;
}
FAKE std::int32_t cuDeviceTotalMem_v2(std::size_t* bytes, int /*device*/) {
  *bytes = 85'000'000'000;
  return 0;
}
FAKE std::int32_t cuStreamIsCapturing(void* stream, std::int32_t* status) {
  *status = stream == autokernel::test::kCapturedStream ? 1 : 0;
  return 0;
}
