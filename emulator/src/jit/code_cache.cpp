// An entry (base/packing.h) is the number of objects, each of them as bytes, the numbers of
// KernelObject as it names them, the number of sites, and of each site: kind, space, bytes,
// elements and line as numbers, its text as bytes. That of a sound module is empty.
#include "jit/code_cache.h"

#include <llvm/Config/llvm-config.h>

#include <utility>

#include "base/packing.h"
#include "jit/build_id.h"
#include "jit/llvm.h"

namespace emulator::jit {
namespace {

using base::Packer;
using base::Unpacker;

constexpr const char* kEnding = ".kernel";

// Everything but the kernel that machine code depends on.
std::string maker() {
  const std::string build = build_id();
  if (build.empty()) return {};
  return Packer().bytes(build).bytes(LLVM_VERSION_STRING).bytes(host_cpu()).packed();
}

std::string packed(const KernelObject& kernel) {
  Packer packer;
  packer.number(kernel.objects.size());
  for (const std::string& object : kernel.objects) packer.bytes(object);
  packer.number(kernel.local_bytes_per_thread)
      .number(kernel.parameter_bytes)
      .number(kernel.static_shared_bytes)
      .number(static_cast<std::uint64_t>(kernel.unit))
      .number(kernel.grows_stack ? 1 : 0)
      .number(kernel.uses_barriers ? 1 : 0)
      .number(kernel.sites.size());
  for (std::size_t i = 0; i < kernel.sites.size(); ++i) {
    const runtime::Site& site = kernel.sites[i];
    packer.number(static_cast<std::uint64_t>(site.kind))
        .number(static_cast<std::uint64_t>(site.space))
        .number(site.bytes)
        .number(site.elements)
        .number(site.line)
        .number(site.written)
        .bytes(kernel.site_texts[i]);
  }
  return packer.packed();
}

std::optional<KernelObject> unpacked(const std::string& entry) {
  Unpacker unpacker(entry);
  KernelObject kernel;
  const std::uint64_t objects = unpacker.number();
  // Each takes more than one byte, so that no number makes this long.
  for (std::uint64_t i = 0; i < objects && !unpacker.rest().empty(); ++i) {
    kernel.objects.emplace_back(unpacker.bytes());
  }
  kernel.local_bytes_per_thread = unpacker.number();
  kernel.parameter_bytes = unpacker.number();
  kernel.static_shared_bytes = static_cast<std::uint32_t>(unpacker.number());
  kernel.unit = static_cast<runtime::Unit>(unpacker.number());
  kernel.grows_stack = unpacker.number() != 0;
  kernel.uses_barriers = unpacker.number() != 0;
  const std::uint64_t sites = unpacker.number();
  for (std::uint64_t i = 0; i < sites && !unpacker.rest().empty(); ++i) {
    runtime::Site site{};
    site.kind = static_cast<runtime::AccessKind>(unpacker.number());
    site.space = static_cast<runtime::AccessSpace>(unpacker.number());
    site.bytes = static_cast<std::uint32_t>(unpacker.number());
    site.elements = static_cast<std::uint32_t>(unpacker.number());
    site.line = static_cast<std::uint32_t>(unpacker.number());
    site.written = static_cast<std::uint32_t>(unpacker.number());
    kernel.sites.push_back(site);
    kernel.site_texts.emplace_back(unpacker.bytes());
  }
  const bool whole = kernel.objects.size() == objects && kernel.sites.size() == sites;
  if (!unpacker.ended_well() || !whole) return std::nullopt;
  return kernel;
}

}  // namespace

CodeCache::CodeCache(const std::filesystem::path& folder, std::uint64_t most_bytes)
    : maker_(maker()), files_(folder, kEnding, most_bytes) {}

std::string CodeCache::key_of(const std::string& text, const std::string& entry,
                              const lower::LaunchShape& shape, lower::EngineChoice engine) const {
  Packer key;
  key.bytes(maker_).bytes(entry).number(static_cast<std::uint64_t>(engine));
  for (const std::uint32_t extent : shape.block) key.number(extent);
  for (const std::uint32_t extent : shape.grid) key.number(extent);
  key.number(shape.dynamic_shared_bytes);
  key.number(shape.clustered ? 1 : 0).number(shape.explicit_cluster ? 1 : 0);
  return key.bytes(text).packed();
}

std::optional<KernelObject> CodeCache::find(const std::string& text, const std::string& entry,
                                            const lower::LaunchShape& shape,
                                            lower::EngineChoice engine) const {
  if (maker_.empty()) return std::nullopt;
  const std::optional<std::string> found = files_.find(key_of(text, entry, shape, engine));
  return found ? unpacked(*found) : std::nullopt;
}

void CodeCache::keep(const std::string& text, const std::string& entry,
                     const lower::LaunchShape& shape, lower::EngineChoice engine,
                     const KernelObject& kernel) const {
  if (!maker_.empty()) files_.keep(key_of(text, entry, shape, engine), packed(kernel));
}

// No kernel has an empty name.
bool CodeCache::is_sound(const std::string& text, lower::EngineChoice engine) const {
  return !maker_.empty() && files_.find(key_of(text, "", {}, engine)).has_value();
}

void CodeCache::note_sound(const std::string& text, lower::EngineChoice engine) const {
  if (!maker_.empty()) files_.keep(key_of(text, "", {}, engine), "");
}

}  // namespace emulator::jit
