#include "jit/build_id.h"

#include <elf.h>
#include <link.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace emulator::jit {
namespace {

constexpr std::string_view kOwner("GNU\0", 4);

struct Search {
  std::uintptr_t inside;  // an address of the object that is looked for
  std::string found;
};

[[nodiscard]] const char* bytes_at(std::uintptr_t address) {
  return std::bit_cast<const char*>(address);
}

[[nodiscard]] std::size_t padded(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

[[nodiscard]] std::string id_among(const char* notes, std::size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header{};
    std::memcpy(&header, notes, sizeof header);
    const std::size_t whole = sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
    if (whole > bytes) return {};
    const char* const name = notes + sizeof header;
    if (header.n_type == NT_GNU_BUILD_ID && std::string_view(name, header.n_namesz) == kOwner) {
      return {name + padded(header.n_namesz), header.n_descsz};
    }
    notes += whole;
    bytes -= whole;
  }
  return {};
}

int look_at(dl_phdr_info* object, std::size_t, void* search_pointer) {
  auto& search = *static_cast<Search*>(search_pointer);
  bool is_it = false;
  std::string id;
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.inside - begin < segment.p_memsz) is_it = true;
    if (segment.p_type == PT_NOTE && id.empty()) id = id_among(bytes_at(begin), segment.p_memsz);
  }
  if (!is_it) return 0;
  search.found = std::move(id);
  return 1;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<std::uintptr_t>(&build_id), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

}  // namespace emulator::jit
