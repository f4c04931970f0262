#include "programs/profile/argument_lists.h"

#include <limits>

namespace autokernel::programs {
namespace {

// Of one event. The longest lists that PyTorch writes have the tensors of a whole optimizer.
constexpr std::size_t kMostElements = std::size_t{1} << 20U;
// Of a type or a value. Long values are lists, of which nothing is read.
constexpr std::size_t kLongestElement = 256;

}  // namespace

bool ArgumentLists::begin(TraceKey key) {
  bool is_read = false;
  if (key == TraceKey::grid) is_read = begin_triple(event_.grid);
  if (key == TraceKey::block) is_read = begin_triple(event_.block);
  if (key == TraceKey::dims) is_read = begin_shapes(event_.dims);
  if (key == TraceKey::strides) is_read = begin_shapes(event_.strides);
  if (key == TraceKey::types) is_read = begin_texts(event_.types);
  if (key == TraceKey::values) is_read = begin_texts(event_.values);
  if (is_read) ++depth_;
  return is_read;
}

void ArgumentLists::number(TraceKey key, std::int64_t value) {
  if (key == TraceKey::grid) return add_to_triple(event_.grid, value);
  if (key == TraceKey::block) return add_to_triple(event_.block, value);
  if (key == TraceKey::dims) return add_to_shape(event_.dims, value);
  if (key == TraceKey::strides) return add_to_shape(event_.strides, value);
  wrong(key);
}

void ArgumentLists::text(TraceKey key, const std::string& value) {
  if (key == TraceKey::types) return add_text(event_.types, value);
  if (key == TraceKey::values) return add_text(event_.values, value);
  wrong(key);
}

void ArgumentLists::wrong(TraceKey key) {
  if (key == TraceKey::grid) event_.grid.given = Given::wrong;
  if (key == TraceKey::block) event_.block.given = Given::wrong;
  if (key == TraceKey::dims) event_.dims.given = Given::wrong;
  if (key == TraceKey::strides) event_.strides.given = Given::wrong;
  if (key == TraceKey::types) event_.types.given = Given::wrong;
  if (key == TraceKey::values) event_.values.given = Given::wrong;
}

bool ArgumentLists::begin_triple(Triple& triple) {
  if (depth_ > 0) return false;
  triple = {.given = Given::yes};
  triple_size_ = 0;
  return true;
}

void ArgumentLists::add_to_triple(Triple& triple, std::int64_t value) {
  if (triple_size_ == triple.values.size() || value < 0 ||
      value > std::numeric_limits<std::uint32_t>::max()) {
    triple.given = Given::wrong;
  } else {
    triple.values.at(triple_size_++) = value;
  }
}

bool ArgumentLists::begin_shapes(Shapes& shapes) {
  if (depth_ == 0) {
    shapes = {};
    shapes.given = Given::yes;
    elements_ = 0;
    return true;
  }
  if (depth_ == 1) {
    ++shapes.inputs;
    is_list_of_tensors_ = false;
    return add_element(shapes);
  }
  // The first tensor of an input that is a list takes the place of that list.
  if (depth_ > 2 || shapes.elements.empty()) return false;
  if (is_list_of_tensors_) return add_element(shapes);
  is_list_of_tensors_ = true;
  return shapes.elements.back().empty();
}

void ArgumentLists::add_to_shape(Shapes& shapes, std::int64_t value) {
  // A shape has one number for each dimension, and is a list of them in a list.
  if (depth_ < 2 || value < 0 || ++elements_ > kMostElements || shapes.elements.empty()) {
    shapes.given = Given::wrong;
  } else {
    shapes.elements.back().push_back(value);
  }
}

bool ArgumentLists::begin_texts(Texts& texts) {
  if (depth_ == 0) {
    texts = {};
    texts.given = Given::yes;
    elements_ = 0;
    return true;
  }
  ++texts.inputs;
  return depth_ == 1;
}

void ArgumentLists::add_text(Texts& texts, const std::string& value) {
  if (depth_ == 1) ++texts.inputs;
  if (!add_element(texts)) {
    texts.given = Given::wrong;
  } else if (value.size() <= kLongestElement) {
    texts.elements.back() = value;
  }
}

template <typename Element>
bool ArgumentLists::add_element(PerInput<Element>& list) {
  if (++elements_ > kMostElements || list.inputs == 0) return false;
  list.elements.emplace_back();
  list.input.push_back(list.inputs - 1);
  return true;
}

}  // namespace autokernel::programs
