// The bytes of a declaration, without a compiler.
#include "compile/declaration.h"

#include <gmock/gmock.h>

#include <cstring>

namespace autokernel::compile {
namespace {

using Bytes = std::vector<std::byte>;

template <typename Value>
void put(Bytes& bytes, std::size_t at, Value value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
void put(Bytes& bytes, std::size_t at, const std::string& text) {
  std::memcpy(bytes.data() + at, text.data(), text.size());
}

// What the macro makes of {.kernel = "f"} in line 7.
Bytes declaration() {
  Bytes bytes(496);
  put(bytes, 0, std::string("AKLAUNCH"));
  put(bytes, 8, 1U);
  put(bytes, 12, 7U);
  for (std::size_t launch = 0; launch < 4; ++launch) {
    for (std::size_t i = 0; i < 6; ++i) put(bytes, 16 + launch * 120 + 64 + i * 8, 1LL);
  }
  put(bytes, 16, std::string("f"));
  return bytes;
}

Bytes workspace(std::int64_t size) {
  Bytes bytes(32);
  put(bytes, 0, std::string("AKWORKSP"));
  put(bytes, 8, 1U);
  put(bytes, 12, 9U);
  put(bytes, 16, size);
  return bytes;
}

auto refuses(const std::string& why) {
  return testing::ThrowsMessage<Refused>(testing::HasSubstr(why));
}
auto reading(const Bytes& bytes) {
  return [bytes] { static_cast<void>(decode_launches(bytes, "kernel.cu")); };
}

TEST(DeclarationBytes, AreReadInTheLayoutOfTheServedHeader) {
  const std::vector<Launch> launches = decode_launches(declaration(), "kernel.cu");

  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].kernel, "f");
  EXPECT_THAT(launches[0].grid, testing::ElementsAre(1, 1, 1));
}

TEST(DeclarationBytes, OfAnotherMagicOrVersionAreRefused) {
  Bytes other_magic = declaration();
  other_magic[0] = std::byte{'X'};
  Bytes other_version = declaration();
  put(other_version, 8, 2U);

  EXPECT_THAT(reading(other_magic), refuses("is not one that the macro AUTOKERNEL_LAUNCH"));
  EXPECT_THAT(reading(other_version), refuses("is not one that the macro AUTOKERNEL_LAUNCH"));
}

TEST(DeclarationBytes, CutAtAnyByteAreRefused) {
  const Bytes whole = declaration();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(reading(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))),
                refuses("kernel.cu"))
        << size;
  }
}

TEST(DeclarationBytes, WithANameThatDoesNotEndAreRefused) {
  Bytes bytes = declaration();
  put(bytes, 16, std::string(64, 'f'));

  EXPECT_THAT(reading(bytes),
              refuses("kernel.cu:7: the name of a kernel may have at most 63 characters"));
}

TEST(DeclarationBytes, WithALaunchAfterAGapAreRefused) {
  Bytes bytes = declaration();
  put(bytes, 16 + 3 * 120, std::string("f"));

  EXPECT_THAT(reading(bytes), refuses("kernel.cu:7: launch 2 names no kernel"));
}

TEST(DeclarationBytes, WithDimensionsBeyondThirtyTwoBitsAreRefused) {
  Bytes bytes = declaration();
  put(bytes, 16 + 64, (1LL << 32) + 1);

  EXPECT_THAT(reading(bytes), refuses(".grid.x is 4294967297"));
}

TEST(WorkspaceBytes, AreRead) {
  Bytes zeroed = workspace(4096);
  put(zeroed, 24, 1LL);

  EXPECT_EQ(decode_workspace(workspace(4096), "kernel.cu").bytes, 4096U);
  EXPECT_FALSE(decode_workspace(workspace(4096), "kernel.cu").zeroed);
  EXPECT_TRUE(decode_workspace(zeroed, "kernel.cu").zeroed);
}

TEST(WorkspaceBytes, OfANegativeOrVastSizeAreRefused) {
  EXPECT_THAT([] { static_cast<void>(decode_workspace(workspace(-1), "kernel.cu")); },
              refuses("kernel.cu:9: the workspace has -1 bytes"));
  EXPECT_THAT([] { static_cast<void>(decode_workspace(workspace(1LL << 60), "kernel.cu")); },
              refuses("it must have from 1 to"));
}

TEST(LineOfADeclaration, IsNoneWhereItIsNonsense) {
  Bytes bytes = declaration();
  put(bytes, 12, 7U);
  EXPECT_EQ(line_of(bytes), 7U);

  put(bytes, 12, 0U);
  EXPECT_EQ(line_of(bytes), 0U);
  put(bytes, 12, 4'000'000'000U);
  EXPECT_EQ(line_of(bytes), 0U);
  EXPECT_EQ(line_of({}), 0U);
}

}  // namespace
}  // namespace autokernel::compile
