// Machine code kept from one process to the next.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_cache.h"
#include "lower/kernel.h"
#include "runtime/abi.h"

namespace emulator::jit {

// What compiling one kernel gives, as far as it is the same in every process.
struct KernelObject {
  std::vector<std::string> objects;     // ELF files
  std::vector<runtime::Site> sites;     // `text` is null
  std::vector<std::string> site_texts;  // one per site
  std::uint64_t local_bytes_per_thread = 0;
  std::uint64_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  runtime::Unit unit = runtime::Unit::warp;
  bool grows_stack = false;
  bool uses_barriers = false;
};

// Entries of one build of the emulator on one kind of CPU; others share the folder and are not
// seen. Thread-safe; any number of processes may use the folder.
class CodeCache {
 public:
  CodeCache(const std::filesystem::path& folder, std::uint64_t most_bytes);

  // `text` is everything that the module was made from.
  [[nodiscard]] std::optional<KernelObject> find(const std::string& text, const std::string& entry,
                                                 const lower::LaunchShape& shape,
                                                 lower::EngineChoice engine) const;
  void keep(const std::string& text, const std::string& entry, const lower::LaunchShape& shape,
            lower::EngineChoice engine, const KernelObject& kernel) const;

  // Whether the module was found to have nothing in it that is not supported.
  [[nodiscard]] bool is_sound(const std::string& text, lower::EngineChoice engine) const;
  void note_sound(const std::string& text, lower::EngineChoice engine) const;

 private:
  [[nodiscard]] std::string key_of(const std::string& text, const std::string& entry,
                                   const lower::LaunchShape& shape,
                                   lower::EngineChoice engine) const;

  std::string maker_;  // empty: not to be told from other builds, so that nothing is kept
  base::FileCache files_;
};

}  // namespace emulator::jit
