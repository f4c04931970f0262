// Fat binaries: images for several architectures in one, of which the driver takes the one that
// suits its device.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace autokernel::compile {

// A cubin ("sm_90a") or PTX ("compute_90a").
struct FatBinaryEntry {
  std::string architecture;
  std::vector<std::byte> code;
};

// The container that `fatbinary` of CUDA 13.0 writes without compression; what is known of it is in
// emulator/src/fatbin/fatbin.cpp. Throws Error(internal) on an architecture of another form.
[[nodiscard]] std::vector<std::byte> fat_binary(const std::vector<FatBinaryEntry>& entries);

}  // namespace autokernel::compile
