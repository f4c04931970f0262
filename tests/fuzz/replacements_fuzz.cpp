// Any bytes are a list of replacements: what it holds can be used without a further look.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>

#include "driver/replacement_list.h"

namespace {

using namespace autokernel::inject;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_usable(const Replacement& each) {
  using Kind = OwnLaunch::Source::Kind;
  for (const ParameterPattern& parameter : each.parameters) {
    for (const ParameterPattern::Pointer& pointer : parameter.pointers) {
      require(pointer.at + sizeof(CUdeviceptr) <= parameter.bytes.size());
      require(pointer.tensor < each.tensors.size());
    }
  }
  for (const ReplacedTensor& tensor : each.tensors) require(tensor.bytes >= tensor.element_bytes);
  for (const OwnLaunch& launch : each.launches) {
    for (const OwnLaunch::Source& source : launch.parameters) {
      if (source.kind == Kind::tensor) require(source.index < each.tensors.size());
      if (source.kind == Kind::parameter) require(source.index < each.parameters.size());
      if (source.kind == Kind::map) require(source.index < each.maps.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream list(std::string(data, data + size));
  try {
    const auto code_of = [](const std::string& name) { return name.empty() ? "" : "code"; };
    for (const Replacement& each : replacements_in(list, code_of)) require_usable(each);
  } catch (const std::exception&) {
    return 0;
  }
  return 0;
}
