// What `autokernel verify-run` prints.
#pragma once

#include <string>

#include "autokernel/loop/verification.h"

namespace autokernel::cli {

[[nodiscard]] std::string verification_text(const loop::Verification& verification);
// One object, with its newline: docs/loop-json.md.
[[nodiscard]] std::string verification_json(const loop::Verification& verification);
[[nodiscard]] int exit_code(const loop::Verification& verification);

}  // namespace autokernel::cli
