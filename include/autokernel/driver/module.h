// Device code that has been loaded: its kernels and its module-scope objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "autokernel/base/owned.h"
#include "autokernel/driver/fault.h"
#include "autokernel/driver/memory.h"

struct CUmod_st;
struct CUfunc_st;

namespace autokernel::driver {

struct Api;

// One parameter of a kernel, as the driver takes it out of what a launch hands over.
struct Parameter {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// A kernel of a module that must outlive it.
class Kernel {
 public:
  Kernel(CUfunc_st* handle, std::vector<Parameter> parameters)
      : handle_(handle), parameters_(std::move(parameters)) {}
  [[nodiscard]] CUfunc_st* get() const noexcept { return handle_; }
  // What the driver will read at each launch, in order, whatever it is given.
  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }

 private:
  CUfunc_st* handle_;
  std::vector<Parameter> parameters_;
};

// Where a module-scope object lies.
struct Object {
  Address address = 0;
  std::size_t bytes = 0;
};

class Module {
 public:
  Module(const Api& api, Owned<CUmod_st*> handle) : api_(&api), handle_(std::move(handle)) {}

  // Empty: the module has no kernel of that name.
  [[nodiscard]] std::optional<Kernel> kernel(const std::string& name) const;
  // Empty: the driver cannot resolve that name.
  [[nodiscard]] std::optional<Object> object(const std::string& name) const;

 private:
  const Api* api_;
  Owned<CUmod_st*> handle_;
};

// The module, or why the driver refused the code; the fault's text is the driver's own log.
using Loading = std::variant<Module, Fault>;

// The shape of one launch.
struct Shape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};  // threads
  std::uint32_t shared_bytes = 0;               // dynamic shared memory
  // Blocks of a cluster; {1, 1, 1}: what the kernel itself says, or none.
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  bool cooperative = false;   // all blocks run at once, and may wait for each other
  bool programmatic = false;  // may begin once the launch before in the stream lets it

  [[nodiscard]] std::uint32_t blocks_per_cluster() const {
    return cluster[0] * cluster[1] * cluster[2];
  }
};

}  // namespace autokernel::driver
