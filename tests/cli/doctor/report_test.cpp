// What doctor prints, for people and for programs.
#include "cli/doctor/report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/doctor/made_up.h"
#include "support/present.h"

namespace autokernel::cli::doctor {
namespace {

using test::present;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string text(const Facts& facts) { return text_report(facts, check(facts)); }
nlohmann::json json(const Facts& facts) {
  return nlohmann::json::parse(json_report(facts, check(facts)));
}

TEST(DoctorReport, BeginsEachLineWithHowItStands) {
  EXPECT_THAT(text(sound_machine()), StartsWith("ok       driver           /lib/libcuda.so.1"));
  EXPECT_THAT(text(machine_without_gpu()),
              StartsWith("missing  driver           libcuda.so.1: cannot open"));
}

TEST(DoctorReport, PutsTheCommandThatFixesItBelow) {
  EXPECT_THAT(text(machine_without_gpu()), HasSubstr("\n                          fix: install"));
}

TEST(DoctorReport, EndsWithWhatBenchCanDo) {
  EXPECT_THAT(text(sound_machine()), EndsWith("\nbench can run on the GPU\n"));
  EXPECT_THAT(text(machine_without_gpu()), EndsWith("\nbench can run on the emulated device\n"));
  Facts facts = machine_without_gpu();
  facts.compiler = {{}, "cannot find NVRTC"};
  EXPECT_THAT(text(facts),
              EndsWith("\nbench cannot run on the emulated device; fix first: nvrtc\n"));
}

TEST(DoctorReport, KeepsALookOnOneLine) {
  EXPECT_THAT(text_report(machine_without_gpu(), {{"gpu", Standing::ok, "one\ntwo\n"}}),
              StartsWith("ok       gpu  one two\n"));
}

TEST(DoctorJson, IsOneObjectWithAVersion) {
  const auto report = json(machine_without_gpu());
  EXPECT_EQ(report.at("schema_version"), 1);
  EXPECT_EQ(report.at("device"), "auto");
  EXPECT_EQ(report.at("takes"), "emulator");
  EXPECT_EQ(report.at("can_bench"), true);
  const auto& driver = report.at("checks").at(0);
  EXPECT_EQ(driver.at("name"), "driver");
  EXPECT_EQ(driver.at("status"), "missing");
  EXPECT_THAT(driver.at("found").get<std::string>(), HasSubstr("libcuda.so.1"));
  EXPECT_THAT(driver.at("fix").get<std::string>(), HasSubstr("apt-get"));
  EXPECT_EQ(driver.at("required"), false);
}

TEST(DoctorJson, HasNoFixForWhatIsOk) {
  EXPECT_TRUE(json(sound_machine()).at("checks").at(0).at("fix").is_null());
}

TEST(DoctorJson, SaysWhatBenchNeeds) {
  Facts facts = sound_machine();
  present(facts.gpu.answer).fault = "no";
  const auto report = json(facts);
  EXPECT_EQ(report.at("takes"), "gpu");
  EXPECT_EQ(report.at("can_bench"), false);
  EXPECT_EQ(report.at("checks").at(1).at("name"), "gpu");
  EXPECT_EQ(report.at("checks").at(1).at("required"), true);
}

TEST(DoctorJson, SurvivesTextThatIsNotUtf8) {
  const auto report =
      nlohmann::json::parse(json_report(machine_without_gpu(), {{"gpu", Standing::ok, "caf\xe9"}}));
  EXPECT_THAT(report.at("checks").at(0).at("found").get<std::string>(), StartsWith("caf"));
}

}  // namespace
}  // namespace autokernel::cli::doctor
