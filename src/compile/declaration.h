// What the bytes of the constants autokernel_launch and autokernel_workspace say. Their layout is
// that of include/autokernel.cuh, which is the other side of this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

inline constexpr const char* kLaunchSymbol = "autokernel_launch";
inline constexpr const char* kWorkspaceSymbol = "autokernel_workspace";

// The candidate is at fault; what() is the reason of the Refusal.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The characters of a field up to its first zero; all of them where there is none.
[[nodiscard]] std::string text_in(std::span<const std::byte> field);

// What a constant that one of the macros defines begins with, and how long it is.
struct Header {
  std::string_view magic;
  std::uint32_t version;
  std::size_t bytes;  // of the whole constant
  std::string_view macro;
  std::string_view symbol;
};
// Throws Refused where `bytes` do not begin so.
void require_header(std::span<const std::byte> bytes, const Header& header,
                    const std::string& file_name);

// Fills in the launches. `functions` are those whose addresses the declaration holds, by where it
// does; `file_name` is what messages call the file. Throws Refused naming the line to repair.
[[nodiscard]] std::vector<Launch> decode_launches(
    std::span<const std::byte> bytes, const std::map<std::uint64_t, std::string>& functions,
    const std::string& file_name);
struct WorkspaceWish {
  std::uint64_t bytes = 0;
  bool zeroed = false;
};
[[nodiscard]] WorkspaceWish decode_workspace(std::span<const std::byte> bytes,
                                             const std::string& file_name);

// The line that the declaration which holds these bytes stands on; 0 where they do not say.
[[nodiscard]] std::uint32_t line_of(std::span<const std::byte> bytes);

}  // namespace autokernel::compile
