#include <algorithm>
#include <array>

#include "autokernel/driver/device_info.h"

namespace autokernel::driver {
namespace {

// Dense floating-point operations (a fused multiply-add is two) per multiprocessor and clock, sums
// in fp32. Where products of one capability differ, the fastest: the rate bounds what is
// believable, so it must not be too low.
struct Rates {
  int major;
  int minor;
  int f16;
  int bf16;
  int tf32;
  int f32;
};
constexpr std::array kRates = {
    // Tesla V100 whitepaper: 80 SMs at 1.53 GHz, 125 TFLOPS tensor fp16, 15.7 fp32.
    Rates{7, 0, 1024, 0, 0, 128},
    // Turing whitepaper, Tesla T4: 40 SMs at 1.59 GHz, 65 TFLOPS tensor fp16, 8.1 fp32.
    Rates{7, 5, 1024, 0, 0, 128},
    // A100 whitepaper: 108 SMs at 1.41 GHz, 312 TFLOPS fp16 and bf16, 156 tf32, 19.5 fp32.
    Rates{8, 0, 2048, 2048, 1024, 128},
    // A40 datasheet: 84 SMs at 1.74 GHz, 149.7 TFLOPS fp16 and bf16, 74.8 tf32, 37.4 fp32. GeForce
    // has half the tensor rate with fp32 sums (GA102 whitepaper).
    Rates{8, 6, 1024, 1024, 512, 256},
    // L40S datasheet: 142 SMs at 2.52 GHz, 362 TFLOPS fp16 and bf16, 183 tf32, 91.6 fp32. GeForce
    // has half the tensor rate with fp32 sums (Ada whitepaper).
    Rates{8, 9, 1024, 1024, 512, 256},
    // H100 whitepaper, SXM5: 132 SMs at 1.83 GHz under tensor load, 989 TFLOPS fp16 and bf16, 495
    // tf32; 66.9 fp32 at 1.98 GHz.
    Rates{9, 0, 4096, 4096, 2048, 256},
    // B200 datasheet: 148 SMs at 1.85 GHz, 2250 TFLOPS fp16 and bf16, 1125 tf32; 75 fp32 at 1.97
    // GHz.
    Rates{10, 0, 8192, 8192, 4096, 256},
    // RTX PRO 6000 Blackwell whitepaper: 188 SMs at 2.62 GHz, 504 TFLOPS fp16 and bf16, 252 tf32,
    // 126 fp32. GeForce has half the tensor rate with fp32 sums.
    Rates{12, 0, 1024, 1024, 512, 256},
};

int rate(const Rates& rates, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::f16:
      return rates.f16;
    case Arithmetic::bf16:
      return rates.bf16;
    case Arithmetic::tf32:
      return rates.tf32;
    case Arithmetic::f32:
      return rates.f32;
  }
  return 0;
}

}  // namespace

std::optional<double> peak_tflops(const DeviceInfo& device, Arithmetic arithmetic) {
  if (device.emulated || device.clock_mhz <= 0) return std::nullopt;
  const auto* const found = std::ranges::find_if(kRates, [&](const Rates& rates) {
    return rates.major == device.major && rates.minor == device.minor;
  });
  if (found == kRates.end()) return std::nullopt;
  const int per_clock = rate(*found, arithmetic);
  if (per_clock == 0) return std::nullopt;
  constexpr double kMegaPerTera = 1e6;
  return per_clock * device.multiprocessors * device.clock_mhz / kMegaPerTera;
}

std::optional<double> peak_gbytes_s(const DeviceInfo& device) {
  if (device.emulated || device.memory_clock_mhz <= 0 || device.memory_bus_bits <= 0)
    return std::nullopt;
  // Double data rate; drivers report the clock of GDDR to match.
  constexpr double kTransfersPerClock = 2;
  constexpr double kBitsPerByte = 8;
  constexpr double kMegaPerGiga = 1e3;
  return kTransfersPerClock * device.memory_clock_mhz * device.memory_bus_bits / kBitsPerByte /
         kMegaPerGiga;
}

}  // namespace autokernel::driver
