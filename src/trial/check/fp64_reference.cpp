#include "trial/check/fp64_reference.h"

#include <cstring>

namespace autokernel::trial {

bool Fp64Reference::holds_doubles(const SizedTensor& tensor) {
  return tensor.is_written() && cases::is_floating(tensor.tensor->dtype);
}

const Operands& Fp64Reference::on_device(const Occasion& occasion, DeviceOperands& source) {
  return kernel_.on_device({&widened(*occasion.sized), occasion.input_kind, occasion.key}, source);
}

const SizedCase& Fp64Reference::widened(const SizedCase& sized) {
  const auto [entry, is_new] = widened_.try_emplace(sized.size_name, sized);
  if (is_new) {
    for (SizedTensor& tensor : entry->second.tensors) {
      if (holds_doubles(tensor)) tensor.bytes = tensor.count * sizeof(double);
    }
  }
  return entry->second;
}

const std::vector<std::vector<double>>& Fp64Reference::expected(const SizedCase& sized,
                                                                const std::vector<Bytes>& inputs) {
  const std::vector<Bytes>& bytes = kernel_.expected(widened(sized), inputs);
  expected_.resize(sized.tensors.size());
  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    if (!holds_doubles(sized.tensors[t])) continue;
    expected_[t].resize(sized.tensors[t].count);
    std::memcpy(expected_[t].data(), bytes[t].data(), bytes[t].size());
  }
  return expected_;
}

}  // namespace autokernel::trial
