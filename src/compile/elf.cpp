#include "compile/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace autokernel::compile {
namespace {

using Bytes = std::span<const std::byte>;

// What the symbol table and the sections of a capsule are marked with, as NVRTC 13.0 writes them;
// NVIDIA documents neither. Where they change, a capsule's memory is taken for the machine code's,
// belongs to none of its variables, and is refused.
constexpr std::uint32_t kCapsuleSymbolTable = 0x70000085;
constexpr std::uint64_t kCapsuleFlag = 0x10000000;

Bytes part_of(Bytes bytes, std::uint64_t offset, std::uint64_t size, const std::string& what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    throw BadElf(what + " lies beyond the end");
  }
  return bytes.subspan(offset, size);
}

std::string text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) throw BadElf("a name lies beyond its table");
  constexpr std::size_t kLongestName = std::size_t{64} << 10;
  const Bytes rest = strings.subspan(offset).first(std::min(strings.size() - offset, kLongestName));
  const auto end = std::ranges::find(rest, std::byte{0});
  if (end == rest.end()) throw BadElf("a name does not end in its table");
  std::string text;
  std::transform(rest.begin(), end, std::back_inserter(text),
                 [](std::byte byte) { return std::to_integer<char>(byte); });
  return text;
}

void require_header(Bytes image) {
  constexpr std::array kMagic = {std::byte{0x7f}, std::byte{'E'},        std::byte{'L'},
                                 std::byte{'F'},  std::byte{ELFCLASS64}, std::byte{ELFDATA2LSB}};
  if (image.size() < sizeof(Elf64_Ehdr) ||
      !std::equal(kMagic.begin(), kMagic.end(), image.begin())) {
    throw BadElf("it is no 64-bit ELF file");
  }
}

struct SectionHeader {
  ElfSection section;
  std::uint32_t name = 0;
};

SectionHeader section_at(Bytes image, std::uint64_t at) {
  const Bytes header = part_of(image, at, sizeof(Elf64_Shdr), "a section header");
  SectionHeader out;
  out.name = little_endian<std::uint32_t>(header, offsetof(Elf64_Shdr, sh_name));
  ElfSection& section = out.section;
  section.type = little_endian<std::uint32_t>(header, offsetof(Elf64_Shdr, sh_type));
  section.flags = little_endian<std::uint64_t>(header, offsetof(Elf64_Shdr, sh_flags));
  section.link = little_endian<std::uint32_t>(header, offsetof(Elf64_Shdr, sh_link));
  section.info = little_endian<std::uint32_t>(header, offsetof(Elf64_Shdr, sh_info));
  section.size = little_endian<std::uint64_t>(header, offsetof(Elf64_Shdr, sh_size));
  section.alignment = little_endian<std::uint64_t>(header, offsetof(Elf64_Shdr, sh_addralign));
  if (section.type != SHT_NULL && section.has_bytes()) {
    const auto offset = little_endian<std::uint64_t>(header, offsetof(Elf64_Shdr, sh_offset));
    section.bytes = part_of(image, offset, section.size, "a section");
  }
  return out;
}

ElfSymbol symbol_at(Bytes entry, Bytes strings, std::size_t section_count) {
  ElfSymbol symbol;
  symbol.name = text_at(strings, little_endian<std::uint32_t>(entry, offsetof(Elf64_Sym, st_name)));
  const auto info = little_endian<std::uint8_t>(entry, offsetof(Elf64_Sym, st_info));
  symbol.type = ELF64_ST_TYPE(info);
  symbol.other = little_endian<std::uint8_t>(entry, offsetof(Elf64_Sym, st_other));
  symbol.section = little_endian<std::uint16_t>(entry, offsetof(Elf64_Sym, st_shndx));
  symbol.value = little_endian<std::uint64_t>(entry, offsetof(Elf64_Sym, st_value));
  symbol.size = little_endian<std::uint64_t>(entry, offsetof(Elf64_Sym, st_size));
  if (symbol.section >= SHN_LORESERVE) {
    throw BadElf(fmt::format("the symbol {} is in no section", symbol.name));
  }
  if (symbol.section >= section_count) throw BadElf("a symbol is in a section that does not exist");
  return symbol;
}

