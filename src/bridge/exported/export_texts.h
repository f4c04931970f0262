// Texts of exports, with places for what differs (filled_text.h): each function gives the file of
// its name in texts/, "launcher.h.in".
#pragma once

namespace autokernel::bridge::export_texts {

[[nodiscard]] const char* autokernel_host_h();
[[nodiscard]] const char* bfloat16_bits_c();
[[nodiscard]] const char* c_makefile();
[[nodiscard]] const char* c_readme_md();
[[nodiscard]] const char* c_test_c();
[[nodiscard]] const char* float16_bits_c();
[[nodiscard]] const char* hub_benchmark_py();
[[nodiscard]] const char* hub_binding_cpp();
[[nodiscard]] const char* hub_binding_h();
[[nodiscard]] const char* hub_build_toml();
[[nodiscard]] const char* hub_card_md();
[[nodiscard]] const char* hub_flake_nix();
[[nodiscard]] const char* hub_init_py();
[[nodiscard]] const char* launcher_c();
[[nodiscard]] const char* launcher_h();
[[nodiscard]] const char* package_test_py();
[[nodiscard]] const char* patch_readme_md();
[[nodiscard]] const char* shared_readme_md();
[[nodiscard]] const char* solution_main_py();
[[nodiscard]] const char* source_header_h();
[[nodiscard]] const char* source_host_cu();
[[nodiscard]] const char* source_makefile();
[[nodiscard]] const char* source_test_cu();
[[nodiscard]] const char* test_compare_h();
[[nodiscard]] const char* torch_init_py();
[[nodiscard]] const char* torch_makefile();
[[nodiscard]] const char* torch_project_toml();
[[nodiscard]] const char* torch_readme_md();
[[nodiscard]] const char* torch_sizes_py();
[[nodiscard]] const char* torch_test_py();
[[nodiscard]] const char* triton_init_py();
[[nodiscard]] const char* triton_readme_md();
[[nodiscard]] const char* tvm_ffi_c();
[[nodiscard]] const char* tvm_ffi_makefile();
[[nodiscard]] const char* tvm_ffi_readme_md();
[[nodiscard]] const char* tvm_ffi_test_py();
[[nodiscard]] const char* own_licence();  // autokernel's

}  // namespace autokernel::bridge::export_texts
