// The words PTX is written in: opcodes and the dotted modifiers behind them, each an enumerator with its spelling.
// State spaces and types are modifiers too in PTX, but the parser tells them apart (ast.h); they are not in this list.
// An opcode being here means that it can be read, not that the lowering runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace emulator::ptx {

// X(enumerator, "spelling")
#define EMULATOR_PTX_OPCODES(X) \
  X(abs, "abs") X(activemask, "activemask") X(add, "add") X(addc, "addc") X(alloca, "alloca")      \
  X(and_, "and") X(applypriority, "applypriority") X(atom, "atom") X(bar, "bar")                   \
  X(barrier, "barrier") X(bfe, "bfe") X(bfi, "bfi") X(bfind, "bfind") X(bmsk, "bmsk")              \
  X(bra, "bra") X(brev, "brev") X(brkpt, "brkpt") X(brx, "brx") X(call, "call") X(clz, "clz")      \
  X(cnot, "cnot") X(copysign, "copysign") X(cos, "cos") X(cp, "cp")                                \
  X(createpolicy, "createpolicy") X(cvt, "cvt") X(cvta, "cvta") X(discard, "discard")              \
  X(div, "div") X(dp2a, "dp2a") X(dp4a, "dp4a") X(elect, "elect") X(ex2, "ex2") X(exit, "exit")    \
  X(fence, "fence") X(fma, "fma") X(fns, "fns") X(getctarank, "getctarank")                        \
  X(griddepcontrol, "griddepcontrol") X(isspacep, "isspacep") X(ld, "ld") X(ldmatrix, "ldmatrix")  \
  X(ldu, "ldu") X(lg2, "lg2") X(lop3, "lop3") X(mad, "mad") X(mad24, "mad24") X(madc, "madc")      \
  X(mapa, "mapa") X(match, "match") X(max, "max") X(mbarrier, "mbarrier") X(membar, "membar")      \
  X(min, "min") X(mma, "mma") X(mov, "mov") X(movmatrix, "movmatrix") X(mul, "mul")                \
  X(mul24, "mul24") X(nanosleep, "nanosleep") X(neg, "neg") X(not_, "not") X(or_, "or")            \
  X(pmevent, "pmevent") X(popc, "popc") X(prefetch, "prefetch") X(prefetchu, "prefetchu")          \
  X(prmt, "prmt") X(rcp, "rcp") X(red, "red") X(redux, "redux") X(rem, "rem") X(ret, "ret")        \
  X(rsqrt, "rsqrt") X(sad, "sad") X(selp, "selp") X(set, "set") X(setmaxnreg, "setmaxnreg")        \
  X(setp, "setp") X(shf, "shf") X(shfl, "shfl") X(shl, "shl") X(shr, "shr") X(sin, "sin")          \
  X(slct, "slct") X(sqrt, "sqrt") X(st, "st") X(stackrestore, "stackrestore")                      \
  X(stacksave, "stacksave") X(stmatrix, "stmatrix") X(sub, "sub") X(subc, "subc")                  \
  X(szext, "szext") X(tanh, "tanh") X(testp, "testp") X(trap, "trap") X(vabsdiff, "vabsdiff")      \
  X(vabsdiff2, "vabsdiff2") X(vabsdiff4, "vabsdiff4") X(vadd, "vadd") X(vadd2, "vadd2")            \
  X(vadd4, "vadd4") X(vavrg2, "vavrg2") X(vavrg4, "vavrg4") X(vmad, "vmad") X(vmax, "vmax")        \
  X(vmax2, "vmax2") X(vmax4, "vmax4") X(vmin, "vmin") X(vmin2, "vmin2") X(vmin4, "vmin4")          \
  X(vset, "vset") X(vset2, "vset2") X(vset4, "vset4") X(vshl, "vshl") X(vshr, "vshr")              \
  X(vsub, "vsub") X(vsub2, "vsub2") X(vsub4, "vsub4") X(vote, "vote") X(wgmma, "wgmma")            \
  X(wmma, "wmma") X(xor_, "xor")

// X(enumerator, "spelling without the dot")
#define EMULATOR_PTX_MODIFIERS(X) \
  X(sync, "sync") X(aligned, "aligned") X(uni, "uni") X(warp, "warp") X(cta, "cta") X(gpu, "gpu")  \
  X(sys, "sys") X(cluster, "cluster") X(arrive, "arrive") X(wait, "wait") X(red, "red")            \
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
  X(async_generic, "async_generic") X(spill, "spill") X(spillsize, "spillsize")                    \
  X(L1_evict_normal, "L1::evict_normal") X(L1_evict_unchanged, "L1::evict_unchanged")              \
  X(L1_evict_first, "L1::evict_first") X(L1_evict_last, "L1::evict_last")                          \
  X(L1_no_allocate, "L1::no_allocate") X(L2_evict_last, "L2::evict_last")                          \
  X(L2_evict_normal, "L2::evict_normal") X(L2_evict_first, "L2::evict_first")                      \
  X(L2_evict_unchanged, "L2::evict_unchanged") X(L2_cache_hint, "L2::cache_hint")                  \
  X(L2_64B, "L2::64B") X(L2_128B, "L2::128B") X(L2_256B, "L2::256B")                               \
  X(mbarrier_complete_tx_bytes, "mbarrier::complete_tx::bytes") X(mbarrier_init, "mbarrier_init")  \
  X(multicast_cluster, "multicast::cluster") X(tensormap_generic, "tensormap::generic")            \
  X(bulk_group, "bulk_group")

#define EMULATOR_PTX_ENUMERATOR(name, spelling) name,
enum class Opcode : std::uint16_t { EMULATOR_PTX_OPCODES(EMULATOR_PTX_ENUMERATOR) };
enum class Modifier : std::uint16_t { EMULATOR_PTX_MODIFIERS(EMULATOR_PTX_ENUMERATOR) };
#undef EMULATOR_PTX_ENUMERATOR

// Empty where the word is none.
[[nodiscard]] std::optional<Opcode> opcode_of(std::string_view spelling);
[[nodiscard]] std::optional<Modifier> modifier_of(std::string_view spelling);
[[nodiscard]] std::string_view spelling(Opcode opcode);
[[nodiscard]] std::string_view spelling(Modifier modifier);

}  // namespace emulator::ptx
