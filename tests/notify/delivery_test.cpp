// One event to servers that behave in every way.
#include "autokernel/notify/delivery.h"

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "notify/transport.h"
#include "support/http_server.h"
#include "support/scratch_folder.h"
#include "support/scratch_repository.h"

namespace autokernel::notify {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::closed_port;
using test::http_answer;
using test::HttpServer;
using test::Reaction;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kKey = "0123456789abcdef";

// As a user has them, with less patience.
constexpr DeliveryLimits kQuick{.deadline = milliseconds{3000},
                                .attempt = milliseconds{300},
                                .first_pause = milliseconds{20},
                                .longest_pause = milliseconds{100},
                                .longest_retry_after = milliseconds{1500},
                                .most_attempts = 3};

Target target_at(const std::string& url, Kind kind = Kind::json) {
  return {.label = "json (target 1)", .kind = kind, .url = Secret(url), .secret = Secret(kKey)};
}

Event some_event() {
  Event event;
  event.kind = EventKind::kept;
  event.id = "00112233445566aa";
  event.run = "tiles";
  return event;
}

// What came of it, and what was said meanwhile.
struct Tried {
  Delivery delivery;
  std::vector<std::string> lines;
  milliseconds took{0};
};

Tried tried(const Target& target, const DeliveryLimits& limits = kQuick,
            const Event& event = some_event()) {
  const auto transport = curl_transport();
  Tried tried;
  const auto begin = steady_clock::now();
  tried.delivery = deliver(target, event, *transport, limits,
                           [&](const std::string& line) { tried.lines.push_back(line); });
  tried.took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
  // Every path of these tests has this word in it.
  for (const std::string& line : tried.lines) EXPECT_THAT(line, Not(HasSubstr("hush")));
  for (const std::string& text : {tried.delivery.status, tried.delivery.remedy}) {
    EXPECT_THAT(text, Not(HasSubstr("hush")));
    EXPECT_THAT(text, Not(HasSubstr("127.0.0.1")));
  }
  return tried;
}

TEST(Delivery, IsMadeWhereTheServiceTakesIt) {
  const HttpServer server({{.answer = http_answer(204)}});
  const Tried tried = notify::tried(target_at(server.url("/hush?a=b")));
  EXPECT_TRUE(tried.delivery.attempted);
  EXPECT_TRUE(tried.delivery.sent);
  EXPECT_EQ(tried.delivery.status, "sent");
  EXPECT_THAT(tried.delivery.remedy, IsEmpty());
  ASSERT_THAT(server.requests(), SizeIs(1));
  EXPECT_EQ(server.requests()[0].method, "POST");
  EXPECT_EQ(server.requests()[0].path, "/hush?a=b");
  EXPECT_EQ(server.requests()[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(server.requests()[0].headers.at("user-agent"), "autokernel");
  EXPECT_EQ(server.requests()[0].headers.count("expect"), 0U);
}

// As whoever receives it checks it, by another library than ours.
TEST(Delivery, IsSignedSoThatOthersCanTell) {
  const HttpServer server({{.answer = http_answer(200)}});
  static_cast<void>(tried(target_at(server.url("/hush"))));
  ASSERT_THAT(server.requests(), SizeIs(1));
  const test::HttpRequest request = server.requests()[0];
  const std::string text = request.headers.at("x-autokernel-timestamp") + "." + request.body;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  ASSERT_NE(::HMAC(EVP_sha256(), kKey, 16, reinterpret_cast<const unsigned char*>(text.data()),
                   text.size(), digest.data(), &size),
            nullptr);
  std::string digits = "sha256=";
  for (unsigned i = 0; i < size; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    digits += kDigits[digest[i] >> 4U];
    digits += kDigits[digest[i] & 0xfU];
  }
  EXPECT_EQ(request.headers.at("x-autokernel-signature"), digits);
}

TEST(Delivery, IsTriedAgainAfterAFaultOfTheServer) {
  const HttpServer server(
      {{.answer = http_answer(500)}, {.answer = http_answer(503)}, {.answer = http_answer(200)}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "sent");
  EXPECT_THAT(server.requests(), SizeIs(3));
  EXPECT_THAT(tried.lines,
              ElementsAre(HasSubstr("json (target 1): attempt 1: failed: HTTP 500; the next in "),
                          HasSubstr("attempt 2: failed: HTTP 503")));
}

TEST(Delivery, HasTheSameNumberEachTimeItIsTried) {
  const HttpServer server({{.answer = http_answer(500)}, {.answer = http_answer(200)}});
  static_cast<void>(tried(target_at(server.url("/hush"))));
  ASSERT_THAT(server.requests(), SizeIs(2));
  for (const auto& request : server.requests()) {
    EXPECT_EQ(request.headers.at("x-autokernel-delivery"), "00112233445566aa");
  }
}

TEST(Delivery, IsGivenUpAfterSoManyAttempts) {
  const HttpServer server({{.answer = http_answer(500)}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_FALSE(tried.delivery.sent);
  EXPECT_TRUE(tried.delivery.attempted);
  EXPECT_EQ(tried.delivery.status, "failed: HTTP 500");
  EXPECT_THAT(server.requests(), SizeIs(3));
}

TEST(Delivery, IsNotTriedAgainOnceItIsRefused) {
  const HttpServer server({{.answer = http_answer(403, "", "no /hush for you")}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "refused: HTTP 403");
  EXPECT_THAT(tried.delivery.remedy, HasSubstr("make a new webhook"));
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(Delivery, WaitsAsLongAsTheServiceAsksFor) {
  const HttpServer server(
      {{.answer = http_answer(429, "Retry-After: 1\r\n")}, {.answer = http_answer(200)}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "sent");
  ASSERT_THAT(server.requests(), SizeIs(2));
  EXPECT_GE(server.requests()[1].at - server.requests()[0].at, milliseconds{990});
}

TEST(Delivery, IsGivenUpWhereTheServiceAsksForTooLong) {
  const HttpServer server({{.answer = http_answer(429, "retry-after: 3600\r\n")}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "refused: HTTP 429");
  EXPECT_THAT(server.requests(), SizeIs(1));
  EXPECT_LT(tried.took, milliseconds{1000});
}

TEST(Delivery, FollowsARedirectionOnTheSameHostWithTheSameMessage) {
  const HttpServer server({{.answer = http_answer(307, "Location: /hush2\r\n")},
                           {.answer = http_answer(308, "location: /hush3?x\r\n")},
                           {.answer = http_answer(200)}});
  EXPECT_EQ(tried(target_at(server.url("/hush"))).delivery.status, "sent");
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[1].path, "/hush2");
  EXPECT_EQ(requests[2].path, "/hush3?x");
  EXPECT_EQ(requests[2].method, "POST");
  EXPECT_EQ(requests[2].body, requests[0].body);
}

TEST(Delivery, FollowsNoRedirectionToAnotherHost) {
  const HttpServer other({{.answer = http_answer(200)}});
  const HttpServer server(
      {{.answer = http_answer(307, "Location: " + other.url("/hush") + "\r\n")}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "refused: redirected to another host");
  EXPECT_THAT(other.requests(), IsEmpty());
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(Delivery, FollowsNoRedirectionForEver) {
  const HttpServer server({{.answer = http_answer(308, "Location: /hush\r\n")}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "refused: redirected too often");
  EXPECT_THAT(server.requests(), SizeIs(4));
}

TEST(Delivery, FollowsNoRedirectionThatMayLoseTheMessage) {
  const HttpServer server({{.answer = http_answer(302, "Location: /hush2\r\n")}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "refused: HTTP 302, a redirection");
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(Delivery, TimesOut) {
  const HttpServer server({{.answer = "", .hangs = true}});
  DeliveryLimits limits = kQuick;
  limits.most_attempts = 2;
  const Tried tried = notify::tried(target_at(server.url("/hush")), limits);
  EXPECT_EQ(tried.delivery.status, "timed out");
  EXPECT_TRUE(tried.delivery.attempted);
  EXPECT_THAT(tried.lines, SizeIs(1));
  EXPECT_LT(tried.took, milliseconds{2500});
}

TEST(Delivery, EndsAtItsDeadline) {
  const HttpServer server({{.answer = "", .hangs = true}});
  DeliveryLimits limits = kQuick;
  limits.deadline = milliseconds{500};
  limits.attempt = milliseconds{60'000};
  const Tried tried = notify::tried(target_at(server.url("/hush")), limits);
  EXPECT_EQ(tried.delivery.status, "timed out");
  EXPECT_LT(tried.took, milliseconds{2000});
}

TEST(Delivery, IsTriedAgainWhereNobodyListens) {
  const std::string url = "http://127.0.0.1:" + std::to_string(closed_port()) + "/hush";
  const Tried tried = notify::tried(target_at(url));
  EXPECT_EQ(tried.delivery.status, "no connection");
  EXPECT_THAT(tried.lines, SizeIs(2));
}

TEST(Delivery, IsTriedAgainWhereTheServerHangsUp) {
  const HttpServer server({{.answer = ""}, {.answer = "HTTP/1."}, {.answer = http_answer(200)}});
  EXPECT_EQ(tried(target_at(server.url("/hush"))).delivery.status, "sent");
  EXPECT_THAT(server.requests(), SizeIs(3));
}

TEST(Delivery, SaysThatTheServerHangsUp) {
  const HttpServer server({{.answer = ""}});
  EXPECT_EQ(tried(target_at(server.url("/hush"))).delivery.status,
            "the connection was closed early");
}

TEST(Delivery, IsMadeOnceThereIsAStatusWhateverFollows) {
  const HttpServer cut({{.answer = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort"}});
  EXPECT_EQ(tried(target_at(cut.url("/hush"))).delivery.status, "sent");
}

TEST(Delivery, ListensToNoEndlessAnswer) {
  constexpr std::size_t kGigabyte = 1U << 30U;
  const HttpServer server(
      {{.answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", .endless = kGigabyte}});
  const Tried tried = notify::tried(target_at(server.url("/hush")));
  EXPECT_EQ(tried.delivery.status, "sent");
  EXPECT_LT(tried.took, milliseconds{250});
}

TEST(Delivery, TrustsNoServerWithoutTls) {
  const HttpServer server({{.answer = http_answer(200)}});
  DeliveryLimits limits = kQuick;
  limits.most_attempts = 1;
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/hush";
  const Tried tried = notify::tried(target_at(url), limits);
  EXPECT_FALSE(tried.delivery.sent);
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST(Delivery, GoesByNoProxyToThisHost) {
  const HttpServer proxy({{.answer = http_answer(200)}});
  const HttpServer server({{.answer = http_answer(200)}});
  const test::ScopedEnvironment set({{"http_proxy", proxy.url("")}, {"no_proxy", std::nullopt}});
  EXPECT_EQ(tried(target_at(server.url("/hush"))).delivery.status, "sent");
  EXPECT_THAT(proxy.requests(), IsEmpty());
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(Delivery, IsNotMadeByHttpToAnotherHost) {
  const Tried tried = notify::tried(target_at("http://192.0.2.1/hush"));
  EXPECT_FALSE(tried.delivery.attempted);
  EXPECT_EQ(tried.delivery.status, "not sent: no address");
}

TEST(Delivery, HasThePlot) {
  const test::ScratchFolder folder;
  Event event = some_event();
  event.plot = folder.write("a.png", "\x89PNG\r\n\x1a\nand more");
  const HttpServer server({{.answer = http_answer(200)}});
  Target target = target_at(server.url("/hush"), Kind::ntfy);
  EXPECT_EQ(tried(target, kQuick, event).delivery.status, "sent");
  ASSERT_THAT(server.requests(), SizeIs(1));
  EXPECT_EQ(server.requests()[0].method, "PUT");
  EXPECT_EQ(server.requests()[0].headers.at("filename"), "progress.png");
  EXPECT_EQ(server.requests()[0].headers.at("authorization"), std::string("Bearer ") + kKey);
  EXPECT_EQ(server.requests()[0].body, "\x89PNG\r\n\x1a\nand more");
}

TEST(Delivery, SaysThatThePlotIsMissing) {
  Event event = some_event();
  event.plot = "/nowhere/a.png";
  const HttpServer server({{.answer = http_answer(200)}});
  const Tried tried = notify::tried(target_at(server.url("/hush")), kQuick, event);
  EXPECT_TRUE(tried.delivery.sent);
  EXPECT_EQ(tried.delivery.status, "sent without the plot");
}

TEST(Delivery, LeavesOutAPlotThatNobodyWants) {
  Event event = some_event();
  event.plot = "/nowhere/a.png";
  const HttpServer server({{.answer = http_answer(200)}});
  Target target = target_at(server.url("/hush"));
  target.plot = false;
  EXPECT_EQ(tried(target, kQuick, event).delivery.status, "sent");
}

TEST(TestMessage, GoesToEachTarget) {
  const HttpServer server({{.answer = http_answer(200)}, {.answer = http_answer(404)}});
  Configuration configuration;
  configuration.targets = {target_at(server.url("/hush1"), Kind::slack),
                           target_at(server.url("/hush2"), Kind::discord)};
  const auto tested = test_targets(configuration, kQuick);
  ASSERT_THAT(tested, SizeIs(2));
  EXPECT_TRUE(tested[0].record.sent);
  EXPECT_EQ(tested[0].record.status, "sent");
  EXPECT_THAT(tested[0].remedy, IsEmpty());
  EXPECT_TRUE(tested[1].record.enabled_by_config);
  EXPECT_TRUE(tested[1].record.expected);
  EXPECT_TRUE(tested[1].record.attempted);
  EXPECT_FALSE(tested[1].record.sent);
  EXPECT_FALSE(tested[1].record.disabled_by_flag);
  EXPECT_EQ(tested[1].record.status, "refused: HTTP 404");
  EXPECT_THAT(tested[1].remedy, HasSubstr("copy it again"));
}

}  // namespace
}  // namespace autokernel::notify
