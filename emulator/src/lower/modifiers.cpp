// Which dotted words each instruction may carry. A word that the lowering does not look at could
// change what the instruction means, so one that is not listed here is refused, never passed over.
#include <algorithm>
#include <span>
#include <string>

#include "lower/video.h"
#include "lower/word_patterns.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Opcode;
using M = ptx::Modifier;
using Words = std::span<const M>;

constexpr M kVideo[] = {M::sat, M::add, M::min, M::max};
constexpr M kVideoShift[] = {M::sat, M::clamp, M::wrap, M::add, M::min, M::max};
constexpr M kVideoProduct[] = {M::sat, M::po, M::shr7, M::shr15};
constexpr M kVideoCompare[] = {M::eq, M::ne, M::lt, M::le, M::gt, M::ge, M::add, M::min, M::max};
constexpr M kVideoParts[] = {M::sat, M::add};
constexpr M kConvert[] = {M::rn,  M::rz,  M::rm,  M::rp,  M::rna,  M::rni,       M::rzi,
                          M::rmi, M::rpi, M::ftz, M::sat, M::relu, M::satfinite, M::pack};
constexpr M kAddress[] = {M::to};
constexpr M kLoad[] = {M::weak,
                       M::volatile_,
                       M::relaxed,
                       M::acquire,
                       M::mmio,
                       M::cta,
                       M::cluster,
                       M::gpu,
                       M::sys,
                       M::nc,
                       M::ca,
                       M::cg,
                       M::cs,
                       M::lu,
                       M::cv,
                       M::unified,
                       M::L1_evict_normal,
                       M::L1_evict_unchanged,
                       M::L1_evict_first,
                       M::L1_evict_last,
                       M::L1_no_allocate,
                       M::L2_evict_last,
                       M::L2_evict_normal,
                       M::L2_evict_first,
                       M::L2_cache_hint,
                       M::L2_64B,
                       M::L2_128B,
                       M::L2_256B};
constexpr M kStore[] = {M::weak,
                        M::volatile_,
                        M::relaxed,
                        M::release,
                        M::mmio,
                        M::cta,
                        M::cluster,
                        M::gpu,
                        M::sys,
                        M::cg,
                        M::cs,
                        M::wb,
                        M::wt,
                        M::L1_evict_normal,
                        M::L1_evict_unchanged,
                        M::L1_evict_first,
                        M::L1_evict_last,
                        M::L1_no_allocate,
                        M::L2_evict_last,
                        M::L2_evict_normal,
                        M::L2_evict_first,
                        M::L2_cache_hint};
constexpr M kBarrier[] = {M::cta, M::sync, M::arrive,  M::red,  M::aligned, M::popc,    M::and_,
                          M::or_, M::warp, M::cluster, M::wait, M::acquire, M::release, M::relaxed};
constexpr M kVote[] = {M::sync, M::all, M::any, M::uni, M::ballot};
constexpr M kMatrixAccess[] = {M::sync, M::aligned, M::m8n8, M::x1, M::x2, M::x4, M::trans};
constexpr M kProductOfMatrices[] = {
    M::sync,      M::aligned,   M::row,       M::col,     M::m8n8k4,  M::m16n8k4,  M::m16n8k8,
    M::m16n8k16,  M::m16n8k32,  M::satfinite, M::m8n8k16, M::m8n8k32, M::m8n8k128, M::m16n8k64,
    M::m16n8k128, M::m16n8k256, M::xor_,      M::and_,    M::popc};
constexpr M kFragments[] = {M::sync,      M::aligned,   M::row,      M::col,      M::load,
                            M::store,     M::mma,       M::a,        M::b,        M::c,
                            M::d,         M::m16n16k16, M::m8n32k16, M::m32n8k16, M::m16n16k8,
                            M::satfinite, M::rn,        M::m8n8k4,   M::m8n8k32,  M::m8n8k128,
                            M::xor_,      M::and_,      M::popc};
constexpr M kCopy[] = {M::async,
                       M::ca,
                       M::cg,
                       M::commit_group,
                       M::wait_group,
                       M::wait_all,
                       M::L2_64B,
                       M::L2_128B,
                       M::L2_256B,
                       M::L2_cache_hint,
                       M::ignore_src,
                       M::mbarrier,
                       M::arrive,
                       M::noinc,
                       M::bulk,
                       M::reduce,
                       M::read,
                       M::bulk_group,
                       M::mbarrier_complete_tx_bytes,
                       M::prefetch,
                       M::L2,
                       M::add,
                       M::min,
                       M::max,
                       M::inc,
                       M::dec,
                       M::and_,
                       M::or_,
                       M::xor_,
                       M::noftz};
