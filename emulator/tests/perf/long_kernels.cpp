#include "perf/long_kernels.h"

#include <fmt/format.h>

#include <cstddef>

namespace emulator::perf {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// Values go round in so many registers, so that some live long and some do not.
constexpr unsigned kFloats = 24;

struct Part {
  std::string text;
  unsigned instructions;
};

// `n` counts the parts before. %rd1 is the input's address for this lane, %rd2 the output's, %rd3
// the input's for all; %r0 the thread, %r1 an offset into shared memory that the input decides.
Part part(Make make, unsigned n) {
  const unsigned to = n % kFloats;
  const unsigned a = (n * 7 + 3) % kFloats;
  const unsigned b = (n * 5 + 11) % kFloats;
  switch (make) {
    case Make::arithmetic:
      return {fmt::format("fma.rn.f32 %f{0}, %f{1}, %f{2}, %f{0};\nadd.s32 %r2, %r2, %r0;\n"
                          "xor.b32 %r2, %r2, {3};\nmul.lo.s32 %r3, %r2, %r0;\n",
                          to, a, b, n * 2654435761U % 65536),
              4};
    case Make::consecutive:
      return {
          fmt::format("ld.global.f32 %f30, [%rd1+{3}];\nfma.rn.f32 %f{0}, %f30, %f{1}, %f{2};\n",
                      to, a, b, n % 512 * 128),
          2};
    case Make::uniform:
      return {
          fmt::format("ld.global.f32 %f30, [%rd3+{3}];\nfma.rn.f32 %f{0}, %f30, %f{1}, %f{2};\n",
                      to, a, b, n % 512 * 4),
          2};
    case Make::scattered:
      return {fmt::format("ld.shared.f32 %f30, [%r1+{3}];\nfma.rn.f32 %f{0}, %f30, %f{1}, %f{2};\n",
                          to, a, b, n % 16 * 4),
              2};
    case Make::branches:
      return {fmt::format("setp.gt.f32 %p1, %f{0}, %f{1};\n@%p1 bra L{3};\n"
                          "add.f32 %f{0}, %f{0}, %f{2};\nbra.uni M{3};\nL{3}:\n"
                          "mul.f32 %f{0}, %f{0}, %f{1};\nM{3}:\nadd.s32 %r2, %r2, %r0;\n",
                          to, a, b, n),
              6};
    case Make::uniform_branches:
      return {
          fmt::format("ld.global.u32 %r3, [%rd3+{1}];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L{2};\n"
                      "add.f32 %f{0}, %f{0}, %f{3};\nL{2}:\nadd.s32 %r2, %r2, %r0;\n",
                      to, n % 512 * 4, n, a),
          5};
    case Make::matrices: {
      const unsigned c = n % 4 * 4;
      return {
          fmt::format("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r10, %r11, %r12, %r13}}, "
                      "[%r4+{4}];\n"
                      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{%f{0}, %f{1}, %f{2}, "
                      "%f{3}}}, {{%r10, %r11, %r12, %r13}}, {{%r10, %r12}}, {{%f{0}, %f{1}, "
                      "%f{2}, %f{3}}};\n",
                      c, c + 1, c + 2, c + 3, n % 8 * 512),
          2};
    }
  }
  return {};
}

const char* name_of(Make make) {
  switch (make) {
    case Make::arithmetic:
      return "arithmetic";
    case Make::consecutive:
      return "consecutive loads";
    case Make::uniform:
      return "uniform loads";
    case Make::scattered:
      return "scattered loads";
    case Make::branches:
      return "divergent branches";
    case Make::uniform_branches:
      return "uniform branches";
    case Make::matrices:
      return "ldmatrix and mma";
  }
  return "";
}

}  // namespace

Program long_kernel(Make make, unsigned instructions) {
  std::string body;
  unsigned count = 0;
  for (unsigned n = 0; count < instructions; ++n) {
    const Part next = part(make, n);
    body += next.text;
    count += next.instructions;
  }
  std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<32>;\n"
      ".shared .align 16 .b8 tile[8192];\n"
      "ld.param.u64 %rd3, [k_in];\nld.param.u64 %rd4, [k_out];\nmov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd1, %rd3, %rd5;\nadd.s64 %rd2, %rd4, %rd5;\n"
      "ld.global.u32 %r1, [%rd1];\nand.b32 %r1, %r1, 1020;\nmov.u32 %r2, 1;\n"
      "and.b32 %r4, %r0, 31;\nshl.b32 %r4, %r4, 4;\nmov.f32 %f30, 0f3F800000;\n";
  for (unsigned i = 0; i < kFloats; ++i)
    ptx += fmt::format("ld.global.f32 %f{0}, [%rd1+{1}];\n", i, (i + 1) * 128);
  ptx += body + "cvt.rn.f32.u32 %f31, %r2;\n";
  for (unsigned i = 0; i < kFloats; ++i) ptx += fmt::format("add.f32 %f31, %f31, %f{};\n", i);
  ptx += "st.global.f32 [%rd2], %f31;\nret;\n}\n";
  return {.name = fmt::format("{} instructions: {}", instructions, name_of(make)),
          .ptx = std::move(ptx),
          .kernel = "k",
          .grid = {64, 1, 1},
          .block = {128, 1, 1},
          .buffers = {kBufferBytes, kBufferBytes}};
}

}  // namespace emulator::perf
