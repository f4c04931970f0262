#include "trial/launch/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"
#include "trial/inputs/element_text.h"

namespace autokernel::trial {
namespace {

// Enough to meet a block that runs one row of tiles too far. The emulated device gets none: it
// checks every access against the buffer itself, and a band would hide from it what reads just past
// the end.
constexpr std::size_t kGuardBytes = 64 << 10;
// A buffer begins at any multiple of the alignment within so many bytes, drawn anew each time: a
// kernel whose time hangs on where its buffers lie is fast in some rounds and slow in others, and
// not in all of a process. The emulated device draws its addresses itself.
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kPlaces = 256;

[[nodiscard]] std::size_t drawn_place() { return draw_key().words[0] % kPlaces * kAlignment; }

[[nodiscard]] std::size_t guard_bytes_on(const driver::Device& device) {
  return device.info().emulated ? 0 : kGuardBytes;
}

}  // namespace

Operands::Operands(const driver::Device& device, const SizedCase& sized, const Extras& extras,
                   DeviceMemory& memory)
    : device_(&device), sized_(&sized), guard_bytes_(guard_bytes_on(device)) {
  const auto place = [&](std::size_t bytes) {
    const std::size_t before = guard_bytes_ == 0 ? 0 : drawn_place();
    addresses_.push_back(memory.place(before + bytes + 2 * guard_bytes_) + before + guard_bytes_);
    sizes_.push_back(bytes);
  };
  for (const SizedTensor& tensor : sized.tensors) {
    if (!tensor.tensor->is_scalar) place(tensor.bytes);
  }
  if (extras.workspace_bytes > 0) place(extras.workspace_bytes);
  for (const ResolvedMap& map : extras.maps) {
    const auto encoded = device.encode(map.layout, addresses_.at(map.buffer) + map.offset);
    if (const auto* fault = std::get_if<driver::Fault>(&encoded))
      throw Error(Stop::internal, "a tensor map that was encoded once is refused: " + fault->text);
    maps_.push_back(std::get<driver::TensorMap>(encoded));
  }
  scalars_.resize(sized.tensors.size() - tensor_count());
  for (std::size_t t = 0; t < tensor_count(); ++t) arguments_.push_back(&addresses_[t]);
  for (Bytes& scalar : scalars_) {
    const std::size_t index = tensor_count() + static_cast<std::size_t>(&scalar - scalars_.data());
    scalar.resize(std::max(sized.tensors[index].bytes, sizeof(std::uint64_t)));
    arguments_.push_back(scalar.data());
  }
  if (extras.workspace_bytes > 0) arguments_.push_back(&addresses_.back());
  for (driver::TensorMap& map : maps_) arguments_.push_back(&map);
  for (const auto& [symbol, value] : sized.sizes) values_.push_back(value);
  for (std::int64_t& value : values_) arguments_.push_back(&value);
  constants_ = extras.constants;
  for (Bytes& constant : constants_) arguments_.push_back(constant.data());
  for (const ResolvedPointer& pointer : extras.pointers)
    pointers_.push_back(addresses_.at(pointer.buffer) + pointer.offset);
  for (driver::Address& pointer : pointers_) arguments_.push_back(&pointer);
}

std::size_t Operands::required_bytes(const driver::Device& device, const SizedCase& sized,
                                     const Extras& extras) {
  std::size_t wanted = 0;
  const auto add = [&](std::size_t bytes) {
    wanted += DeviceMemory::rounded(kPlaces * kAlignment + bytes + 2 * guard_bytes_on(device));
  };
  for (const SizedTensor& tensor : sized.tensors) {
    if (!tensor.tensor->is_scalar) add(tensor.bytes);
  }
  if (extras.workspace_bytes > 0) add(extras.workspace_bytes);
  return wanted;
}

std::size_t Operands::tensor_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      sized_->tensors, [](const SizedTensor& each) { return !each.tensor->is_scalar; }));
}

std::string Operands::name_of(std::size_t buffer) const {
  return buffer < tensor_count() ? sized_->tensors[buffer].tensor->name : "the workspace";
}

std::vector<NamedBuffer> Operands::named() const {
  std::vector<NamedBuffer> buffers;
  for (std::size_t b = 0; b < addresses_.size(); ++b) {
    const bool is_tensor = b < tensor_count();
    buffers.push_back(
        {.name = name_of(b),
         .begin = addresses_[b],
         .bytes = sizes_[b],
         .element_bytes = is_tensor ? cases::size_of(sized_->tensors[b].tensor->dtype) : 0});
  }
  return buffers;
}

bool Operands::is_read(std::size_t buffer) const {
  return buffer < tensor_count() && sized_->tensors[buffer].is_read();
}

bool Operands::is_input(std::size_t buffer) const {
  return buffer < tensor_count() && !sized_->tensors[buffer].is_written();
}

std::span<const std::byte> Operands::guard(std::size_t buffer, Side side,
                                           const HostSide& host) const {
  const auto bands = std::span<const std::byte>(host.guards[buffer]);
  return side == Side::before ? bands.first(guard_bytes_) : bands.last(guard_bytes_);
}

void Operands::make_guards(const Key& key, HostSide& host) const {
  host.guards.resize(addresses_.size());
  for (std::size_t b = 0; b < addresses_.size(); ++b) {
    host.guards[b].resize(2 * guard_bytes_);
    random_bytes({key, static_cast<std::uint32_t>(b), Purpose::guards}, host.guards[b]);
  }
}

