#include "compile/image_program.h"

#include <optional>
#include <string>
#include <utility>

#include "compile/declaration.h"
#include "compile/image.h"
#include "compile/kernel_info.h"
#include "compile/limits.h"
#include "compile/source_text.h"

namespace autokernel::compile {
namespace {

// What the kernels take, and whether their launches fit it.
void read_kernels(const Elf& elf, const Request& request, Program& program) {
  for (const std::string& name : kernels(elf)) {
    const KernelInfo info = kernel_info(elf, name);
    program.resources[name] = {.registers = info.registers,
                               .static_shared_bytes = info.static_shared_bytes,
                               .local_bytes = info.local_bytes};
  }
  if (const auto reason = too_much_static_shared(program.resources, request.source)) {
    throw Refused(*reason);
  }
  const std::string where = place(program.declaration.file, program.declaration.line);
  for (Launch& launch : program.declaration.launches) {
    KernelInfo info = kernel_info(elf, launch.kernel);
    if (info.cluster && launch.cluster == kNoCluster) launch.cluster = *info.cluster;
    require_launchable(launch, info, request.architecture, where);
    program.parameters[launch.kernel] = std::move(info.parameters);
  }
}

}  // namespace

void read_image(const Elf& elf, const Request& request, Program& program) {
  require_known_calls(elf, request.source);
  program.objects = module_objects(elf, request.source.name);
  read_kernels(elf, request, program);
}

}  // namespace autokernel::compile
