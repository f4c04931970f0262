// The libraries that products of matrices are compared with: cuBLAS on a GPU, OpenBLAS elsewhere.
#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

[[nodiscard]] Line line_for(const std::string& name, const Asked<Library>& library, Need need,
                            const std::string& fix) {
  if (library.answer) return {name, Standing::ok, library.answer->version, {}, need};
  const bool absent = library.trouble.starts_with("cannot load");
  return {name, absent ? Standing::missing : Standing::wrong,
          library.trouble.substr(0, library.trouble.find('\n')), fix, need};
}

}  // namespace

Lines check_libraries(const Facts& facts) {
  const bool on_gpu = takes_gpu(facts.device, facts.cuda);
  Lines lines;
  // cuBLAS cannot be tried without a GPU that works, and what is wrong with the GPU is said there.
  const bool gpu_works = facts.gpu.answer && facts.gpu.answer->fault.empty();
  if (facts.gpu_library.answer || (gpu_works && !facts.gpu_library.trouble.empty())) {
    lines.push_back(line_for("cublas", facts.gpu_library, on_gpu ? Need::required : Need::useful,
                             "pip install nvidia-cublas  (or a CUDA toolkit; then set CUDA_HOME)"));
  }
  lines.push_back(line_for("openblas", facts.cpu_library, on_gpu ? Need::useful : Need::required,
                           "sudo apt-get install libopenblas0-pthread"));
  return lines;
}

}  // namespace autokernel::cli::doctor
