// Sorting that leaves equals in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace autokernel {

// As std::ranges::stable_sort, which libstdc++ 12 builds on a buffer of a kind that C++17
// deprecated: clang reports it where it is called.
template <typename Value, typename Compare = std::ranges::less, typename Projection = std::identity>
void sort_stably(std::vector<Value>& values, Compare compare = {}, Projection projection = {}) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto comes_before = [&](std::size_t one, std::size_t other) {
    return std::invoke(compare, std::invoke(projection, values[one]),
                       std::invoke(projection, values[other]));
  };
  std::ranges::sort(order, [&](std::size_t one, std::size_t other) {
    if (comes_before(one, other)) return true;
    return one < other && !comes_before(other, one);
  });
  std::vector<Value> sorted;
  sorted.reserve(values.size());
  for (const std::size_t index : order) sorted.push_back(std::move(values[index]));
  values = std::move(sorted);
}

}  // namespace autokernel
