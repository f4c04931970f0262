#include "autokernel/notify/secret_variables.h"

#include <gmock/gmock.h>
#include <poll.h>

#include "autokernel/base/process.h"
#include "support/scratch_folder.h"
#include "support/scratch_repository.h"

namespace autokernel::notify {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

TEST(SecretVariables, AreLeftOutForAChild) {
  const Variables left = without_notify_variables({{"AUTOKERNEL_NOTIFY_URL", "a"},
                                                   {"AUTOKERNEL_NOTIFY_KIND", "b"},
                                                   {"AUTOKERNEL_NOTIFY_SECRET", "c"},
                                                   {"AUTOKERNEL_NOTIFY_EVENTS", "d"},
                                                   {"AUTOKERNEL_NOTIFY_PLOT", "e"},
                                                   {"HOME", "/root"}});
  EXPECT_THAT(left, ElementsAre(Key("HOME")));
}

TEST(SecretVariables, AreNotEvenInProcOnceForgotten) {
  Child child = Child::start({.program = AUTOKERNEL_NOTIFY_SENDER,
                              .arguments = {"forget"},
                              .environment = {{"AUTOKERNEL_NOTIFY_SECRET", "hushhush"},
                                              {"AUTOKERNEL_TEST_OTHER", "stays"}}});
  pollfd watched{.fd = child.output().get(), .events = POLLIN, .revents = 0};
  constexpr int kMilliseconds = 10'000;
  ASSERT_EQ(::poll(&watched, 1, kMilliseconds), 1);
  const std::string variables = test::contents("/proc/" + std::to_string(child.id()) + "/environ");
  EXPECT_THAT(variables, HasSubstr("stays"));
  EXPECT_THAT(variables, Not(HasSubstr("hushhush")));
}

TEST(SecretVariables, AreGoneOnceForgotten) {
  const test::ScopedEnvironment set(
      test::ScopedEnvironment::Variables{{"AUTOKERNEL_NOTIFY_SECRET", "c"}});
  forget_notify_variables();
  EXPECT_THAT(own_variables(), Not(Contains(Key("AUTOKERNEL_NOTIFY_SECRET"))));
}

}  // namespace
}  // namespace autokernel::notify
