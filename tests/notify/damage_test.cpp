// A damaged configuration is read as far as it makes sense or refused with a message; it never
// crashes, and no message holds what was written.
#include <gmock/gmock.h>

#include "autokernel/base/error.h"
#include "autokernel/notify/configuration.h"

namespace autokernel::notify {
namespace {

constexpr const char* kWhole = R"(# who is told
[[target]]
kind = "discord"
url = "https://discord.com/api/webhooks/1/hushhush"
events = ["kept", "finish"]

[[target]]
kind = "json"
name = "my server"
url = "http://127.0.0.1:8080/hushhush"
secret = "hushhushhushhush"
plot = false
allow_http = true
)";

// "read", "refused" (in one line that begins with a place), or what else happened.
std::string outcome_of(const std::string& text) {
  try {
    for (const Target& target : parse_configuration(text, "notify.toml").targets) {
      if (target.url.empty() || target.events.empty()) return "read to no use";
    }
    return "read";
  } catch (const Error& error) {
    const std::string what = error.what();
    const bool is_clear = error.stop() == Stop::usage && what.find('\n') == std::string::npos &&
                          what.starts_with("notify.toml:");
    if (!is_clear) return "an error that is not clear: " + what;
    return what.find("hush") == std::string::npos ? "refused" : "an error that tells: " + what;
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
}

const auto kReadOrRefused = testing::AnyOf("read", "refused");

TEST(DamagedConfiguration, CutAtAnyByteIsReadOrRefused) {
  const std::string whole = kWhole;
  EXPECT_EQ(outcome_of(whole), "read");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(outcome_of(whole.substr(0, size)), kReadOrRefused) << "cut after " << size;
  }
}

TEST(DamagedConfiguration, WithoutAnyOneByteIsReadOrRefused) {
  for (std::size_t at = 0; at < std::string(kWhole).size(); ++at) {
    std::string text = kWhole;
    text.erase(at, 1);
    EXPECT_THAT(outcome_of(text), kReadOrRefused) << "without byte " << at;
  }
}

TEST(DamagedConfiguration, WithAnyOneByteChangedIsReadOrRefused) {
  for (std::size_t at = 0; at < std::string(kWhole).size(); ++at) {
    for (const char byte : {'\0', '\n', '"', '[', '.', '\x7f', '\xff'}) {
      std::string text = kWhole;
      text[at] = byte;
      EXPECT_THAT(outcome_of(text), kReadOrRefused) << "byte " << at;
    }
  }
}

TEST(DamagedConfiguration, TwiceInARowIsRead) {
  EXPECT_EQ(outcome_of(std::string(kWhole) + kWhole), "read");
}

}  // namespace
}  // namespace autokernel::notify
