#include <algorithm>
#include <array>

#include "autokernel/driver/device_info.h"
#include "autokernel/driver/units.h"

namespace autokernel::driver {
namespace {

// Dense operations (a multiply-add is two) per multiprocessor and clock. 0: there is no such unit,
// or its rate is not published. Where products of one capability differ, the fastest: the rate
// bounds what is believable, so it must not be too low.
struct Rates {
  int major;
  int minor;
  // Tensor cores.
  int fp4 = 0;
  int fp8 = 0;
  int int8 = 0;
  int int4 = 0;
  int fp16 = 0;
  int bf16 = 0;
  int tf32 = 0;
  int fp64 = 0;
  // What one thread does by itself, in pairs where the type is that short.
  int fp32_alone = 0;
  int fp64_alone = 0;
  int fp16_alone = 0;
  int bf16_alone = 0;
  int int32_alone = 0;
};
constexpr std::array kRates = {
    // Tesla V100 whitepaper: 80 SMs at 1.53 GHz, 125 TFLOPS tensor fp16, 15.7 fp32, 7.8 fp64, 31.4
    // fp16 by threads, 15.7 int32.
    Rates{.major = 7,
          .minor = 0,
          .fp16 = 1024,
          .fp32_alone = 128,
          .fp64_alone = 64,
          .fp16_alone = 256,
          .int32_alone = 128},
    // Turing whitepaper, Tesla T4: 40 SMs at 1.59 GHz, 65 TFLOPS tensor fp16, 130 int8, 260 int4,
    // 8.1 fp32; TU102: 2 fp64 multiply-adds per SM and clock, 26.9 fp16 and 13.4 int32 by threads
    // of 68 SMs at 1.545 GHz.
    Rates{.major = 7,
          .minor = 5,
          .int8 = 2048,
          .int4 = 4096,
          .fp16 = 1024,
          .fp32_alone = 128,
          .fp64_alone = 4,
          .fp16_alone = 256,
          .int32_alone = 128},
    // A100 whitepaper: 108 SMs at 1.41 GHz, 312 TFLOPS fp16 and bf16, 156 tf32, 624 int8, 1248
    // int4, 19.5 tensor fp64; 19.5 fp32, 9.7 fp64, 78 fp16, 39 bf16, 19.5 int32.
    Rates{.major = 8,
          .minor = 0,
          .int8 = 4096,
          .int4 = 8192,
          .fp16 = 2048,
          .bf16 = 2048,
          .tf32 = 1024,
          .fp64 = 128,
          .fp32_alone = 128,
          .fp64_alone = 64,
          .fp16_alone = 512,
          .bf16_alone = 256,
          .int32_alone = 128},
    // A40 datasheet: 84 SMs at 1.74 GHz, 149.7 TFLOPS fp16 and bf16, 74.8 tf32, 299.3 int8, 598.7
    // int4, 37.4 fp32. GA102 whitepaper, RTX 3090: 82 SMs at 1.695 GHz, 35.6 fp16 and bf16, 17.8
    // int32 by threads; 2 fp64 multiply-adds per SM and clock.
    Rates{.major = 8,
          .minor = 6,
          .int8 = 2048,
          .int4 = 4096,
          .fp16 = 1024,
          .bf16 = 1024,
          .tf32 = 512,
          .fp32_alone = 256,
          .fp64_alone = 4,
          .fp16_alone = 256,
          .bf16_alone = 256,
          .int32_alone = 128},
    // Jetson AGX Orin technical brief: 16 SMs at 1.3 GHz, 170 sparse TOPS int8 (85 dense), 5.3
    // TFLOPS fp32. The others are to int8 as on the A100, whose generation of tensor cores it has.
    Rates{.major = 8,
          .minor = 7,
          .int8 = 4096,
          .fp16 = 2048,
          .bf16 = 2048,
          .tf32 = 1024,
          .fp32_alone = 256},
    // L40S datasheet: 142 SMs at 2.52 GHz, 362 TFLOPS fp16 and bf16, 183 tf32, 733 fp8 and int8,
    // 1466 int4, 91.6 fp32. Ada whitepaper, RTX 4090: 128 SMs at 2.52 GHz, 82.6 fp16 and bf16, 41.3
    // int32 by threads; 2 fp64 multiply-adds per SM and clock.
    Rates{.major = 8,
          .minor = 9,
          .fp8 = 2048,
          .int8 = 2048,
          .int4 = 4096,
          .fp16 = 1024,
          .bf16 = 1024,
          .tf32 = 512,
          .fp32_alone = 256,
          .fp64_alone = 4,
          .fp16_alone = 256,
          .bf16_alone = 256,
          .int32_alone = 128},
    // H100 whitepaper, SXM5: 132 SMs at 1.83 GHz under tensor load, 989 TFLOPS fp16 and bf16, 495
    // tf32, 1979 fp8 and int8; at 1.98 GHz 66.9 tensor fp64, 66.9 fp32, 33.5 fp64, 133.8 fp16 and
    // bf16, 33.5 int32.
    Rates{.major = 9,
          .minor = 0,
          .fp8 = 8192,
          .int8 = 8192,
          .fp16 = 4096,
          .bf16 = 4096,
          .tf32 = 2048,
          .fp64 = 256,
          .fp32_alone = 256,
          .fp64_alone = 128,
          .fp16_alone = 512,
          .bf16_alone = 512,
          .int32_alone = 128},
    // B200 datasheet: 148 SMs at 1.85 GHz, 2250 TFLOPS fp16 and bf16, 1125 tf32, 4500 fp8 and int8,
    // 9000 fp4; 75 fp32 and 37 fp64, tensor or not, at 1.97 GHz. CUDA C++ Best Practices Guide
    // 13.0, throughput of native arithmetic instructions: 128 fp16 and 64 int32 multiply-adds.
    Rates{.major = 10,
          .minor = 0,
          .fp4 = 32768,
          .fp8 = 16384,
          .int8 = 16384,
          .fp16 = 8192,
          .bf16 = 8192,
          .tf32 = 4096,
          .fp64 = 128,
          .fp32_alone = 256,
          .fp64_alone = 128,
          .fp16_alone = 256,
          .int32_alone = 128},
    // B300 datasheet (HGX): 148 SMs at 1.85 GHz, 2250 TFLOPS fp16 and bf16, 1125 tf32, 4500 fp8,
    // 13,500 fp4; 75 fp32 and 1.2 fp64. What it says of int8 differs from table to table.
    Rates{.major = 10,
          .minor = 3,
          .fp4 = 49152,
          .fp8 = 16384,
          .fp16 = 8192,
          .bf16 = 8192,
          .tf32 = 4096,
          .fp64 = 4,
          .fp32_alone = 256,
          .fp64_alone = 4},
    // RTX PRO 6000 Blackwell whitepaper: 188 SMs at 2.62 GHz, 504 TFLOPS fp16 and bf16, 252 tf32,
    // 1008 fp8 and int8, 2015 fp4, 126 fp32. RTX Blackwell whitepaper, RTX 5090: 170 SMs at 2.41
    // GHz, 104.8 fp16, bf16 and int32 by threads; 2 fp64 multiply-adds per SM and clock.
    Rates{.major = 12,
          .minor = 0,
          .fp4 = 4096,
          .fp8 = 2048,
          .int8 = 2048,
          .fp16 = 1024,
          .bf16 = 1024,
          .tf32 = 512,
          .fp32_alone = 256,
          .fp64_alone = 4,
          .fp16_alone = 256,
          .bf16_alone = 256,
          .int32_alone = 256},
    // DGX Spark datasheet, GB10: 48 SMs at 2.5 GHz, 1000 sparse TFLOPS fp4 (500 dense), 31 fp32.
    // The others are to these as on 12.0, whose multiprocessor it has.
    Rates{.major = 12,
          .minor = 1,
          .fp4 = 4096,
          .fp8 = 2048,
          .int8 = 2048,
          .fp16 = 1024,
          .bf16 = 1024,
          .tf32 = 512,
          .fp32_alone = 256,
          .fp64_alone = 4,
          .fp16_alone = 256,
          .bf16_alone = 256,
          .int32_alone = 256},
};

int rate(const Rates& rates, Unit unit) {
  switch (unit) {
    case Unit::tensor_fp4:
      return rates.fp4;
    case Unit::tensor_int4:
      return rates.int4;
    case Unit::tensor_fp8_in_fp16:
    case Unit::tensor_fp8:
      return rates.fp8;
    case Unit::tensor_int8:
      return rates.int8;
    case Unit::tensor_fp16_in_fp16:
    case Unit::tensor_fp16:
      return rates.fp16;
    case Unit::tensor_bf16:
      return rates.bf16;
    case Unit::tensor_tf32:
      return rates.tf32;
    case Unit::tensor_fp64:
      return rates.fp64;
    case Unit::fp32:
      return rates.fp32_alone;
    case Unit::fp16:
      return rates.fp16_alone;
    case Unit::bf16:
      return rates.bf16_alone;
    case Unit::fp64:
      return rates.fp64_alone;
    case Unit::dp4a:  // published for no capability
      return 0;
    case Unit::int32:
      return rates.int32_alone;
  }
  return 0;
}

// Whitepapers of Turing, GA102, Ada and RTX Blackwell: GeForce adds up in fp32 at half the rate of
// the professional products of the same capability, and in fp16 at all of it.
bool is_halved(const DeviceInfo& device, Unit unit) {
  const bool adds_in_fp32 = unit == Unit::tensor_fp8 || unit == Unit::tensor_fp16 ||
                            unit == Unit::tensor_bf16 || unit == Unit::tensor_tf32;
  return adds_in_fp32 && device.name.find("GeForce") != std::string::npos;
}

// Of the fastest product of that capability.
std::optional<double> most_tflops(const DeviceInfo& device, Unit unit) {
  if (device.emulated || device.clock_mhz <= 0) return std::nullopt;
  const auto* const found = std::ranges::find_if(kRates, [&](const Rates& rates) {
    return rates.major == device.major && rates.minor == device.minor;
  });
  if (found == kRates.end()) return std::nullopt;
  const int per_clock = rate(*found, unit);
  if (per_clock == 0) return std::nullopt;
  constexpr double kMegaPerTera = 1e6;
  return per_clock * device.multiprocessors * device.clock_mhz / kMegaPerTera;
}

}  // namespace

std::optional<double> peak_tflops(const DeviceInfo& device, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::f16:
      return most_tflops(device, Unit::tensor_fp16);
    case Arithmetic::bf16:
      return most_tflops(device, Unit::tensor_bf16);
    case Arithmetic::tf32:
      return most_tflops(device, Unit::tensor_tf32);
    case Arithmetic::f32:
      return most_tflops(device, Unit::fp32);
  }
  return std::nullopt;
}

std::optional<double> peak_tflops(const DeviceInfo& device, Unit unit) {
  const std::optional<double> most = most_tflops(device, unit);
  if (!most) return std::nullopt;
  return is_halved(device, unit) ? *most / 2 : *most;
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
