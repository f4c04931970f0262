#include <gtest/gtest.h>

#include <string_view>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

// One of everything the parser knows, as short as can be: each byte of it is damaged.
const std::string& everything() {
  static const std::string text = R"(.version 9.0
.target sm_90a, debug
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .shared .align 16 .b8 sm[];
.global .attribute(.managed) .align 4 .v2 .f32 v[2] = {{1.0, 0f3F800000}};
.const .u64 t[2][2] = {{generic(v)+4, -1}, {v+8}};
.global .b8 s[] = {1, (2+3)*4 >> 1, 5 > 3 ? 0x1F : 017, 0b11U};
.weak .func (.param .align 8 .b8 o[16]) f (.param .b32 a) .noreturn;
.func g() { ret; }
.func h();
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 64 .b8 x[128])
.maxntid 32, 2, 1 .minnctapersm 2
{
.reg .pred %p<3>; .reg .b32 %r<9>, q; .reg .b64 %d<4>;
.loc 1 2 3, function_name $L+1, inlined_at 1 2 3
ld.param.u64 %d0, [p];
A: @!%p1 bra C;
{ .reg .b32 q; A: mov.b32 q, %tid.x; @%p1 bra A; { bra B; B: } }
setp.lt.and.s32 %p1|_, %r1, -3, !%p2; /* c */ mov.b64 {%r1, _}, %d1; // d
ld.global.nc.v2.u32 {%r1, %r2}, [%d0+-8];
st.shared.f32 [sm+4], 1.5e-3;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2, %r3}], [%r4];
{ .param .b32 a0; .param .b64 a1; call.uni (a0), vprintf, (a1, a1); }
P: .callprototype (.param .b32 _) _ (.param .b32 _);
call (q), %d1, (%r1), P; call g;
T: .branchtargets A, C; brx.idx %r1, T;
.pragma "nounroll"; mov.u64 %d2, s[2];
C: ret;
}
.alias h, g;
.file 1 "k.cu", 1, 2
.section .debug_str { L: .b8 1,2 }
)";
  return text;
}

// 1 where the text parses or gives an Error with a place in it; anything else is the caller's to
// see.
int survives(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const Error& error) {
    return error.where().line > 0 && error.where().column > 0 ? 1 : 0;
  }
  return 1;
}

std::size_t cuts_survived(const std::string& text) {
  std::size_t survived = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    survived += static_cast<std::size_t>(survives(text.substr(0, length)));
  }
  return survived;
}

// Every byte replaced by each of the others, one at a time.
std::size_t replacements_survived(const std::string& text, std::string_view others) {
  std::size_t survived = 0;
  std::string damaged = text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char other : others) {
      damaged[i] = other;
      survived += static_cast<std::size_t>(survives(damaged));
    }
    damaged[i] = text[i];
  }
  return survived;
}

std::size_t removals_survived(const std::string& text) {
  std::size_t survived = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    survived += static_cast<std::size_t>(survives(text.substr(0, i) + text.substr(i + 1)));
  }
  return survived;
}

std::string first_kernel_of_matmul() {
  const std::string text = data_file("matmul.ptx");
  return text.substr(0, text.find("// .globl\ttiled"));
}

constexpr std::string_view kOthers("0;{}[,.%$\"\0", 11);

TEST(Damage, TheTextToBeDamagedIsReadWhole) { EXPECT_EQ(error_of(everything()), "no error"); }

TEST(Damage, EverythingSurvivesEveryCut) {
  EXPECT_EQ(cuts_survived(everything()), everything().size());
}

TEST(Damage, EverythingSurvivesEveryReplacedByte) {
  EXPECT_EQ(replacements_survived(everything(), kOthers), everything().size() * kOthers.size());
}

TEST(Damage, EverythingSurvivesEveryRemovedByte) {
  EXPECT_EQ(removals_survived(everything()), everything().size());
}

TEST(Damage, ARealKernelSurvivesEveryCut) {
  const std::string text = first_kernel_of_matmul();
  EXPECT_EQ(cuts_survived(text), text.size());
}

TEST(Damage, ARealKernelSurvivesEveryReplacedByte) {
  const std::string text = first_kernel_of_matmul();
  EXPECT_EQ(replacements_survived(text, "0;{"), text.size() * 3);
}

TEST(Damage, AKernelWithInlineAssemblySurvivesEveryCut) {
  const std::string text = data_file("warp.ptx");
  EXPECT_EQ(cuts_survived(text), text.size());
}

}  // namespace
}  // namespace emulator::ptx::testing
