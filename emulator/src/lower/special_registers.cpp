// The registers that say where a thread runs.
#include <cstddef>

#include "lower/writer.h"

namespace emulator::lower {

using ptx::Special;
using runtime::WarpContext;

Value Writer::read_special(const ptx::SpecialRegister& special, ptx::Location where) {
  const unsigned d = special.dimension;
  const auto field = [&](std::size_t offset, const std::string& element, unsigned lanes) {
    return ir.load(context_field(offset), element, lanes, 4);
  };
  const std::size_t of_dimension = sizeof(std::uint32_t) * d;
  const LaneValues known = lower::values_of(special, shape_);
  if (known.kind == LaneValues::Kind::affine && known.range.constant()) {
    return Ir::constant(static_cast<std::uint64_t>(known.range.low), "i32", 1);
  }
  if (by_thread()) {
    const Value own = read_lane_register(special);
    if (!own.name.empty()) return own;
  }
  const auto lane_bits = [&](auto&& of_lane) {
    LaneOffsets bits{};
    for (std::size_t lane = 0; lane < bits.size(); ++lane)
      bits[lane] = of_lane(std::uint32_t{1} << lane);
    return Ir::lane_constants(bits, "i32");
  };
  switch (special.which) {
    case Special::tid:
      return field(offsetof(WarpContext, tid) + sizeof(std::uint32_t) * kLanes * d, "i32",
                   known.is_vector() ? kLanes : 1);
    case Special::ctaid:
      return field(offsetof(WarpContext, ctaid) + sizeof(std::uint32_t) * d, "i32", 1);
    case Special::nctaid:
      return field(offsetof(WarpContext, nctaid) + sizeof(std::uint32_t) * d, "i32", 1);
    case Special::warpid:
      return field(offsetof(WarpContext, warp), "i32", 1);
    case Special::nwarpid:
      return Ir::constant((shape_.threads() + kLanes - 1) / kLanes, "i32", 1);
    case Special::lanemask_eq:
      return lane_bits([](std::uint32_t bit) { return bit; });
    case Special::lanemask_le:
      return lane_bits([](std::uint32_t bit) { return bit | (bit - 1); });
    case Special::lanemask_lt:
      return lane_bits([](std::uint32_t bit) { return bit - 1; });
    case Special::lanemask_ge:
      return lane_bits([](std::uint32_t bit) { return ~(bit - 1); });
    case Special::lanemask_gt:
      return lane_bits([](std::uint32_t bit) { return ~(bit | (bit - 1)); });
    case Special::dynamic_smem_size:
      return field(offsetof(WarpContext, dynamic_shared_bytes), "i32", 1);
    case Special::total_smem_size:
    case Special::aggr_smem_size:
      return field(offsetof(WarpContext, shared_bytes), "i32", 1);
    case Special::clock:
    case Special::clock64:
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return call("emu_clock", {}, "i64");
    case Special::clock_hi:
    case Special::globaltimer_hi:
      return ir.binary("lshr", call("emu_clock", {}, "i64"), 32);
    // Where cooperative_groups looks for the address of the grid's workspace.
    case Special::envreg: {
      const std::size_t workspace = offsetof(WarpContext, grid_workspace);
      if (d == 1) return field(workspace + sizeof(std::uint32_t), "i32", 1);
      if (d == 2) return field(workspace, "i32", 1);
      return Ir::constant(0, "i32", 1);
    }
    // A grid that says nothing of clusters has one of each block.
    case Special::clusterid:
      if (!shape_.clustered) return field(offsetof(WarpContext, ctaid) + of_dimension, "i32", 1);
      return ir.binary("udiv", field(offsetof(WarpContext, ctaid) + of_dimension, "i32", 1),
                       field(offsetof(WarpContext, cluster) + of_dimension, "i32", 1));
    case Special::nclusterid:
      if (!shape_.clustered) return field(offsetof(WarpContext, nctaid) + of_dimension, "i32", 1);
      return ir.binary("udiv", field(offsetof(WarpContext, nctaid) + of_dimension, "i32", 1),
                       field(offsetof(WarpContext, cluster) + of_dimension, "i32", 1));
    case Special::cluster_ctaid:
      if (!shape_.clustered) return Ir::constant(0, "i32", 1);
      return ir.binary("urem", field(offsetof(WarpContext, ctaid) + of_dimension, "i32", 1),
                       field(offsetof(WarpContext, cluster) + of_dimension, "i32", 1));
    case Special::cluster_nctaid:
      return field(offsetof(WarpContext, cluster) + of_dimension, "i32", 1);
    case Special::cluster_ctarank:
      return field(offsetof(WarpContext, cluster_rank), "i32", 1);
    case Special::cluster_nctarank:
      return field(offsetof(WarpContext, cluster_size), "i32", 1);
    case Special::is_explicit_cluster:
      return Ir::constant(shape_.explicit_cluster ? 1 : 0, "i32", 1);
    // One multiprocessor runs one grid.
    case Special::smid:
    case Special::gridid:
    case Special::current_graph_exec:
    // Nobody counts events.
    case Special::pm:
    case Special::pm_64:
      return Ir::constant(0, "i32", 1);
    // PTX names offsets 0 to 2 and says nothing of what lies there; cooperative groups use 288
    // bytes from the second on.
    case Special::reserved_smem_offset:
      return Ir::constant(layout_.reserved_begin + std::uint64_t{256} * special.dimension, "i32",
                          1);
    case Special::reserved_smem_offset_begin:
      return Ir::constant(layout_.reserved_begin, "i32", 1);
    case Special::reserved_smem_offset_end:
      return Ir::constant(layout_.reserved_end, "i32", 1);
    case Special::reserved_smem_offset_cap:
      return Ir::constant(layout_.reserved_end - layout_.reserved_begin, "i32", 1);
    case Special::nsmid:
      return Ir::constant(1, "i32", 1);
    default:
      throw ptx::Error(where, "this special register is not supported by the emulator");
  }
}

}  // namespace emulator::lower
