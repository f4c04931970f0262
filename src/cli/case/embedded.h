// Texts that travel in the binary, so that a program alone can make a case: CMake puts them in from
// src/cli/case/template, docs/playbooks and program.md.
#pragma once

#include "autokernel/cases/case.h"

namespace autokernel::cli::embedded {

// The case that `case new` and `init` make where no other is named.
[[nodiscard]] const char* template_case();
[[nodiscard]] const char* template_kernel();
[[nodiscard]] const char* template_triton_kernel();
[[nodiscard]] const char* template_reference();

// program.md of the repository, which is about its matrix product.
[[nodiscard]] const char* program();
// What a program.md for another case has in place of some of its parts; {{WORDS}} are to be filled
// in.
[[nodiscard]] const char* program_allowed();
[[nodiscard]] const char* program_allowed_triton();
[[nodiscard]] const char* program_structure();
// The section of AGENTS.md.
[[nodiscard]] const char* program_agents();

// A page of docs/playbooks.
[[nodiscard]] const char* playbook(cases::Playbook playbook);

}  // namespace autokernel::cli::embedded
