// Every form of every instruction that the emulator runs is read and lowered: one kernel each. What
// they compute is for the other tests to say.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jit/compiler.h"
#include "ptx/ast.h"
#include "support/kept_ptx.h"

namespace emulator::testing {
namespace {

// <a|b> stands for a and for b, @ for the | of a pair; $1, $2 .. for registers of the instruction's
// last type. One form to a line, however long.
// clang-format off
constexpr const char* kForms[] = {
    // Integers.
    "<add|sub|min|max|div|rem>.<u16|s16|u32|s32|u64|s64> $1, $2, $3;",
    "<add|sub>.sat.s32 $1, $2, $3;",
    "<add|sub>.cc.<u32|s32|u64|s64> $1, $2, $3;",
    "<addc|subc><|.cc>.<u32|s32|u64|s64> $1, $2, $3;",
    "<add|min|max>.<u16x2|s16x2> $1, $2, $3;",
    "<min|max>.relu.<s16x2|s32> $1, $2, $3;",
    "mul.<lo|hi>.<u16|s16|u32|s32|u64|s64> $1, $2, $3;",
    "mad.<lo|hi>.<u16|s16|u32|s32|u64|s64> $1, $2, $3, $4;",
    "mul.wide.<u16|s16> %r1, $2, $3;",
    "mul.wide.<u32|s32> %rd1, $2, $3;",
    "mad.wide.<u16|s16> %r1, $2, $3, %r4;",
    "mad.wide.<u32|s32> %rd1, $2, $3, %rd4;",
    "mad.hi.sat.s32 $1, $2, $3, $4;",
    "<mad|madc>.<lo|hi>.cc.<u32|s32|u64|s64> $1, $2, $3, $4;",
    "mul24.<lo|hi>.<u32|s32> $1, $2, $3;",
    "mad24.<lo|hi>.<u32|s32> $1, $2, $3, $4;",
    "sad.<u16|s16|u32|s32|u64|s64> $1, $2, $3, $4;",
    "<abs|neg>.<s16|s32|s64> $1, $2;",
    "<popc|clz>.<b32|b64> %r1, $2;",
    "bfind<|.shiftamt>.<u32|s32|u64|s64> %r1, $2;",
    "fns.b32 $1, $2, $3, $4;",
    "brev.<b32|b64> $1, $2;",
    "bfe.<u32|s32|u64|s64> $1, $2, %r3, %r4;",
    "bfi.<b32|b64> $1, $2, $3, %r4, %r5;",
    "szext.<wrap|clamp>.<u32|s32> $1, $2, $3;",
    "bmsk.<wrap|clamp>.b32 $1, $2, $3;",
    "<dp4a|dp2a.lo|dp2a.hi>.<u32|s32>.<u32|s32> $1, $2, $3, $4;",
    // Logic and shifts.
    "<and|or|xor>.<pred|b16|b32|b64> $1, $2, $3;",
    "not.<pred|b16|b32|b64> $1, $2;",
    "cnot.<b16|b32|b64> $1, $2;",
    "shl.<b16|b32|b64> $1, $2, %r3;",
    "shr.<b16|b32|b64|u16|s16|u32|s32|u64|s64> $1, $2, %r3;",
    "shf.<l|r>.<clamp|wrap>.b32 $1, $2, $3, $4;",
    "lop3.b32 $1, $2, $3, $4, 0x3f;",
    "lop3.<or|and>.b32 <%r1|_>@%p1, %r2, %r3, %r4, 0x3f, <%p2|!%p2>;",
    "prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> %r1, %r2, %r3, %r4;",
    // Floating point.
    "testp.<finite|infinite|number|notanumber|normal|subnormal>.<f32|f64> %p1, $2;",
    "copysign.<f32|f64> $1, $2, $3;",
    "<add|sub|mul><|.rn|.rz|.rm|.rp><|.ftz><|.sat>.f32 $1, $2, $3;",
    "<add|sub|mul><|.rn|.rz|.rm|.rp>.f64 $1, $2, $3;",
    "<fma|mad>.<rn|rz|rm|rp><|.ftz><|.sat>.f32 $1, $2, $3, $4;",
    "<fma|mad>.<rn|rz|rm|rp>.f64 $1, $2, $3, $4;",
    "div.<approx|full|rn|rz|rm|rp><|.ftz>.f32 $1, $2, $3;",
    "div.<rn|rz|rm|rp>.f64 $1, $2, $3;",
    "<rcp|sqrt>.<approx|rn|rz|rm|rp><|.ftz>.f32 $1, $2;",
    "<rcp|sqrt>.<rn|rz|rm|rp>.f64 $1, $2;",
    "<rsqrt|sin|cos|lg2|ex2>.approx<|.ftz>.f32 $1, $2;",
    "tanh.approx.<f32|f16|f16x2|bf16|bf16x2> $1, $2;",
    "ex2.approx.<f16|f16x2> $1, $2;",
    "ex2.approx.ftz.<bf16|bf16x2> $1, $2;",
    "<rcp|rsqrt>.approx.ftz.f64 $1, $2;",
    "rsqrt.approx.f64 $1, $2;",
    "<abs|neg><|.ftz>.<f32|f16|f16x2> $1, $2;",
    "<abs|neg>.<f64|bf16|bf16x2> $1, $2;",
    "<min|max><|.ftz><|.NaN><|.xorsign.abs>.<f32|f16|f16x2> $1, $2, $3;",
    "<min|max><|.NaN><|.xorsign.abs>.<bf16|bf16x2> $1, $2, $3;",
    "<min|max>.f64 $1, $2, $3;",
    "<add|sub|mul><|.rn><|.ftz><|.sat>.<f16|f16x2> $1, $2, $3;",
    "<add|sub|mul><|.rn>.<bf16|bf16x2> $1, $2, $3;",
    "fma.rn<|.ftz><|.sat|.relu>.<f16|f16x2> $1, $2, $3, $4;",
    "fma.rn<|.relu>.<bf16|bf16x2> $1, $2, $3, $4;",
    "fma.rn.oob<|.relu>.<f16|f16x2|bf16|bf16x2> $1, $2, $3, $4;",
    "fma.rn.oob.sat.<f16|f16x2> $1, $2, $3, $4;",
    "<add|sub|mul><|.rn|.rz|.rm|.rp><|.ftz>.f32x2 %rd1, %rd2, %rd3;",
    "fma.<rn|rz|rm|rp><|.ftz>.f32x2 %rd1, %rd2, %rd3, %rd4;",
    "<add|sub><|.rn|.rz|.rm|.rp><|.sat>.f32.<f16|bf16> %f1, $2, <%f3|0f3f800000|1.5>;",
    "fma.<rn|rz|rm|rp><|.sat>.f32.<f16|bf16> %f1, $2, $3, %f4;",
    "<min|max><|.ftz><|.NaN><|.abs>.f32 $1, $2, $3, $4;",
    // Comparison and selection.
    "setp.<eq|ne|lt|le|gt|ge>.<u16|s16|u32|s32|u64|s64> %p1, $2, $3;",
    "setp.<lo|ls|hi|hs>.<u16|u32|u64> %p1, $2, $3;",
    "setp.<eq|ne>.<b16|b32|b64> %p1, $2, $3;",
    "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan><|.ftz>.<f32|f16> %p1, $2, $3;",
    "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>.<f64|bf16> %p1, $2, $3;",
    "setp.<lt|geu>.<f16x2|bf16x2> %p1@%p2, $2, $3;",
    "setp.lt.<and|or|xor>.<u16|s32|u64|f32|f64> %p1@%p2, $2, $3, <%p3|!%p3>;",
    "setp.lt.<and|or|xor>.<f16|bf16> %p1, $2, $3, <%p3|!%p3>;",
    "set.<lt|ge>.<u32|s32>.<u16|s32|u64|f32|f64|f16|bf16> %r1, $2, $3;",
    "set.<lt|ge>.f32.<u16|s32|u64|f32|f64> %f1, $2, $3;",
    "set.<lt|nan>.<f16|bf16|u16|s16>.f16 %h1, $2, $3;",
    "set.<lt|nan>.<bf16|u16|s16>.bf16 %h1, $2, $3;",
    "set.<lt|nan>.<f16x2|u32|s32>.f16x2 %r1, $2, $3;",
    "set.ne.<and|or|xor>.u32.<b16|s32|f64> %r1, $2, $3, !%p1;",
    "selp.<b16|b32|b64|u16|s16|u32|s32|u64|s64|f32|f64> $1, $2, $3, %p1;",
    "slct<|.ftz>.<b16.f32 %h1, %h2, %h3|u32.f32 %r1, %r2, %r3|f64.f32 %d1, %d2, %d3>, %f4;",
    "slct.<b16.s32 %h1, %h2, %h3|u64.s32 %rd1, %rd2, %rd3|f32.s32 %f1, %f2, %f3>, %r4;",
    // Moves and conversions.
    "mov.<pred|b16|b32|b64|b128|u16|s16|u32|s32|u64|s64|f32|f64> $1, $2;",
    "mov.b64 <%rd1, {%r1, %r2}|{%r1, _}, %rd1|{%h1, %h2, %h3, %h4}, %rd1>;",
    "mov.<u32|u64> $1, s;",
    "cvta<|.to>.<global|shared|local|const|param|shared::cta|shared::cluster>.u64 %rd1, %rd2;",
    "isspacep.<global|shared|shared::cta|shared::cluster|local|const|param|param::entry> %p1, %rd2;",
    "cvt.<u8|s8|u16|s16>.<u8|s16> %h1, %h2;",
    "cvt.sat.<s8.u8|u8.s16|s8.s16|u16.s16> %h1, %h2;",
    "cvt<|.sat>.<u32|s32>.<u64|s64> %r1, %rd2;",
    "cvt.<rni|rzi|rmi|rpi><|.ftz><|.sat>.<u32|s32>.f32 %r1, %f2;",
    "cvt.<rni|rzi|rmi|rpi>.<u64|s64>.<f16|bf16> %rd1, %h2;",
    "cvt.<rn|rz|rm|rp>.<f16|bf16>.<u32|s32> %h1, %r2;",
    "cvt.<rn|rz|rm|rp><|.ftz>.f32.f64 %f1, %d2;",
    "cvt.<rn|rz><|.relu><|.satfinite>.<f16x2|bf16x2>.f32 %r1, %f2, %f3;",
    "cvt.<rn|rz|rna>.tf32.f32 %r1, %f2;",
    "cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f32 %h1, %f2, %f3;",
    "cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f16x2 %h1, %r2;",
    "cvt.rn<|.relu>.f16x2.<e4m3x2|e5m2x2> %r1, %h2;",
    "cvt.rn.satfinite<|.relu>.<e2m3x2|e3m2x2>.f32 %h1, %f2, 1.5;",
    "cvt.rn<|.relu>.f16x2.<e2m3x2|e3m2x2> %r1, %h2;",
    "cvt.<rz|rp><|.satfinite>.ue8m0x2.f32 %h1, %f2, %f3;",
    "cvt.<rz|rp><|.satfinite>.ue8m0x2.bf16x2 %h1, %r3;",
    "cvt.rn.bf16x2.ue8m0x2 %r1, %h2;",
    "cvt.rs<|.relu>.satfinite.<e4m3x4|e5m2x4|e2m3x4|e3m2x4>.f32 %r1, {%f1, 2.5, %f2, %f3}, %r2;",
    "cvt.rs.satfinite<|.relu>.e2m1x4.f32 %h1, {%f1, %f1, %f2, %f3}, %r2;",
    "cvt.rs<|.relu><|.satfinite>.<f16x2|bf16x2>.f32 %r1, %f2, %f3, %r4;",
    "cvt.<rn|rz><|.satfinite><|.relu>.tf32.f32 %r1, %f2;",
    "cvt.pack.sat.<u8|s8|u4|s4|u2|s2>.s32.b32 %r1, %r2, %r3, %r4;",
    "cvt.pack.sat.<u16|s16>.s32 %r1, %r2, %r3;",
    // Memory.
    "ld<|.global|.local|.const|.param>.<b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64> $1, [%rd9];",
    "st<|.global|.local>.<b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64> [%rd9], $1;",
    "ld.shared<|::cta|::cluster>.<u8|s16|b32|f64> $1, [%r9+4];",
    "st.shared<|::cta|::cluster>.<u8|s16|b32|f64> [%r9+-4], $1;",
    "ld.<global|shared>.v2.<b8|u16|f32|u64> {$1, $2}, [%rd9];",
    "st.<global|shared>.v4.<b8|u16|f32|u32> [%rd9], {$1, $2, $3, $4};",
    "ld<.weak|.volatile|.relaxed.cta|.acquire.cluster|.relaxed.gpu|.acquire.sys><|.global|.shared>.u32 $1, [%rd9];",
    "st<.weak|.volatile|.relaxed.cta|.release.cluster|.relaxed.gpu|.release.sys><|.global|.shared>.u32 [%rd9], $1;",
    "<ld.mmio.relaxed.sys.global.u32 %r1, [%rd9]|st.mmio.relaxed.sys.global.u32 [%rd9], %r1>;",
    "ld.global.<ca|cg|cs|lu|cv|nc|L2::64B|L2::128B|L2::256B>.u32 $1, [%rd9];",
    "st.global.<wb|cg|cs|wt>.u32 [%rd9], $1;",
    "ld.global<|.nc>.L1::<evict_normal|evict_unchanged|evict_first|evict_last|no_allocate>.v4.f32 {$1, $2, $3, $4}, [%rd9];",
    "ldu<|.global>.u32 $1, [%rd9];",
    "<ld.global.L2::cache_hint.u32 %r1, [%rd9]|st.global.L2::cache_hint.u32 [%rd9], %r1>, %rd2;",
    "prefetch<|.global|.local>.<L1|L2> [%rd9];",
    "prefetch.global.L2::<evict_last|evict_normal> [%rd9];",
    "<prefetchu.L1 [%rd9]|applypriority.global.L2::evict_normal [%rd9], 128|discard.global.L2 [%rd9], 128>;",
    "createpolicy.fractional.L2::<evict_last|evict_first|evict_normal>.b64 %rd1, 0.5;",
    "createpolicy.range.L2::evict_last.L2::evict_first.b64 %rd1, [%rd9], 128, 256;",
    "mapa<.shared::cluster.u32 %r1, %r2|.u64 %rd1, %rd2>, 0;",
    "getctarank<.shared::cluster.u32 %r1, %r2|.u64 %r1, %rd2>;",
    // Atomics.
    "atom<|.global|.shared>.<and|or|xor|exch>.<b32|b64> $1, [%rd9], $2;",
    "atom<|.global|.shared>.add.<u32|s32|u64|f32|f64> $1, [%rd9], $2;",
    "red<|.global|.shared>.add.<u32|s32|u64|f32|f64> [%rd9], $2;",
    "atom.global.<min|max>.<u32|s32|u64|s64> $1, [%rd9], $2;",
    "atom.global.<inc|dec>.u32 $1, [%rd9], $2;",
    "atom.<relaxed|acquire|release|acq_rel>.<cta|cluster|gpu|sys>.global.cas.<b16|b32|b64|b128> $1, [%rd9], $2, $3;",
    "<atom.global.add.noftz.f16 %h1, [%rd9], %h2|red.global.add.noftz.bf16x2 [%rd9], %r2>;",
    "red.<relaxed|release>.<cta|gpu|sys>.global.<and|or|xor>.b32 [%rd9], $2;",
    "red.global.add.v2.f32 [%rd9], {%f1, %f2};",
    "atom.global.max.noftz.v4.bf16x2 {%r1, %r2, %r3, %r4}, [%rd9], {%r5, %r6, %r7, %r8};",
    // Barriers, fences, warps.
    "<bar|bar.cta|barrier|barrier.cta>.sync <0|1, 64|%r1|%r1, %r2>;",
    "<bar|barrier>.arrive 1, 64;",
    "<bar|barrier>.red.popc.u32 %r1, 0, <%p1|!%p1>;",
    "<bar|barrier>.red.<and|or>.pred %p1, 0, 32, %p2;",
    "bar.warp.sync <0xffffffff|%r1>;",
    "barrier.cluster.<arrive|arrive.release|arrive.relaxed|wait|wait.acquire><|.aligned>;",
    "membar.<cta|gl|sys>;",
    "fence<|.sc|.acq_rel>.<cta|cluster|gpu|sys>;",
    "fence.proxy.<alias|async|async.global|async.shared::cta|tensormap::generic.release.gpu>;",
    "fence.proxy.tensormap::generic.acquire.<cta|cluster|gpu|sys> [%rd1], 128;",
    "fence.mbarrier_init.release.cluster;",
    "vote.sync.<all|any|uni>.pred %p1, <%p2|!%p2>, -1;",
    "<vote.sync.ballot.b32 %r1, %p2, -1|activemask.b32 %r1|elect.sync %r1@%p1, -1>;",
    "shfl.sync.<up|down|bfly|idx>.b32 <%r1|%r1@%p1>, %r2, <1, 31|%r3, %r4>, -1;",
    "match.any.sync.<b32|b64> %r1, $2, -1;",
    "match.all.sync.<b32|b64> <%r1|%r1@%p1>, $2, -1;",
    "ld<|.weak|.volatile|.relaxed.gpu|.acquire.sys>.global<|.L2::evict_last|.L2::evict_first>.v8.<b32|u32|s32> {%r1,_,%r3,_,_,_,_,%r8}, [%rd1];",
    "ld<|.global|.global.nc><|.L1::evict_last>.L2::evict_normal<|.L2::128B>.v4.<b64|u64|s64> {%rd2,%rd3,_,%rd4}, [%rd1];",
    "st<|.volatile|.relaxed.gpu|.release.sys>.global<|.L2::evict_last>.v8.<b32|u32> [%rd1], {%r1,_,%r3,_,_,7,_,%r8};",
    "st<|.global><|.L1::no_allocate>.L2::evict_first.v4.f64 [%rd1], {%d2,%d3,_,1.0};",
    "st.async<|.mmio>.release.<gpu|sys><|.global>.<b16|b32|b64|u32|s64|f32|f64> [%rd1], $2;",
    "red.async<|.mmio>.release.<gpu|sys><|.global>.<add.u32|add.s32|add.u64|add.s64|min.u32|max.s32> [%rd1], $2;",
    "red.async<|.mmio>.release.<gpu|sys><|.global>.<and|or|xor>.b32 [%rd1], $2;",
    "red.async<|.mmio>.release.<gpu|sys>.global.<inc|dec>.u32 [%rd1], $2;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.<cta|cluster|gpu|sys>.sync.aligned [%rd1], [%r1], 128;",
    "st.bulk<|.weak><|.shared::cta> [%rd1], <64|%rd2>, 0;",
    "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], %r2, <%h1|0xff>;",
    "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd1], [%r1], 32, %rd2, %h1;",
    "clusterlaunchcontrol.try_cancel.async<|.shared::cta>.mbarrier::complete_tx::bytes<|.multicast::cluster::all>.b128 [%rd1], [%rd2];",
    "redux.sync.<add|min|max>.<u32|s32> $1, $2, -1;",
    "redux.sync.<and|or|xor>.b32 $1, $2, -1;",
    "redux.sync.<min|max><|.abs><|.NaN>.f32 $1, <$2|1.5>, <-1|%r3>;",
    "<nanosleep.u32 100|griddepcontrol.wait|griddepcontrol.launch_dependents|pmevent 3|trap|brkpt|exit>;",
    "setmaxnreg.<inc|dec>.sync.aligned.u32 64;",
    // Matrices.
    "ldmatrix.sync.aligned.m8n8.<x1|x1.trans><.shared|.shared::cta>.b16 {%r1}, [%r9];",
    "ldmatrix.sync.aligned.m16n16.<x1.trans|trans.x1>.<shared.b8|shared.b8x16.b6x16_p32|shared.b8x16.b4x16_p64> {%r1, %r2}, [%r9];",
    "ldmatrix.sync.aligned.m16n16.x2.trans.<b8|b8x16.b6x16_p32|b8x16.b4x16_p64> {%r1, %r2, %r3, %r4}, [%rd9];",
    "ldmatrix.sync.aligned.m8n16.<x1.shared.b8x16.b6x16_p32 {%r1}|x2.shared.b8x16.b4x16_p64 {%r1, %r2}>, [%r9];",
    "stmatrix.sync.aligned.<m8n8.x1.shared.b16|m16n8.x1.trans.shared.b8> [%r9], {%r1};",
    "mma.sync.aligned<.m16n8k32.row.col.kind::f8f6f4|.kind::f8f6f4.m16n8k32.row.col>.f32.<e4m3|e5m2|e3m2|e2m3|e2m1>.<e4m3|e5m2|e3m2|e2m3|e2m1>.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
    "mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata.m16n8k64.row.col.f16.e3m2.e2m1.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r1, %r2}, <%r9|{%r9}>, 0x0;",
    "mma.sync.aligned.kind::<mxf8f6f4.block_scale.m16n8k32|mxf8f6f4.block_scale.scale_vec::1X.m16n8k32|mxf4.block_scale.m16n8k64>.row.col.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, <%r9|{%r9}|%f9>, {<0|%h1>, 1}, %r9, {2, 3};",
    "mma.sync.aligned.kind::mxf4nvf4.sp::ordered_metadata.block_scale.scale_vec::2X.m16n8k128.row.col.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0, %r1, {0, 1}, %r2, {0, 3};",
    // Asynchronous copies and mbarriers.
    "cp.async.ca.shared<|::cta>.global<|.L2::128B> [%r9], [%rd9], <4|8|16><|, %r2>;",
    "cp.async.cg.shared.global [%r9], [%rd9], 16<|, %r2|, %p1>;",
    "cp.async.<commit_group|wait_group 1|wait_all|bulk.commit_group|bulk.wait_group 0|bulk.wait_group.read 1>;",
    "cp.async.mbarrier.arrive<|.noinc><.shared.b64 [%r9]|.b64 [%rd9]>;",
    "cp.async.bulk.<shared::cluster|shared::cta>.global.mbarrier::complete_tx::bytes [%r9], [%rd9], <16|%r1>, [%r2];",
    "cp.async.bulk.prefetch.L2.global< [%rd1], 16|.L2::cache_hint [%rd1], %r1, %rd2>;",
    "cp.async.bulk.prefetch.tensor.2d.L2.global<|.tile>< [%rd1, {%r1,%r2}]|.L2::cache_hint [%rd1, {%r1,%r2}], %rd2>;",
    "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col< [%rd1, {%r1,%r2,%r3}], {%h1}|.L2::cache_hint [%rd1, {%r1,%r2,%r3}], {%h1}, %rd2>;",
    "cp.async.bulk.global.shared::cta.bulk_group< [%rd9], [%r9], 16|.L2::cache_hint [%rd9], [%r9], 16, %rd2>;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.<add|min|max>.<u32|s32|u64> [%rd9], [%r9], 16;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.<min|max>.s64 [%rd9], [%r9], 16;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.<and|or|xor>.<b32|b64> [%rd9], [%r9], 16;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.<f16|bf16> [%rd9], [%r9], 16;",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.<add|min|max>.<u32|s32> [%r9], [%r8], 16, [%r2];",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.<add.u64|and.b32|or.b32|xor.b32|inc.u32|dec.u32> [%r9], [%r8], 16, [%r2];",
    "cp.async.bulk.tensor.2d.<shared::cta|shared::cluster>.global.tile::gather4.mbarrier::complete_tx::bytes [%r9], [%rd9, {%r1, %r2, %r3, %r4, %r5}], [%r8];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r9], [%rd9, {%r1, %r2, %r3, %r4, %r5}], [%r8], %h1, %rd1;",
    "<cp.async.bulk.tensor.2d.global.shared::cta.tile|cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile>::scatter4.bulk_group [%rd9, {%r1, %r2, %r3, %r4, %r5}], [%r9];",
    "cp.async.bulk.tensor.<3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r9], [%rd9, {%r1, %r2, %r3}]|5d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes [%r9], [%rd9, {%r1, %r2, %r3, %r4, %r5}]>, [%r8], {<%h1|2>, 1};",
    "cp.async.bulk.prefetch.tensor.<2d.L2.global.tile::gather4 [%rd9, {%r1, %r2, %r3, %r4, %r5}]|4d.L2.global.im2col::w [%rd9, {%r1, %r2, %r3, %r4}], {%h1, %h2}>;",
    "tensormap.replace.tile.swizzle_atomicity.<global|shared::cta>.b1024.b32 [%rd9], <0|1|2|3>;",
    "mbarrier.<init|expect_tx|complete_tx><.shared.b64 [%r9]|.b64 [%rd9]>, <1|%r1>;",
    "mbarrier.inval.shared.b64 [%r9];",
    "mbarrier.<arrive|arrive_drop><|.expect_tx|.noComplete>.shared.b64 <%rd1|_>, [%r9], %r2;",
    "mbarrier.arrive.<release|relaxed>.<cta|cluster>.shared::cta.b64 <%rd1|_>, [%r9];",
    "mbarrier.<test_wait|try_wait>.shared.b64 %p1, [%r9], %rd1;",
    "mbarrier.<test_wait|try_wait>.parity<|.acquire.cta|.relaxed.cluster>.shared.b64 %p1, [%r9], <%r1|1>;",
    "mbarrier.pending_count.b64 %r1, %rd1;",
    // Video.
    "<vadd|vsub|vabsdiff|vmin|vmax>.<u32|s32>.<u32|s32>.<u32|s32><|.sat>.<add|min|max> %r1, %r2.b0, %r3.h1, %r4;",
    "<vadd|vsub|vabsdiff|vmin|vmax>.<u32|s32>.u32.s32<|.sat> <%r1, %r2.b0, %r3.h1|%r1.h0, %r2, %r3, %r4>;",
    "<vshl|vshr>.<u32|s32>.<u32|s32>.u32<|.sat>.<clamp|wrap> %r1.b2, %r2, %r3, %r4;",
    "vset.<u32|s32>.<u32|s32>.<eq|ne|lt|le|gt|ge> %r1, %r2, %r3;",
    "vmad.<u32|s32>.<u32|s32>.<u32|s32><|.po><|.sat><|.shr7|.shr15> %r1, %r2, %r3, %r4;",
    "<vadd|vsub|vavrg|vabsdiff|vmin|vmax>2.<u32|s32>.<u32|s32>.<u32|s32><|.sat|.add> %r1.h0, %r2.h31, %r3, %r4;",
    "<vadd|vsub|vavrg|vabsdiff|vmin|vmax>4.<u32|s32>.<u32|s32>.<u32|s32><|.sat|.add> %r1.b310, %r2.b7654, %r3, %r4;",
    "<vset2|vset4>.<u32|s32>.<u32|s32>.<eq|ne|lt|le|gt|ge><|.add> %r1, %r2, %r3, %r4;",
    // Special registers.
    "mov.u32 %r1, %<tid|ntid|ctaid|nctaid|clusterid|nclusterid|cluster_ctaid|cluster_nctaid>.<x|y|z>;",
    "mov.u32 %r1, %<laneid|warpid|nwarpid|smid|nsmid|clock|clock_hi|globaltimer_lo|globaltimer_hi|pm0|pm7|envreg0|envreg31>;",
    "mov.u32 %r1, %<total_smem_size|aggr_smem_size|dynamic_smem_size|cluster_ctarank|cluster_nctarank>;",
    "mov.u32 %r1, %lanemask_<eq|le|lt|ge|gt>;",
    "mov.u32 %r1, %reserved_smem_offset_<begin|end|cap|0|1>;",
    "mov.u64 %rd1, %<gridid|clock64|globaltimer|current_graph_exec|pm0_64>;",
    "mov.pred %p1, %is_explicit_cluster;",
};
// clang-format on

// The first <..> replaced by each of its alternatives, and so on.
void expand(const std::string& form, std::vector<std::string>& all) {
  const std::size_t open = form.find('<');
  if (open == std::string::npos) {
    all.push_back(form);
    return;
  }
  const std::size_t close = form.find('>', open);
  const std::string choices = form.substr(open + 1, close - open - 1);
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    expand(form.substr(0, open) + choices.substr(begin, end - begin) + form.substr(close + 1), all);
    begin = end + 1;
  }
}

std::string register_of(std::string_view type) {
  if (type == "pred") return "%p";
  if (type == "f32") return "%f";
  if (type == "f64") return "%d";
  if (type == "b128") return "%q";
  if (type.ends_with("x2") || type.ends_with("32")) return "%r";
  return type.ends_with("64") ? "%rd" : "%h";
}

std::string with_registers(std::string form) {
  const std::string words = form.substr(0, form.find(' '));
  const std::string place = register_of(words.substr(words.rfind('.') + 1));
  for (std::size_t at = form.find('$'); at != std::string::npos; at = form.find('$'))
    form.replace(at, 1, place);
  for (std::size_t at = form.find('@'); at != std::string::npos; at = form.find('@'))
    form[at] = '|';
  return form;
}

std::string error_of(const std::string& instruction) {
  const std::string ptx =
      ".version 8.7\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 k_in) {\n.reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 "
      "%r<16>;"
      ".reg .b64 %rd<16>; .reg .f32 %f<16>; .reg .f64 %d<16>; .reg .b128 %q<4>;\n"
      ".shared .align 16 .b8 s[64];\n" +
      instruction + "\nret;\n}\n";
  keep_ptx(ptx);
  try {
    jit::Compiler(std::make_shared<const ptx::Module>(ptx::parse(ptx)), {}).check();
  } catch (const ptx::Error& error) {
    return error.what();
  }
  return "";
}

class Forms : public ::testing::TestWithParam<const char*> {};
TEST_P(Forms, AreAllTaken) {
  std::vector<std::string> all;
  expand(GetParam(), all);
  for (const std::string& form : all) EXPECT_EQ(error_of(with_registers(form)), "");
}
INSTANTIATE_TEST_SUITE_P(Each, Forms, ::testing::ValuesIn(kForms));

// That a refusal is seen here.
TEST(Form, ThatTheEmulatorLacksIsRefused) {
  EXPECT_NE(error_of("add.rn.sat.f32x2 %rd1, %rd2, %rd3;"), "");
  EXPECT_NE(error_of("fma.rn.ftz.oob.f16 %h1, %h2, %h3, %h4;"), "");
}

}  // namespace
}  // namespace emulator::testing
