// The declaration as it stands in PTX text, for where there is no cubin and to check that both say
// the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::compile {

// Bytes of the module's `.const .. .b8 NAME[N] = {..}`. The compiler drops zeros at the end of the
// list; they are put back. None where there is no such constant or it is written in another way.
[[nodiscard]] std::optional<std::vector<std::byte>> constant_bytes(const std::string& ptx,
                                                                   const std::string& name);

struct Parameter {
  std::uint32_t bytes = 0;
  bool is_word = false;  // one integer of 64 bits, as which a pointer is handed over
};
// Parameters of the kernel `name`; none where there is no such `.entry`.
[[nodiscard]] std::optional<std::vector<Parameter>> parameters(const std::string& ptx,
                                                               const std::string& name);

// The block that `.maxntid` or `.reqntid` of the kernel `name` allows; none where it has neither.
[[nodiscard]] std::optional<std::array<std::uint32_t, 3>> thread_bounds(const std::string& ptx,
                                                                        const std::string& name);

// Bytes of each parameter of the kernel `name`; none where there is no such `.entry`.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> parameter_bytes(const std::string& ptx,
                                                                        const std::string& name);

}  // namespace autokernel::compile
