// The emulated device: loaded, and a kernel run on it.
#include <fmt/format.h>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

constexpr const char* kMend =
    "install autokernel again with libautokernel_cpu.so in ../lib beside the program (in a source "
    "tree: ./dev build)";

}  // namespace

Lines check_emulator(const Facts& facts) {
  Line line{"emulator",
            Standing::ok,
            {},
            {},
            takes_gpu(facts.device, facts.cuda) ? Need::useful : Need::required};
  if (!facts.emulator.answer) {
    const bool absent = facts.emulator.trouble.starts_with("cannot load");
    line.standing = absent ? Standing::missing : Standing::wrong;
    line.found = facts.emulator.trouble.substr(0, facts.emulator.trouble.find('\n'));
    line.fix = kMend;
    return {line};
  }
  const trial::DeviceReadiness& emulator = *facts.emulator.answer;
  line.found = emulator.device.name;
  if (emulator.fault.empty()) {
    line.found += "; a kernel ran";
    return {line};
  }
  line.standing = Standing::wrong;
  line.found += "; " + emulator.fault;
  line.fix = kMend;
  return {line};
}

}  // namespace autokernel::cli::doctor
