// The door by which the CUDA driver comes in: everything that its GPUs do is recorded from then on.
#pragma once

namespace recording {

// Where that is not possible, the record says why, and the program runs on.
void start_gpu_recording();

// Whether calls are worth a record of theirs: kernels are recorded that could be tied to them.
[[nodiscard]] bool gpu_is_recorded();

}  // namespace recording
