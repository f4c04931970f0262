#include "api/driver.h"
#include "api/error_translation.h"
#include "emulated_cuda.h"

extern "C" __attribute__((visibility("default"))) void emuWarpOrder(uint32_t order) {
  (void)emulator::api::answer([&] {
    const auto context = emulator::api::Driver::get().primary();
    if (context == nullptr) return;
    context->engine().order_units(order == EMU_WARPS_DESCENDING
                                      ? emulator::runtime::UnitOrder::descending
                                      : emulator::runtime::UnitOrder::ascending);
  });
}
