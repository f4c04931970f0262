#include "trial/check/padding.h"

#include <gmock/gmock.h>

#include "trial/inputs/case_text.h"
#include "trial/inputs/philox.h"

namespace autokernel::trial {
namespace {

using testing::HasSubstr;

// Two rows of three elements and two of padding, with the bits that a launch began with.
class Padding : public testing::Test {
 protected:
  Padding() : problem_(cases::parse(text(), "c")), sized_(problem_, "default") {
    launch_ = {&sized_, InputKind::declared, draw_key(), "timed launch 4", {{}, {}}};
    launch_.outputs[1].resize(sized_.tensors[1].bytes);
    random_bytes({launch_.key, 1, Purpose::noise}, launch_.outputs[1]);
  }
  static std::string text() {
    return "name = \"Twice\"\nproblem = \"{N}\"\n[sizes.default]\nN = 3\n[sizes.check]\nN = 2\n"
           "[[tensor]]\nname = \"x\"\nrole = \"in\"\ndtype = \"f32\"\nshape = [\"2\", \"N\"]\n"
           "fill = \"normal\"\n"
           "[[tensor]]\nname = \"y\"\nrole = \"out\"\ndtype = \"f32\"\nshape = [\"2\", \"N\"]\n"
           "pitch = \"N + 2\"\n[reference]\nkind = \"kernel\"\nfile = \"reference.cu\"\n"
           "[check]\nexact = \"always\"\n[cost]\nflops = \"N\"\nbytes = \"N\"\n";
  }
  void write(std::size_t element) { launch_.outputs[1][element * 4] ^= std::byte{1}; }
  [[nodiscard]] std::string reason() const {
    return written_padding(launch_, {{}, {}}).value_or(Rejection{}).reason;
  }

  cases::Case problem_;
  SizedCase sized_;
  LaunchRecord launch_;
};

TEST_F(Padding, TakesMemoryAndIsNoPartOfARow) {
  EXPECT_EQ(sized_.tensors[1].count, 10U);
  EXPECT_EQ(sized_.tensors[1].row_length, 3U);
  EXPECT_EQ(sized_.tensors[0].count, 6U);
}

TEST_F(Padding, MayNotBeWritten) {
  EXPECT_EQ(reason(), "");
  for (const std::size_t element : {0U, 1U, 2U, 5U, 6U, 7U}) write(element);
  EXPECT_EQ(reason(), "");
  write(9);
  EXPECT_THAT(reason(), HasSubstr("y[1,4] was written, which is padding: a row has 3 elements"));
  write(3);
  EXPECT_THAT(reason(), HasSubstr("y[0,3] was written"));
}

TEST_F(Padding, OfAnInputThatIsOverwrittenIsThatOfTheInput) {
  problem_.tensors[1].role = cases::Role::inout;
  EXPECT_EQ(written_padding(launch_, {{}, launch_.outputs[1]}).has_value(), false);
  EXPECT_EQ(written_padding(launch_, {{}, Bytes(40)}).has_value(), true);
}

TEST_F(Padding, IsNotCompared) {
  std::vector<Bytes> outputs = {{}, Bytes(40, std::byte{7})};
  clear_padding(sized_, outputs);
  for (std::size_t i = 0; i < 40; ++i) {
    const bool is_padding = i / 4 % 5 >= 3;
    EXPECT_EQ(outputs[1][i], is_padding ? std::byte{0} : std::byte{7}) << i;
  }
}

}  // namespace
}  // namespace autokernel::trial
