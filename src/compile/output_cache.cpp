// An entry is log, PTX and cubin, each as bytes (base/packing.h).
#include "compile/output_cache.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "autokernel/base/packing.h"

namespace autokernel::compile {
namespace {

constexpr const char* kEnding = ".nvrtc";

}  // namespace

OutputCache::OutputCache(std::filesystem::path folder, std::uint64_t most_bytes)
    : files_(std::move(folder), kEnding, most_bytes) {}

std::optional<Nvrtc::Output> OutputCache::find(const std::string& key) const {
  const std::optional<std::string> entry = files_.find(key);
  if (!entry) return std::nullopt;
  Unpacker unpacker(*entry);
  Nvrtc::Output output;
  output.outcome = Nvrtc::Outcome::compiled;
  output.log = unpacker.bytes();
  output.ptx = unpacker.bytes();
  const std::string_view cubin = unpacker.bytes();
  output.cubin.resize(cubin.size());
  std::memcpy(output.cubin.data(), cubin.data(), cubin.size());
  if (!unpacker.ended_well()) return std::nullopt;
  return output;
}

void OutputCache::keep(const std::string& key, const Nvrtc::Output& output) const {
  Packer entry;
  entry.bytes(output.log).bytes(output.ptx);
  entry.bytes({reinterpret_cast<const char*>(output.cubin.data()), output.cubin.size()});
  files_.keep(key, entry.packed());
}

}  // namespace autokernel::compile
