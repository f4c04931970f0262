#include "compile/ptx_text.h"

#include <gmock/gmock.h>

namespace autokernel::compile {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr const char* kText = R"(
.version 8.0
.target sm_90a // .entry none(.param .u32 none)
.address_size 64
.extern .global .u32 elsewhere;
.global .align 4 .b8 table[2][3] = {1, 2, 3, 4, 5, 6};
.const .v2 .f32 pair;
.extern .shared .align 16 .b8 dynamic[];
.visible .entry f(
  .param .u8 small,
  .param .u64 .ptr .global .align 16 to,
  .param .align 8 .b8 whole[24],
  .param .f32 last
) {
  .reg .u32 %r<3>;
  .shared .align 4 .b8 tile[128];
  /* .entry g(.param .u32 none) { */
  ret;
}
.entry without()
{ ret; }
.entry nothing { ret; }
)";

[[nodiscard]] auto at(std::uint32_t offset, std::uint32_t bytes) {
  return testing::AllOf(Field("offset", &Parameter::offset, offset),
                        Field("bytes", &Parameter::bytes, bytes));
}
[[nodiscard]] auto named(const std::string& name, std::uint64_t bytes) {
  return testing::AllOf(Field("name", &ModuleObject::name, name),
                        Field("bytes", &ModuleObject::bytes, bytes));
}

TEST(PtxText, HasTheParametersOfAKernelWhereTheyLie) {
  EXPECT_THAT(ptx_parameters(kText, "f"),
              testing::Optional(ElementsAre(at(0, 1), at(8, 8), at(16, 24), at(40, 4))));
  EXPECT_THAT(ptx_parameters(kText, "without"), testing::Optional(IsEmpty()));
  EXPECT_THAT(ptx_parameters(kText, "nothing"), testing::Optional(IsEmpty()));
}

TEST(PtxText, HasNoParametersOfAKernelThatIsInACommentAlone) {
  EXPECT_FALSE(ptx_parameters(kText, "g"));
  EXPECT_FALSE(ptx_parameters(kText, "none"));
  EXPECT_FALSE(ptx_parameters("", "f"));
}

TEST(PtxText, HasTheVariablesOfTheModuleAndNoOthers) {
  EXPECT_THAT(ptx_objects(kText),
              testing::Optional(ElementsAre(named("table", 6), named("pair", 8))));
}

TEST(PtxText, CutAnywhereIsReadOrIsNot) {
  const std::string text = kText;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const auto parameters = ptx_parameters(text.substr(0, size), "f");
    EXPECT_LE(parameters ? parameters->size() : 0, 4) << size;
    const auto objects = ptx_objects(text.substr(0, size));
    EXPECT_LE(objects ? objects->size() : 0, 2) << size;
  }
}

TEST(PtxText, WithMoreBytesThanANumberHoldsIsNotRead) {
  EXPECT_FALSE(ptx_objects(".global .b64 x[4294967296][4294967296];"));
  EXPECT_FALSE(ptx_objects(".global .b64 x[99999999999999999999];"));
}

}  // namespace
}  // namespace autokernel::compile
