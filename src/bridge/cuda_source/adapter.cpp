#include "bridge/cuda_source/adapter.h"

#include <fmt/format.h>

namespace autokernel::bridge {
namespace {

constexpr const char* kAccessors =
    R"(// PyTorch's accessors, as far as kernels use them: an address, with extents and strides in elements.
namespace torch {
template <typename T>
struct DefaultPtrTraits {};
template <typename T>
struct RestrictPtrTraits {};
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits,
          typename Index = long long>
struct PackedTensorAccessor {
  T* first;
  Index extents[N];
  Index steps[N];
  __device__ T* data() const { return first; }
  __device__ Index size(int i) const { return extents[i]; }
  __device__ Index stride(int i) const { return steps[i]; }
  __device__ decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return (first[i * steps[0]]);
    } else {
      PackedTensorAccessor<T, N - 1, Traits, Index> part;
      part.first = first + i * steps[0];
      for (int k = 1; k < N; ++k) {
        part.extents[k - 1] = extents[k];
        part.steps[k - 1] = steps[k];
      }
      return part;
    }
  }
};
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = PackedTensorAccessor<T, N, Traits, int>;
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = PackedTensorAccessor<T, N, Traits, long long>;
}  // namespace torch
namespace at {
using namespace torch;
}

)";

[[nodiscard]] std::string listed(const std::string& list, const std::string& next) {
  return list.empty() ? next : list + ", " + next;
}

// What stands in the kernel's own text: "__launch_bounds__(256) ".
[[nodiscard]] std::string launch_bounds(const Function& kernel) {
  std::string found;
  walk(kernel.definition, [&](const Node& at) {
    if (at.is("launch_bounds")) found = at.string() + " ";
    return found.empty() && !at.is("compound_statement");
  });
  return found;
}

}  // namespace

bool is_accessor(const std::string& type) {
  return type.find("PackedTensorAccessor") != std::string::npos;
}

void Adapter::add(const std::string& type, const std::string& name) {
  add_part(type, name);
  arguments_ = listed(arguments_, name);
}

void Adapter::add_part(const std::string& type, const std::string& name) {
  parameters_ = listed(parameters_, type + " " + name);
}

void Adapter::add_made(const std::string& lines, const std::string& argument) {
  is_needed_ = true;
  lines_ += lines;
  arguments_ = listed(arguments_, argument);
}

void Adapter::add_accessor(const std::string& type, const std::string& name,
                           const std::vector<std::string>& extents) {
  has_accessor_ = true;
  std::string sizes;
  std::string steps;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    sizes = listed(sizes, extents[i]);
    std::string step = "1";
    for (std::size_t k = i + 1; k < extents.size(); ++k) step += fmt::format(" * ({})", extents[k]);
    steps = listed(steps, step);
  }
  add_made(fmt::format("  const {} {}_accessor = {{{}, {{{}}}, {{{}}}}};\n", type, name, name,
                       sizes, steps),
           name + "_accessor");
}

std::string Adapter::name_for(const Function& kernel) { return kernel.name + "_launched"; }

std::string Adapter::before() const { return has_accessor_ ? kAccessors : ""; }

std::string Adapter::behind(const Function& kernel, const std::string& instance) const {
  return fmt::format(
      "// A case hands over tensors and numbers; {0} takes them as they are here.\n"
      "extern \"C\" __global__ void {1}{2}({3}) {{\n{4}  {5}{6}({7});\n}}\n\n",
      kernel.name, launch_bounds(kernel), name_for(kernel), parameters_, lines_, kernel.qualified,
      instance, arguments_);
}

}  // namespace autokernel::bridge
