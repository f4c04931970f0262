// What the emulator cannot run is refused when the module is loaded, with its line, and never run
// as something else.
#include <gtest/gtest.h>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

struct Refused {
  const char* name;
  const char* body;
  const char* message;
};
void PrintTo(const Refused& r, std::ostream* out) { *out << r.name; }

class Refusal : public ::testing::TestWithParam<Refused> {};

TEST_P(Refusal, NamesTheInstructionAndItsLine) {
  const std::string ptx = kernel_of(std::string("mov.u32 %r3, 1;\n") + GetParam().body);
  try {
    static_cast<void>(run_kernel(ptx, {1}, 32));
    FAIL() << "accepted";
  } catch (const ptx::Error& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("not supported"), std::string::npos) << error.what();
    EXPECT_EQ(error.where().line, 24U);
  }
}

const Refused kRefused[] = {
    {"mma_of_bits_that_saturates",
     "mma.sync.aligned.m16n8k256.row.col.satfinite.s32.b1.b1.s32.xor.popc {%r0,%r1,%r2,%r3}, "
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r0,%r1,%r2,%r3};",
     "mma.sync"},
    {"mma_of_bits_without_an_operation",
     "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r0,%r1}, {%r0}, {%r4}, {%r0,%r1};",
     "mma.sync"},
    {"mma_of_doubles_by_columns",
     "mma.sync.aligned.m16n8k4.col.col.f64.f64.f64.f64 {%d0,%d1,%d2,%d3}, {%d4,%d5}, {%d6}, "
     "{%d0,%d1,%d2,%d3};",
     "mma.sync"},
    {"wmma_of_bits_by_columns", "wmma.load.a.sync.aligned.col.m8n8k128.global.b1 {%r0}, [%rd0];",
     "wmma.load"},
    {"mma_without_a_register",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2}, "
     "{%r4,%r5}, {%f0,%f1,%f2,%f3};",
     "mma.sync"},
    {"mma_of_other_shapes",
     "mma.sync.aligned.m16n8k8.row.col.s32.s8.s8.s32 {%r0,%r1,%r2,%r3}, {%r0,%r1}, {%r4}, "
     "{%r0,%r1,%r2,%r3};",
     "mma.sync"},
    {"sparse_mma_of_other_shapes",
     "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r4,%r5}, "
     "{%f0,%f1,%f2,%f3}, %r6, 0;",
     "mma.sp"},
    {"sparse_mma_by_a_selector_too_many",
     "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
     "{%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, %r6, 2;",
     "mma.sp"},
    {"mma_of_six_bits_without_their_kind",
     "mma.sync.aligned.m16n8k32.row.col.f32.e3m2.e4m3.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
     "{%r4,%r5}, {%f0,%f1,%f2,%f3};",
     "mma.sync"},
    {"mma_of_halves_of_the_kind_of_bytes",
     "mma.sync.aligned.kind::f8f6f4.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, "
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
     "mma.sync"},
    {"mma_of_six_bits_of_half_the_depth",
     "mma.sync.aligned.kind::f8f6f4.m16n8k16.row.col.f32.e3m2.e3m2.f32 {%f0,%f1,%f2,%f3}, "
     "{%r0,%r1}, {%r4}, {%f0,%f1,%f2,%f3};",
     "mma.sync"},
    {"sparse_mma_of_a_kind_without_ordered_metadata",
     "mma.sp.sync.aligned.kind::f8f6f4.m16n8k64.row.col.f32.e4m3.e4m3.f32 {%f0,%f1,%f2,%f3}, "
     "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, %r8, 0;",
     "mma.sp"},
    {"sparse_mma_of_four_bits_without_their_kind",
     "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e2m1.e4m3.f32 {%f0,%f1,%f2,%f3}, "
     "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, %r8, 0;",
     "mma.sp"},
    {"mma_of_floats_that_saturates",
     "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.satfinite.f32.e4m3.e4m3.f32 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
     "mma.sync"},
    {"mma_of_floats_that_counts",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.xor.popc {%f0,%f1,%f2,%f3}, "
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
     "mma.sync"},
    {"mma_of_two_kinds",
     "mma.sync.aligned.kind::mxf8f6f4.kind::f8f6f4.block_scale.m16n8k32.row.col.f32.e4m3.e4m3.f32."
     "ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, "
     "{0, 0};",
     "mma.sync"},
    {"mma_by_two_sizes_of_scales",
     "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::2X.scale_vec::4X.m16n8k64.row.col.f32."
     "e2m1.e2m1.f32.ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, "
     "{0, 0}, %r9, {0, 0};",
     "mma.sync"},
    {"ldmatrix_of_two_numbers", "ldmatrix.sync.aligned.m8n8.x1.x2.shared.b16 {%r3, %r4}, [%r0];",
     "ldmatrix"},
    {"mma_of_a_scaled_kind_without_scales",
     "mma.sync.aligned.kind::mxf8f6f4.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0,%f1,%f2,%f3}, "
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
     "mma.sync"},
    {"scaled_mma_of_no_kind",
     "mma.sync.aligned.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {0, "
     "0};",
     "mma.sync"},
    {"scaled_mma_of_bytes_by_two_scales",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::2X.m16n8k32.row.col.f32.e4m3.e4m3.f32."
     "ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, "
     "{0, 0};",
     "mma.sync"},
    {"scaled_mma_of_bytes_by_fractions",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue4m3 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {0, "
     "0};",
     "mma.sync"},
    {"scaled_mma_of_four_bits_by_bytes",
     "mma.sync.aligned.kind::mxf4.block_scale.m16n8k64.row.col.f32.e2m1.e4m3.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {0, "
     "0};",
     "mma.sync"},
    {"scaled_mma_of_four_bits_of_another_shape",
     "mma.sync.aligned.kind::mxf4.block_scale.m16n8k32.row.col.f32.e2m1.e2m1.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {0, "
     "0};",
     "mma.sync"},
    {"scaled_mma_of_an_unnamed_size",
     "mma.sync.aligned.kind::mxf4nvf4.block_scale.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {0, "
     "0};",
     "mma.sync"},
    {"scaled_mma_of_two_fractions",
     "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32."
     "ue4m3 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, "
     "{0, 0};",
     "mma.sync"},
    {"scaled_mma_of_halves",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f16.e4m3.e4m3.f16.ue8m0 "
     "{%r20,%r21}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r20,%r21}, %r8, {0, 0}, %r9, {0, 0};",
     "mma.sync"},
    {"scaled_mma_by_a_byte_between_two",
     "mma.sync.aligned.kind::mxf4.block_scale.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {1, 0}, %r9, {0, "
     "0};",
     "no scales have these selectors"},
    {"scaled_mma_by_a_third_pair",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e2m1.e2m1.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 2}, %r9, {0, "
     "0};",
     "no scales have these selectors"},
    {"scaled_mma_by_a_fifth_lane",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e2m1.e2m1.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {0, "
     "4};",
     "no scales have these selectors"},
    {"scaled_mma_by_selectors_of_words",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e2m1.e2m1.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {%r1, "
     "0};",
     "mma.sync"},
    {"scaled_mma_by_halves",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e2m1.e2m1.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %h1, {0, 0}, %r9, {0, "
     "0};",
     "mma.sync"},
    {"scaled_mma_of_nine_operands",
     "mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 "
     "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r8, {0, 0}, %r9, {0, "
     "0}, 0;",
     "mma.sync"},
    {"scaled_sparse_mma_without_metadata",
     "mma.sync.aligned.kind::mxf8f6f4.sp::ordered_metadata.block_scale.m16n8k64.row.col.f32.e4m3."
     "e4m3.f32.ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, "
     "%r8, {0, 0}, %r9, {0, 0};",
     "mma.sync"},
    {"wgmma_of_other_shapes",
     "wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd0, %rd1, %p1, 1, 1, "
     "0, "
     "0;",
     "wgmma.mma_async"},
    {"wgmma_of_mixed_types",
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%f0,%f1,%f2,%f3}, %rd0, %rd1, %p1, 1, 1, "
     "0, 0;",
     "wgmma.mma_async"},
    {"wgmma_without_a_sum",
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2}, %rd0, %rd1, %p1, 1, 1, 0, "
     "0;",
     "wgmma.mma_async"},
    {"wgmma_scaled_by_two",
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd0, %rd1, %p1, 2, 1, "
     "0, "
     "0;",
     "wgmma.mma_async"},
    {"tcgen05", "tcgen05.wait::ld.sync.aligned;", "it has no tcgen05"},
    {"registers_of_any_number", "setmaxnreg.dec.sync.aligned.u32 41;", "multiple of 8"},
    {"ldmatrix_of_bytes_without_a_register",
     "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r3}, [%r0];", "ldmatrix"},
    {"ldmatrix_of_bytes_that_does_not_transpose",
     "ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r3, %r4}, [%r0];", "ldmatrix"},
    {"ldmatrix_of_four_large_matrices",
     "ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10}, "
     "[%r0];",
     "ldmatrix"},
    {"ldmatrix_of_bytes_in_eight_rows", "ldmatrix.sync.aligned.m8n16.x1.shared.b8 {%r3}, [%r0];",
     "ldmatrix"},
    {"ldmatrix_of_sixes_in_eight_rows_transposed",
     "ldmatrix.sync.aligned.m8n16.x1.trans.shared.b8x16.b6x16_p32 {%r3}, [%r0];", "ldmatrix"},
    {"ldmatrix_of_sixes_that_stay_sixes",
     "ldmatrix.sync.aligned.m8n16.x1.shared.b6x16_p32 {%r3}, [%r0];", "ldmatrix"},
    {"ldmatrix_of_no_number", "ldmatrix.sync.aligned.m8n8.shared.b16 {%r3}, [%r0];", "ldmatrix"},
    {"stmatrix_of_bytes_that_does_not_transpose",
     "stmatrix.sync.aligned.m16n8.x1.shared.b8 [%r0], {%r3};", "stmatrix"},
    {"stmatrix_of_fours",
     "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8x16.b4x16_p64 [%r0], {%r3};", "stmatrix"},
    {"movmatrix_of_bytes", "movmatrix.sync.aligned.m8n8.trans.b8 %r3, %r0;", "movmatrix"},
    {"ldmatrix_to_a_register_of_16_bits", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%h2}, [%r0];",
     "operand 1 is of registers of 32 bits"},
    {"stmatrix_of_a_register_of_64_bits", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%rd2};",
     "operand 2 is of registers of 32 bits"},
    {"load_to_registers_of_two_widths", "ld.global.v2.u32 {%r1, %rd2}, [%rd0];",
     "the registers of a vector are of one width"},
    {"store_of_registers_of_two_widths", "st.global.v4.b16 [%rd0], {%h1, 5, %h2, %r3};",
     "the registers of a vector are of one width"},
    {"pack_of_registers_of_two_widths", "mov.b64 %rd3, {%r1, %h2};",
     "the registers of a vector are of one width"},
    {"coordinates_in_registers_of_two_widths",
     "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, %rd2}];",
     "the registers of a vector are of one width"},
    {"prefetch_of_no_size", "cp.async.bulk.prefetch.L2.global [%rd1];", "it has 2 operands"},
    {"acquire_of_half_a_tensor_map", "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;",
     "its size is 128"},
    {"acquire_of_a_tensor_map_of_a_size_of_the_thread",
     "fence.proxy.tensormap::generic.acquire.gpu [%rd1], %r1;", "its size is 128"},
    {"acquire_of_no_tensor_map", "fence.proxy.tensormap::generic.acquire.gpu;",
     "it has 2 operands"},
    {"release_of_a_tensor_map", "fence.proxy.tensormap::generic.release.gpu [%rd1], 128;",
     "it has no operands"},
    {"ldmatrix_without_a_register", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3}, [%r0];",
     "ldmatrix"},
    {"cp_async_of_two_bytes", "cp.async.ca.shared.global [%r0], [%rd0], 2;", "cp.async"},
    {"tensor_copy_without_an_mbarrier",
     "cp.async.bulk.tensor.2d.shared::cluster.global [%r0], [%rd0, {%r1, %r2}];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_another_rank",
     "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%rd0, "
     "{%r1, %r2}], [%r3];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_two_gathered_rows",
     "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r0], "
     "[%rd0, {%r1, %r2, %r3}], [%r3];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_gathered_planes",
     "cp.async.bulk.tensor.3d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r0], "
     "[%rd0, {%r1, %r2, %r3, %r4, %r5}], [%r3];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_that_scatters_into_shared_memory",
     "cp.async.bulk.tensor.2d.shared::cta.global.tile::scatter4.mbarrier::complete_tx::bytes "
     "[%r0], [%rd0, {%r1, %r2, %r3, %r4, %r5}], [%r3];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_that_gathers_into_a_tensor",
     "cp.async.bulk.tensor.2d.global.shared::cta.tile::gather4.bulk_group [%rd0, {%r1, %r2, %r3, "
     "%r4, %r5}], [%r0];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_pixels_without_a_halo",
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r0], "
     "[%rd0, {%r1, %r2, %r3, %r4}], [%r3];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_pixels_with_half_a_halo",
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r0], "
     "[%rd0, {%r1, %r2, %r3, %r4}], [%r3], {%h1};",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_pixels_of_a_matrix",
     "cp.async.bulk.tensor.2d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r0], "
     "[%rd0, {%r1, %r2}], [%r3], {%h1, %h2};",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_pixels_to_a_tensor",
     "cp.async.bulk.tensor.4d.global.shared::cta.im2col::w.bulk_group [%rd0, {%r1, %r2, %r3, "
     "%r4}], [%r0];",
     "cp.async.bulk.tensor"},
    {"tensor_copy_in_two_modes",
     "cp.async.bulk.tensor.3d.shared::cta.global.tile.im2col.mbarrier::complete_tx::bytes [%r0], "
     "[%rd0, {%r1, %r2, %r3}], [%r3], {%h1};",
     "cp.async.bulk.tensor"},
    {"tensor_copy_of_a_pair_of_blocks",
     "cp.async.bulk.tensor.2d.shared::cta.global.tile.cta_group::2.mbarrier::complete_tx::bytes "
     "[%r0], [%rd0, {%r1, %r2}], [%r3];",
     "'.cta_group::2' is not"},
    {"cluster_rank_of_an_address_too_wide", "getctarank.shared::cluster.u32 %r3, %rd0;",
     "getctarank"},
    {"barrier_of_a_cluster_by_membar", "membar.cluster;", "'.cluster' is not"},
    {"bulk_from_global_to_global", "cp.async.bulk.global.global.bulk_group [%rd0], [%rd0], 16;",
     "cp.async.bulk"},
    {"bulk_product",
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u64 [%rd0], [%r0], 16;", "cp.reduce"},
    {"bulk_sum_of_signed_doublewords",
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%rd0], [%r0], 16;", "cp.reduce"},
    {"bulk_sum_of_halves_that_flushes",
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd0], [%r0], 16;", "cp.reduce"},
    {"bulk_bits_of_doublewords_in_shared_memory",
     "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.or.b64 [%r0], "
     "[%r0], 16, [%r1];",
     "cp.reduce"},
    {"mbarrier_in_global_memory", "mbarrier.init.global.b64 [%rd0], 1;", "mbarrier"},
    {"arrival_at_no_mbarrier", "mbarrier.arrive.shared::cta.b64 %r1;", "too few"},
    {"pending_count_of_nothing", "mbarrier.pending_count.b64 %r1;", "too few"},
    {"dimension_of_a_tensor_map_beyond_32_bits",
     "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0x100000001, 77;", "0 to 4"},
    {"part_of_a_part", "vadd.u32.u32.u32 %r3, %r0.b10, %r0;", "vadd"},
    {"part_of_an_ordinary_operand", "add.u32 %r3, %r0.b1, %r0;", "a part of a register"},
    {"video_with_two_merges", "vadd.u32.u32.u32.add %r3.b0, %r0, %r0, %r1;", "vadd"},
    {"video_sum_that_saturates", "vadd2.u32.u32.u32.sat.add %r3, %r0, %r0, %r1;", "vadd2"},
    {"video_shift_without_a_mode", "vshl.u32.u32.u32 %r3, %r0, %r0;", "vshl"},
    {"product_negated_twice", "vmad.s32.s32.s32 %r3, -%r0, %r1, -%r2;", "vmad"},
    {"pack_without_saturation", "cvt.pack.u16.s32 %r3, %r1, %r2;", "cvt.pack"},
    {"float_pair_that_saturates", "add.rn.sat.f32x2 %rd5, %rd4, %rd4;", "'.sat' is not"},
    {"float_pair_fused_without_rounding", "fma.f32x2 %rd5, %rd4, %rd4, %rd4;", "a word is missing"},
    {"float_pair_multiplied_and_added", "mad.rn.f32x2 %rd5, %rd4, %rd4, %rd4;",
     "not defined for this type"},
    {"minimum_of_float_pairs", "min.f32x2 %rd5, %rd4, %rd4;", "not defined for this type"},
    {"float_pair_in_a_double", "add.f32x2 %d1, %d2, %d3;", "operand 1 is not of its type"},
    {"float_pair_in_a_word", "mul.f32x2 %rd5, %rd4, %r1;", "operand 3 is not of its type"},
    {"float_pair_that_is_constant", "add.f32x2 %rd5, 0, %rd4;", "operand 2 is not of its type"},
    {"float_pair_to_nowhere", "add.f32x2 _, %rd4, %rd4;", "operand 1 is not of its type"},
    {"mixed_precision_that_flushes", "add.ftz.f32.f16 %f3, %h1, %f2;", "'.ftz' is not"},
    {"mixed_precision_fused_without_rounding", "fma.sat.f32.bf16 %f3, %h1, %h2, %f2;",
     "a word is missing"},
    {"mixed_precision_product", "mul.f32.f16 %f3, %h1, %f2;", "not defined for this type"},
    {"mixed_precision_of_doubles", "add.f64.f16 %d3, %h1, %d2;", "not defined for this type"},
    {"mixed_precision_of_pairs", "add.f32.f16x2 %f3, %r1, %f2;", "not defined for this type"},
    {"mixed_precision_in_the_other_order", "add.f32.f16 %f3, %f2, %h1;",
     "operand 2 is not of its type"},
    {"mixed_precision_of_a_word", "sub.f32.bf16 %f3, %r1, %f2;", "operand 2 is not of its type"},
    {"mixed_precision_of_a_constant_half", "add.f32.f16 %f3, 0x3c00, %f2;",
     "operand 2 is not of its type"},
    {"mixed_precision_of_an_integer", "add.f32.f16 %f3, %h1, 1;", "operand 3 is not of its type"},
    {"mixed_precision_of_two_floats", "fma.rn.f32.f16 %f3, %h1, %f2, %f2;",
     "operand 3 is not of its type"},
    {"minimum_of_three_halves", "min.f16 %h1, %h2, %h3, %h4;", "it has 3 operands"},
    {"minimum_of_three_integers", "min.s32 %r3, %r1, %r2, %r1;", "it has 3 operands"},
    {"minimum_of_three_with_signs", "min.xorsign.abs.f32 %f3, %f1, %f2, %f1;",
     "'.xorsign' is of two"},
    {"minimum_of_three_and_an_integer", "min.f32 %f3, %f1, %f2, 1;",
     "operand 4 is not of its type"},
    {"minimum_of_two_magnitudes", "max.abs.f32 %f3, %f1, %f2;", "'.abs' goes with"},
    {"conversion_that_cannot_saturate", "cvt.sat.s32.u16 %r3, %h1;", "nothing to clamp"},
    {"comparison_of_halves_and_its_opposite", "setp.lt.f16 %p1|%p2, %h1, %h2;",
     "a second predicate"},
    {"set_of_the_other_half", "set.lt.f16.bf16 %h1, %h2, %h3;", "set.lt.f16.bf16"},
    {"bits_of_a_float", "shl.f32 %f3, %f1, %r2;", "not defined for this type"},
    {"population_of_a_number", "popc.u32 %r3, %r1;", "not defined for this type"},
    {"negated_unsigned", "neg.u32 %r3, %r1;", "not defined for this type"},
    {"atomic_sum_of_signed_doublewords", "atom.global.add.s64 %rd5, [%rd0], %rd4;",
     "'.add' is not"},
    {"result_of_a_comparison", "set.lt.u16.f32 %h1, %f1, %f2;", "not defined for this type"},
    {"product_of_unknown_width", "mul.u32 %r3, %r1, %r2;", "a word is missing"},
    {"fused_without_rounding", "fma.f32 %f3, %f1, %f2, %f1;", "a word is missing"},
    {"conversion_without_rounding", "cvt.u32.f32 %r3, %f1;", "a word is missing"},
    {"two_roundings", "add.rn.rz.f32 %f3, %f1, %f2;", "do not go together"},
    {"below_for_signed_numbers", "setp.lo.s32 %p1, %r1, %r2;", "'.lo' is not"},
    {"rounded_integers", "add.rz.u32 %r3, %r1, %r2;", "'.rz' is not"},
    {"flushed_integers", "min.ftz.s32 %r3, %r1, %r2;", "'.ftz' is not"},
    {"half_of_a_product_of_floats", "mul.lo.f32 %f3, %f1, %f2;", "'.lo' is not"},
    {"random_rounding_of_one_half", "cvt.rs.f16.f32 %h3, %f1, %r1;", "'.rs' is not"},
    {"random_rounding_without_bits", "cvt.rs.f16x2.f32 %r3, %f1, %f2;", "it has 4 operands"},
    {"random_rounding_by_a_constant", "cvt.rs.bf16x2.f32 %r3, %f1, %f2, 7;",
     "operand 4 is not of its type"},
    {"random_rounding_by_a_float", "cvt.rs.satfinite.e4m3x4.f32 %r3, {%f1,%f2,%f3,%f4}, %f2;",
     "operand 3 is not of its type"},
    {"random_rounding_of_three", "cvt.rs.satfinite.e4m3x4.f32 %r3, {%f1,%f2,%f3}, %r2;",
     "operand 2 is not of its type"},
    {"random_rounding_of_no_vector", "cvt.rs.satfinite.e4m3x4.f32 %r3, %f1, %r2;",
     "operand 2 is not of its type"},
    {"four_of_four_bits_in_a_word", "cvt.rs.satfinite.e2m1x4.f32 %r3, {%f1,%f2,%f3,%f4}, %r2;",
     "operand 1 is not of its type"},
    {"four_that_do_not_saturate", "cvt.rs.e2m3x4.f32 %r3, {%f1,%f2,%f3,%f4}, %r2;",
     "a word is missing"},
    {"four_to_nearest", "cvt.rn.satfinite.e2m3x4.f32 %r3, {%f1,%f2,%f3,%f4}, %r2;", "'.rn' is not"},
    {"two_of_eight_bits_towards_zero", "cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
     "'.rz' is not"},
    {"two_of_eight_bits_that_do_not_saturate", "cvt.rn.e4m3x2.f32 %h1, %f1, %f2;",
     "a word is missing"},
    {"two_of_eight_bits_of_bf16", "cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1;",
     "not defined for this type"},
    {"two_of_six_bits_of_halves", "cvt.rn.satfinite.e2m3x2.f16x2 %h1, %r1;",
     "not defined for this type"},
    {"two_of_six_bits_in_a_word", "cvt.rn.satfinite.e3m2x2.f32 %r3, %f1, %f2;",
     "operand 1 is not of its type"},
    {"two_of_four_bits_in_a_halfword", "cvt.rn.satfinite.e2m1x2.f32 %h1, %f1, %f2;",
     "operand 1 is not of its type"},
    {"two_of_six_bits_of_integers", "cvt.rn.satfinite.e3m2x2.f32 %h1, 1, %f2;",
     "operand 2 is not of its type"},
    {"powers_of_two_to_nearest", "cvt.rn.ue8m0x2.f32 %h1, %f1, %f2;", "'.rn' is not"},
    {"powers_of_two_above_zero", "cvt.rz.relu.ue8m0x2.f32 %h1, %f1, %f2;", "'.relu' is not"},
    {"powers_of_two_of_halves", "cvt.rz.ue8m0x2.f16x2 %h1, %r1;", "not defined for this type"},
    {"powers_of_two_made_halves", "cvt.rn.f16x2.ue8m0x2 %r3, %h1;", "not defined for this type"},
    {"half_of_two_floats", "cvt.rn.f16.f32 %h1, %f1, %f2;", "another number of operands"},
    {"pair_of_one_float", "cvt.rn.f16x2.f32 %r3, %f1;", "another number of operands"},
    {"oob_of_floats", "fma.rn.oob.f32 %f1, %f2, %f3, %f4;", "'.oob' is not"},
    {"asynchronous_store_without_a_scope", "st.async.mmio.release.global.b32 [%rd1], %r2;",
     "by '.release' and a scope"},
    {"asynchronous_store_released_to_a_cluster",
     "st.async.mmio.release.cluster.global.b32 [%rd1], %r2;", "by '.release' and a scope"},
    {"asynchronous_store_that_is_relaxed", "st.async.mmio.relaxed.sys.global.b32 [%rd1], %r2;",
     "by '.release' and a scope"},
    {"asynchronous_store_released_in_shared_memory",
     "st.async.mmio.release.sys.shared::cta.b32 [%r1], %r2;", "of one element of global memory"},
    {"asynchronous_store_of_two", "st.async.release.sys.global.v2.b32 [%rd1], {%r2, %r3};",
     "of one element of global memory"},
    {"asynchronous_store_to_global_memory_at_an_mbarrier",
     "st.async.weak.global.mbarrier::complete_tx::bytes.b32 [%rd1], %r2, [%r3];",
     "of shared memory"},
    {"asynchronous_sum_of_floats", "red.async.mmio.release.gpu.global.add.f32 [%rd1], %f2;",
     "red.async"},
    {"asynchronous_minimum_of_doublewords",
     "red.async.mmio.release.gpu.global.min.s64 [%rd1], %rd2;", "red.async"},
    {"asynchronous_sum_of_floats_at_an_mbarrier",
     "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r1], %f2, "
     "[%r3];",
     "red.async"},
    {"asynchronous_sum_released_to_a_cluster",
     "red.async.release.cluster.global.add.u32 [%rd1], %r2;", "red.async"},
    {"asynchronous_sum_in_shared_memory", "red.async.release.gpu.shared::cta.add.u32 [%r1], %r2;",
     "of one element of global memory"},
    {"dependence_on_nothing", "griddepcontrol;", "a word is missing"},
    {"dependence_both_ways", "griddepcontrol.wait.launch_dependents;", "do not go together"},
    {"dependence_that_is_aligned", "griddepcontrol.wait.aligned;", "'.aligned' is not"},
    {"dependence_of_a_type", "griddepcontrol.launch_dependents.u32;", "not defined for this type"},
    {"tensor_map_of_64_bytes",
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
     "[%rd1], [%r1], 64;",
     "its size is 128"},
    {"tensor_map_to_shared_memory",
     "tensormap.cp_fenceproxy.shared::cta.global.tensormap::generic.release.gpu.sync.aligned "
     "[%r1], [%rd1], 128;",
     "tensormap"},
    {"tensor_map_without_sync",
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu [%rd1], [%r1], "
     "128;",
     "tensormap"},
    {"fill_of_a_window_of_the_cluster", "st.bulk.weak.shared::cluster [%r1], %rd2, 0;",
     "it fills '.shared::cta'"},
    {"fill_of_shared_memory_of_no_block", "st.bulk.weak.shared [%r1], %rd2, 0;",
     "it fills '.shared::cta'"},
    {"fill_of_global_memory", "st.bulk.weak.global [%rd1], %rd2, 0;", "it fills '.shared::cta'"},
    {"fill_of_doublewords", "st.bulk.weak.shared::cta.b64 [%r1], %rd2, 0;", "has no type"},
    {"fill_that_is_volatile", "st.bulk.volatile.shared::cta [%r1], %rd2, 0;",
     "its only word is '.weak'"},
    {"fill_of_a_size_of_a_word", "st.bulk.weak.shared::cta [%r1], %r2, 0;",
     "operand 2 is not of its type"},
    {"fill_of_60_bytes", "st.bulk.weak.shared::cta [%r1], 60, 0;", "a multiple of 8"},
    {"fill_of_a_negative_size", "st.bulk.weak.shared::cta [%r1], -8, 0;", "a multiple of 8"},
    {"fill_with_ones", "st.bulk.weak.shared::cta [%r1], %rd2, 1;", "the constant 0"},
    {"fill_with_a_register", "st.bulk.weak.shared::cta [%r1], %rd2, %rd3;", "the constant 0"},
    {"bulk_copy_of_some_bytes_without_a_mask",
     "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], %r2;", "cp_mask"},
    {"bulk_copy_of_some_bytes_of_a_word",
     "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], %r2, %r3;",
     "operand 4 is not of its type"},
    {"bulk_copy_of_some_bytes_to_shared_memory",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.cp_mask [%r1], [%rd1], "
     "%r2, [%r3], %h1;",
     "cp_mask"},
    {"bulk_copy_to_several_from_one_window",
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], "
     "[%rd1], %r2, [%r3], %h1;",
     "multicast::cluster"},
    {"cancel_at_no_mbarrier",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.b128 [%r1], [%r2];", "a word is missing"},
    {"cancel_by_a_doubleword",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b64 [%r1], "
     "[%r2];",
     "not defined for this type"},
    {"cancel_in_a_window_of_the_cluster",
     "clusterlaunchcontrol.try_cancel.async.shared::cluster.mbarrier::complete_tx::bytes.b128 "
     "[%r1], [%r2];",
     "its memory is '.shared::cta'"},
    {"cancel_for_some_blocks",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
     "multicast::cluster.b128 [%r1], [%r2];",
     "'.multicast::cluster' is not"},
    {"query_of_a_doubleword", "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rd1;",
     "operand 2 is not of its type"},
    {"query_into_a_word",
     "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %r1, {%rd1, %rd2};",
     "operand 1 is not of its type"},
    {"query_without_a_predicate",
     "clusterlaunchcontrol.query_cancel.is_canceled.b128 %p1, {%rd1, %rd2};",
     "'.query_cancel' is not"},
    {"query_of_two_dimensions",
     "clusterlaunchcontrol.query_cancel.get_first_ctaid.v2.b32.b128 {%r1, %r2}, {%rd1, %rd2};",
     "'.v4' goes with"},
    {"query_of_one_dimension_in_four",
     "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.v4.b32.b128 {%r1, %r2, %r3, %r4}, "
     "{%rd1, %rd2};",
     "'.v4' goes with"},
    {"query_into_nothing",
     "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {_, _, _, _}, {%rd1, %rd2};",
     "operand 1 is not of its type"},
    {"query_into_a_doubleword",
     "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %rd3, {%rd1, %rd2};",
     "operand 1 is not of its type"},
    {"eight_words_of_shared_memory", "ld.shared.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%r1];",
     "of global memory"},
    {"four_doublewords_of_local_memory", "st.local.v4.b64 [%rd1], {%rd2,%rd3,%rd4,%rd5};",
     "of global memory"},
    {"eight_words_of_parameters", "ld.param.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [k_in];",
     "of global memory"},
    {"eight_halves", "ld.global.v8.b16 {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8}, [%rd1];", "too long"},
    {"eight_doublewords", "ld.global.v8.b64 {%rd1,%rd2,%rd3,%rd4,%rd5,%rd6,%rd7,%rd8}, [%rd1];",
     "too long"},
    {"eight_pairs_of_halves", "ld.global.v8.f16x2 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];",
     "too long"},
    {"eight_words_of_unchanged_memory",
     "ldu.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];", "too long"},
    {"eight_words_in_seven", "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];",
     "ld.global.v8.b32"},
    {"eight_words_of_a_device",
     "ld.mmio.relaxed.sys.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];",
     "'.mmio' is of no vectors"},
    {"two_words_of_a_device", "st.mmio.relaxed.sys.global.v2.b32 [%rd1], {%r1,%r2};",
     "'.mmio' is of no vectors"},
    {"eight_sinks", "ld.global.v8.b32 {_,_,_,_,_,_,_,_}, [%rd1];", "leaves all elements out"},
    {"a_sink", "ld.global.b32 _, [%rd1];", "leaves all elements out"},
    {"four_words_stored_with_a_sink", "st.global.v4.b32 [%rd1], {%r1,_,%r2,%r3};",
     "only stores of 256 bits"},
    {"eviction_of_a_word", "ld.global.L2::evict_last.b32 %r1, [%rd1];", "its eviction from L2"},
    {"eviction_of_four_words", "st.global.L2::evict_first.v4.b32 [%rd1], {%r1,%r2,%r3,%r4};",
     "its eviction from L2"},
    {"eviction_unchanged", "ld.global.L2::evict_unchanged.v4.b64 {%rd2,%rd3,%rd4,%rd5}, [%rd1];",
     "'.L2::evict_unchanged' is not"},
    {"eight_words_stored_by_themselves",
     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v8.b32 [%r1], "
     "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%r2];",
     "of global memory"},
    {"redux_sum_of_floats", "redux.sync.add.f32 %f3, %f1, -1;", "'.add' is not"},
    {"redux_of_floats_that_flushes", "redux.sync.min.ftz.f32 %f3, %f1, -1;", "'.ftz' is not"},
    {"redux_of_floats_without_sync", "redux.min.f32 %f3, %f1, -1;", "a word is missing"},
    {"redux_of_floats_without_operation", "redux.sync.abs.f32 %f3, %f1, -1;", "a word is missing"},
    {"redux_of_halves", "redux.sync.min.f16 %h3, %h1, -1;", "not defined for this type"},
    {"redux_of_magnitudes_of_integers", "redux.sync.min.abs.s32 %r3, %r1, -1;", "'.abs' is not"},
    {"redux_of_floats_to_nowhere", "redux.sync.min.f32 _, %f1, -1;",
     "operand 1 is not of its type"},
    {"redux_of_floats_and_an_integer", "redux.sync.min.f32 %f3, 1, -1;",
     "operand 2 is not of its type"},
    {"redux_of_floats_by_a_float", "redux.sync.min.f32 %f3, %f1, %f2;",
     "operand 3 is not of its type"},
    {"atomic_of_floats", "atom.global.min.f32 %f3, [%rd0], %f1;", "atom.global.min.f32"},
    {"texture", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f4, %f5}];", "tex"},
    {"f64_flush", "add.ftz.f64 %d3, %d1, %d2;", "'.ftz' is not"},
};
INSTANTIATE_TEST_SUITE_P(Each, Refusal, ::testing::ValuesIn(kRefused),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace emulator::testing
