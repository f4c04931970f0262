#include "trial/inputs/sized_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "autokernel/base/error.h"

namespace autokernel::trial {
namespace {

const cases::Sizes& sizes_named(const cases::Case& problem, const std::string& name) {
  const auto found = problem.sizes.find(name);
  if (found != problem.sizes.end()) return found->second;
  throw Error(Stop::usage, fmt::format("case {} has no size '{}'; it has {}", problem.name, name,
                                       fmt::join(cases::size_names(problem), ", ")));
}

}  // namespace

bool same_bytes(const Bytes& one, const Bytes& other) {
  if (one.size() != other.size()) return false;
  // memcmp takes no null pointer, not even for no bytes.
  return one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0;
}

std::size_t first_difference(const Bytes& one, const Bytes& other) {
  return static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
}

SizedCase::SizedCase(const cases::Case& of, const std::string& name)
    : problem(&of), size_name(name), sizes(sizes_named(of, name)) {
  if (of.types.contains(name)) {
    cases::Case typed = cases::at_size(of, name);
    // Large texts that nothing at a size asks for.
    typed.text.clear();
    typed.baselines.clear();
    typed_ = std::make_shared<const cases::Case>(std::move(typed));
    problem = typed_.get();
  }
  for (const cases::Tensor& tensor : problem->tensors) {
    const std::uint64_t count = cases::element_count(tensor, sizes);
    tensors.push_back({&tensor, cases::extents(tensor, sizes),
                       static_cast<std::uint64_t>(cases::row_length(tensor, sizes)), count,
                       count * cases::size_of(tensor.dtype), cases::fill_at(tensor.fill, sizes)});
  }
}

std::size_t SizedCase::index_of(const std::string& tensor) const {
  const auto found =
      std::ranges::find_if(tensors, [&](const SizedTensor& t) { return t.tensor->name == tensor; });
  if (found == tensors.end())
    throw Error(Stop::internal, "case " + problem->name + " has no tensor " + tensor);
  return static_cast<std::size_t>(found - tensors.begin());
}

std::map<std::string, std::string> SizedCase::type_names() const {
  std::map<std::string, std::string> names;
  const auto types = problem->types.find(size_name);
  if (types == problem->types.end()) return names;
  for (const auto& [symbol, dtype] : types->second) names[symbol] = cases::cpp_name(dtype);
  return names;
}

std::size_t SizedCase::output_bytes() const {
  std::size_t bytes = 0;
  for (const SizedTensor& tensor : tensors) bytes += tensor.is_written() ? tensor.bytes : 0;
  return bytes;
}

}  // namespace autokernel::trial
