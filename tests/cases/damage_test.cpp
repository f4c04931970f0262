// A damaged case.toml is read as far as it makes sense or refused with a message; it never crashes.
#include <gmock/gmock.h>

#include "cases/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

// How reading went: "read", "usage", or what else was thrown.
std::string outcome_of(const std::string& text) {
  try {
    static_cast<void>(parse(text, "some/case"));
    return "read";
  } catch (const Error& error) {
    return error.stop() == Stop::usage ? "usage" : std::string("other: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
}

const std::filesystem::path kDefaultCase =
    std::filesystem::path(AUTOKERNEL_SOURCE_DIR) / "kernels" / "case.toml";

TEST(DamagedCase, CutAtAnyByteIsReadOrRefused) {
  const std::string text = test::contents(kDefaultCase);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(outcome_of(text.substr(0, size)), testing::AnyOf("read", "usage"))
        << "cut after " << size;
  }
}

TEST(DamagedCase, WithAnyByteReplacedIsReadOrRefused) {
  const std::string text = sample();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '"', '[', '\n', '=', '9', '\xff'}) {
      std::string damaged = text;
      damaged[at] = byte;
      EXPECT_THAT(outcome_of(damaged), testing::AnyOf("read", "usage")) << "byte " << at;
    }
  }
}

TEST(DamagedCase, WithAnyLineMissingIsReadOrRefused) {
  const std::string text = sample();
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    std::string damaged = text;
    damaged.erase(begin, text.find('\n', begin) + 1 - begin);
    EXPECT_THAT(outcome_of(damaged), testing::AnyOf("read", "usage"))
        << "without the line at " << begin;
  }
}

TEST(DamagedCase, WithAnyLineDoubledIsReadOrRefused) {
  const std::string text = sample();
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::string line = text.substr(begin, text.find('\n', begin) + 1 - begin);
    std::string damaged = text;
    damaged.insert(begin, line);
    EXPECT_THAT(outcome_of(damaged), testing::AnyOf("read", "usage"))
        << "with twice the line at " << begin;
  }
}

TEST(DamagedCase, WithThousandsOfBracketsIsRefused) {
  EXPECT_EQ(outcome_of("a = " + std::string(20000, '[')), "usage");
  EXPECT_EQ(outcome_of("a = " + std::string(20000, '{')), "usage");
}

}  // namespace
}  // namespace autokernel::cases
