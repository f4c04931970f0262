#include "bridge/definition/safetensors.h"

#include <fmt/format.h>

#include <string_view>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::bridge {
namespace {

using document::Json;

constexpr std::size_t kLengthBytes = 8;

[[noreturn]] void refuse_tensors(const std::string& file, const std::string& why) {
  throw Error(Stop::usage, fmt::format("cannot read {}: {}", visible_line(file), why));
}

[[nodiscard]] Json header_of(const std::string& file, std::string_view bytes, std::size_t length) {
  try {
    if (auto json = document::parsed(bytes.substr(kLengthBytes, length)); json && json->is_object())
      return *std::move(json);
  } catch (const document::Unreadable&) {
    refuse_tensors(file, "its header has too many values");
  }
  refuse_tensors(file, "its header is no JSON");
}

}  // namespace

StoredTensor safetensors_entry(const std::string& file, const std::string& bytes,
                               const std::string& key) {
  if (bytes.size() < kLengthBytes) refuse_tensors(file, "it is no file of safetensors");
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;)
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  if (length > bytes.size() - kLengthBytes)
    refuse_tensors(file, "it is cut off, or no file of safetensors");
  const Json header = header_of(file, bytes, length);
  const auto entry = header.find(key);
  if (entry == header.end())
    refuse_tensors(file, fmt::format("it has no tensor {}", visible_line(key)));
  try {
    StoredTensor tensor{.dtype = entry->at("dtype").get<std::string>(), .shape = {}, .bytes = {}};
    for (const Json& extent : entry->at("shape"))
      tensor.shape.push_back(extent.get<std::int64_t>());
    const auto begin = entry->at("data_offsets").at(0).get<std::uint64_t>();
    const auto end = entry->at("data_offsets").at(1).get<std::uint64_t>();
    const std::string_view values = std::string_view(bytes).substr(kLengthBytes + length);
    if (begin > end || end > values.size())
      refuse_tensors(file, fmt::format("the values of {} are cut off", visible_line(key)));
    tensor.bytes = values.substr(begin, end - begin);
    return tensor;
  } catch (const Json::exception&) {
    refuse_tensors(file, fmt::format("its header does not say where {} is", visible_line(key)));
  }
}

}  // namespace autokernel::bridge
