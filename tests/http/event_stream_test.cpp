#include "autokernel/http/event_stream.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace autokernel::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Events = std::vector<std::pair<std::string, std::string>>;  // type and data

class CollectedEvents {
 public:
  bool feed(std::string_view bytes) {
    return parser.feed(bytes, [this](const StreamEvent& event) {
      events.emplace_back(std::string(event.type), std::string(event.data));
    });
  }

  EventStreamParser parser;
  Events events;
};

Events events_of(std::string_view bytes) {
  CollectedEvents collected;
  EXPECT_TRUE(collected.feed(bytes));
  return collected.events;
}

constexpr std::string_view kChat =
    "\xEF\xBB\xBF: a comment\r\n\r\n"
    "event: token\ndata: {\"a\":\n"
    "data:1}\n\n"
    "id: 7\rdata: two\rdata\r\r"
    "retry: 10\n\n"
    "data: [DONE]\r\n\r\n";

TEST(EventStream, HasAnEventForEachBlankLineAfterData) {
  EXPECT_THAT(events_of(kChat),
              ElementsAre(Pair("token", "{\"a\":\n1}"), Pair("", "two\n"), Pair("", "[DONE]")));
}

TEST(EventStream, IsTheSameHoweverItIsCut) {
  const Events whole = events_of(kChat);
  for (std::size_t first = 0; first <= kChat.size(); ++first) {
    for (std::size_t second = first; second <= kChat.size(); ++second) {
      CollectedEvents collected;
      EXPECT_TRUE(collected.feed(kChat.substr(0, first)));
      EXPECT_TRUE(collected.feed(kChat.substr(first, second - first)));
      EXPECT_TRUE(collected.feed(kChat.substr(second)));
      ASSERT_EQ(collected.events, whole) << "cut at " << first << " and " << second;
    }
  }
}

TEST(EventStream, IsTheSameByteByByte) {
  CollectedEvents collected;
  for (const char byte : kChat) EXPECT_TRUE(collected.feed({&byte, 1}));
  EXPECT_EQ(collected.events, events_of(kChat));
}

TEST(EventStream, TellsAnEventWhenItsLineFeedComes) {
  CollectedEvents collected;
  EXPECT_TRUE(collected.feed("data: x\n"));
  EXPECT_THAT(collected.events, IsEmpty());
  EXPECT_TRUE(collected.parser.is_within_event());
  EXPECT_TRUE(collected.feed("\n"));
  EXPECT_THAT(collected.events, ElementsAre(Pair("", "x")));
  EXPECT_FALSE(collected.parser.is_within_event());
}

TEST(EventStream, TakesOneBlankOffAValue) {
  EXPECT_THAT(events_of("data:  x \n\n"), ElementsAre(Pair("", " x ")));
}

TEST(EventStream, HasAnEventOfEmptyData) {
  EXPECT_THAT(events_of("data:\n\n"), ElementsAre(Pair("", "")));
}

TEST(EventStream, HasNoEventWithoutData) { EXPECT_THAT(events_of("event: x\n\n\n"), IsEmpty()); }

TEST(EventStream, ForgetsTheTypeOfAnEventWithoutData) {
  EXPECT_THAT(events_of("event: x\n\ndata: y\n\n"), ElementsAre(Pair("", "y")));
}

TEST(EventStream, EndsAtAnEventThatIsTooLarge) {
  CollectedEvents collected;
  const std::string line = "data: " + std::string(kLargestEvent / 2, 'x') + "\n";
  EXPECT_TRUE(collected.feed(line));
  EXPECT_FALSE(collected.feed(line + line));
  EXPECT_FALSE(collected.feed("\n\n"));
  EXPECT_THAT(collected.events, IsEmpty());
}

TEST(EventStream, EndsAtALineThatIsTooLarge) {
  CollectedEvents collected;
  EXPECT_TRUE(collected.feed(std::string(kLargestEvent, 'x')));
  EXPECT_FALSE(collected.feed("x"));
}

}  // namespace
}  // namespace autokernel::http
