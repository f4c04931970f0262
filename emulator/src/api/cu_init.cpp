// Starting up, and what the emulator says about itself.
#include "api/driver.h"
#include "api/error_translation.h"
#include "emulated_cuda.h"

using emulator::api::answer;
using emulator::api::Driver;
using emulator::api::require;

CUresult cuInit(unsigned int flags) {
  return answer([&] {
    require(flags == 0);
    Driver::initialize();
  });
}

CUresult cuDriverGetVersion(int* version) {
  return answer([&] {
    require(version != nullptr);
    *version = CUDA_VERSION;
  });
}

CUresult cuProfilerStart() {
  return answer([] { (void)emulator::api::current_context(); });
}

CUresult cuProfilerStop() {
  return answer([] { (void)emulator::api::current_context(); });
}

extern "C" __attribute__((visibility("default"))) const char* emuVersion(void) {
  return EMULATOR_VERSION;
}

extern "C" __attribute__((visibility("default"))) const char* emuFaultReport(void) {
  const char* report = "";
  // Without a context there is no fault to report, which is no failure either.
  (void)answer([&] { report = emulator::api::current_context_even_if_faulted()->fault_report(); });
  return report;
}
