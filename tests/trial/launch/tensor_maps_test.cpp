// Tensor maps of a product of bf16: A [48, 96], B [96, 64], C [48, 64]; what a wrong one is told.
#include "trial/launch/tensor_maps.h"

#include <gmock/gmock.h>

#include <functional>

#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

using compile::TensorMap;
using driver::TensorType;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kWorkspaceBytes = 4096;

class TensorMaps : public testing::Test {
 protected:
  TensorMaps() : problem_(product_case("bf16", "bf16", 48, 64, 96)), sized_(problem_, "default") {}

  // Of A, with a box of 64 x 16, as the macro says where nothing else is written.
  static TensorMap map_of_a() {
    TensorMap map;
    map.name = "tile";
    map.place = "kernel.cu:7: ";
    map.tensor = "A";
    map.box = {64, 16};
    map.oob_fill = "zeros";
    return map;
  }
  static TensorMap map_of_the_workspace() {
    TensorMap map = map_of_a();
    map.tensor = "workspace";
    map.type = "f32";
    map.view.dims = {32, 32};
    map.box = {32, 16};
    return map;
  }

  ResolvedMap resolved(const TensorMap& map) const {
    auto result = resolve(map, sized_, kWorkspaceBytes);
    if (const auto* reason = std::get_if<std::string>(&result)) throw std::runtime_error(*reason);
    return std::get<ResolvedMap>(result);
  }
  std::string reason(const TensorMap& map, std::uint64_t workspace_bytes = kWorkspaceBytes) const {
    const auto result = resolve(map, sized_, workspace_bytes);
    return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "";
  }
  std::string reason(const std::function<void(TensorMap&)>& change) const {
    TensorMap map = map_of_a();
    change(map);
    return reason(map);
  }
  std::string reason_of_workspace(const std::function<void(TensorMap&)>& change) const {
    TensorMap map = map_of_the_workspace();
    change(map);
    return reason(map);
  }

  cases::Case problem_;
  SizedCase sized_;
};

TEST_F(TensorMaps, HaveTheShapeOfTheirTensorTheInnermostDimensionFirst) {
  const ResolvedMap map = resolved(map_of_a());

  EXPECT_EQ(map.buffer, 0U);
  EXPECT_EQ(map.offset, 0U);
  EXPECT_EQ(map.layout.type, TensorType::bf16);
  EXPECT_EQ(map.layout.rank, 2U);
  EXPECT_THAT(map.layout.dims, ElementsAre(96, 48, 0, 0, 0));
  EXPECT_EQ(map.layout.strides[0], 192U);
  EXPECT_THAT(map.layout.box, ElementsAre(64, 16, 0, 0, 0));
  EXPECT_THAT(map.layout.element_strides, ElementsAre(1, 1, 1, 1, 1));
  EXPECT_FALSE(map.layout.fills_with_nan);
}

TEST_F(TensorMaps, TakeModesFromTheDeclaration) {
  TensorMap map = map_of_a();
  map.tensor = "C";
  map.swizzle = 128;
  map.l2_promotion = 256;
  map.oob_fill = "nan";
  map.element_strides = {0, 2};

  const ResolvedMap found = resolved(map);

  EXPECT_EQ(found.buffer, 2U);
  EXPECT_EQ(found.layout.swizzle, 128U);
  EXPECT_EQ(found.layout.l2_promotion, 256U);
  EXPECT_TRUE(found.layout.fills_with_nan);
  EXPECT_THAT(found.layout.element_strides, ElementsAre(1, 2, 1, 1, 1));
}

TEST_F(TensorMaps, SeeATensorInAnotherShape) {
  TensorMap map = map_of_a();
  // Every second row of A, from its third on, in halves.
  map.view.dims = {48, 2, 23};
  map.view.strides = {48, 192};
  map.view.offset = 192;
  map.box = {48, 1, 4};

  const ResolvedMap found = resolved(map);

  EXPECT_EQ(found.offset, 384U);
  EXPECT_EQ(found.layout.rank, 3U);
  EXPECT_THAT(found.layout.strides, ElementsAre(96, 384, 0, 0));
  map.view.dims[2] = 24;
  EXPECT_THAT(reason(map), HasSubstr("reaches beyond the 9216 bytes of A"));
}

TEST_F(TensorMaps, OfTheWorkspaceSayTypeAndShape) {
  const ResolvedMap found = resolved(map_of_the_workspace());

  EXPECT_EQ(found.buffer, 3U);
  EXPECT_EQ(found.layout.type, TensorType::f32);
  EXPECT_EQ(found.layout.strides[0], 128U);
}

