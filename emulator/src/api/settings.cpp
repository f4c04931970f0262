// What a program can learn of how kernels are run here.
#include <string>

#include "emulated_cuda.h"
#include "jit/compiler.h"
#include "runtime/engine.h"

namespace {

const char* name_of(emulator::lower::EngineChoice engine) {
  using emulator::lower::EngineChoice;
  switch (engine) {
    case EngineChoice::warps:
      return "warps";
    case EngineChoice::threads:
      return "threads";
    case EngineChoice::automatic:
      break;
  }
  return "automatic";
}

const char* name_of(emulator::jit::Compilation compilation) {
  using emulator::jit::Compilation;
  switch (compilation) {
    case Compilation::whole:
      return "whole";
    case Compilation::parts:
      return "parts";
    case Compilation::plain:
      return "plain";
    case Compilation::comparing:
      return "comparing";
    case Compilation::automatic:
      break;
  }
  return "automatic";
}

std::string settings() {
  const unsigned workers = emulator::runtime::default_workers();
  std::string text = "engine ";
  text += name_of(emulator::jit::engine_of_environment());
  text += ", compilation ";
  text += name_of(emulator::jit::compilation_of_environment());
  return text + ", " + std::to_string(workers) + (workers == 1 ? " thread" : " threads");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* emuSettings(void) {
  static const std::string text = settings();
  return text.c_str();
}
