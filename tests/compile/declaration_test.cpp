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

// The layout of the served header, once more.
constexpr std::size_t kFirst = 16;
constexpr std::size_t kLaunch = 320;
constexpr std::size_t kAddress = 64;
constexpr std::size_t kGrid = 72;
constexpr std::size_t kBlock = 96;
constexpr std::size_t kCluster = 128;
constexpr std::size_t kCooperative = 152;
constexpr std::size_t kProgrammatic = 153;
constexpr std::size_t kArguments = 154;

// What the macro makes of {.kernel = "f"} in line 7.
Bytes declaration() {
  Bytes bytes(5136);
  put(bytes, 0, std::string("AKLAUNCH"));
  put(bytes, 8, 2U);
  put(bytes, 12, 7U);
  for (std::size_t launch = kFirst; launch < bytes.size(); launch += kLaunch) {
    for (const std::size_t extent : {kGrid, kBlock, kCluster}) {
      for (std::size_t i = 0; i < 3; ++i) put(bytes, launch + extent + i * 8, 1LL);
    }
  }
  put(bytes, kFirst, std::string("f"));
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
  return [bytes] { static_cast<void>(decode_launches(bytes, {}, "kernel.cu")); };
}

TEST(DeclarationBytes, AreReadInTheLayoutOfTheServedHeader) {
  const std::vector<Launch> launches = decode_launches(declaration(), {}, "kernel.cu");

  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].kernel, "f");
  EXPECT_THAT(launches[0].grid, testing::ElementsAre(1, 1, 1));
}

TEST(DeclarationBytes, OfAnotherMagicOrVersionAreRefused) {
  Bytes other_magic = declaration();
  other_magic[0] = std::byte{'X'};
  Bytes other_version = declaration();
  put(other_version, 8, 1U);

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
  put(bytes, kFirst, std::string(64, 'f'));

  EXPECT_THAT(reading(bytes),
              refuses("kernel.cu:7: the name of a kernel may have at most 63 characters"));
}

TEST(DeclarationBytes, WithALaunchAfterAGapAreRefused) {
  Bytes bytes = declaration();
  put(bytes, kFirst + 3 * kLaunch, std::string("f"));

  EXPECT_THAT(reading(bytes), refuses("kernel.cu:7: launch 2 names no kernel"));
}

TEST(DeclarationBytes, WithDimensionsBeyondThirtyTwoBitsAreRefused) {
  Bytes bytes = declaration();
  put(bytes, kFirst + kGrid, (1LL << 32) + 1);

  EXPECT_THAT(reading(bytes), refuses(".grid.x is 4294967297"));
}

TEST(DeclarationBytes, NameAKernelByItsAddressToo) {
  Bytes bytes = declaration();
  const std::size_t second = kFirst + kLaunch;
  put(bytes, second + kGrid, 4LL);

  const std::vector<Launch> launches =
      decode_launches(bytes, {{second + kAddress, "_Z1gIfEvPT_"}}, "kernel.cu");

  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].kernel, "f");
  EXPECT_EQ(launches[1].kernel, "_Z1gIfEvPT_");
  EXPECT_EQ(decode_launches(declaration(), {{second + kAddress, "g"}}, "kernel.cu").size(), 2U);
}

TEST(DeclarationBytes, SayHowBlocksRunTogether) {
  Bytes bytes = declaration();
  put(bytes, kFirst + kCluster, 2LL);
  put(bytes, kFirst + kCooperative, '\1');
  put(bytes, kFirst + kLaunch, std::string("g"));
  put(bytes, kFirst + kLaunch + kProgrammatic, '\1');

  const std::vector<Launch> launches = decode_launches(bytes, {}, "kernel.cu");

  ASSERT_EQ(launches.size(), 2U);
  EXPECT_THAT(launches[0].cluster, testing::ElementsAre(2, 1, 1));
  EXPECT_TRUE(launches[0].cooperative);
  EXPECT_FALSE(launches[0].programmatic);
  EXPECT_EQ(launches[1].cluster, kNoCluster);
  EXPECT_FALSE(launches[1].cooperative);
  EXPECT_TRUE(launches[1].programmatic);
}

TEST(DeclarationBytes, NameArgumentsBetweenCommas) {
  Bytes bytes = declaration();
  put(bytes, kFirst + kArguments, std::string(" x,M ,  map_a"));
  EXPECT_THAT(decode_launches(bytes, {}, "kernel.cu")[0].arguments,
              testing::ElementsAre("x", "M", "map_a"));
  for (const std::string wrong : {",", "x,", ",x", "x, ,y", " "}) {
    Bytes other = declaration();
    put(other, kFirst + kArguments, wrong);
    EXPECT_THAT(reading(other), refuses("write names with a comma between each two")) << wrong;
  }
  put(bytes, kFirst + kArguments, std::string(166, 'x'));
  EXPECT_THAT(reading(bytes), refuses(".arguments has at most 165 characters"));
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
