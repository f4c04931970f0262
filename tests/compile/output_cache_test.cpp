#include "compile/output_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch_folder.h"

namespace autokernel::compile {
namespace {

using testing::FieldsAre;
using testing::Optional;

TEST(OutputCache, GivesBackAllThatACompileGave) {
  const test::ScratchFolder scratch;
  const OutputCache cache(scratch.path() / "compiled");
  Nvrtc::Output output;
  output.outcome = Nvrtc::Outcome::compiled;
  output.log = "ptxas info";
  output.ptx = ".version 9.0";
  output.cubin = {std::byte{0x7f}, std::byte{0}, std::byte{0xff}};
  cache.keep("key", output);
  EXPECT_THAT(cache.find("key"),
              Optional(FieldsAre(output.outcome, output.log, output.ptx, output.cubin)));
  EXPECT_FALSE(cache.find("kez"));
}

}  // namespace
}  // namespace autokernel::compile
