#include "cli/conditions_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/driver/telemetry.h"

namespace autokernel::cli {
namespace {

using trial::Conditions;
using trial::Range;

Conditions of_a_gpu() {
  Conditions conditions;
  conditions.sm_clock_mhz = Range{1755, 1980};
  conditions.memory_clock_mhz = Range{3201, 3201};
  conditions.highest_celsius = 59;
  conditions.highest_watts = 690.5;
  conditions.throttle_reasons = driver::Throttle::kPowerCap | driver::Throttle::kHeatByHardware;
  conditions.other_programs = 1;
  conditions.samples_redone = 40;
  conditions.unclean = "the GPU was slowed down";
  return conditions;
}

Conditions of_the_host() {
  Conditions conditions;
  conditions.others_cpu_share = 0.125;
  conditions.governor = "performance";
  conditions.environment = {{"LD_LIBRARY_PATH", "/lib"}};
  conditions.niceness = 10;
  conditions.processors = "0-3";
  conditions.emulation = "engine automatic";
  return conditions;
}

TEST(ConditionsText, SaysWhatAGpuDid) {
  EXPECT_EQ(conditions_text(of_a_gpu()),
            "SM 1755 to 1980 MHz, memory 3201 MHz, up to 59 C, up to 690 W; it reaches its power "
            "limit, it is too hot; 1 other program; 40 samples redone");
}

TEST(ConditionsText, SaysWhatTheHostDid) {
  EXPECT_EQ(conditions_text(of_the_host()),
            "others used 12 % of the CPU, governor performance, niceness 10");
}

TEST(ConditionsText, IsEmptyWhereNothingIsKnown) { EXPECT_EQ(conditions_text({}), ""); }

}  // namespace
}  // namespace autokernel::cli
