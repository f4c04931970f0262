#include <fmt/format.h>

#include <limits>

#include "compile/builtin_headers.h"

namespace autokernel::compile {

std::string sizes_header(const std::map<std::string, std::int64_t>& sizes,
                         const std::map<std::string, std::string>& types) {
  std::string text = "#pragma once\n";
  if (!types.empty()) text += "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  for (const auto& [symbol, type] : types) text += fmt::format("using {} = {};\n", symbol, type);
  for (const auto& [symbol, value] : sizes) {
    const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                      value <= std::numeric_limits<std::int32_t>::max();
    text +=
        fmt::format("inline constexpr {} {} = {};\n", fits ? "int" : "long long", symbol, value);
  }
  return text;
}

}  // namespace autokernel::compile
