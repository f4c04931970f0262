// Our declarations of NVTX, compared with its headers while this is compiled.
#include <nvtx3/nvToolsExt.h>

#include <cstddef>

#include "profile/nvtx.h"

namespace nvtx = recording::nvtx;

#define SAME_NUMBER(ours, theirs) \
  static_assert(static_cast<long>(ours) == static_cast<long>(theirs))
#define SAME_PLACE(our_field, their_field)                    \
  static_assert(offsetof(nvtx::EventAttributes, our_field) == \
                offsetof(nvtxEventAttributes_t, their_field))

static_assert(sizeof(nvtx::EventAttributes) == sizeof(nvtxEventAttributes_t));
SAME_PLACE(size, size);
SAME_PLACE(message_type, messageType);
SAME_PLACE(message, message);
static_assert(sizeof(nvtx::CallbackTable) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(nvtx::CallbackTable, module_functions) ==
              offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));
SAME_NUMBER(nvtx::kCallbacks, NVTX_ETID_CALLBACKS);
SAME_NUMBER(nvtx::kCore, NVTX_CB_MODULE_CORE);
SAME_NUMBER(nvtx::kCore2, NVTX_CB_MODULE_CORE2);
SAME_NUMBER(nvtx::kRangeStartEx, NVTX_CBID_CORE_RangeStartEx);
SAME_NUMBER(nvtx::kRangeStartA, NVTX_CBID_CORE_RangeStartA);
SAME_NUMBER(nvtx::kRangeStartW, NVTX_CBID_CORE_RangeStartW);
SAME_NUMBER(nvtx::kRangeEnd, NVTX_CBID_CORE_RangeEnd);
SAME_NUMBER(nvtx::kRangePushEx, NVTX_CBID_CORE_RangePushEx);
SAME_NUMBER(nvtx::kRangePushA, NVTX_CBID_CORE_RangePushA);
SAME_NUMBER(nvtx::kRangePushW, NVTX_CBID_CORE_RangePushW);
SAME_NUMBER(nvtx::kRangePop, NVTX_CBID_CORE_RangePop);
SAME_NUMBER(nvtx::kDomainRangeStartEx, NVTX_CBID_CORE2_DomainRangeStartEx);
SAME_NUMBER(nvtx::kDomainRangeEnd, NVTX_CBID_CORE2_DomainRangeEnd);
SAME_NUMBER(nvtx::kDomainRangePushEx, NVTX_CBID_CORE2_DomainRangePushEx);
SAME_NUMBER(nvtx::kDomainRangePop, NVTX_CBID_CORE2_DomainRangePop);
SAME_NUMBER(nvtx::kDomainRegisterStringA, NVTX_CBID_CORE2_DomainRegisterStringA);
SAME_NUMBER(nvtx::kDomainRegisterStringW, NVTX_CBID_CORE2_DomainRegisterStringW);
SAME_NUMBER(nvtx::kDomainCreateA, NVTX_CBID_CORE2_DomainCreateA);
SAME_NUMBER(nvtx::kDomainCreateW, NVTX_CBID_CORE2_DomainCreateW);
SAME_NUMBER(nvtx::kAscii, NVTX_MESSAGE_TYPE_ASCII);
SAME_NUMBER(nvtx::kUnicode, NVTX_MESSAGE_TYPE_UNICODE);
SAME_NUMBER(nvtx::kRegistered, NVTX_MESSAGE_TYPE_REGISTERED);
