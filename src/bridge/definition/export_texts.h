// Texts of the host code that goes with an exported kernel.
#pragma once

namespace autokernel::bridge::export_texts {

[[nodiscard]] const char* main_py();
[[nodiscard]] const char* host_header();

}  // namespace autokernel::bridge::export_texts
