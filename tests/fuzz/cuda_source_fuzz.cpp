// Any bytes are a source: cases, kernels of which none is made, or neither. What is left blank in a
// case is where its note says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/bridge/cuda_source.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int i = 1; i < number && begin != std::string::npos; ++i) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto imported = autokernel::bridge::import_cuda_source("x.cu", text, {});
  for (const auto& each : imported.cases) {
    for (const auto& blank : each.blanks) {
      const std::string line = line_of(each.files.at(blank.file), blank.line);
      require(line.find("\"?\"") != std::string::npos || line.find("FILL_IN") != std::string::npos);
    }
  }
  for (const auto& other : imported.others) require(!other.reason.empty());
  return 0;
}
