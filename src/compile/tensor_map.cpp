#include "compile/tensor_map.h"

#include <string_view>

#include "autokernel/compile/source_text.h"
#include "compile/declaration.h"
#include "compile/elf.h"

namespace autokernel::compile {
namespace {

using Bytes = std::span<const std::byte>;

// Takes the fields of autokernel::TensorMap one after the other.
class Fields {
 public:
  explicit Fields(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] std::string text(std::size_t size) {
    const Bytes field = bytes_.subspan(at_, size);
    at_ += size;
    return text_in(field);
  }
  void take(std::int64_t& number) {
    number = little_endian<std::int64_t>(bytes_, at_);
    at_ += sizeof number;
  }
  template <std::size_t count>
  void take(std::array<std::int64_t, count>& numbers) {
    for (std::int64_t& number : numbers) take(number);
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kBytes = 352;

}  // namespace

TensorMap decode_tensor_map(Bytes bytes, const std::string& symbol, const std::string& file_name) {
  require_header(bytes, {"AKTENSOR", 1, kBytes, "AUTOKERNEL_TENSOR_MAP", symbol}, file_name);
  TensorMap map;
  map.name = symbol.substr(std::string_view(kTensorMapPrefix).size());
  map.file = file_name;
  map.line = line_of(bytes);
  map.place = compile::place(file_name, map.line);
  Fields fields(bytes.subspan(kHeaderBytes));
  map.tensor = fields.text(64);
  fields.take(map.box);
  fields.take(map.swizzle);
  fields.take(map.interleave);
  fields.take(map.l2_promotion);
  map.oob_fill = fields.text(8);
  fields.take(map.element_strides);
  fields.take(map.view.dims);
  fields.take(map.view.strides);
  fields.take(map.view.offset);
  map.type = fields.text(16);
  fields.take(map.im2col.lower);
  fields.take(map.im2col.upper);
  fields.take(map.im2col.channels);
  fields.take(map.im2col.pixels);
  return map;
}

}  // namespace autokernel::compile
