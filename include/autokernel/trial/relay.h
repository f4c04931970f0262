// The other end of a trial that is measured on this machine for another one.
#pragma once

namespace autokernel::trial {

// Greets on standard output, and then supervises one trial after the other, as standard input
// orders them. What is under way when the input ends is ended. Returns the exit code.
[[nodiscard]] int run_relay();

}  // namespace autokernel::trial
