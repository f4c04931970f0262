// A damaged case.toml is read as far as it makes sense or refused with a message; it never crashes.
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "cases/sample.h"
#include "support/full_test.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

// How reading went: "read", "refused" (with one line that begins with a place), or what else
// happened.
std::string outcome_of(const std::string& text) {
  try {
    static_cast<void>(parse(text, "some/case"));
    return "read";
  } catch (const Error& error) {
    const std::string what = error.what();
    const bool clear = error.stop() == Stop::usage && what.find('\n') == std::string::npos &&
                       what.starts_with("some/case/case.toml:");
    return clear ? "refused" : "an error that is not clear: " + what;
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
}

// Every case of the project, the samples of the fuzzer among them.
std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"kernels", "tests"}) {
    const std::filesystem::path below = std::filesystem::path(AUTOKERNEL_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(below)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

class CaseFileOfTheProject : public testing::TestWithParam<std::filesystem::path> {};

// Where a text is cut next: a long one, which takes a millisecond to read, not at every byte, and
// but for the full test not even a short one. All of them have the same keys, and each is cut
// elsewhere.
[[nodiscard]] std::size_t step_for(const std::string& text) {
  const std::size_t step = text.size() < 1800 ? 1 : 7;
  return test::everything_is_wanted() ? step : 5 * step;
}

TEST_P(CaseFileOfTheProject, IsRead) { EXPECT_EQ(outcome_of(test::contents(GetParam())), "read"); }

TEST_P(CaseFileOfTheProject, CutBeforeItIsCompleteIsRefused) {
  const std::string text = test::contents(GetParam());
  // [cost] is the last section that every case has, and bytes its last key.
  const std::size_t last_key = text.find("\nbytes = \"");
  ASSERT_NE(last_key, std::string::npos);
  const std::size_t complete = text.find('"', last_key + std::string("\nbytes = \"").size()) + 1;
  for (std::size_t size = 0; size < complete; size += step_for(text)) {
    EXPECT_EQ(outcome_of(text.substr(0, size)), "refused") << "cut after " << size;
  }
}

TEST_P(CaseFileOfTheProject, CutLaterIsReadOrRefused) {
  const std::string text = test::contents(GetParam());
  for (std::size_t size = text.find("\nbytes = \""); size < text.size(); size += step_for(text)) {
    EXPECT_THAT(outcome_of(text.substr(0, size)), testing::AnyOf("read", "refused"))
        << "cut after " << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Any, CaseFileOfTheProject, testing::ValuesIn(case_files()),
                         [](const auto& tested) {
                           std::string name =
                               tested.param.lexically_relative(AUTOKERNEL_SOURCE_DIR).string();
                           std::ranges::replace_if(
                               name, [](char c) { return c == '/' || c == '.'; }, '_');
                           return name;
                         });

TEST(DamagedCase, WithAnyByteReplacedIsReadOrRefused) {
  const std::string text = sample();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '"', '[', '\n', '=', '9', '\xff'}) {
      std::string damaged = text;
      damaged[at] = byte;
      EXPECT_THAT(outcome_of(damaged), testing::AnyOf("read", "refused")) << "byte " << at;
    }
  }
}

TEST(DamagedCase, WithAnyLineMissingIsReadOrRefused) {
  const std::string text = sample();
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    std::string damaged = text;
    damaged.erase(begin, text.find('\n', begin) + 1 - begin);
    EXPECT_THAT(outcome_of(damaged), testing::AnyOf("read", "refused"))
        << "without the line at " << begin;
  }
}

TEST(DamagedCase, WithAnyLineDoubledIsReadOrRefused) {
  const std::string text = sample();
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::string line = text.substr(begin, text.find('\n', begin) + 1 - begin);
    std::string damaged = text;
    damaged.insert(begin, line);
    EXPECT_THAT(outcome_of(damaged), testing::AnyOf("read", "refused"))
        << "with twice the line at " << begin;
  }
}

TEST(DamagedCase, WithThousandsOfBracketsIsRefused) {
  EXPECT_EQ(outcome_of("a = " + std::string(20000, '[')), "refused");
  EXPECT_EQ(outcome_of("a = " + std::string(20000, '{')), "refused");
}

}  // namespace
}  // namespace autokernel::cases
