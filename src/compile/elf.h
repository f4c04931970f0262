// Reads a 64-bit little-endian ELF file, which is what a cubin is: sections, symbols and
// relocations. The bytes come from a compiler that read the candidate's source, so every offset in
// them is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace autokernel::compile {

class BadElf : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t size = 0;
  std::uint64_t alignment = 0;
  std::span<const std::byte> bytes;  // into the image; empty where the section has none in the file

  [[nodiscard]] bool is_written_at_run_time() const;  // has memory that stores may change
  [[nodiscard]] bool has_bytes() const;               // false: zeros (NOBITS)
  [[nodiscard]] bool is_of_capsule() const;           // see Elf::capsule_symbols()
};

struct ElfSymbol {
  std::string name;
  std::uint8_t type = 0;
  std::uint8_t other = 0;
  std::uint16_t section = 0;  // index; 0: not defined in the file
  std::uint64_t value = 0;    // offset in the section
  std::uint64_t size = 0;

  [[nodiscard]] bool is_section() const;
  [[nodiscard]] bool is_function() const;
  [[nodiscard]] bool is_defined() const;
};

// Where an address is filled in when the image is loaded.
struct ElfRelocation {
  std::size_t section = 0;   // index of the one it is in
  std::uint64_t offset = 0;  // in that section
  std::size_t symbol = 0;    // index of the one whose address it is
  std::int64_t addend = 0;
};

class Elf {
 public:
  // `image` must outlive the object. Throws BadElf saying what is wrong with it.
  explicit Elf(std::span<const std::byte> image);

  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  // Those in sections of the machine code.
  [[nodiscard]] const std::vector<ElfRelocation>& relocations() const { return relocations_; }

  // From compute capability 10.0 on a cubin holds the program twice: as machine code of the chip it
  // was compiled for, and as a capsule ("capmerc") that the driver turns into the machine code of a
  // chip of the same family. The capsule has sections of its own, marked by a flag and called
  // .nv.merc.*, whose initial values are the very bytes of the file that the plain sections name,
  // and a symbol table of its own. Empty where there is no capsule.
  [[nodiscard]] const std::vector<ElfSymbol>& capsule_symbols() const { return capsule_symbols_; }

 private:
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
  std::vector<ElfRelocation> relocations_;
  std::vector<ElfSymbol> capsule_symbols_;
};

// A little-endian whole number at `offset`. Throws BadElf where the bytes end before it does.
template <typename Integer>
[[nodiscard]] Integer little_endian(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Integer)) {
    throw BadElf("a number lies beyond the end");
  }
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(Integer); i-- > 0;) {
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[offset + i]);
  }
  return static_cast<Integer>(value);
}

}  // namespace autokernel::compile
