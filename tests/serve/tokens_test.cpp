#include "serve/tokens.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::serve {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TokensTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& text, fs::perms mode = fs::perms::owner_read) {
    const fs::path path = folder_.path() / std::to_string(++count_);
    std::ofstream(path) << text;
    fs::permissions(path, mode);
    return path;
  }
  void expect_refusal(const fs::path& path, const std::string& why) {
    try {
      const Tokens tokens(path);
      FAIL() << path << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.stop(), Stop::usage);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  }

 private:
  test::ScratchFolder folder_;
  int count_ = 0;
};

TEST_F(TokensTest, EachHasAHolder) {
  const Tokens tokens(
      file("# of the lab\nalice 0123456789abcdefghij\n\nbob  abcdefghij0123456789\n"));
  EXPECT_EQ(tokens.holder("0123456789abcdefghij"), "alice");
  EXPECT_EQ(tokens.holder("abcdefghij0123456789"), "bob");
  EXPECT_EQ(tokens.holder("0123456789abcdefghi"), "");
  EXPECT_EQ(tokens.holder(""), "");
}

TEST_F(TokensTest, AFileThatWouldLetAnybodyInIsRefused) {
  expect_refusal("/no/such/file", "it is not there");
  expect_refusal(file("alice 0123456789abcdefghij\n", fs::perms(0644)), "chmod 600");
  expect_refusal(file(""), "no token");
  expect_refusal(file("alice secret\n"), "line 1");
  expect_refusal(file("alice 0123456789abcdefghij more\n"), "line 1");
  expect_refusal(file("a 0123456789abcdefghij\nb 0123456789abcdefghij\n"), "line 2");
  expect_refusal(file("a 0123456789abcdefghij\na abcdefghij0123456789\n"), "line 2");
}

}  // namespace
}  // namespace autokernel::serve
