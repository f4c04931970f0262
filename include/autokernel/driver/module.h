// Device code that has been loaded: its kernels and its module-scope objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "autokernel/base/owned.h"
#include "autokernel/driver/fault.h"
#include "autokernel/driver/memory.h"

struct CUmod_st;
struct CUfunc_st;

namespace autokernel::driver {

struct Api;

// A kernel of a module that must outlive it.
class Kernel {
 public:
  explicit Kernel(CUfunc_st* handle) : handle_(handle) {}
  [[nodiscard]] CUfunc_st* get() const noexcept { return handle_; }

 private:
  CUfunc_st* handle_;
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
};

}  // namespace autokernel::driver
