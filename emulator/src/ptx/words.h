// The words PTX is written in: opcodes (opcodes.def) and the dotted modifiers behind them, each an
// enumerator with its spelling. State spaces and types are modifiers too in PTX, but the parser
// tells them apart (ast.h); they are not in this list. An opcode being there means that it can be
// read, not that the lowering runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace emulator::ptx {

// clang-format would put each X on a line of its own.
// clang-format off

// The shapes of wgmma: 64 rows, 8 to 256 columns in steps of 8.
#define EMULATOR_PTX_WGMMA_DEPTHS(X, n) \
  X(m64n##n##k8, "m64n" #n "k8") X(m64n##n##k16, "m64n" #n "k16") X(m64n##n##k32, "m64n" #n "k32") \
  X(m64n##n##k64, "m64n" #n "k64") X(m64n##n##k256, "m64n" #n "k256")
#define EMULATOR_PTX_WGMMA_SHAPES(X) \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 8) EMULATOR_PTX_WGMMA_DEPTHS(X, 16)                                \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 24) EMULATOR_PTX_WGMMA_DEPTHS(X, 32)                               \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 40) EMULATOR_PTX_WGMMA_DEPTHS(X, 48)                               \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 56) EMULATOR_PTX_WGMMA_DEPTHS(X, 64)                               \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 72) EMULATOR_PTX_WGMMA_DEPTHS(X, 80)                               \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 88) EMULATOR_PTX_WGMMA_DEPTHS(X, 96)                               \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 104) EMULATOR_PTX_WGMMA_DEPTHS(X, 112)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 120) EMULATOR_PTX_WGMMA_DEPTHS(X, 128)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 136) EMULATOR_PTX_WGMMA_DEPTHS(X, 144)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 152) EMULATOR_PTX_WGMMA_DEPTHS(X, 160)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 168) EMULATOR_PTX_WGMMA_DEPTHS(X, 176)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 184) EMULATOR_PTX_WGMMA_DEPTHS(X, 192)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 200) EMULATOR_PTX_WGMMA_DEPTHS(X, 208)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 216) EMULATOR_PTX_WGMMA_DEPTHS(X, 224)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 232) EMULATOR_PTX_WGMMA_DEPTHS(X, 240)                             \
  EMULATOR_PTX_WGMMA_DEPTHS(X, 248) EMULATOR_PTX_WGMMA_DEPTHS(X, 256)

// X(enumerator, "spelling without the dot")
#define EMULATOR_PTX_MODIFIERS(X) \
  X(sync, "sync") X(aligned, "aligned") X(uni, "uni") X(warp, "warp") X(cta, "cta") X(gpu, "gpu")  \
  X(sys, "sys") X(gl, "gl") X(cluster, "cluster") X(arrive, "arrive") X(wait, "wait")              \
  X(red, "red")                                                                                    \
  X(rn, "rn") X(rz, "rz") X(rm, "rm") X(rp, "rp") X(rna, "rna") X(rs, "rs") X(rni, "rni")          \
  X(rzi, "rzi") X(rmi, "rmi") X(rpi, "rpi") X(ftz, "ftz") X(sat, "sat") X(satfinite, "satfinite")  \
  X(relu, "relu") X(approx, "approx") X(full, "full") X(nan, "nan") X(xorsign, "xorsign")          \
  X(abs, "abs") X(noftz, "noftz") X(oob, "oob") X(lo, "lo") X(hi, "hi") X(wide, "wide")            \
  X(cc, "cc") X(eq, "eq") X(ne, "ne") X(lt, "lt") X(le, "le") X(gt, "gt") X(ge, "ge") X(ls, "ls")  \
  X(hs, "hs") X(equ, "equ") X(neu, "neu") X(ltu, "ltu") X(leu, "leu") X(gtu, "gtu") X(geu, "geu")  \
  X(num, "num") X(to, "to") X(and_, "and") X(or_, "or") X(xor_, "xor") X(popc, "popc")             \
  X(not_, "not") X(add, "add") X(sub, "sub") X(min, "min") X(max, "max") X(inc, "inc")             \
  X(dec, "dec") X(exch, "exch") X(cas, "cas") X(all, "all") X(any, "any") X(ballot, "ballot")      \
  X(up, "up") X(down, "down") X(bfly, "bfly") X(idx, "idx") X(l, "l") X(r, "r") X(wrap, "wrap")    \
  X(clamp, "clamp") X(left, "left") X(right, "right") X(f4e, "f4e") X(b4e, "b4e") X(rc8, "rc8")    \
  X(ecl, "ecl") X(ecr, "ecr") X(rc16, "rc16") X(mask, "mask") X(shiftamt, "shiftamt")              \
  X(volatile_, "volatile") X(relaxed, "relaxed") X(acquire, "acquire") X(release, "release")       \
  X(acq_rel, "acq_rel") X(sc, "sc") X(weak, "weak") X(mmio, "mmio") X(nc, "nc") X(ca, "ca")        \
  X(cg, "cg") X(cs, "cs") X(lu, "lu") X(cv, "cv") X(wb, "wb") X(wt, "wt") X(unified, "unified")    \
  X(finite, "finite") X(infinite, "infinite") X(number, "number") X(notanumber, "notanumber")      \
  X(normal, "normal") X(subnormal, "subnormal") X(async, "async") X(commit_group, "commit_group")  \
  X(wait_group, "wait_group") X(wait_all, "wait_all") X(bulk, "bulk") X(tensor, "tensor")          \
  X(commit, "commit") X(mbarrier, "mbarrier") X(proxy, "proxy") X(alias, "alias") X(x1, "x1")      \
  X(x2, "x2") X(x4, "x4") X(trans, "trans") X(row, "row") X(col, "col") X(load, "load")            \
  X(store, "store") X(mma, "mma") X(m8n8, "m8n8") X(m16n8, "m16n8") X(m8n16, "m8n16")              \
  X(m16n16, "m16n16") X(m8n8k4, "m8n8k4") X(m8n8k16, "m8n8k16") X(m8n8k32, "m8n8k32")              \
  X(m16n8k4, "m16n8k4") X(m16n8k8, "m16n8k8") X(m16n8k16, "m16n8k16") X(m16n8k32, "m16n8k32")      \
  X(m16n8k64, "m16n8k64") X(m16n16k16, "m16n16k16") X(m8n32k16, "m8n32k16")                        \
  X(m32n8k16, "m32n8k16") X(m16n16k8, "m16n16k8") X(a, "a") X(b, "b") X(c, "c") X(d, "d")          \
  X(init, "init") X(inval, "inval") X(expect_tx, "expect_tx") X(complete_tx, "complete_tx")        \
  X(test_wait, "test_wait") X(try_wait, "try_wait") X(arrive_drop, "arrive_drop")                  \
  X(pending_count, "pending_count") X(noComplete, "noComplete") X(parity, "parity")                \
  X(noinc, "noinc") X(tid, "tid") X(level, "level") X(global, "global") X(fetch, "fetch")          \
  X(evict_last, "evict_last") X(evict_normal, "evict_normal") X(mma_async, "mma_async")            \
  X(fence, "fence") X(launch_dependents, "launch_dependents") X(tile, "tile") X(im2col, "im2col")  \
  X(read, "read") X(param, "param") X(dim_1d, "1d") X(dim_2d, "2d") X(dim_3d, "3d")                \
  X(dim_4d, "4d") X(dim_5d, "5d") X(reduce, "reduce") X(prefetch, "prefetch") X(b4x16, "b4x16")    \
  X(b6x16, "b6x16") X(ignore_src, "ignore_src") X(fractional, "fractional") X(range, "range")      \
  X(entry, "entry") X(pack, "pack") X(u, "u") X(s, "s") X(hadd, "hadd") X(h0, "h0") X(h1, "h1")    \
  X(po, "po") X(multicast, "multicast") X(tensormap, "tensormap")                                  \
  X(async_generic, "async::generic") X(spill, "spill") X(spillsize, "spillsize")                   \
  X(L1_evict_normal, "L1::evict_normal") X(L1_evict_unchanged, "L1::evict_unchanged")              \
  X(L1_evict_first, "L1::evict_first") X(L1_evict_last, "L1::evict_last")                          \
  X(L1_no_allocate, "L1::no_allocate") X(L2_evict_last, "L2::evict_last")                          \
  X(L2_evict_normal, "L2::evict_normal") X(L2_evict_first, "L2::evict_first")                      \
  X(L2_evict_unchanged, "L2::evict_unchanged") X(L2_cache_hint, "L2::cache_hint")                  \
  X(L2_64B, "L2::64B") X(L2_128B, "L2::128B") X(L2_256B, "L2::256B")                               \
  X(mbarrier_complete_tx_bytes, "mbarrier::complete_tx::bytes") X(mbarrier_init, "mbarrier_init")  \
  X(multicast_cluster, "multicast::cluster") X(tensormap_generic, "tensormap::generic")            \
  X(bulk_group, "bulk_group")                                                                     \
  X(NaN, "NaN") X(L1, "L1") X(L2, "L2") X(cvt, "cvt") X(phase, "phase") X(m8n8k128, "m8n8k128")   \
  X(m16n8k128, "m16n8k128") X(m16n8k256, "m16n8k256") X(m16n32, "m16n32") X(sp, "sp")             \
  X(sp_ordered_metadata, "sp::ordered_metadata") X(b1024, "b1024") X(b8x16, "b8x16")              \
  X(b4x16_p64, "b4x16_p64") X(b6x16_p32, "b6x16_p32") X(im2col_w, "im2col::w")                    \
  X(im2col_w_128, "im2col::w::128") X(im2col_w_64, "im2col::w::64")                               \
  X(im2col_w_32, "im2col::w::32") X(im2col_no_offs, "im2col_no_offs")                             \
  X(tile_gather4, "tile::gather4") X(tile_scatter4, "tile::scatter4") X(cp_mask, "cp_mask")       \
  X(sync_restrict_shared_cta, "sync_restrict::shared::cta")                                       \
  X(sync_restrict_shared_cluster, "sync_restrict::shared::cluster") X(replace, "replace")         \
  X(cp_fenceproxy, "cp_fenceproxy") X(global_address, "global_address")                           \
  X(global_dim, "global_dim") X(global_stride, "global_stride") X(rank, "rank")                   \
  X(box_dim, "box_dim") X(element_stride, "element_stride") X(elemtype, "elemtype")               \
  X(interleave_layout, "interleave_layout") X(swizzle_mode, "swizzle_mode")                       \
  X(swizzle_atomicity, "swizzle_atomicity") X(fill_mode, "fill_mode") X(ld_reduce, "ld_reduce")   \
  X(acc_f32, "acc::f32") X(acc_f16, "acc::f16") X(shr7, "shr7") X(shr15, "shr15")                 \
  X(scaled_n2_ue8m0, "scaled::n2::ue8m0") X(query_cancel, "query_cancel")                         \
  X(try_cancel, "try_cancel") X(is_canceled, "is_canceled")                                       \
  X(get_first_ctaid, "get_first_ctaid") X(get_first_ctaid_x, "get_first_ctaid::x")                \
  X(get_first_ctaid_y, "get_first_ctaid::y") X(get_first_ctaid_z, "get_first_ctaid::z")           \
  X(multicast_cluster_all, "multicast::cluster::all") X(a1d, "a1d") X(a2d, "a2d")                 \
  X(cube, "cube") X(acube, "acube") X(shape_2dms, "2dms") X(a2dms, "a2dms") X(grad, "grad")       \
  X(base, "base") X(g, "g") X(zero, "zero") X(trap, "trap") X(p, "p") X(width, "width")           \
  X(height, "height") X(depth, "depth") X(channel_data_type, "channel_data_type")                 \
  X(channel_order, "channel_order") X(normalized_coords, "normalized_coords")                     \
  X(force_unnormalized_coords, "force_unnormalized_coords") X(filter_mode, "filter_mode")         \
  X(addr_mode_0, "addr_mode_0") X(addr_mode_1, "addr_mode_1") X(addr_mode_2, "addr_mode_2")       \
  X(array_size, "array_size") X(num_mipmap_levels, "num_mipmap_levels")                           \
  X(num_samples, "num_samples") X(memory_layout, "memory_layout") X(texref, "texref")             \
  X(samplerref, "samplerref") X(surfref, "surfref") X(alloc, "alloc") X(dealloc, "dealloc")       \
  X(relinquish_alloc_permit, "relinquish_alloc_permit") X(shift, "shift") X(cp, "cp")             \
  X(wait_ld, "wait::ld") X(wait_st, "wait::st")                                                   \
  X(fence_before_thread_sync, "fence::before_thread_sync")                                        \
  X(fence_after_thread_sync, "fence::after_thread_sync")                                          \
  X(mbarrier_arrive_one, "mbarrier::arrive::one") X(ws, "ws") X(block_scale, "block_scale")       \
  X(block16, "block16") X(block32, "block32") X(cta_group, "cta_group")                           \
  X(cta_group_1, "cta_group::1") X(cta_group_2, "cta_group::2") X(kind_f16, "kind::f16")          \
  X(kind_tf32, "kind::tf32") X(kind_f8f6f4, "kind::f8f6f4") X(kind_i8, "kind::i8")                \
  X(kind_mxf4, "kind::mxf4") X(kind_mxf4nvf4, "kind::mxf4nvf4")                                   \
  X(kind_mxf8f6f4, "kind::mxf8f6f4") X(scale_vec_1X, "scale_vec::1X")                             \
  X(scale_vec_2X, "scale_vec::2X") X(scale_vec_4X, "scale_vec::4X") X(pack_16b, "pack::16b")      \
  X(unpack_16b, "unpack::16b") X(x8, "x8") X(x16, "x16") X(x32, "x32") X(x64, "x64")              \
  X(x128, "x128") X(shape_16x64b, "16x64b") X(shape_16x128b, "16x128b")                           \
  X(shape_16x256b, "16x256b") X(shape_16x32bx2, "16x32bx2") X(shape_32x32b, "32x32b")             \
  X(shape_4x256b, "4x256b") X(shape_32x128b, "32x128b") X(shape_64x128b, "64x128b")               \
  X(shape_128x128b, "128x128b") X(shape_128x256b, "128x256b") X(warpx4, "warpx4")                 \
  X(warpx2_01_23, "warpx2::01_23") X(warpx2_02_13, "warpx2::02_13")                               \
  X(collector_a_fill, "collector::a::fill") X(collector_a_use, "collector::a::use")               \
  X(collector_a_lastuse, "collector::a::lastuse")                                                 \
  X(collector_a_discard, "collector::a::discard") X(collector_b0_fill, "collector::b0::fill")     \
  X(collector_b0_use, "collector::b0::use") X(collector_b0_lastuse, "collector::b0::lastuse")     \
  X(collector_b0_discard, "collector::b0::discard") X(collector_b1_fill, "collector::b1::fill")   \
  X(collector_b1_use, "collector::b1::use") X(collector_b1_lastuse, "collector::b1::lastuse")     \
  X(collector_b1_discard, "collector::b1::discard") X(collector_b2_fill, "collector::b2::fill")   \
  X(collector_b2_use, "collector::b2::use") X(collector_b2_lastuse, "collector::b2::lastuse")     \
  X(collector_b2_discard, "collector::b2::discard") X(collector_b3_fill, "collector::b3::fill")   \
  X(collector_b3_use, "collector::b3::use") X(collector_b3_lastuse, "collector::b3::lastuse")     \
  X(collector_b3_discard, "collector::b3::discard") \
  EMULATOR_PTX_WGMMA_SHAPES(X)

// clang-format on

#define OPCODE(opcode, ...) opcode,
enum class Opcode : std::uint16_t {
#include "ptx/opcodes.def"
};

#define EMULATOR_PTX_ENUMERATOR(name, spelling) name,
enum class Modifier : std::uint16_t { EMULATOR_PTX_MODIFIERS(EMULATOR_PTX_ENUMERATOR) };
#undef EMULATOR_PTX_ENUMERATOR

// Empty where the word is none.
[[nodiscard]] std::optional<Opcode> opcode_of(std::string_view spelling);
[[nodiscard]] std::optional<Modifier> modifier_of(std::string_view spelling);
[[nodiscard]] std::string_view spelling(Opcode opcode);
[[nodiscard]] std::string_view spelling(Modifier modifier);

}  // namespace emulator::ptx
