#include "autokernel/base/html_text.h"

#include <gtest/gtest.h>

namespace autokernel {
namespace {

TEST(HtmlText, HasNoSignThatMeansSomethingToAPage) {
  EXPECT_EQ(html_text("a<b> & \"c\"\n"), "a&lt;b&gt; &amp; &quot;c&quot; ");
}

}  // namespace
}  // namespace autokernel
