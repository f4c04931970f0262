#include "trial/launch/candidate.h"

#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"
#include "autokernel/trial/kernel_signature.h"

namespace autokernel::trial {
namespace {

std::string launch_text(const compile::Launch& launch) {
  std::string text =
      fmt::format("{}, grid ({}), block ({}), {} bytes of dynamic shared memory", launch.kernel,
                  fmt::join(launch.grid, ","), fmt::join(launch.block, ","), launch.shared_bytes);
  if (launch.cluster != compile::kNoCluster)
    text += fmt::format(", cluster ({})", fmt::join(launch.cluster, ","));
  if (launch.cooperative) text += ", cooperative";
  if (launch.programmatic) text += ", programmatic";
  return text;
}

std::span<const std::byte> image_of(const driver::Device& device, const compile::Program& program) {
  if (device.info().emulated || program.cubin.empty()) {
    return std::as_bytes(std::span(program.ptx.c_str(), program.ptx.size() + 1));
  }
  return program.cubin;
}

// The driver reads as many as the kernel has: beyond the end of the list, if that is shorter.
void require_all_parameters(const driver::Kernel& kernel, std::span<void* const> handed_over) {
  if (kernel.parameters().size() == handed_over.size() || !stands(Defence::parameter_layout))
    return;
  throw Error(Stop::internal, fmt::format("a kernel of {} parameters was to be launched with {}",
                                          kernel.parameters().size(), handed_over.size()));
}

}  // namespace

std::variant<Candidate, Rejection> Candidate::load(const driver::Device& device,
                                                   const compile::Program& program,
                                                   const SizedCase& sized) {
  driver::Loading loading = device.load(image_of(device, program));
  if (const auto* fault = std::get_if<driver::Fault>(&loading))
    return rejection(*fault, "", "loading");
  Candidate candidate(device, program, std::get<driver::Module>(std::move(loading)));
  if (auto missing = candidate.find_steps(sized)) return *std::move(missing);
  if (auto missing = candidate.find_objects()) return *std::move(missing);
  if (auto refused = candidate.find_maps(sized)) return *std::move(refused);
  if (auto refused = candidate.find_pointers(sized)) return *std::move(refused);
  return candidate;
}

// What a launch hands over was held against the image; what the driver reads must be the same. The
// emulated device goes by PTX, and a text can be read in two ways. Each parameter is handed over by
// itself, so where it lies in a kernel's memory does not matter: in PTX that is another place.
std::optional<Rejection> Candidate::differing_layout(const driver::Kernel& kernel,
                                                     const std::string& name) const {
  const std::vector<compile::Parameter>& in_image = program_->parameters.at(name);
  const bool same = std::ranges::equal(
      kernel.parameters(), in_image,
      [](const driver::Parameter& a, const compile::Parameter& b) { return a.bytes == b.bytes; });
  if (same || !stands(Defence::parameter_layout)) return std::nullopt;
  return Rejection{
      Verdict::does_not_compile,
      fmt::format("the device reads {} parameters of the kernel {} where its image has "
                  "{}, or of other sizes; declare the kernel in C++, not in inline asm",
                  kernel.parameters().size(), name, in_image.size()),
      ""};
}

std::optional<Rejection> Candidate::find_steps(const SizedCase& sized) {
  const std::vector<compile::Argument> arguments =
      compile::arguments_of(program_->declaration, signature(*sized.problem, OutputType::declared));
  for (const compile::Launch& launch : program_->declaration.launches) {
    const auto kernel = module_.kernel(launch.kernel);
    if (!kernel) {
      return Rejection{
          Verdict::does_not_compile,
          fmt::format(
              "AUTOKERNEL_LAUNCH names the kernel {}, which the file does not have; declare it "
              "extern \"C\" __global__",
              launch.kernel),
          ""};
    }
    if (auto differing = differing_layout(*kernel, launch.kernel)) return differing;
    const driver::Shape shape = {.grid = launch.grid,
                                 .block = launch.block,
                                 .shared_bytes = launch.shared_bytes,
                                 .cluster = launch.cluster,
                                 .cooperative = launch.cooperative,
                                 .programmatic = launch.programmatic};
    if (const auto fault = device_->allow(*kernel, shape))
      return rejection(*fault, launch_text(launch), "loading");
    auto chosen = compile::chosen_arguments(launch, arguments);
    if (auto* unknown = std::get_if<std::string>(&chosen))
      return Rejection{Verdict::does_not_compile, std::move(*unknown), ""};
    steps_.push_back({*kernel, shape, std::get<std::vector<std::size_t>>(std::move(chosen))});
  }
  return std::nullopt;
}

std::optional<Rejection> Candidate::find_objects() {
  for (const compile::ModuleObject& object : program_->objects) {
    const auto found = module_.object(object.name);
    if (!found || found->bytes != object.bytes) {
      return Rejection{
          Verdict::does_not_compile,
          fmt::format(
              "the module-scope object {} ({} bytes) cannot be reset before each launch; pass data "
              "through the workspace, or declare it extern \"C\" __device__",
              object.name, object.bytes),
          ""};
    }
    // As the driver has just laid it out: an initial value may be the address of another object,
    // which the image does not hold.
    Bytes initial(object.bytes);
    device_->copy_out(initial, found->address);
    objects_.push_back({found->address, std::move(initial)});
  }
  return std::nullopt;
}

// Each is encoded once here, for a place that any buffer may have, so that none is refused later.
std::optional<Rejection> Candidate::find_maps(const SizedCase& sized) {
  extras_.workspace_bytes = program_->declaration.workspace_bytes;
  for (const compile::Constant& constant : program_->declaration.constants)
    extras_.constants.push_back(constant.bytes);
  constexpr driver::Address kAnyAddress = 1 << 20;
  for (const compile::TensorMap& map : program_->declaration.tensor_maps) {
    auto resolved = resolve(map, sized, extras_.workspace_bytes);
    if (auto* reason = std::get_if<std::string>(&resolved))
      return Rejection{Verdict::does_not_compile, std::move(*reason), ""};
    extras_.maps.push_back(std::get<ResolvedMap>(std::move(resolved)));
    const ResolvedMap& last = extras_.maps.back();
    const auto encoded = device_->encode(last.layout, kAnyAddress + last.offset);
    if (const auto* fault = std::get_if<driver::Fault>(&encoded)) {
      return Rejection{
          Verdict::does_not_compile,
          fmt::format("{}tensor map {}: the device does not take it: {} ({}, {}) [{}]; "
                      "change AUTOKERNEL_TENSOR_MAP",
                      map.place, map.name, first_lines(fault->text, 1), fault->name, fault->code,
                      fault->call),
          fault->text};
    }
  }
  return std::nullopt;
}

std::optional<Rejection> Candidate::find_pointers(const SizedCase& sized) {
  for (const compile::OffsetPointer& pointer : program_->declaration.offset_pointers) {
    auto resolved = resolve(pointer, sized, extras_.workspace_bytes);
    if (auto* reason = std::get_if<std::string>(&resolved))
      return Rejection{Verdict::does_not_compile, std::move(*reason), ""};
    extras_.pointers.push_back(std::get<ResolvedPointer>(resolved));
  }
  return std::nullopt;
}

void Candidate::restore_objects() const {
  if (!stands(Defence::restored_module)) return;
  for (const ModuleObject& object : objects_) device_->copy_in(object.address, object.initial);
}

std::optional<driver::Fault> Candidate::launch(const driver::Stream& stream,
                                               Operands& operands) const {
  if (program_->declaration.workspace_zeroed && program_->declaration.workspace_bytes > 0) {
    const driver::Address address = operands.address(operands.tensor_count());
    if (auto fault = stream.zero(address, program_->declaration.workspace_bytes)) return fault;
  }
  for (const Step& step : steps_) {
    std::vector<void*> parameters;
    parameters.reserve(step.arguments.size());
    for (const std::size_t index : step.arguments)
      parameters.push_back(operands.arguments()[index]);
    require_all_parameters(step.kernel, parameters);
    if (auto fault = stream.launch(step.kernel, step.shape, parameters)) return fault;
  }
  return std::nullopt;
}

std::string Candidate::launches_text() const {
  std::string text;
  for (const compile::Launch& launch : program_->declaration.launches) {
    text += (text.empty() ? "" : "; ") + launch_text(launch);
  }
  return text;
}

}  // namespace autokernel::trial
