// Images are read with every offset checked: damage is refused or harmless, never a crash.
#include "compile/elf.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "compile/compiled.h"
#include "compile/declaration.h"
#include "compile/image.h"
#include "compile/kernel_info.h"

namespace autokernel::compile {
namespace {

std::vector<std::byte> cubin() {
  return program(with_kernel("__device__ int counter = 3; __device__ float sums[4]; "
                             "__device__ int* const at = &counter;",
                             "x[0] = counter++ + (sums[1] += *at);"))
      .cubin;
}

// Reads all that compile() reads from an image. True where it could be read.
bool is_readable(const std::vector<std::byte>& image) {
  try {
    const Elf elf(image);
    static_cast<void>(module_objects(elf, "kernel.cu"));
    static_cast<void>(kernels(elf));
    require_known_calls(elf, {"kernel.cu", ""});
    for (const std::string& kernel : kernels(elf)) static_cast<void>(kernel_info(elf, kernel));
    const auto launch = constant_bytes(elf, kLaunchSymbol);
    return launch &&
           !decode_launches(*launch, functions_in(elf, kLaunchSymbol), "kernel.cu").empty();
  } catch (const BadElf&) {
    return false;
  } catch (const Refused&) {
    return false;
  }
}

TEST(Elf, ListsSectionsAndSymbols) {
  const std::vector<std::byte> image = cubin();
  const Elf elf(image);

  EXPECT_THAT(elf.sections(), testing::Contains(testing::Field(&ElfSection::name, ".text.f")));
  EXPECT_THAT(elf.symbols(), testing::Contains(testing::Field(&ElfSymbol::name, "counter")));
  EXPECT_THAT(kernels(elf), testing::ElementsAre("f"));
  EXPECT_TRUE(is_readable(image));
}

TEST(Elf, CutAtAnyByteIsRefused) {
  const std::vector<std::byte> image = cubin();
  std::size_t readable = 0;
  for (std::size_t size = 0; size < image.size(); ++size) {
    // A copy of the exact size, so that a sanitizer sees a read beyond the end.
    readable +=
        is_readable({image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size)}) ? 1 : 0;
  }

  EXPECT_EQ(readable, 0U);
}

TEST(Elf, WithAnyByteInvertedIsReadOrRefused) {
  std::vector<std::byte> image = cubin();
  std::size_t readable = 0;
  for (std::byte& byte : image) {
    byte = ~byte;
    readable += is_readable(image) ? 1 : 0;
    byte = ~byte;
  }

  // Most bytes are code and text that reading does not depend on.
  EXPECT_GT(readable, 0U);
  EXPECT_LT(readable, image.size());
}

TEST(Elf, WithEveryNumberAtItsLargestIsReadOrRefused) {
  const std::vector<std::byte> image = cubin();
  std::size_t refused = 0;
  for (std::size_t at = 0; at + 8 <= image.size(); at += 4) {
    std::vector<std::byte> damaged = image;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0xff});
    refused += is_readable(damaged) ? 0 : 1;
  }

  EXPECT_GT(refused, 0U);
}

TEST(Elf, OfAnotherKindIsRefused) {
  EXPECT_FALSE(is_readable({}));
  EXPECT_FALSE(is_readable(std::vector<std::byte>(4096)));
}

// Of compute capability 10.0, which holds everything twice.
std::vector<std::byte> image_with_capsule() {
  const Compilation compilation = Compiler::open().compile(
      {{"kernel.cu",
        with_kernel(
            "__device__ int counter = 3; __device__ float sums[4]; __constant__ int scale = 7;",
            "x[0] = counter++ + (sums[1] += scale);")},
       "sm_100",
       {}});
  return std::get<Program>(compilation).cubin;
}

// Where the symbol's entry stands in the table of that name, 24 bytes each.
std::size_t entry_of(const std::vector<std::byte>& image, const std::string& table_name,
                     const std::vector<ElfSymbol>& symbols, const std::string& name) {
  const Elf elf(image);
  const auto table = std::ranges::find(elf.sections(), table_name, &ElfSection::name);
  const auto symbol = std::ranges::find(symbols, name, &ElfSymbol::name);
  if (table == elf.sections().end() || symbol == symbols.end())
    throw std::runtime_error("there is no " + name);
  return static_cast<std::size_t>(table->bytes.data() - image.data()) +
         static_cast<std::size_t>(symbol - symbols.begin()) * 24;
}

auto refuses_objects_with(const std::string& words) {
  return testing::ThrowsMessage<Refused>(testing::HasSubstr(words));
}