TEST_F(TensorMaps, OfImagesHaveCornersAndNoBox) {
  TensorMap map = map_of_a();
  map.box = {};
  map.view.dims = {16, 6, 6, 8};
  map.im2col = {{-1, -1, 0}, {1, 1, 0}, 16, 36};

  const ResolvedMap found = resolved(map);

  ASSERT_TRUE(found.layout.im2col.has_value());
  EXPECT_THAT(found.layout.im2col->lower, ElementsAre(-1, -1, 0));
  EXPECT_EQ(found.layout.im2col->channels, 16U);
  EXPECT_EQ(found.layout.im2col->pixels, 36U);
}

TEST_F(TensorMaps, MayReachTheVeryLastByteAndNoFurther) {
  TensorMap map = map_of_the_workspace();
  EXPECT_EQ(reason(map), "");
  map.view.dims = {33, 32};
  map.view.strides = {32};
  EXPECT_THAT(reason(map), HasSubstr("reaches beyond the 4096 bytes of workspace"));
  map.view.dims = {32, 33};
  EXPECT_THAT(reason(map), HasSubstr("reaches beyond the 4096 bytes of workspace"));
  map.view.dims = {28, 32};
  map.view.offset = 4;
  EXPECT_EQ(reason(map), "");
  map.view.offset = 8;
  EXPECT_THAT(reason(map), HasSubstr("reaches beyond the 4096 bytes of workspace"));
}

TEST_F(TensorMaps, ThatAreInterleavedCountSlicesAlongDimension0) {
  TensorMap map = map_of_the_workspace();
  map.interleave = 16;
  map.view.dims = {8, 8, 4};
  map.view.strides = {32, 256};
  map.box = {1, 1, 1};
  EXPECT_EQ(reason(map), "");
  map.view.dims = {16, 8, 4};
  EXPECT_THAT(reason(map), HasSubstr("reaches beyond the 4096 bytes of workspace"));
}

TEST_F(TensorMaps, OfVastShapesAreRefusedWhateverTheirProductIs) {
  for (const std::int64_t vast : {std::int64_t{1} << 31, std::int64_t{1} << 32}) {
    EXPECT_THAT(reason([&](TensorMap& map) { map.view.dims = {vast, vast, vast, vast, vast}; }),
                HasSubstr("reaches beyond"));
    EXPECT_THAT(reason([&](TensorMap& map) {
                  map.view.dims = {16, vast};
                  map.view.strides = {vast << 8};
                }),
                HasSubstr("reaches beyond"));
  }
  EXPECT_THAT(reason([](TensorMap& map) { map.view.offset = INT64_MAX; }),
              HasSubstr("beyond the end of A"));
  EXPECT_THAT(reason([](TensorMap& map) {
                map.view.dims = {16, 4};
                map.view.strides = {INT64_MAX};
              }),
              HasSubstr("reaches beyond"));
}