std::vector<ElfSymbol> symbols_of(const ElfSection& table,
                                  const std::vector<ElfSection>& sections) {
  if (table.link >= sections.size()) throw BadElf("the symbols have no names");
  if (table.bytes.size() % sizeof(Elf64_Sym) != 0) throw BadElf("the symbol table is cut short");
  std::vector<ElfSymbol> symbols;
  for (std::size_t at = 0; at < table.bytes.size(); at += sizeof(Elf64_Sym)) {
    symbols.push_back(symbol_at(table.bytes.subspan(at, sizeof(Elf64_Sym)),
                                sections[table.link].bytes, sections.size()));
  }
  return symbols;
}

void add_relocations(const ElfSection& table, std::size_t sections, std::size_t symbols,
                     std::vector<ElfRelocation>& relocations) {
  constexpr unsigned kSymbolShift = 32;
  if (table.info >= sections || table.bytes.size() % sizeof(Elf64_Rela) != 0) {
    throw BadElf("a table of relocations is cut short or of no section");
  }
  for (std::size_t at = 0; at < table.bytes.size(); at += sizeof(Elf64_Rela)) {
    ElfRelocation relocation;
    relocation.section = table.info;
    relocation.offset =
        little_endian<std::uint64_t>(table.bytes, at + offsetof(Elf64_Rela, r_offset));
    relocation.symbol =
        little_endian<std::uint64_t>(table.bytes, at + offsetof(Elf64_Rela, r_info)) >>
        kSymbolShift;
    relocation.addend =
        little_endian<std::int64_t>(table.bytes, at + offsetof(Elf64_Rela, r_addend));
    if (relocation.symbol >= symbols) throw BadElf("a relocation has no symbol");
    relocations.push_back(relocation);
  }
}

// Null where there is none of that type.
const ElfSection* only_section(const std::vector<ElfSection>& sections, std::uint32_t type) {
  const ElfSection* found = nullptr;
  for (const ElfSection& section : sections) {
    if (section.type != type) continue;
    if (found != nullptr) throw BadElf("it has two symbol tables");
    found = &section;
  }
  return found;
}

}  // namespace

bool ElfSection::is_written_at_run_time() const {
  return (flags & SHF_ALLOC) != 0 && (flags & SHF_WRITE) != 0;
}
bool ElfSection::has_bytes() const { return type != SHT_NOBITS; }
bool ElfSection::is_of_capsule() const { return (flags & kCapsuleFlag) != 0; }

bool ElfSymbol::is_section() const { return type == STT_SECTION; }
bool ElfSymbol::is_function() const { return type == STT_FUNC; }
bool ElfSymbol::is_defined() const { return section != SHN_UNDEF; }

Elf::Elf(Bytes image) {
  require_header(image);
  const auto table = little_endian<std::uint64_t>(image, offsetof(Elf64_Ehdr, e_shoff));
  const auto entry = little_endian<std::uint16_t>(image, offsetof(Elf64_Ehdr, e_shentsize));
  const auto count = little_endian<std::uint16_t>(image, offsetof(Elf64_Ehdr, e_shnum));
  const auto names = little_endian<std::uint16_t>(image, offsetof(Elf64_Ehdr, e_shstrndx));
  if (entry != sizeof(Elf64_Shdr) || names >= count) throw BadElf("its section table is malformed");
  static_cast<void>(part_of(image, table, std::uint64_t{count} * entry, "the section table"));
  // Segments are the driver's concern, but a file that ends before they do was cut.
  const auto segments = little_endian<std::uint64_t>(image, offsetof(Elf64_Ehdr, e_phoff));
  const auto segment_count = little_endian<std::uint16_t>(image, offsetof(Elf64_Ehdr, e_phnum));
  static_cast<void>(
      part_of(image, segments, segment_count * sizeof(Elf64_Phdr), "the segment table"));

  std::vector<std::uint32_t> name_offsets;
  for (std::uint64_t i = 0; i < count; ++i) {
    SectionHeader header = section_at(image, table + i * entry);
    name_offsets.push_back(header.name);
    sections_.push_back(std::move(header.section));
  }
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    sections_[i].name = text_at(sections_[names].bytes, name_offsets[i]);
  }
  const ElfSection* const symbol_table = only_section(sections_, SHT_SYMTAB);
  if (symbol_table == nullptr) throw BadElf("it has no symbol table");
  symbols_ = symbols_of(*symbol_table, sections_);
  for (const ElfSection& section : sections_) {
    if (section.type == SHT_RELA && !section.is_of_capsule())
      add_relocations(section, sections_.size(), symbols_.size(), relocations_);
  }
  if (const ElfSection* const capsule = only_section(sections_, kCapsuleSymbolTable)) {
    capsule_symbols_ = symbols_of(*capsule, sections_);
  }
}

}  // namespace autokernel::compile