void Operands::load(const std::vector<Bytes>& inputs, const Key& key, HostSide& host) {
  make_guards(key, host);
  for (std::size_t b = 0; b < addresses_.size(); ++b) {
    std::span<const std::byte> content;
    if (is_read(b)) {
      content = inputs[b];
    } else if (stands(Defence::refilled_memory)) {
      host.noise.resize(sizes_[b]);
      if (stands(Defence::random_fill))
        random_bytes({key, static_cast<std::uint32_t>(b), Purpose::noise}, host.noise);
      content = host.noise;
    } else {
      host.staging_on(*device_).copy_in(addresses_[b] - guard_bytes_,
                                        {guard(b, Side::before, host)});
      host.staging_on(*device_).copy_in(addresses_[b] + sizes_[b], {guard(b, Side::behind, host)});
      continue;
    }
    host.staging_on(*device_).copy_in(
        addresses_[b] - guard_bytes_,
        {guard(b, Side::before, host), content, guard(b, Side::behind, host)});
  }
  set_scalars(inputs);
}

void Operands::set_scalars(const std::vector<Bytes>& inputs) {
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    const std::size_t index = tensor_count() + i;
    const Bytes& value = inputs[index];
    std::memcpy(scalars_[i].data(), value.data(), value.size());
    const std::optional<cases::ByValue>& by_value = sized_->tensors[index].tensor->by_value;
    if (!by_value) continue;
    for (const cases::ByValue::Pointer& pointer : by_value->pointers) {
      const driver::Address address = addresses_[sized_->index_of(pointer.tensor)] + pointer.offset;
      std::memcpy(scalars_[i].data() + pointer.at, &address, sizeof address);
    }
  }
}

std::vector<Bytes> Operands::outputs() const {
  std::vector<Bytes> outputs(sized_->tensors.size());
  for (std::size_t t = 0; t < outputs.size(); ++t) {
    if (!sized_->tensors[t].is_written()) continue;
    outputs[t].resize(sizes_[t]);
    device_->copy_out(outputs[t], addresses_[t]);
  }
  return outputs;
}

void Operands::copy_outputs(std::span<std::byte> to, const Staging& staging) const {
  for (std::size_t t = 0; t < sized_->tensors.size(); ++t) {
    if (!sized_->tensors[t].is_written()) continue;
    staging.copy_out(addresses_[t], to.first(sizes_[t]));
    to = to.subspan(sizes_[t]);
  }
}

bool Operands::is_undisturbed(std::size_t buffer, const std::vector<Bytes>& inputs,
                              HostSide& host) const {
  const driver::Address begin = addresses_[buffer];
  const auto before = guard(buffer, Side::before, host);
  const auto behind = guard(buffer, Side::behind, host);
  if (is_input(buffer)) {
    return host.staging_on(*device_).holds(begin - guard_bytes_, {before, inputs[buffer], behind});
  }
  return host.staging_on(*device_).holds(begin - guard_bytes_, {before}) &&
         host.staging_on(*device_).holds(begin + sizes_[buffer], {behind});
}

std::optional<Disturbance> Operands::disturbed_guard(std::size_t buffer,
                                                     const HostSide& host) const {
  const Bytes& written = host.guards[buffer];
  Bytes found(written.size());
  const auto bands = std::span(found);
  device_->copy_out(bands.first(guard_bytes_), addresses_[buffer] - guard_bytes_);
  device_->copy_out(bands.last(guard_bytes_), addresses_[buffer] + sizes_[buffer]);
  if (same_bytes(found, written)) return std::nullopt;
  const std::size_t at = first_difference(found, written);
  return Disturbance{at < guard_bytes_ ? fmt::format("it wrote {} bytes before the beginning of {}",
                                                     guard_bytes_ - at, name_of(buffer))
                                       : fmt::format("it wrote {} bytes past the end of {}",
                                                     at - guard_bytes_ + 1, name_of(buffer)),
                     Cause::out_of_bounds};
}

std::optional<Disturbance> Operands::changed_input(std::size_t buffer, const Bytes& input) const {
  const SizedTensor& tensor = sized_->tensors[buffer];
  Bytes found(tensor.bytes);
  device_->copy_out(found, addresses_[buffer]);
  if (same_bytes(found, input)) return std::nullopt;
  const std::uint64_t element =
      first_difference(found, input) / cases::size_of(tensor.tensor->dtype);
  return Disturbance{
      fmt::format("it changed its input {} = {} to {}", element_name(tensor, element),
                  value_text(tensor.tensor->dtype, input, element),
                  value_text(tensor.tensor->dtype, found, element)),
      Cause::input_changed};
}

std::optional<Disturbance> Operands::disturbed(const std::vector<Bytes>& inputs,
                                               HostSide& host) const {
  for (std::size_t b = 0; b < addresses_.size(); ++b) {
    if (is_undisturbed(b, inputs, host)) continue;
    if (auto guard = disturbed_guard(b, host)) return guard;
    if (is_input(b)) {
      if (auto input = changed_input(b, inputs[b])) return input;
    }
    return Disturbance{
        fmt::format("{} and what lies around it change while nothing runs", name_of(b)),
        Cause::unknown};
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
