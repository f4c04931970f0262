#include "trial/launch/tensor_maps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "trial/launch/buffers.h"

namespace autokernel::trial {
namespace {

using driver::TensorType;

// What the driver documents of maps: dimensions, elements along one, and bytes between neighbours.
constexpr std::size_t kMostDimensions = 5;
constexpr std::int64_t kMostElements = std::int64_t{1} << 32;
constexpr std::uint64_t kStrideLimit = std::uint64_t{1} << 40;
// Along a dimension of the box, and between elements that are copied.
constexpr std::int64_t kMostInBox = 256;
constexpr std::int64_t kMostElementStride = 8;
// Of strides, of addresses, and of what a box has along dimension 0; twice that for addresses and
// strides where tensors are interleaved by 32 bytes.
constexpr std::uint64_t kAlignment = 16;
constexpr std::int64_t kWideInterleave = 32;
// Of maps in im2col mode.
constexpr std::int64_t kMostChannels = 256;
constexpr std::int64_t kMostPixels = 1024;

struct NamedType {
  std::string_view name;
  TensorType type;
  std::uint64_t bytes;
  bool is_float;
};
constexpr std::array kTypes = {
    NamedType{"u8", TensorType::u8, 1, false},
    NamedType{"u16", TensorType::u16, 2, false},
    NamedType{"u32", TensorType::u32, 4, false},
    NamedType{"i32", TensorType::i32, 4, false},
    NamedType{"u64", TensorType::u64, 8, false},
    NamedType{"i64", TensorType::i64, 8, false},
    NamedType{"f16", TensorType::f16, 2, true},
    NamedType{"bf16", TensorType::bf16, 2, true},
    NamedType{"f32", TensorType::f32, 4, true},
    NamedType{"f32_ftz", TensorType::f32_ftz, 4, true},
    NamedType{"tf32", TensorType::tf32, 4, true},
    NamedType{"tf32_ftz", TensorType::tf32_ftz, 4, true},
    NamedType{"f64", TensorType::f64, 8, true},
};

// what() is what is wrong with a map, without its place.
class BadMap : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw BadMap(fmt::format(text, std::forward<Arguments>(arguments)...));
}

std::string list(std::span<const std::int64_t> numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

// How many are given: those before the zeros at the end.
template <std::size_t size>
std::size_t given(const std::array<std::int64_t, size>& numbers) {
  std::size_t count = size;
  while (count > 0 && numbers[count - 1] == 0) --count;
  return count;
}

class Resolution {
 public:
  Resolution(const compile::TensorMap& map, const SizedCase& sized, std::uint64_t workspace_bytes)
      : map_(map), sized_(sized), workspace_bytes_(workspace_bytes) {}

  [[nodiscard]] ResolvedMap run() {
    find_buffer();
    find_type();
    take_shape();
    take_modes();
    if (is_im2col()) {
      take_im2col();
    } else {
      take_box();
    }
    take_element_strides();
    require_inside();
    return result_;
  }

 private:
  [[nodiscard]] bool is_im2col() const {
    return map_.im2col.channels != 0 || map_.im2col.pixels != 0;
  }
  // Null for the workspace.
  [[nodiscard]] const SizedTensor* tensor() const { return tensor_; }
  [[nodiscard]] std::uint64_t alignment() const {
    return map_.interleave == kWideInterleave ? 2 * kAlignment : kAlignment;
  }

  void find_buffer() {
    const auto found = buffer_called(map_.tensor, sized_, workspace_bytes_);
    if (found && found->bytes > 0) {
      result_.buffer = found->index;
      tensor_ = found->tensor;
      buffer_bytes_ = found->bytes;
      return;
    }
    if (map_.tensor == kWorkspace)
      refuse(
          ".tensor is the workspace, which the file has not got; write "
          "AUTOKERNEL_WORKSPACE(bytes)");
    std::vector<std::string> names;
    for (const SizedTensor& each : sized_.tensors)
      if (!each.tensor->is_scalar) names.push_back(each.tensor->name);
    if (workspace_bytes_ > 0) names.emplace_back(kWorkspace);
    refuse(R"(.tensor is "{}"; write one of "{}")", map_.tensor, fmt::join(names, R"(", ")"));
  }

  void find_type() {
    if (map_.type.empty() && tensor() == nullptr)
      refuse("a map of the workspace has no type of its own; write .type, such as \"f32\"");
    const std::string_view name =
        map_.type.empty() ? std::string_view(cases::spelling(tensor()->tensor->dtype)) : map_.type;
    const auto* const found = std::ranges::find(kTypes, name, &NamedType::name);
    if (found == kTypes.end()) {
      std::vector<std::string_view> names;
      std::ranges::transform(kTypes, std::back_inserter(names), &NamedType::name);
      refuse(R"(.type is "{}"; write one of "{}")", name, fmt::join(names, R"(", ")"));
    }
    type_ = *found;
    result_.layout.type = type_.type;
  }

  // The tensor's own, turned around: the innermost dimension comes first.
  [[nodiscard]] std::vector<std::int64_t> own_dims() const {
    if (tensor() == nullptr)
      refuse("a map of the workspace has no shape of its own; write .view = {{.dims = {{...}}}}");
    std::vector<std::int64_t> dims(tensor()->extents.rbegin(), tensor()->extents.rend());
    if (cases::size_of(tensor()->tensor->dtype) != type_.bytes)
      refuse(
          "elements of .type \"{}\" have {} bytes, those of {} {}; write .view = {{.dims = "
          "{{...}}}}, "
          "in elements of that type",
          type_.name, type_.bytes, map_.tensor, cases::size_of(tensor()->tensor->dtype));
    if (dims.size() > kMostDimensions)
      refuse(
          "{} has {} dimensions, and a map at most {}; write .view = {{.dims = {{...}}}} with some "
          "of them as one",
          map_.tensor, dims.size(), kMostDimensions);
    return dims;
  }

  void take_shape() {
    const std::size_t viewed = given(map_.view.dims);
    dims_ = viewed > 0
                ? std::vector<std::int64_t>(map_.view.dims.begin(),
                                            map_.view.dims.begin() + static_cast<long>(viewed))
                : own_dims();
    for (const std::int64_t dim : dims_) {
      if (dim < 1 || dim > kMostElements)
        refuse("its dimensions are {}; each must be from 1 to {}", list(dims_), kMostElements);
    }
    result_.layout.rank = static_cast<std::uint32_t>(dims_.size());
    std::ranges::copy(dims_, result_.layout.dims.begin());
    take_strides();
    if (map_.view.offset < 0)
      refuse(".view.offset is {}; write 0 or more elements", map_.view.offset);
    if (static_cast<std::uint64_t>(map_.view.offset) > buffer_bytes_)
      refuse(".view.offset is {}, beyond the end of {}; write fewer elements", map_.view.offset,
             map_.tensor);
    result_.offset = static_cast<std::uint64_t>(map_.view.offset) * type_.bytes;
    if (result_.offset % alignment() != 0)
      refuse(
          ".view.offset is {} elements of {} bytes; a map begins at a multiple of {} bytes: write "
          "a multiple of {}",
          map_.view.offset, type_.bytes, alignment(), alignment() / type_.bytes);
  }

  void take_strides() {
    const std::size_t count = given(map_.view.strides);
    if (count > 0 && count != dims_.size() - 1)
      refuse(
          ".view.strides has {} values, and the map {} dimensions; write {}, for dimensions 1 and "
          "up, or leave .strides out where nothing lies between rows",
          count, dims_.size(), dims_.size() - 1);
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i + 1 < dims_.size(); ++i) {
      // No overflow: what goes beyond the buffer ends here.
      if (static_cast<std::uint64_t>(dims_[i]) > buffer_bytes_ / elements) refuse_size();
      elements *= static_cast<std::uint64_t>(dims_[i]);
      if (count > 0 && map_.view.strides[i] < 1)
        refuse(
            ".view.strides[{}] is {}; write the elements from one to the next along dimension {}",
            i, map_.view.strides[i], i + 1);
      if (count > 0) elements = static_cast<std::uint64_t>(map_.view.strides[i]);
      if (elements >= kStrideLimit / type_.bytes) refuse_size();
      const std::uint64_t bytes = elements * type_.bytes;
      if (bytes % alignment() != 0)
        refuse(
            "neighbours along dimension {} are {} bytes apart; a map needs a multiple of {}: pad "
            "the "
            "rows in a workspace, or copy without a map",
            i + 1, bytes, alignment());
      result_.layout.strides.at(i) = bytes;
    }
  }

  void take_modes() {
    const auto choose = [](const char* field, std::int64_t value,
                           std::span<const std::int64_t> values) {
      if (std::ranges::find(values, value) == values.end())
        refuse(".{} is {}; write one of {} bytes, or 0 for none", field, value,
               list(values.subspan(1)));
      return static_cast<std::uint32_t>(value);
    };
    constexpr std::array<std::int64_t, 4> kSwizzles = {0, 32, 64, 128};
    constexpr std::array<std::int64_t, 3> kInterleaves = {0, 16, 32};
    constexpr std::array<std::int64_t, 4> kPromotions = {0, 64, 128, 256};
    result_.layout.swizzle = choose("swizzle", map_.swizzle, kSwizzles);
    result_.layout.interleave = choose("interleave", map_.interleave, kInterleaves);
    result_.layout.l2_promotion = choose("l2_promotion", map_.l2_promotion, kPromotions);
    if (map_.interleave == kWideInterleave && map_.swizzle != kWideInterleave)
      refuse(".interleave is 32 and .swizzle {}; write .swizzle = 32", map_.swizzle);
    if (map_.interleave != 0 && dims_.size() < 3)
      refuse(".interleave takes at least 3 dimensions, and the map has {}; leave it out",
             dims_.size());
    if (map_.oob_fill != "zeros" && map_.oob_fill != "nan")
      refuse(R"(.oob_fill is "{}"; write "zeros" or "nan")", map_.oob_fill);
    result_.layout.fills_with_nan = map_.oob_fill == "nan";
    if (result_.layout.fills_with_nan && !type_.is_float)
      refuse(R"(.oob_fill is "nan", which "{}" has not got; write "zeros")", type_.name);
  }

  void take_box() {
    const std::size_t count = given(map_.box);
    if (count != dims_.size())
      refuse(
          ".box has {} values, and the map {} dimensions, {}; write one for each, the innermost "
          "first",
          count, dims_.size(), list(dims_));
    const std::span<const std::int64_t> box = std::span(map_.box).first(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (box[i] < 1 || box[i] > kMostInBox)
        refuse(".box is {}; each must be from 1 to {}", list(box), kMostInBox);
      result_.layout.box.at(i) = static_cast<std::uint32_t>(box[i]);
    }
    require_row(static_cast<std::uint64_t>(box[0]) * type_.bytes,
                fmt::format(".box[0] is {}", box[0]));
  }

  // What is copied along dimension 0, and what the swizzle makes of it.
  void require_row(std::uint64_t bytes, const std::string& is) const {
    if (map_.interleave == 0 && bytes % kAlignment != 0)
      refuse("{} elements of {} bytes; write a multiple of {}, as copies move {} bytes at a time",
             is, type_.bytes, kAlignment / type_.bytes, kAlignment);
    const auto swizzle = static_cast<std::uint64_t>(map_.swizzle);
    if (map_.interleave == 0 && swizzle != 0 && bytes > swizzle)
      refuse(
          "{} elements of {} bytes, more than the {} that .swizzle takes along dimension 0; write "
          "at "
          "most {}",
          is, type_.bytes, swizzle, swizzle / type_.bytes);
  }

  void take_im2col() {
    const auto& [lower, upper, channels, pixels] = map_.im2col;
    if (dims_.size() < 3)
      refuse(
          ".im2col takes 3 to 5 dimensions, and the map has {}; write .view = {{.dims = {{C, W, H, "
          "N}}}}",
          dims_.size());
    if (given(map_.box) > 0) refuse(".im2col and .box exclude each other; leave .box out");
    if (channels < 1 || channels > kMostChannels)
      refuse(".im2col.channels is {}; it must be from 1 to {}", channels, kMostChannels);
    if (pixels < 1 || pixels > kMostPixels)
      refuse(".im2col.pixels is {}; it must be from 1 to {}", pixels, kMostPixels);
    const std::size_t corners = dims_.size() - 2;
    // 16, 8 and 5 bits, for one, two and three dimensions of pixels.
    constexpr std::array<std::int64_t, 3> kReach = {1 << 15, 1 << 7, 1 << 4};
    const std::int64_t reach = kReach.at(corners - 1);
    driver::Im2col im2col;
    for (std::size_t i = 0; i < lower.size(); ++i) {
      const bool none = i >= corners;
      const std::int64_t low = none ? 0 : -reach;
      const std::int64_t high = none ? 0 : reach - 1;
      if (std::min(lower[i], upper[i]) < low || std::max(lower[i], upper[i]) > high)
        refuse(
            ".im2col.lower is {} and .upper {}; a map of {} dimensions has {} of each, from {} to "
            "{}",
            list(lower), list(upper), dims_.size(), corners, -reach, reach - 1);
      im2col.lower.at(i) = static_cast<std::int32_t>(lower[i]);
      im2col.upper.at(i) = static_cast<std::int32_t>(upper[i]);
    }
    im2col.channels = static_cast<std::uint32_t>(channels);
    im2col.pixels = static_cast<std::uint32_t>(pixels);
    result_.layout.im2col = im2col;
    require_row(static_cast<std::uint64_t>(channels) * type_.bytes,
                fmt::format(".im2col.channels is {}", channels));
  }

  void take_element_strides() {
    if (given(map_.element_strides) > dims_.size())
      refuse(".element_strides has {} values, and the map {} dimensions; write one for each",
             given(map_.element_strides), dims_.size());
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      const std::int64_t stride = map_.element_strides[i];
      if (stride < 0 || stride > kMostElementStride)
        refuse(".element_strides is {}; each must be from 1 to {}", list(map_.element_strides),
               kMostElementStride);
      if (i == 0 && stride > 1 && map_.interleave == 0)
        refuse(
            ".element_strides[0] is {}, and along dimension 0 every element is copied unless the "
            "map "
            "is interleaved; write 1, or a .view in which that dimension is another one",
            stride);
      if (stride > 0) result_.layout.element_strides.at(i) = static_cast<std::uint32_t>(stride);
    }
  }

