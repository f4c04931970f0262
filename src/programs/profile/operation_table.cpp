#include "programs/profile/operation_table.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "programs/profile/torch_product.h"

namespace autokernel::programs {
namespace {

void append_shapes(const Shapes& shapes, std::string& key) {
  key += '\0';
  for (const std::vector<std::int64_t>& shape : shapes.elements) {
    for (const std::int64_t size : shape) {
      fmt::format_to(std::back_inserter(key), FMT_STRING("{},"), size);
    }
    key += ';';
  }
}

void append_texts(const Texts& texts, std::string& key) {
  key += '\0';
  for (const std::string& text : texts.elements) {
    key += text;
    key += '\0';
  }
}

// A type for each shape: that of its input, where the input is a list of tensors. None where the
// two lists do not belong together.
[[nodiscard]] std::vector<std::string> types_of(const TraceEvent& event) {
  if (event.types.given != Given::yes || event.types.inputs != event.dims.inputs) return {};
  std::vector<std::string> types;
  std::size_t at = 0;
  for (std::size_t i = 0; i < event.dims.input.size(); ++i) {
    const std::size_t input = event.dims.input[i];
    const bool is_next_of_list = i > 0 && event.dims.input[i - 1] == input;
    const bool has_more = at + 1 < event.types.input.size() && event.types.input[at + 1] == input;
    if (is_next_of_list && has_more) ++at;
    while (at < event.types.input.size() && event.types.input[at] < input) ++at;
    if (at == event.types.input.size() || event.types.input[at] != input) return {};
    types.push_back(event.types.elements[at]);
  }
  return types;
}

[[nodiscard]] Operation operation_of(const TraceEvent& event) {
  Operation operation{.name = event.name, .dims = {}, .types = {}, .product = product_of(event)};
  if (event.dims.given == Given::yes) {
    operation.dims = event.dims.elements;
    operation.types = types_of(event);
  }
  return operation;
}

}  // namespace

std::uint32_t OperationTable::index_of(const TraceEvent& event) {
  std::string key = event.name;
  append_shapes(event.dims, key);
  append_texts(event.types, key);
  // What a product also depends on. Values of others would make each execution another operation.
  const std::optional<Product> product = product_of(event);
  if (product) {
    append_shapes(event.strides, key);
    fmt::format_to(std::back_inserter(key), FMT_STRING("{} {}"), product->alpha, product->beta);
  }
  const auto [entry, is_new] =
      indices_.try_emplace(std::move(key), static_cast<std::uint32_t>(operations_.size()));
  if (is_new) {
    // The key has all texts and numbers, and the operation has them again.
    memory_.take(4 * entry->first.size() + sizeof(Operation) +
                 event.dims.elements.size() * (sizeof(std::string) + sizeof(event.dims)));
    operations_.push_back(operation_of(event));
  }
  return entry->second;
}

}  // namespace autokernel::programs
