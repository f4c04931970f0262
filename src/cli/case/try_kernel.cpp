#include "cli/case/try_kernel.h"

#include "autokernel/trial/sources.h"
#include "autokernel/trial/supervisor.h"

namespace autokernel::cli {

trial::Result try_kernel(const CaseTrial& of, const cases::KernelSource& kernel,
                         const cases::CaseFiles& files) {
  // Times are of no interest here.
  constexpr int kSamples = 2;
  trial::Request request;
  request.case_directory = of.folder;
  request.kernel_file = of.folder / kernel.name;
  request.device = of.device;
  request.size = of.size;
  request.depth = of.depth;
  request.samples = kSamples;
  request.source = kernel.text;
  request.files = kernel.files;
  trial::take_case(request, files);
  return trial::supervise(request, {});
}

}  // namespace autokernel::cli
