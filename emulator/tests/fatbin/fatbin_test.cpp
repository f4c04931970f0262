#include "fatbin/fatbin.h"

#include <gmock/gmock.h>

#include "fatbin/fatbin_files.h"

namespace emulator::fatbin::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_in(const std::string& file) {
  const std::string image = fatbin_file(file);
  std::vector<std::string> names;
  for (const Entry& entry : entries(bytes_of(image))) names.push_back(name_of(entry));
  return names;
}

std::string first_text_in(const std::string& file) {
  const std::string image = fatbin_file(file);
  return text_of(entries(bytes_of(image)).at(0));
}

Compression first_compression_in(const std::string& file) {
  const std::string image = fatbin_file(file);
  return entries(bytes_of(image)).at(0).compression;
}

TEST(Fatbin, NamesWhatIsInIt) {
  EXPECT_THAT(names_in("default"), ElementsAre("compute_80", "sm_90", "compute_90", "compute_100"));
  EXPECT_THAT(names_in("suffixes"),
              ElementsAre("compute_90", "compute_90a", "compute_100f", "compute_103a"));
  EXPECT_THAT(names_in("machine_code"), ElementsAre("sm_90"));
}

TEST(Fatbin, PtxIsReadHoweverNvccCompressedIt) {
  EXPECT_EQ(first_compression_in("default"), Compression::zstd);
  EXPECT_EQ(first_compression_in("size"), Compression::zstd);
  EXPECT_EQ(first_compression_in("speed"), Compression::lz4);
  EXPECT_EQ(first_compression_in("plain"), Compression::none);
  const std::string plain = first_text_in("plain");

  EXPECT_THAT(plain, HasSubstr(".target sm_80"));
  EXPECT_THAT(plain, HasSubstr("st.global.u32"));
  EXPECT_EQ(first_text_in("default"), plain);
  EXPECT_EQ(first_text_in("size"), plain);
  EXPECT_EQ(first_text_in("speed"), plain);
}

TEST(Fatbin, IsAsLongAsItsHeaderSays) {
  const std::string image = fatbin_file("default");

  EXPECT_EQ(size_of(bytes_of(image).first(kHeaderBytes)), image.size());
}

TEST(Fatbin, MachineCodeHasNoText) {
  EXPECT_THROW(static_cast<void>(first_text_in("machine_code")), Error);
}

TEST(Fatbin, IsToldFromOtherThings) {
  const std::string text = ".version 9.0";

  EXPECT_TRUE(is_fatbin(bytes_of(fatbin_file("plain"))));
  EXPECT_FALSE(is_fatbin(bytes_of(text)));
  EXPECT_FALSE(is_fatbin({}));
}

}  // namespace
}  // namespace emulator::fatbin::testing
