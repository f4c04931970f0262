// How the processors of this machine have spent their time, by /proc/stat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace autokernel::trial {

// Since the machine was started, some processors together, in ticks (sysconf(_SC_CLK_TCK) a
// second).
struct CpuTicks {
  std::uint64_t busy = 0;  // time that the host took from a virtual machine among it
  std::uint64_t idle = 0;
  friend bool operator==(const CpuTicks&, const CpuTicks&) = default;
};
// The sum over those processors that `counts` by their number, out of the text of /proc/stat. None
// where it has no such line, or one that is damaged.
[[nodiscard]] std::optional<CpuTicks> cpu_ticks(std::string_view stat,
                                                const std::function<bool(std::size_t)>& counts);

// The share of the time between two readings that was neither idle nor `own_ticks`, from 0 to 1.
// None where too little time lies between them to tell.
[[nodiscard]] std::optional<double> share_of_others(const CpuTicks& before, const CpuTicks& after,
                                                    double own_ticks);

}  // namespace autokernel::trial
