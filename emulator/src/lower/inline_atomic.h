// Atomic operations that are written out instead of left to the runtime: those on 32 and 64 bits, a
// warp at a time, where all lanes turn out to be allowed to access their addresses.
#pragma once

#include <functional>
#include <string>

#include "lower/address.h"
#include "lower/writer.h"
#include "runtime/abi.h"

namespace emulator::lower {

class InlineAtomic {
 public:
  struct Form {
    runtime::AtomicOp operation;
    runtime::AtomicType type;
    bool gives_old;  // whether what was in memory before is wanted
  };

  InlineAtomic(Writer& writer, const ptx::Instruction& instruction, Form form);

  // Whether it can be written out. In kernels of many instructions none is.
  [[nodiscard]] static bool suits(const Writer& writer, const ptx::Instruction& instruction,
                                  Form form);
  // Whether the kernel orders its accesses of global memory for other blocks, so that they may find
  // out when an addition is carried out.
  [[nodiscard]] static bool orders_memory(const ptx::Function& function);
  // The lanes' addresses are in the context's address area, and their operands in its values 0 and
  // 1, as emu_atomic takes them; the old values are left where that leaves them.
  void write(AccessAddress& address, const Value& lanes, std::uint32_t site);

 private:
  Value some_lane_is_bad(AccessAddress& address, const Value& lanes, std::uint32_t site);
  Value words_of_range(std::uint32_t site, Value& begin);
  // One of the lanes that run, and what it works on.
  struct Lane {
    Value index;  // i64
    Value address;
    Value operand;
  };
  // One lane after the other in ascending order, as the runtime does it.
  void each_lane(const std::function<void(const Lane&)>& carry_out);
  void update(const Lane& lane);
  void gather(std::uint32_t site, const std::string& done);
  void call_runtime(std::uint32_t site, const Value& lanes);
  Value value_of(const Value& lane, unsigned index);
  Value at_lane(const Value& area, const Value& lane, unsigned bytes);
  Value locked(const Value& pointer, const Value& operand, const Value& swap);
  Value exchanged(const Value& pointer, const Value& operand);
  Value combined(const Value& old, const Value& operand, const Value& swap);
  Value sum_of_floats(const Value& old, const Value& operand);

  Writer& writer_;
  Ir& ir_;
  Form form_;
  std::string element_;  // an integer
  unsigned bytes_;
  bool shared_;
  bool gathers_;  // its additions
};

}  // namespace emulator::lower
