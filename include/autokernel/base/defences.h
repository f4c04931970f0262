// What stands between a kernel that cheats and a number, by name. In the product every defence
// stands, and the compiler knows it: there is nothing to switch. The tests build a second program
// in which each can be switched off, to show that the kernels it is meant for get through without
// it (tests/adversarial).
#pragma once

#include <cstdint>

namespace autokernel {

enum class Defence : std::uint8_t {
  fresh_keys,               // each launch has inputs unknown before
  refilled_memory,          // outputs and workspace are rewritten before each launch
  random_fill,              // and with random bits, not zeros
  restored_module,          // variables of the module have their initial values at each launch
  timed_restoring,          // which is timed where a launch leaves them changed
  compared_timed_launches,  // what is timed is compared, not only what was checked before
  every_element,            // no percentage of wrong ones is let pass
  exact_inputs,             // sums of products must be right to the bit
  case_inputs,              // and right on the inputs of the case, on which every other launch is
  stress_inputs,            // and on very large, very small, mixed, zero and constant ones
  misrounding,              // and there as accurate as a sum in fp32
  lesser_gain,              // who is fast on one kind of inputs is judged by the other
  slow_minority,            // a gain is none that a few slow launches pay for
  unchanged_inputs,         // inputs are compared after each launch
  repeats,                  // the same inputs give the same bits
  both_warp_orders,         // the emulated device begins a block's warps from either end
  deadlines,                // for each phase, kept from outside
  confined_compiler,        // it can read CUDA's files and nothing else
  sandbox,                  // the candidate's process has no files, network or other processes
  fixed_environment,        // kernels run with the variables on a list, not with the user's
  parameter_layout,         // kernels take exactly the bytes that a launch hands over
};

#ifdef AUTOKERNEL_DEFENCES_CAN_BE_SWITCHED_OFF
[[nodiscard]] bool stands(Defence defence);
#else
[[nodiscard]] constexpr bool stands(Defence /*defence*/) { return true; }
#endif

}  // namespace autokernel
