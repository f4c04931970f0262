// CUPTI as it was found in the process.
#pragma once

#include "cupti.h"

namespace recording {

struct CuptiLibrary {
  cupti::Result (*version)(std::uint32_t* version) = nullptr;
  cupti::Result (*subscribe)(cupti::Subscriber*, cupti::Callback, void* user) = nullptr;
  cupti::Result (*unsubscribe)(cupti::Subscriber) = nullptr;
  cupti::Result (*enable_callback)(std::uint32_t enable, cupti::Subscriber, cupti::Domain,
                                   std::uint32_t call) = nullptr;
  cupti::Result (*register_buffers)(cupti::BufferRequested, cupti::BufferCompleted) = nullptr;
  cupti::Result (*register_timestamp)(cupti::Timestamp) = nullptr;  // may be absent
  cupti::Result (*timestamp)(std::uint64_t* time) = nullptr;
  cupti::Result (*enable_activity)(cupti::ActivityKind) = nullptr;
  cupti::Result (*disable_activity)(cupti::ActivityKind) = nullptr;
  cupti::Result (*next_record)(std::uint8_t* buffer, std::size_t valid,
                               cupti::Activity** record) = nullptr;
  cupti::Result (*dropped_records)(void* context, std::uint32_t stream,
                                   std::size_t* count) = nullptr;
  cupti::Result (*flush)(std::uint32_t flag) = nullptr;
};

enum class CuptiFound : std::uint8_t { yes, no, without_its_functions };

// A copy that is in the process already, since two of them would disturb each other; else the
// first that loads of the files that AUTOKERNEL_CUPTI names, separated by colons; else one that
// the loader finds by its name.
[[nodiscard]] CuptiFound find_cupti(CuptiLibrary& library);

}  // namespace recording