TEST(Capsule, HasTheObjectsOfTheMachineCode) {
  const std::vector<std::byte> image = image_with_capsule();
  const Elf elf(image);

  EXPECT_THAT(elf.capsule_symbols(), testing::Contains(testing::Field(&ElfSymbol::name, "sums")));
  const std::vector<ModuleObject> objects = module_objects(elf, "kernel.cu");
  EXPECT_THAT(objects, testing::Contains(testing::Field(&ModuleObject::name, "counter")));
  EXPECT_THAT(objects, testing::Contains(testing::Field(&ModuleObject::name, "sums")));
  EXPECT_THAT(objects, testing::Contains(testing::Field(&ModuleObject::name, "scale")));
}

class CapsuleObject : public testing::TestWithParam<const char*> {};

// In memory with initial values, with zeros, and in constant memory.
TEST_P(CapsuleObject, ThatIsSmallerThanItsMemoryIsRefused) {
  std::vector<std::byte> image = image_with_capsule();
  const std::vector<ElfSymbol> symbols = Elf(image).capsule_symbols();
  image[entry_of(image, ".nv.merc.symtab", symbols, GetParam()) + 16] = std::byte{1};

  EXPECT_THAT([&] { static_cast<void>(module_objects(Elf(image), "kernel.cu")); },
              testing::Throws<Refused>());
}

TEST_P(CapsuleObject, ThatTheMachineCodeHasNotIsRefused) {
  std::vector<std::byte> image = image_with_capsule();
  const std::vector<ElfSymbol> symbols = Elf(image).capsule_symbols();
  // Another name: that of a kernel.
  const auto kernel = entry_of(image, ".nv.merc.symtab", symbols, "f");
  const auto object = entry_of(image, ".nv.merc.symtab", symbols, GetParam());
  std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(kernel), 4,
              image.begin() + static_cast<std::ptrdiff_t>(object));

  EXPECT_THAT([&] { static_cast<void>(module_objects(Elf(image), "kernel.cu")); },
              refuses_objects_with("is not the same in both"));
}

TEST_P(CapsuleObject, OfTheMachineCodeAloneIsRefused) {
  std::vector<std::byte> image = image_with_capsule();
  const std::vector<ElfSymbol> symbols = Elf(image).symbols();
  image[entry_of(image, ".symtab", symbols, GetParam()) + 16] = std::byte{1};

  EXPECT_THAT([&] { static_cast<void>(module_objects(Elf(image), "kernel.cu")); },
              testing::Throws<Refused>());
}
INSTANTIATE_TEST_SUITE_P(In, CapsuleObject, testing::Values("counter", "sums", "scale"));

TEST(Capsule, WhoseSymbolsAreNotFoundIsRefused) {
  std::vector<std::byte> image = image_with_capsule();
  // Its table's type becomes one that nobody knows; the type is the second word of the header.
  const Elf elf(image);
  const auto table = std::ranges::find(elf.sections(), ".nv.merc.symtab", &ElfSection::name);
  const auto headers = little_endian<std::uint64_t>(image, 40);
  const auto number = static_cast<std::size_t>(table - elf.sections().begin());
  image[headers + number * 64 + 4] = std::byte{1};

  EXPECT_THAT([&] { static_cast<void>(module_objects(Elf(image), "kernel.cu")); },
              refuses_objects_with("belong to no variable"));
}

TEST(Capsule, WithAnyByteInvertedIsReadOrRefused) {
  std::vector<std::byte> image = image_with_capsule();
  std::size_t readable = 0;
  for (std::byte& byte : image) {
    byte = ~byte;
    readable += is_readable(image) ? 1 : 0;
    byte = ~byte;
  }

  EXPECT_GT(readable, 0U);
  EXPECT_LT(readable, image.size());
}

TEST(ModuleMemory, ThatNoVariableCoversIsRefused) {
  std::vector<std::byte> image = cubin();
  const Elf elf(image);
  const auto& symbols = elf.symbols();
  const auto sums = std::ranges::find(symbols, "sums", &ElfSymbol::name);
  ASSERT_NE(sums, symbols.end());
  const auto table = std::ranges::find(elf.sections(), ".symtab", &ElfSection::name);
  ASSERT_NE(table, elf.sections().end());
  // The size of the symbol, in its entry of the symbol table, becomes 4 in place of 16.
  const auto entry = table->bytes.data() - image.data() + (sums - symbols.begin()) * 24;
  image[static_cast<std::size_t>(entry) + 16] = std::byte{4};

  EXPECT_THAT([&] { static_cast<void>(module_objects(Elf(image), "kernel.cu")); },
              testing::ThrowsMessage<Refused>(testing::HasSubstr("belong to no variable")));
}

}  // namespace
}  // namespace autokernel::compile
