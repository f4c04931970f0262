// The library in C that all exported forms of images call: what is launched, as tables.
#pragma once

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {

// NAME.h, NAME.c and NAME_images.h.
[[nodiscard]] ShippedFiles launcher_source(const KernelToShip& kernel, const Signature& signature);

}  // namespace autokernel::bridge
