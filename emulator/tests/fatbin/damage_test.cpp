// A fat binary that was damaged at any byte is read as something or refused, and nothing beyond it
// is touched (which AddressSanitizer checks).
#include <gtest/gtest.h>

#include <cstdint>

#include "fatbin/fatbin.h"
#include "fatbin/fatbin_files.h"

namespace emulator::fatbin::testing {
namespace {

// Reads all there is. Whether it was refused.
bool is_refused(const std::string& image) {
  // On the heap and of the right size, so that the byte behind it is not ours.
  const std::vector<char> copy(image.begin(), image.end());
  try {
    for (const Entry& entry : entries(std::as_bytes(std::span(copy)))) {
      if (entry.kind == Kind::ptx) static_cast<void>(text_of(entry));
    }
  } catch (const Error&) {
    return true;
  }
  return false;
}

std::size_t cuts_refused(const std::string& image) {
  std::size_t refused = 0;
  for (std::size_t bytes = 0; bytes < image.size(); ++bytes) {
    refused += is_refused(image.substr(0, bytes)) ? 1 : 0;
  }
  return refused;
}

// How many of the changes to one byte were read or refused: all of them, if this returns at all.
std::size_t changes_survived(const std::string& image) {
  std::size_t survived = 0;
  for (std::size_t at = 0; at < image.size(); ++at) {
    for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
      std::string damaged = image;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ change);
      static_cast<void>(is_refused(damaged));
      ++survived;
    }
  }
  return survived;
}

TEST(FatbinDamage, IsRefusedWhereverTheImageIsCut) {
  const std::string compressed = fatbin_file("suffixes");
  const std::string plain = fatbin_file("plain");

  EXPECT_FALSE(is_refused(compressed));
  EXPECT_EQ(cuts_refused(compressed), compressed.size());
  EXPECT_EQ(cuts_refused(plain), plain.size());
}

TEST(FatbinDamage, AtAnyByteIsSurvived) {
  for (const char* file : {"size", "speed", "plain", "suffixes"}) {
    const std::string image = fatbin_file(file);
    EXPECT_EQ(changes_survived(image), 3 * image.size()) << file;
  }
}

TEST(FatbinDamage, OfSizesIsRefused) {
  const std::string image = fatbin_file("speed");
  constexpr std::size_t kEntry = 16;
  for (const std::size_t at :
       std::vector<std::size_t>{4, 6, 8, kEntry + 4, kEntry + 8, kEntry + 16, kEntry + 56}) {
    for (const unsigned value : {0x7fffU, 0xffffU}) {
      std::string damaged = image;
      damaged[at] = static_cast<char>(value & 0xffU);
      damaged[at + 1] = static_cast<char>(value >> 8U);
      EXPECT_TRUE(is_refused(damaged)) << at;
    }
  }
}

}  // namespace
}  // namespace emulator::fatbin::testing
