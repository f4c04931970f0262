// The fields of a ranking, as its JSON has them (docs/json.md).
#pragma once

#include <string>

#include "autokernel/base/fields.h"
#include "autokernel/programs/ranking.h"
#include "programs/profile/product_json.h"

namespace autokernel::programs {

[[nodiscard]] inline std::string represent(const Origin& origin) { return spelling(origin); }
[[nodiscard]] bool restore(const std::string& text, Origin& origin);

template <Of<Extent> Object>
void visit_fields(auto&& fields, Object& extent) {
  fields("x", extent.x);
  fields("y", extent.y);
  fields("z", extent.z);
}

template <Of<Process> Object>
void visit_fields(auto&& fields, Object& process) {
  fields("id", process.id);
  fields("command", process.command);
}

template <Of<Operation> Object>
void visit_fields(auto&& fields, Object& operation) {
  fields("name", operation.name);
  fields("dims", operation.dims);
  fields("types", operation.types);
  fields("product", operation.product);
}

template <Of<Limit> Object>
void visit_fields(auto&& fields, Object& limit) {
  fields("flops", limit.flops);
  fields("bytes", limit.bytes);
  fields("bound", limit.bound);
  fields("least_us", limit.least_us);
}

template <Of<RankedKernel> Object>
void visit_fields(auto&& fields, Object& kernel) {
  fields("name", kernel.name);
  fields("demangled", kernel.demangled);
  fields("short_name", kernel.short_name);
  fields("origin", kernel.origin);
  fields("launches", kernel.launches);
  fields("total_us", kernel.total_us);
  fields("share", kernel.share);
  fields("mean_us", kernel.mean_us);
  fields("median_us", kernel.median_us);
  fields("least_us", kernel.least_us);
  fields("most_us", kernel.most_us);
  fields("grid", kernel.grid);
  fields("block", kernel.block);
  fields("registers", kernel.registers);
  fields("static_shared", kernel.static_shared);
  fields("dynamic_shared", kernel.dynamic_shared);
  fields("in_graph", kernel.in_graph);
  fields("device", kernel.device);
  fields("operation", kernel.operation);
  fields("limit", kernel.limit);
}

template <Of<Totals> Object>
void visit_fields(auto&& fields, Object& totals) {
  fields("span_us", totals.span_us);
  fields("kernels_us", totals.kernels_us);
  fields("transfers_us", totals.transfers_us);
  fields("idle_share", totals.idle_share);
  fields("launches", totals.launches);
  fields("transfers", totals.transfers);
  fields("transfer_bytes", totals.transfer_bytes);
}

template <Of<OriginShare> Object>
void visit_fields(auto&& fields, Object& share) {
  fields("origin", share.origin);
  fields("launches", share.launches);
  fields("total_us", share.total_us);
  fields("share", share.share);
}

template <Of<Ranking> Object>
void visit_fields(auto&& fields, Object& ranking) {
  fields("source", ranking.source);
  fields("program", ranking.program);
  fields("part", ranking.part);
  fields("repetitions", ranking.repetitions);
  fields("devices", ranking.devices);
  fields("processes", ranking.processes);
  fields("asked", ranking.asked);
  fields("graph_launches", ranking.graph_launches);
  fields("lost", ranking.lost);
  fields("warnings", ranking.warnings);
  fields("totals", ranking.totals);
  fields("origins", ranking.origins);
  fields("kernels", ranking.kernels);
}

}  // namespace autokernel::programs

namespace autokernel::driver {

template <Of<DeviceInfo> Object>
void visit_fields(auto&& fields, Object& device) {
  fields("name", device.name);
  fields("ordinal", device.ordinal);
  fields("major", device.major);
  fields("minor", device.minor);
  fields("emulated", device.emulated);
  fields("multiprocessors", device.multiprocessors);
  fields("clock_mhz", device.clock_mhz);
  fields("memory_clock_mhz", device.memory_clock_mhz);
  fields("memory_bus_bits", device.memory_bus_bits);
  fields("l2_bytes", device.l2_bytes);
  fields("memory_bytes", device.memory_bytes);
}

}  // namespace autokernel::driver
