// Merged masks of lanes, each in a form that LLVM's code generation turned round without end on
// CPUs with AVX-512 (jit/opaque_masks.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "jit/engine.h"

namespace emulator::jit {
namespace {

// Both masks are lanes elsewhere, and so is `merged`, as the lanes of a diverged warp are.
std::string ir_of(const std::string& merged) {
  return fmt::format(R"(
define void @warp(i1 %skips, i32 %a, i32 %b, <32 x i1> %other, <32 x i32> %v, <32 x i32> %w,
                  ptr %to) {{
entry:
  br i1 %skips, label %end, label %lanes
lanes:
  %of_a = bitcast i32 %a to <32 x i1>
  %of_b = bitcast i32 %b to <32 x i1>
  {}
  %chosen = select <32 x i1> %merged, <32 x i1> %other, <32 x i1> %of_a
  %values = select <32 x i1> %of_b, <32 x i32> %v, <32 x i32> %w
  br label %end
end:
  %last = phi <32 x i1> [ zeroinitializer, %entry ], [ %chosen, %lanes ]
  %numbers = phi <32 x i32> [ zeroinitializer, %entry ], [ %values, %lanes ]
  %bits = bitcast <32 x i1> %last to i32
  %spread = insertelement <32 x i32> %numbers, i32 %bits, i32 0
  store <32 x i32> %spread, ptr %to
  ret void
}}
)",
                     merged);
}

std::size_t bytes_compiled(const std::string& merged) {
  return compile_ir(ir_of(merged), Optimisation::standard).object.size();
}

TEST(OpaqueMasks, LetAnXorOfIntegersBeCompiled) {
  EXPECT_GT(bytes_compiled("%both.lanes = xor i32 %a, %b\n"
                           "  %merged = bitcast i32 %both.lanes to <32 x i1>"),
            0U);
}

TEST(OpaqueMasks, LetAnOrOfIntegersBeCompiled) {
  EXPECT_GT(bytes_compiled("%both.lanes = or i32 %a, %b\n"
                           "  %merged = bitcast i32 %both.lanes to <32 x i1>"),
            0U);
}

TEST(OpaqueMasks, LetAnXorOfLanesBeCompiled) {
  EXPECT_GT(bytes_compiled("%merged = xor <32 x i1> %of_a, %of_b"), 0U);
}

TEST(OpaqueMasks, LetASelectionThatIsAnOrBeCompiled) {
  EXPECT_GT(bytes_compiled("%merged = select <32 x i1> %of_a, <32 x i1> bitcast (i32 -1 to <32 x "
                           "i1>), <32 x i1> %of_b"),
            0U);
}

}  // namespace
}  // namespace emulator::jit
