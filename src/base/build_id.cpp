#include "autokernel/base/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <string_view>

namespace autokernel {
namespace {

// Notes are padded to words.
[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

[[nodiscard]] std::string id_in(std::string_view notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note{};
    std::memcpy(&note, notes.data(), sizeof(note));
    notes.remove_prefix(sizeof(note));
    const std::size_t name = padded(note.n_namesz);
    const std::size_t end = name + padded(note.n_descsz);
    if (end > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.starts_with("GNU")) {
      std::string id;
      for (const char byte : notes.substr(name, note.n_descsz))
        id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      return id;
    }
    notes.remove_prefix(end);
  }
  return {};
}

int look_at(dl_phdr_info* object, std::size_t /*size*/, void* result) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
    const auto* const begin = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    std::string id = id_in({begin, part.p_memsz});
    if (!id.empty()) *static_cast<std::string*>(result) = std::move(id);
  }
  // The program itself is the first of the objects.
  return 1;
}

}  // namespace

std::string own_build_id() {
  std::string id;
  ::dl_iterate_phdr(look_at, &id);
  return id.empty() ? "unknown" : id;
}

}  // namespace autokernel
