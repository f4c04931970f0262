// Finding entry points by name: every program of the CUDA runtime's kind does this instead of
// linking.
#include <string_view>

#include "api/entry_table.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

struct Found {
  void* function;
  CUdriverProcAddressQueryResult status;
};

Found find(std::string_view name, int version, bool per_thread) {
  bool is_known = false;
  for (const Entry& entry : entry_table()) {
    if (entry.name != name) continue;
    is_known = true;
    if (version < entry.since) continue;
    return {per_thread && entry.per_thread != nullptr ? entry.per_thread : entry.function,
            CU_GET_PROC_ADDRESS_SUCCESS};
  }
  return {nullptr, is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND};
}

constexpr cuuint64_t kSymbolFlags =
    CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::require;

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  return answer([&] {
    require(symbol != nullptr && function != nullptr &&
            (flags & ~emulator::api::kSymbolFlags) == 0);
    const auto found = emulator::api::find(
        symbol, version, (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0);
    *function = found.function;
    if (status != nullptr) *status = found.status;
    require(found.function != nullptr, CUDA_ERROR_NOT_FOUND);
  });
}

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

// Tables of functions that NVIDIA does not document, known by a number alone. The CUDA runtime asks
// for some and cannot do without them.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  return answer([&] {
    require(table != nullptr && id != nullptr);
    *table = nullptr;
    throw emulator::api::Refusal(CUDA_ERROR_NOT_SUPPORTED);
  });
}