  // From the first element to the last all lies in the buffer: copies check nothing else.
  void require_inside() const {
    std::uint64_t end = result_.offset;
    const auto add = [&](std::uint64_t steps, std::uint64_t bytes) {
      if (steps > 0 && bytes > (buffer_bytes_ - std::min(end, buffer_bytes_)) / steps)
        refuse_size();
      end += steps * bytes;
    };
    // Interleaved, dimension 0 counts slices of so many bytes.
    const std::uint64_t step = map_.interleave == 0 ? type_.bytes : result_.layout.interleave;
    add(result_.layout.dims[0], step);
    for (std::size_t i = 1; i < dims_.size(); ++i)
      add(result_.layout.dims.at(i) - 1, result_.layout.strides.at(i - 1));
  }

  [[noreturn]] void refuse_size() const {
    refuse(
        "a view of {} elements of {} bytes reaches beyond the {} bytes of {}; write smaller .dims, "
        ".strides or .offset",
        list(dims_), type_.bytes, buffer_bytes_, map_.tensor);
  }

  const compile::TensorMap& map_;
  const SizedCase& sized_;
  std::uint64_t workspace_bytes_;
  const SizedTensor* tensor_ = nullptr;
  std::uint64_t buffer_bytes_ = 0;
  NamedType type_{};
  std::vector<std::int64_t> dims_;
  ResolvedMap result_;
};

}  // namespace

std::variant<ResolvedMap, std::string> resolve(const compile::TensorMap& map,
                                               const SizedCase& sized,
                                               std::uint64_t workspace_bytes) {
  try {
    return Resolution(map, sized, workspace_bytes).run();
  } catch (const BadMap& bad) {
    return fmt::format("{}tensor map {}: {}", map.place, map.name, bad.what());
  }
}

}  // namespace autokernel::trial
