// What a person at a terminal sees.
#include "support/terminal.h"

#include <gmock/gmock.h>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class OnATerminal : public Workplace {};

TEST_F(OnATerminal, ALineShowsWhatIsUnderWayAndIsErasedInTheEnd) {
  Terminal terminal;
  Invocation invocation = autokernel(bench_arguments("never_ends", {"--timeout", "2"}));
  invocation.err = terminal.end_for_program();
  EXPECT_EQ(test::run(invocation).code, 13);
  EXPECT_THAT(terminal.painted(), HasSubstr("\r\033[Kchecking ... 1 s"));
  EXPECT_THAT(terminal.painted(), EndsWith("\r\033[K"));
}

TEST_F(OnATerminal, NoLineIsPaintedOnOneThatCannotEraseIt) {
  Terminal terminal;
  Invocation invocation = autokernel(bench_arguments("syntax_error", {}));
  invocation.err = terminal.end_for_program();
  invocation.environment["TERM"] = "dumb";
  EXPECT_EQ(test::run(invocation).code, 12);
  EXPECT_THAT(terminal.painted(), IsEmpty());
}

TEST_F(OnATerminal, ResultsGoElsewhereUntouchedByIt) {
  Terminal terminal;
  Invocation invocation = autokernel(bench_arguments("syntax_error", {}));
  invocation.err = terminal.end_for_program();
  EXPECT_THAT(test::run(invocation).out, testing::Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace autokernel::test
