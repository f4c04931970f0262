// How entry points fail. Inside the library a call that cannot be carried out throws a Refusal;
// answer() turns that, and everything else that may be thrown, into the CUresult that a C program
// sees.
#pragma once

#include <exception>
#include <new>

#include "api/cuda_api.h"

namespace emulator::api {

class Refusal : public std::exception {
 public:
  explicit Refusal(CUresult result) noexcept : result_(result) {}
  [[nodiscard]] CUresult result() const noexcept { return result_; }
  [[nodiscard]] const char* what() const noexcept override { return "call refused"; }

 private:
  CUresult result_;
};

inline void require(bool condition, CUresult otherwise = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) throw Refusal(otherwise);
}

template <typename Call>
[[nodiscard]] CUresult answer(Call&& call) noexcept {
  try {
    call();
    return CUDA_SUCCESS;
  } catch (const Refusal& refusal) {
    return refusal.result();
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

}  // namespace emulator::api
