// mma and wmma of compiled kernels. As in entry_points.cpp, nothing in a frame
// that may abandon the block owns anything.
#include <cstring>
#include <string>

#include "runtime/abi.h"
#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/matrix.h"
#include "runtime/matrix_lanes.h"
#include "runtime/other_product.h"
#include "runtime/scaled_product.h"
#include "runtime/sparse_product.h"

namespace emulator::runtime {
namespace {

// A wmma fragment, and how its matrix lies in memory.
struct FragmentInMemory {
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t bytes;  // of an element
  std::uint32_t stride;
  bool by_column;
};

// Calls move(memory, fragment, bytes) for each stretch that is one in both.
template <typename Move>
EMULATOR_KERNEL_MEMORY void move_fragment(WarpContext& context, std::uint32_t site,
                                          std::uint32_t mask, const FragmentInMemory& fragment,
                                          Move move) {
  Checker checker(context, site, fragment.bytes);
  require_all_lanes(context, mask, checker.site().line);
  const std::uint32_t lines = fragment.by_column ? fragment.columns : fragment.rows;
  const std::uint32_t length = fragment.by_column ? fragment.rows : fragment.columns;
  const std::size_t bytes = fragment.bytes;
  for (std::uint32_t line = 0; line < lines; ++line) {
    const std::uint64_t begin = context.address[0] + std::uint64_t{line} * fragment.stride * bytes;
    std::uint8_t* memory = checker.check_span(0, begin, length * bytes);
    if (!fragment.by_column) {
      move(memory, context.value[0] + std::size_t{line} * length * bytes, length * bytes);
      continue;
    }
    for (std::uint32_t i = 0; i < length; ++i) {
      move(memory + i * bytes,
           context.value[0] + (std::size_t{i} * fragment.columns + line) * bytes, bytes);
    }
  }
  checker.finish();
}

}  // namespace

extern "C" {

void emu_mma(WarpContext* context, std::uint32_t mask, std::uint32_t line, std::uint32_t a,
             std::uint32_t b, std::uint32_t c, std::uint32_t depth, std::uint32_t saturate) {
  require_all_lanes(*context, mask, line);
  multiply({static_cast<MatrixType>(a), static_cast<MatrixType>(b), static_cast<MatrixType>(c),
            depth, saturate != 0},
           context->value[1], context->value[2], context->value[3], context->value[0]);
}

EMULATOR_KERNEL_MEMORY void emu_load_fragment(WarpContext* context, std::uint32_t site,
                                              std::uint32_t mask, std::uint32_t rows,
                                              std::uint32_t columns, std::uint32_t type,
                                              std::uint32_t stride, std::uint32_t by_column) {
  move_fragment(*context, site, mask,
                {rows, columns, bits_of(static_cast<MatrixType>(type)) / 8, stride, by_column != 0},
                [](std::uint8_t* memory, std::uint8_t* element, std::size_t bytes) {
                  std::memcpy(element, memory, bytes);
                });
}

EMULATOR_KERNEL_MEMORY void emu_store_fragment(WarpContext* context, std::uint32_t site,
                                               std::uint32_t mask, std::uint32_t rows,
                                               std::uint32_t columns, std::uint32_t type,
                                               std::uint32_t stride, std::uint32_t by_column) {
  move_fragment(*context, site, mask,
                {rows, columns, bits_of(static_cast<MatrixType>(type)) / 8, stride, by_column != 0},
                [](std::uint8_t* memory, const std::uint8_t* element, std::size_t bytes) {
                  std::memcpy(memory, element, bytes);
                });
}

void emu_wmma(WarpContext* context, std::uint32_t mask, std::uint32_t line, std::uint32_t shape,
              std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
              std::uint32_t saturate) {
  require_all_lanes(*context, mask, line);
  multiply_fragments({.rows = shape & 0xFFU,
                      .columns = (shape >> 8U) & 0xFFU,
                      .depth = (shape >> 16U) & 0xFFU,
                      .a = static_cast<MatrixType>(a),
                      .b = static_cast<MatrixType>(b),
                      .c = static_cast<MatrixType>(c),
                      .d = static_cast<MatrixType>(d),
                      .saturate = saturate != 0},
                     context->value[0], context->value[4], context->value[2]);
}

void emu_product(WarpContext* context, std::uint32_t mask, std::uint32_t line, std::uint32_t types,
                 std::uint32_t shape, std::uint32_t how) {
  require_all_lanes(*context, mask, line);
  const auto type = [types](unsigned index) {
    return static_cast<MatrixType>((types >> (8 * index)) & 0xFFU);
  };
  multiply({.rows = shape & 0xFFU,
            .columns = (shape >> 8U) & 0xFFU,
            .depth = shape >> 16U,
            .a = type(0),
            .b = type(1),
            .c = type(2),
            .d = type(3),
            .order = static_cast<FragmentOrder>(how & 0xFFU),
            .op = static_cast<ProductOp>((how >> 8U) & 0xFFU),
            .saturate = (how >> 16U) != 0},
           context->value[0], context->value[4], context->value[6]);
}

void emu_sparse_product(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                        std::uint32_t types, std::uint32_t depth, std::uint32_t selector,
                        std::uint32_t saturate) {
  require_all_lanes(*context, mask, line);
  const auto type = [types](unsigned index) {
    return static_cast<MatrixType>((types >> (8 * index)) & 0xFFU);
  };
  std::uint32_t metadata[kWarpSize];
  std::memcpy(metadata, context->value[3], sizeof metadata);
  multiply_sparse({.a = type(0),
                   .b = type(1),
                   .d = type(2),
                   .depth = depth,
                   .selector = selector,
                   .saturate = saturate != 0},
                  context->value[1], context->value[2], metadata, context->value[0]);
}

void emu_scaled_product(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                        std::uint32_t types, std::uint32_t shape) {
  require_all_lanes(*context, mask, line);
  const ScaledProduct product = {.a = static_cast<MatrixType>(types & 0xFFU),
                                 .b = static_cast<MatrixType>(types >> 8U & 0xFFU),
                                 .scale = static_cast<ScaleType>(types >> 16U),
                                 .depth = shape & 0xFFFFU,
                                 .scales = shape >> 16U & 0xFFU,
                                 .sparse = (shape >> 24U) != 0};
  const auto words = [&](unsigned area) {
    return reinterpret_cast<const std::uint32_t*>(context->value[area]);
  };
  const auto selected = [&](std::size_t i) { return words(6)[i * kWarpSize]; };
  const ScaleSelectors selectors = {.byte_a = selected(0),
                                    .thread_a = selected(1),
                                    .byte_b = selected(2),
                                    .thread_b = selected(3)};
  if (!exist(selectors, product.scales)) {
    report_text(*context, FaultKind::bad_instruction, 0, line,
                "mma whose selectors name no scales");
    context->block->abandon();
  }
  multiply_scaled(product, selectors, context->value[1], context->value[2],
                  {.a = words(4), .b = words(5), .metadata = words(3)}, context->value[0]);
}

}  // extern "C"

}  // namespace emulator::runtime
