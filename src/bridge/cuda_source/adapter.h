// A kernel that is launched in the place of one which takes what a case cannot hand over: a struct
// of its own, or PyTorch's accessor of a tensor. It takes the parts, puts them together and calls
// that one, which is a function of the device then.
#pragma once

#include <string>
#include <vector>

#include "bridge/cuda_source/source.h"

namespace autokernel::bridge {

class Adapter {
 public:
  // A parameter that is handed on as it is.
  void add(const std::string& type, const std::string& name);
  // One of the adapter's own, of which an argument is made.
  void add_part(const std::string& type, const std::string& name);
  // The argument that `lines` make.
  void add_made(const std::string& lines, const std::string& argument);
  // "torch::PackedTensorAccessor32<float, 2>" of the part `name`.
  void add_accessor(const std::string& type, const std::string& name,
                    const std::vector<std::string>& extents);

  [[nodiscard]] bool is_needed() const { return is_needed_; }
  [[nodiscard]] static std::string name_for(const Function& kernel);
  // What stands in front of the device's part of the source, and behind it.
  [[nodiscard]] std::string before() const;
  [[nodiscard]] std::string behind(const Function& kernel, const std::string& instance) const;

 private:
  std::string parameters_;
  std::string lines_;
  std::string arguments_;
  bool is_needed_ = false;
  bool has_accessor_ = false;
};

// Whether a parameter's type is one of PyTorch's accessors.
[[nodiscard]] bool is_accessor(const std::string& type);

}  // namespace autokernel::bridge