constexpr M kMbarrier[] = {M::init,     M::inval,       M::expect_tx,     M::complete_tx,
                           M::arrive,   M::arrive_drop, M::noComplete,    M::test_wait,
                           M::try_wait, M::parity,      M::pending_count, M::acquire,
                           M::release,  M::relaxed,     M::cta,           M::cluster};
constexpr M kSync[] = {M::sync};
constexpr M kUniform[] = {M::uni};
constexpr M kIndexed[] = {M::idx, M::uni};

// Hints and fences, and what is refused whole: no word of theirs changes a result.
bool takes_any(Opcode opcode) {
  switch (opcode) {
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::createpolicy:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::pmevent:
    case Opcode::griddepcontrol:
    case Opcode::setmaxnreg:
      return true;
    default:
      return false;
  }
}

// What the emulator has none of, whatever words an instruction of it carries; null for all else.
const char* lacking_altogether(Opcode opcode) {
  switch (opcode) {
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::txq:
      return "it has no textures";
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
    case Opcode::suq:
      return "it has no surfaces";
    case Opcode::istypep:
      return "it has no textures and no surfaces";
    case Opcode::wgmma:
      return "it has no wgmma";
    case Opcode::tcgen05:
      return "it has no tcgen05";
    case Opcode::tensormap:
      return "it has no tensor maps";
    case Opcode::multimem:
      return "it is a single device";
    default:
      return nullptr;
  }
}

Words known_words(Opcode opcode) {
  switch (opcode) {
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
      return kVideo;
    case Opcode::vshl:
    case Opcode::vshr:
      return kVideoShift;
    case Opcode::vmad:
      return kVideoProduct;
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
      return kVideoCompare;
    case Opcode::vadd2:
    case Opcode::vadd4:
    case Opcode::vsub2:
    case Opcode::vsub4:
    case Opcode::vavrg2:
    case Opcode::vavrg4:
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4:
    case Opcode::vmin2:
    case Opcode::vmin4:
    case Opcode::vmax2:
    case Opcode::vmax4:
      return kVideoParts;
    case Opcode::cvt:
      return kConvert;
    case Opcode::cvta:
      return kAddress;
    case Opcode::ld:
    case Opcode::ldu:
      return kLoad;
    case Opcode::st:
      return kStore;
    case Opcode::bar:
    case Opcode::barrier:
      return kBarrier;
    case Opcode::vote:
      return kVote;
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
      return kMatrixAccess;
    case Opcode::mma:
      return kProductOfMatrices;
    case Opcode::wmma:
      return kFragments;
    case Opcode::cp:
      return kCopy;
    case Opcode::mbarrier:
      return kMbarrier;
    case Opcode::elect:
      return kSync;
    case Opcode::call:
    case Opcode::bra:
    case Opcode::ret:
      return kUniform;
    case Opcode::brx:
      return kIndexed;
    default:
      return {};
  }
}

}  // namespace

void require_known_words(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.selector && !is_video(instruction.opcode)) {
      unsupported(instruction, "a part of a register is an operand of video instructions alone");
    }
  }
  const bool stores = instruction.opcode == Opcode::st || instruction.opcode == Opcode::red;
  if (stores && instruction.has(M::async)) {
    // In a cluster of one block PTX leaves open what they do (PTX ISA, st.async and red.async,
    // "Conditions"), and an H200 stops with an illegal instruction.
    unsupported(instruction, "it is for clusters of several blocks");
  }
  if (const char* why = lacking_altogether(instruction.opcode)) unsupported(instruction, why);
  if (takes_any(instruction.opcode)) return;
  if (has_patterns(instruction)) return require_pattern(instruction);
  const Words known = known_words(instruction.opcode);
  for (const M word : instruction.modifiers) {
    if (std::ranges::find(known, word) != known.end()) continue;
    unsupported(instruction, "'." + std::string(ptx::spelling(word)) + "' is not");
  }
}

}  // namespace emulator::lower