// Each says what was written, and what to write instead.
TEST_F(TensorMaps, ThatCannotBeAreRefusedWithWhatToWrite) {
  EXPECT_THAT(reason([](TensorMap& map) { map.tensor = "X"; }),
              StartsWith("kernel.cu:7: tensor map tile: .tensor is \"X\"; write one of \"A\", "
                         "\"B\", \"C\", \"workspace\""));
  EXPECT_THAT(reason(map_of_the_workspace(), 0),
              HasSubstr("the file has not got; write AUTOKERNEL_WORKSPACE(bytes)"));
  EXPECT_THAT(reason_of_workspace([](TensorMap& map) { map.type = ""; }),
              HasSubstr("write .type, such as \"f32\""));
  EXPECT_THAT(reason_of_workspace([](TensorMap& map) { map.view.dims = {}; }),
              HasSubstr("write .view = {.dims = {...}}"));
  EXPECT_THAT(reason([](TensorMap& map) { map.type = "float"; }),
              AllOf(HasSubstr(".type is \"float\"; write one of"), HasSubstr("\"f32\"")));
  EXPECT_THAT(reason([](TensorMap& map) { map.type = "f32"; }),
              HasSubstr("have 4 bytes, those of A 2; write .view = {.dims = {...}}"));
  EXPECT_THAT(reason([](TensorMap& map) { map.view.dims = {96, -1}; }),
              HasSubstr("its dimensions are {96, -1}; each must be from 1 to 4294967296"));
  EXPECT_THAT(
      reason([](TensorMap& map) { map.box = {64}; }),
      HasSubstr(".box has 1 values, and the map 2 dimensions, {96, 48}; write one for each"));
  EXPECT_THAT(reason([](TensorMap& map) { map.box = {64, 512}; }),
              HasSubstr(".box is {64, 512}; each must be from 1 to 256"));
  EXPECT_THAT(reason([](TensorMap& map) { map.box = {60, 16}; }),
              HasSubstr(".box[0] is 60 elements of 2 bytes; write a multiple of 8"));
  EXPECT_THAT(
      reason([](TensorMap& map) {
        map.box = {96, 16};
        map.swizzle = 128;
      }),
      HasSubstr("more than the 128 that .swizzle takes along dimension 0; write at most 64"));
  EXPECT_THAT(reason([](TensorMap& map) { map.swizzle = 256; }),
              HasSubstr(".swizzle is 256; write one of {32, 64, 128} bytes, or 0 for none"));
  EXPECT_THAT(reason([](TensorMap& map) { map.l2_promotion = 32; }),
              HasSubstr(".l2_promotion is 32; write one of {64, 128, 256}"));
  EXPECT_THAT(reason([](TensorMap& map) { map.interleave = 8; }),
              HasSubstr(".interleave is 8; write one of {16, 32}"));
  EXPECT_THAT(reason([](TensorMap& map) { map.interleave = 32; }),
              HasSubstr(".interleave is 32 and .swizzle 0; write .swizzle = 32"));
  EXPECT_THAT(
      reason([](TensorMap& map) { map.interleave = 16; }),
      HasSubstr(".interleave takes at least 3 dimensions, and the map has 2; leave it out"));
  EXPECT_THAT(reason([](TensorMap& map) { map.oob_fill = "none"; }),
              HasSubstr(".oob_fill is \"none\"; write \"zeros\" or \"nan\""));
  EXPECT_THAT(reason_of_workspace([](TensorMap& map) {
                map.type = "u32";
                map.oob_fill = "nan";
              }),
              HasSubstr(".oob_fill is \"nan\", which \"u32\" has not got; write \"zeros\""));
  EXPECT_THAT(reason([](TensorMap& map) { map.element_strides = {1, 9}; }),
              HasSubstr("each must be from 1 to 8"));
  EXPECT_THAT(reason([](TensorMap& map) { map.element_strides = {1, 1, 1}; }),
              HasSubstr(".element_strides has 3 values, and the map 2 dimensions"));
  EXPECT_THAT(reason([](TensorMap& map) {
                map.view.dims = {48, 2, 4};
                map.view.strides = {48};
              }),
              HasSubstr(".view.strides has 1 values, and the map 3 dimensions; write 2"));
  EXPECT_THAT(reason([](TensorMap& map) {
                map.view.dims = {48, 2};
                map.view.strides = {-48};
              }),
              HasSubstr(".view.strides[0] is -48; write the elements from one to the next"));
  EXPECT_THAT(
      reason([](TensorMap& map) { map.view.dims = {12, 16}; }),
      HasSubstr("neighbours along dimension 1 are 24 bytes apart; a map needs a multiple of "
                "16: pad the rows"));
  EXPECT_THAT(reason([](TensorMap& map) { map.view.offset = 4; }),
              HasSubstr(".view.offset is 4 elements of 2 bytes; a map begins at a multiple of 16 "
                        "bytes: write a multiple of 8"));
  EXPECT_THAT(reason([](TensorMap& map) { map.view.offset = -8; }),
              HasSubstr(".view.offset is -8; write 0 or more elements"));
  EXPECT_THAT(reason([](TensorMap& map) { map.im2col.channels = 16; }),
              HasSubstr(".im2col takes 3 to 5 dimensions, and the map has 2"));
  const auto images = [this](const std::function<void(TensorMap&)>& change) {
    return reason([&](TensorMap& map) {
      map.box = {};
      map.view.dims = {16, 6, 6, 8};
      map.im2col = {{-1, -1, 0}, {1, 1, 0}, 16, 36};
      change(map);
    });
  };
  EXPECT_THAT(images([](TensorMap& map) { map.box = {16}; }),
              HasSubstr(".im2col and .box exclude each other; leave .box out"));
  EXPECT_THAT(images([](TensorMap& map) { map.im2col.channels = 512; }),
              HasSubstr(".im2col.channels is 512; it must be from 1 to 256"));
  EXPECT_THAT(images([](TensorMap& map) { map.im2col.pixels = 0; }),
              HasSubstr(".im2col.pixels is 0; it must be from 1 to 1024"));
  EXPECT_THAT(images([](TensorMap& map) { map.im2col.lower[1] = -200; }),
              HasSubstr("a map of 4 dimensions has 2 of each, from -128 to 127"));
  EXPECT_THAT(images([](TensorMap& map) { map.im2col.upper[2] = 1; }),
              HasSubstr("a map of 4 dimensions has 2 of each"));
}

}  // namespace
}  // namespace autokernel::trial
