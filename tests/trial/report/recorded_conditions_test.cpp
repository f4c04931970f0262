// The conditions of a measurement in its record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "autokernel/driver/telemetry.h"
#include "autokernel/trial/record.h"

namespace autokernel::trial {
namespace {

using testing::Optional;

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

std::string record_with(const Conditions& conditions) {
  Result result;
  result.conditions = conditions;
  return record({}, result, "");
}

nlohmann::json object_of(const Conditions& conditions) {
  return nlohmann::json::parse(record_with(conditions)).at("conditions");
}

TEST(ConditionsObject, HasNullForWhatNobodyTells) {
  const auto object = object_of({});
  EXPECT_TRUE(object.at("sm_clock_mhz").is_null());
  EXPECT_TRUE(object.at("throttle_reasons").is_null());
  EXPECT_TRUE(object.at("others_cpu_share").is_null());
  EXPECT_EQ(object.at("clean"), true);
}

TEST(ConditionsObject, NamesTheReasonsOfAThrottle) {
  const auto object = object_of(of_a_gpu());
  EXPECT_EQ(object.at("throttle_reasons"), nlohmann::json({"power_cap", "heat_by_hardware"}));
  EXPECT_EQ(object.at("sm_clock_mhz"), nlohmann::json({1755, 1980}));
  EXPECT_EQ(object.at("clean"), false);
}

TEST(RecordedConditions, AreThoseThatWereWritten) {
  EXPECT_THAT(recorded_conditions(record_with(of_a_gpu())), Optional(of_a_gpu()));
  EXPECT_THAT(recorded_conditions(record_with(of_the_host())), Optional(of_the_host()));
  EXPECT_THAT(recorded_conditions(record_with({})), Optional(Conditions{}));
}

TEST(RecordedConditions, MayLackWhatOlderRecordsLack) {
  auto object = object_of(of_a_gpu());
  for (const char* name : {"environment", "niceness", "processors", "emulation"})
    object.erase(name);
  EXPECT_THAT(recorded_conditions(R"({"conditions":)" + object.dump() + "}"), Optional(of_a_gpu()));
}

TEST(RecordedConditions, OfADamagedRecordAreNone) {
  const std::string record = record_with(of_a_gpu());
  for (std::size_t length = 0; length + 2 <= record.size(); ++length) {
    EXPECT_FALSE(recorded_conditions(record.substr(0, length))) << length;
  }
}

TEST(RecordedConditions, OfARecordThatHasNoneOrOthersAreNone) {
  EXPECT_FALSE(recorded_conditions(R"({"schema_version":1})"));
  EXPECT_FALSE(recorded_conditions(R"({"conditions":null})"));
  EXPECT_FALSE(recorded_conditions(R"({"conditions":{"clean":true}})"));
  EXPECT_FALSE(recorded_conditions(R"({"conditions":[1]})"));
  EXPECT_FALSE(recorded_conditions(""));
}

}  // namespace
}  // namespace autokernel::trial
