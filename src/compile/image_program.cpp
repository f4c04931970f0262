#include "compile/image_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "autokernel/base/visible_text.h"
#include "autokernel/compile/source_text.h"
#include "compile/declaration.h"
#include "compile/image.h"
#include "compile/kernel_info.h"
#include "compile/limits.h"
#include "compile/ptx_text.h"

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

namespace {

// Of a text alone: what a kernel needs of registers, only ptxas would tell.
void read_ptx(Program& program, const std::string& place) {
  for (const Launch& launch : program.declaration.launches) {
    auto parameters = ptx_parameters(program.ptx, launch.kernel);
    if (!parameters) {
      throw Refused(fmt::format("{}its PTX has no kernel {}", place, visible_line(launch.kernel)));
    }
    program.parameters[launch.kernel] = *std::move(parameters);
  }
}

void require_same_objects(const std::vector<ModuleObject>& all,
                          const std::vector<ModuleObject>& others, const char* which,
                          const char* other, const std::string& place) {
  for (const ModuleObject& object : all) {
    const bool is_there = std::ranges::any_of(others, [&](const ModuleObject& each) {
      return each.name == object.name && each.bytes == object.bytes;
    });
    if (!is_there) {
      throw Refused(fmt::format("{}its {} has no variable {} of {} bytes, as its {} has", place,
                                other, visible_line(object.name), object.bytes, which));
    }
  }
}

// Memory that ends with a block or a thread is known by the names of its sections, which in an
// image of somebody else's may be any.
void require_own_section_names(const Elf& elf, const std::string& place) {
  const std::vector<std::string> names = kernels(elf);
  for (const ElfSection& section : elf.sections()) {
    for (const std::string_view kind : {".nv.shared", ".nv.local"}) {
      if (!section.name.starts_with(kind) || section.size == 0) continue;
      const std::string rest = section.name.substr(kind.size());
      const bool is_kernels =
          rest.starts_with('.') && std::ranges::find(names, rest.substr(1)) != names.end();
      if (is_kernels || rest.starts_with(".reserved.")) continue;
      throw Refused(fmt::format("{}its cubin has a section {}, which is no kernel's", place,
                                visible_line(section.name)));
    }
  }
}

}  // namespace

void read_images(const Request& request, Program& program, const std::string& place) {
  std::vector<ModuleObject> in_ptx;
  if (!program.ptx.empty()) {
    if (!declares_variables_plainly(program.ptx)) {
      throw Refused(
          fmt::format("{}its PTX declares variables in a function, or several at once: "
                      "they could not be restored between launches",
                      place));
    }
    auto objects = ptx_objects(program.ptx);
    if (!objects) throw Refused(fmt::format("{}a variable of its PTX cannot be read", place));
    in_ptx = *std::move(objects);
  }
  if (program.cubin.empty()) {
    read_ptx(program, place);
    program.objects = std::move(in_ptx);
    return;
  }
  try {
    const Elf elf(program.cubin);
    require_own_section_names(elf, place);
    read_image(elf, request, program);
  } catch (const BadElf& error) {
    throw Refused(fmt::format("{}its cubin cannot be read: {}", place, error.what()));
  }
  if (program.ptx.empty()) return;
  require_same_objects(in_ptx, program.objects, "PTX", "cubin", place);
  require_same_objects(program.objects, in_ptx, "cubin", "PTX", place);
}

}  // namespace autokernel::compile
