// NVRTC: without it nothing is ever measured.
#include <fmt/format.h>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

constexpr const char* kInstall =
    "pip install nvidia-cuda-{nvrtc,runtime,crt,cccl}  (or a CUDA toolkit; then set CUDA_HOME)";

// NVRTC starts the GPU's driver where there is one, and hangs or crashes with it.
constexpr const char* kAnother = "fix the driver first, or use another NVRTC: export CUDA_HOME=DIR";

// What was tried is a list that bench prints; here its first line will do.
[[nodiscard]] std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

Lines check_compiler(const Facts& facts) {
  Line line{"nvrtc", Standing::ok, {}, {}, Need::required};
  if (!facts.compiler.answer) {
    const bool absent = facts.compiler.trouble.starts_with("cannot find");
    line.standing = absent ? Standing::missing : Standing::wrong;
    line.found = first_line(facts.compiler.trouble);
    line.fix = absent ? kInstall : kAnother;
    return {line};
  }
  const trial::CompilerReadiness& compiler = *facts.compiler.answer;
  line.found = fmt::format("{} at {}, headers in {}", compiler.version, compiler.library.string(),
                           compiler.headers.string());
  if (compiler.refusal.empty()) {
    line.found += "; a kernel compiles";
    return {line};
  }
  line.standing = Standing::wrong;
  line.found += "; it rejects a valid kernel: " + first_line(compiler.refusal);
  line.fix = kInstall;
  return {line};
}

}  // namespace autokernel::cli::doctor
