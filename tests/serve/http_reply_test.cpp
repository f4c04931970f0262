#include "serve/http_reply.h"

#include <gmock/gmock.h>

namespace autokernel::serve {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HttpTarget, IsAPathAndAQuery) {
  HttpRequest request;
  ASSERT_TRUE(read_target("/tasks/a%20b?timeout=3.5&name=x+y%26&flag", request));
  EXPECT_EQ(request.path, "/tasks/a b");
  EXPECT_THAT(request.query,
              ElementsAre(Pair("flag", ""), Pair("name", "x y&"), Pair("timeout", "3.5")));
}

TEST(HttpTarget, WhatIsNoneIsRefused) {
  for (const char* target : {"", "tasks", "*", "/a%", "/a%2", "/a%zz", "/?x=%", "http://x/"}) {
    HttpRequest request;
    EXPECT_FALSE(read_target(target, request)) << target;
  }
}

}  // namespace
}  // namespace autokernel::serve
