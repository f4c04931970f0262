// The programs in Python that describe problems and are their references.
#pragma once

namespace autokernel::bridge::scripts {

[[nodiscard]] const char* describe_problem();
[[nodiscard]] const char* origins();
[[nodiscard]] const char* foreign();
[[nodiscard]] const char* call_submission();
[[nodiscard]] const char* reference_kernelbench();
[[nodiscard]] const char* reference_definition();
[[nodiscard]] const char* reference_gpumode();

}  // namespace autokernel::bridge::scripts
