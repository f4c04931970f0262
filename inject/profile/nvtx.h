// What we use of NVTX, by which programs name what they do. Declared here, as CUPTI is in cupti.h:
// the numbers and places are those of nvToolsExt.h and nvtxDetail/nvtxTypes.h of NVTX 3 (CUDA 10 to
// 13), which tests/inject compares where it finds them. NVTX 2, a library of its own, has the same
// tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace recording::nvtx {

// NvtxExportTableID
inline constexpr std::uint32_t kCallbacks = 1;

// NvtxCallbackModule
enum Module : std::int32_t { kCore = 1, kCore2 = 5 };

// NvtxCallbackIdCore: places in the module's table.
enum CoreCall : std::uint32_t {
  kRangeStartEx = 4,
  kRangeStartA = 5,
  kRangeStartW = 6,
  kRangeEnd = 7,
  kRangePushEx = 8,
  kRangePushA = 9,
  kRangePushW = 10,
  kRangePop = 11,
};

// NvtxCallbackIdCore2
enum Core2Call : std::uint32_t {
  kDomainRangeStartEx = 2,
  kDomainRangeEnd = 3,
  kDomainRangePushEx = 4,
  kDomainRangePop = 5,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW = 11,
  kDomainCreateA = 12,
  kDomainCreateW = 13,
  kDomainDestroy = 14,
};

// nvtxMessageType_t
enum MessageType : std::int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };

// nvtxEventAttributes_t of versions 1 and 2
struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;
};

using Function = void (*)();

struct CallbackTable {
  std::size_t size;
  // Gives the places of a module's functions, and how many there are; 0 where it has none such.
  int (*module_functions)(Module module, Function*** table, unsigned* count);
};

using GetExportTable = const void* (*)(std::uint32_t id);

}  // namespace recording::nvtx
