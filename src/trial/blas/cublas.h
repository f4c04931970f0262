// cuBLAS: the library on a GPU.
#pragma once

#include <memory>
#include <optional>

#include "autokernel/driver/device.h"
#include "trial/blas/library.h"
#include "trial/launch/staging.h"

namespace autokernel::trial {

class Cublas : public Library {
 public:
  // Opens it at run time on the device's context. Throws Error(environment) saying where it looked.
  // `device` must live longer.
  [[nodiscard]] static std::unique_ptr<Cublas> open(const driver::Device& device);
  // Reads the library into memory, if it is there. It takes as long as making a context, and can be
  // done at the same time.
  static void load();
  ~Cublas() override;

  [[nodiscard]] std::string version() const override;
  void multiply(const Product& product, cases::DType dtype, std::span<const std::byte> left,
                std::span<const std::byte> right, std::span<float> result) override;

  // The same on matrices that are on the device, as people call it: result in `output`'s type.
  // Queued, not waited for.
  struct Operand {
    driver::Address address = 0;
    cases::DType dtype = cases::DType::f32;
  };
  enum class Sums : std::uint8_t { fp32, any };  // any: as the library does where nobody says
  void queue(const Product& product, Operand left, Operand right, Operand output, Sums sums,
             const driver::Stream& stream) const;

 private:
  struct Calls;
  explicit Cublas(const driver::Device& device);

  const driver::Device* device_;
  std::unique_ptr<Calls> calls_;
  // Of `multiply`: allocating costs as much as multiplying.
  std::optional<Staging> staging_;
  driver::Buffer left_;
  driver::Buffer right_;
  driver::Buffer result_;
};

}  // namespace autokernel::trial
