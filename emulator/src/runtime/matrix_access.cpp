// ldmatrix and stmatrix of compiled kernels. As in entry_points.cpp, nothing in a frame that may
// abandon the block owns anything.
#include <cstring>
#include <type_traits>

#include "runtime/abi.h"
#include "runtime/checker.h"
#include "runtime/matrix_lanes.h"

namespace emulator::runtime {
namespace {

constexpr unsigned kMatrixSide = 8;
// As types, so that a copy of so many bytes is one instruction.
constexpr std::integral_constant<std::size_t, sizeof(std::uint16_t)> kMatrixElement;
constexpr std::integral_constant<std::size_t, kMatrixSide * kMatrixElement> kMatrixRow;

// ldmatrix and stmatrix: calls move(memory, registers, bytes) for each stretch that is one in both.
// In its register the matrix lies row after row: lane l has two neighbours of row l / 4.
template <typename Move>
EMULATOR_KERNEL_MEMORY void move_matrices(WarpContext& context, std::uint32_t site,
                                          std::uint32_t mask, std::uint32_t count, bool transposed,
                                          Move move) {
  Checker checker(context, site, kMatrixRow);
  require_all_lanes(context, mask, checker.site().line);
  for (unsigned lane = 0; lane < count * kMatrixSide; ++lane) {
    std::uint8_t* memory = checker.check(lane, context.address[lane]);
    const std::size_t row = lane % kMatrixSide;
    std::uint8_t* registers =
        context.value[0] + std::size_t{lane / kMatrixSide} * kMatrixSide * kMatrixRow;
    if (!transposed) {
      move(memory, registers + row * kMatrixRow, kMatrixRow);
      continue;
    }
    for (std::size_t column = 0; column < kMatrixSide; ++column) {
      move(memory + column * kMatrixElement, registers + column * kMatrixRow + row * kMatrixElement,
           kMatrixElement);
    }
  }
  checker.finish();
}

// Of 4, 6 or 8 bits, packed from the lowest on.
std::uint8_t element_of_row(const std::uint8_t* row, std::size_t element, std::uint32_t bits) {
  const std::size_t place = element * bits;
  const std::size_t byte = place / 8;
  const unsigned above = byte + 1 < kMatrixRow ? row[byte + 1] : 0U;
  const unsigned two = row[byte] | above << 8U;
  return static_cast<std::uint8_t>(two >> (place % 8) & ((1U << bits) - 1));
}

}  // namespace

extern "C" {

EMULATOR_KERNEL_MEMORY void emu_load_matrix(WarpContext* context, std::uint32_t site,
                                            std::uint32_t mask, std::uint32_t count,
                                            std::uint32_t transposed) {
  move_matrices(*context, site, mask, count, transposed != 0,
                [](std::uint8_t* memory, std::uint8_t* registers, auto bytes) {
                  std::memcpy(registers, memory, bytes);
                });
}

EMULATOR_KERNEL_MEMORY void emu_store_matrix(WarpContext* context, std::uint32_t site,
                                             std::uint32_t mask, std::uint32_t count,
                                             std::uint32_t transposed) {
  move_matrices(*context, site, mask, count, transposed != 0,
                [](std::uint8_t* memory, const std::uint8_t* registers, auto bytes) {
                  std::memcpy(memory, registers, bytes);
                });
}

// The registers hold matrix after matrix, row after row: lane l has four neighbours of row l / 4
// or, in a matrix' second register, of row 8 + l / 4.
EMULATOR_KERNEL_MEMORY void emu_load_byte_matrix(WarpContext* context, std::uint32_t site,
                                                 std::uint32_t mask, std::uint32_t count,
                                                 std::uint32_t rows, std::uint32_t bits) {
  Checker checker(*context, site, kMatrixRow);
  require_all_lanes(*context, mask, checker.site().line);
  const bool transposed = rows == kMatrixRow;
  for (unsigned lane = 0; lane < count * rows; ++lane) {
    const std::uint8_t* memory = checker.check(lane, context->address[lane]);
    std::uint8_t* matrix = context->value[0] + std::size_t{lane / rows} * rows * kMatrixRow;
    const std::size_t row = lane % rows;
    for (std::size_t i = 0; i < kMatrixRow; ++i) {
      const std::size_t at = transposed ? i * rows + row : row * kMatrixRow + i;
      matrix[at] = element_of_row(memory, i, bits);
    }
  }
  checker.finish();
}

// Lane l has two neighbours of row l / 4, and in the upper half of its register two of row 8 + l
// / 4.
EMULATOR_KERNEL_MEMORY void emu_store_byte_matrix(WarpContext* context, std::uint32_t site,
                                                  std::uint32_t mask, std::uint32_t count) {
  Checker checker(*context, site, kMatrixRow);
  require_all_lanes(*context, mask, checker.site().line);
  for (unsigned lane = 0; lane < count * kMatrixSide; ++lane) {
    std::uint8_t* memory = checker.check(lane, context->address[lane]);
    const std::uint8_t* matrix =
        context->value[0] + std::size_t{lane / kMatrixSide} * kMatrixSide * kMatrixRow;
    const std::size_t column = lane % kMatrixSide;
    for (std::size_t row = 0; row < kMatrixRow; ++row) {
      memory[row] = matrix[row % kMatrixSide * kMatrixRow + column / 2 * 4 + row / kMatrixSide * 2 +
                           column % 2];
    }
  }
  checker.finish();
}

}  // extern "C"

}  // namespace emulator::runtime
