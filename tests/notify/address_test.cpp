#include "notify/address.h"

#include <gmock/gmock.h>

#include "support/present.h"

namespace autokernel::notify {
namespace {

using test::present;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(WebhookAddress, HasSchemeHostPortAndPath) {
  const Address address = present(address_of_text("https://Discord.com/api/webhooks/1/aB-c?x=1"));
  EXPECT_TRUE(address.is_https);
  EXPECT_EQ(address.host, "discord.com");
  EXPECT_EQ(address.port, 443);
  EXPECT_EQ(address.path, "/api/webhooks/1/aB-c?x=1");
  EXPECT_EQ(text_of(address), "https://discord.com/api/webhooks/1/aB-c?x=1");
}

TEST(WebhookAddress, MayNameAPort) {
  EXPECT_EQ(text_of(present(address_of_text("http://[::1]:8080/x"))), "http://[::1]:8080/x");
  EXPECT_EQ(present(address_of_text("https://host:8443")).path, "/");
}

class TextThatIsNoAddress : public testing::TestWithParam<const char*> {};

TEST_P(TextThatIsNoAddress, IsRefused) {
  EXPECT_FALSE(address_of_text(GetParam()));
  EXPECT_THAT(why_no_address(GetParam(), HttpTo::any_host), HasSubstr("https://HOST/PATH"));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, TextThatIsNoAddress,
    testing::Values("", "https", "https://", "https:///x", "ftp://host/x", "file:///etc/passwd",
                    "https://user@host/x", "https://user:word@host/x", "https://host:0/x",
                    "https://host:65536/x", "https://host:8x/", "https://ho st/",
                    "https://host/a b", "https://host/\n", "https://host/#a", "https://host\\x/",
                    "https://-host/", "https://h_st/", "https://[::1/x", "https://[::g]/",
                    "https://[::1]x/", "https://host/\xc3\xa4", "//host/x", "host/x"));

TEST(WebhookAddress, IsByHttpOnlyOnThisHost) {
  for (const char* text : {"http://localhost/x", "http://127.0.0.1:80/x", "http://127.1.2.3/x",
                           "http://[::1]/x", "https://example.org/x"}) {
    EXPECT_THAT(why_no_address(text, HttpTo::this_host), IsEmpty()) << text;
  }
  for (const char* text : {"http://example.org/x", "http://127.0.0.1.example.org/x",
                           "http://127.1/x", "http://127.0.0.256/x", "http://localhost.org/x",
                           "http://0.0.0.0/x", "http://10.0.0.1/x", "http://[::2]/x"}) {
    EXPECT_THAT(why_no_address(text, HttpTo::this_host), HasSubstr("allow_http = true")) << text;
    EXPECT_THAT(why_no_address(text, HttpTo::any_host), IsEmpty()) << text;
  }
}

TEST(WebhookAddress, IsRedirectedOnTheSameHostAlone) {
  const Address from = present(address_of_text("https://host.org/a"));
  EXPECT_EQ(text_of(present(redirected(from, "/b?c"))), "https://host.org/b?c");
  EXPECT_EQ(text_of(present(redirected(from, "https://HOST.org:443/b"))), "https://host.org/b");
  for (const char* location :
       {"https://other.org/a", "http://host.org/a", "https://host.org:444/a", "//other.org/a", "b",
        "", "https://host.org@other.org/a", "/a b", "ftp://host.org/a"}) {
    EXPECT_FALSE(redirected(from, location)) << location;
  }
}

}  // namespace
}  // namespace autokernel::notify
