// One owner template for every C handle (CUDA, NVRTC, git, file descriptors of dlopen): there are
// no hand-written destructors outside it.
#pragma once

#include <functional>
#include <utility>

namespace autokernel {

// Sole owner of a C handle; knows how to give it back, since driver functions are found at run
// time. Release must not throw: a kernel that faults makes every later driver call fail, so a free
// that fails is noted and no more.
template <typename Handle>
class Owned {
 public:
  using Release = std::function<void(Handle)>;

  Owned() = default;
  Owned(Handle handle, Release release)
      : handle_(std::move(handle)), release_(std::move(release)) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, Handle{})), release_(std::move(other.release_)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) release_(handle_);
  }

  [[nodiscard]] Handle get() const noexcept { return handle_; }
  // Gives up ownership: the caller, or nobody any more, has to give the handle back.
  Handle release() noexcept { return std::exchange(handle_, Handle{}); }

 private:
  Handle handle_{};
  Release release_;
};

}  // namespace autokernel
