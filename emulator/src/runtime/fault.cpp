#include "runtime/fault.h"

#include <charconv>

#include "runtime/block.h"

namespace emulator::runtime {
namespace {

std::string triple(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

}  // namespace

std::string counted_bytes(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string thread_name(const WarpContext& context, unsigned lane) {
  return "thread " + triple(context.tid[0][lane], context.tid[1][lane], context.tid[2][lane]);
}

std::string block_name(const WarpContext& context) {
  return "block " + triple(context.ctaid[0], context.ctaid[1], context.ctaid[2]);
}

FaultThread fault_thread(const WarpContext& context, unsigned lane) {
  return {{context.tid[0][lane], context.tid[1][lane], context.tid[2][lane]},
          {context.ctaid[0], context.ctaid[1], context.ctaid[2]}};
}

std::string line_name(const WarpContext& context, std::uint32_t ptx_line) {
  return line_name(context.block->launch().lines, ptx_line);
}

std::string by_thread(const WarpContext& context, unsigned lane, std::uint32_t ptx_line) {
  return ", by " + thread_name(context, lane) + " of " + block_name(context) + ", " +
         line_name(context, ptx_line);
}

std::string hex(std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::uint32_t linear_thread(const WarpContext& context, unsigned lane) {
  return context.warp * kWarpSize + lane;
}

}  // namespace emulator::runtime
