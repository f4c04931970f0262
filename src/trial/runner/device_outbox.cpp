#include "trial/runner/device_outbox.h"

#include <algorithm>
#include <utility>

#include "trial/launch/harness_module.h"

namespace autokernel::trial {
namespace {

// The driver shares memory in pieces of this size: what else lay in the last would be shared, too.
constexpr std::size_t kPiece = std::size_t{2} << 20U;

[[nodiscard]] std::size_t whole_pieces(std::size_t bytes) {
  return std::max<std::size_t>(1, (bytes + kPiece - 1) / kPiece) * kPiece;
}

}  // namespace

DeviceOutbox::DeviceOutbox(const driver::Device& device, std::size_t bytes)
    : device_(&device),
      room_(device.allocate(whole_pieces(bytes))),
      stream_(device.make_stream()) {}

void DeviceOutbox::put(const Operands& operands, const SizedCase& sized) const {
  driver::Address to = room_.address();
  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    if (!sized.tensors[t].is_written()) continue;
    expect_queued(stream_.copy(to, operands.address(t), sized.tensors[t].bytes));
    to += sized.tensors[t].bytes;
  }
  expect_queued(stream_.wait());
}

void DeviceOutbox::clear(const SizedCase& sized) const {
  expect_queued(stream_.zero(room_.address(), sized.output_bytes()));
  expect_queued(stream_.wait());
}

DeviceInbox::DeviceInbox(const driver::Device& device, driver::Buffer room)
    : device_(&device), room_(std::move(room)), stream_(device.make_stream()) {}

std::optional<DeviceInbox> DeviceInbox::open(const driver::Device& device, const std::string& name,
                                             std::size_t bytes) {
  auto room = device.map_shared(name);
  if (!room || room->bytes() < bytes) return std::nullopt;
  return DeviceInbox(device, *std::move(room));
}

std::vector<driver::Buffer> DeviceInbox::take(const SizedCase& sized) const {
  std::vector<driver::Buffer> outputs(sized.tensors.size());
  driver::Address from = room_.address();
  for (std::size_t t = 0; t < outputs.size(); ++t) {
    const std::size_t bytes = sized.tensors[t].bytes;
    if (!sized.tensors[t].is_written()) continue;
    outputs[t] = device_->allocate(bytes);
    expect_queued(stream_.copy(outputs[t].address(), from, bytes));
    from += bytes;
  }
  expect_queued(stream_.wait());
  return outputs;
}

}  // namespace autokernel::trial
