#include "autokernel/trial/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::trial {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;
using testing::ThrowsMessage;

Request request() {
  Request request;
  request.case_directory = "/somewhere/kernels";
  request.kernel_file = "/somewhere/tries/one.cu";
  request.source = "__global__ void größer() {}\n";
  request.device = {driver::DeviceChoice::Kind::cuda, 1};
  request.architecture = "sm_90a";
  request.size = "check";
  return request;
}

Result result() {
  Result result;
  result.device = DeviceReport{.name = "NVIDIA H200", .major = 9, .minor = 0, .emulated = false};
  result.problem = "MatMul";
  result.times = Times{.samples_us = {1, 2, 3}, .median_us = 2, .p95_us = 3, .noise_pct = 0.5};
  result.reference = Times{.samples_us = {4, 4}, .median_us = 4, .p95_us = 4, .noise_pct = 0};
  result.flops = 2e6;
  result.bytes = 4e3;
  result.differences = Differences{.max_abs = 0.5, .max_rel = 0.25};
  result.resources = ResourceReport{.registers = 32, .spill_bytes = 0, .shared_bytes = 1024};
  result.keys = {{"check launch 1", "0123456789abcdef"}};
  return result;
}

std::set<std::string> names_in(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

class Record : public testing::Test {
 protected:
  Request read_back(const std::string& text) {
    return recorded_request(scratch_.write("record.json", text));
  }
  test::ScratchFolder scratch_;
};

TEST_F(Record, IsOneObjectOnOneLine) {
  const std::string text = record(request(), result(), "/a/log");
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_TRUE(json::parse(text).is_object());
}

TEST_F(Record, HoldsWhatWasMeasured) {
  const json object = json::parse(record(request(), result(), "/a/log"));
  EXPECT_EQ(object["schema_version"], 1);
  EXPECT_EQ(object["correct"], true);
  EXPECT_EQ(object["median_us"], 2.0);
  EXPECT_EQ(object["samples_us"], json({1.0, 2.0, 3.0}));
  EXPECT_EQ(object["gbytes_s"], 2.0);
  EXPECT_EQ(object["tflops_s"], 1.0);
  EXPECT_EQ(object["vs_reference"], 2.0);
  EXPECT_EQ(object["device"]["capability"], json({9, 0}));
  EXPECT_EQ(object["log"], "/a/log");
}

TEST_F(Record, SaysNullForWhatDoesNotExist) {
  const json object = json::parse(record(request(), Result{}, ""));
  for (const char* name : {"device", "timing", "median_us", "samples_us", "reference_us", "warm_us",
                           "registers", "max_abs_err", "log", "reason"}) {
    EXPECT_TRUE(object.at(name).is_null()) << name;
  }
}

TEST_F(Record, OfAKernelThatFailedHasNoTimes) {
  Result failed = result();
  failed.verdict = Verdict::incorrect;
  failed.reason = "C[0,0] is wrong";
  const json object = json::parse(record(request(), failed, ""));
  EXPECT_EQ(object["correct"], false);
  EXPECT_EQ(object["exit_code"], 11);
  EXPECT_EQ(object["reason"], "C[0,0] is wrong");
  for (const char* name : {"median_us", "samples_us", "tflops_s", "reference_us", "vs_reference"}) {
    EXPECT_TRUE(object.at(name).is_null()) << name;
  }
}

TEST_F(Record, OfNoVerdictHoldsTheError) {
  const json object = json::parse(record(Error(Stop::environment, "no such device")));
  EXPECT_EQ(object["exit_code"], 3);
  EXPECT_EQ(object["error"], "no such device");
  EXPECT_EQ(object["schema_version"], 1);
}

TEST_F(Record, ReplacesBytesThatAreNoText) {
  Result odd = result();
  odd.warnings = {"\xff\xfe"};
  EXPECT_TRUE(json::accept(record(request(), odd, "")));
}

// The document has one table row for each field: "| `name` | ...".
TEST_F(Record, IsDescribedFieldByField) {
  std::ifstream stream(AUTOKERNEL_SOURCES "/docs/json.md");
  const std::regex row("^\\| `([a-z0-9_]+)` \\|.*");
  std::set<std::string> described;
  std::smatch found;
  // Behind it stands another object.
  for (std::string line; std::getline(stream, line) && line != "## Profile";) {
    if (std::regex_match(line, found, row)) described.insert(found[1]);
  }
  Result compared = result();
  compared.comparison.emplace();
  compared.conditions.emplace();
  compared.metric.emplace();
  const json object = json::parse(record(request(), compared, ""));
  std::set<std::string> written = names_in(object);
  written.merge(names_in(object["comparison"]));
  written.merge(names_in(object["conditions"]));
  written.merge(names_in(object["metric"]));
  written.insert("error");
  EXPECT_EQ(described, written);
}

TEST_F(Record, CanBeReplayed) {
  const Request again = read_back(record(request(), result(), ""));
  EXPECT_EQ(again.case_directory, request().case_directory);
  EXPECT_EQ(again.kernel_file, request().kernel_file);
  EXPECT_EQ(again.source, request().source);
  EXPECT_EQ(again.device, request().device);
  EXPECT_EQ(again.architecture, request().architecture);
  EXPECT_EQ(again.size, request().size);
  EXPECT_THAT(again.keys, ElementsAre(LaunchKey{"check launch 1", "0123456789abcdef"}));
}

TEST_F(Record, OfNoVerdictCannotBeReplayed) {
  EXPECT_THAT([&] { (void)read_back(record(Error(Stop::environment, "no such device"))); },
              ThrowsMessage<Error>(HasSubstr("no trial was run")));
}

TEST_F(Record, OfAnotherVersionIsRefused) {
  EXPECT_THAT([&] { (void)read_back(R"({"schema_version": 2})"); },
              ThrowsMessage<Error>(HasSubstr("schema_version is 2")));
  for (const char* version : {"true", "1.9", "4294967297", "null", "\"1\""}) {
    EXPECT_THAT([&] { (void)read_back(std::string("{\"schema_version\":") + version + "}"); },
                ThrowsMessage<Error>(HasSubstr("cannot replay")))
        << version;
  }
}

TEST_F(Record, OfMoreValuesThanAnyOfOursIsRefusedBeforeItIsRead) {
  std::string many = R"({"schema_version":1,"x":[)";
  for (int i = 0; i < 1'000'000; ++i) many += "{},";
  EXPECT_THAT([&] { (void)read_back(many + "0]}"); },
              ThrowsMessage<Error>(HasSubstr("it has too many values")));
}

TEST_F(Record, CutAnywhereIsRefusedWithItsName) {
  std::string text = record(request(), result(), "");
  text.pop_back();
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_THAT([&] { (void)read_back(text.substr(0, length)); },
                Throws<Error>(AllOf(Property(&Error::stop, Stop::usage),
                                    Property(&Error::what, HasSubstr("record.json")))))
        << length;
  }
}

TEST_F(Record, WithAFieldOfAnotherTypeIsRefused) {
  for (const char* name : {"case", "kernel", "device", "size", "arch", "source"}) {
    json object = json::parse(record(request(), result(), ""));
    object["request"][name] = json::array({1});
    EXPECT_THAT([&] { (void)read_back(object.dump()); },
                ThrowsMessage<Error>(HasSubstr("cannot replay")))
        << name;
  }
}

using Damage = void (*)(json& record);

class DamagedRecord : public Record, public testing::WithParamInterface<Damage> {};

TEST_P(DamagedRecord, IsRefused) {
  Request compared = request();
  compared.incumbent = Incumbent{"HEAD", "__global__ void f() {}\n", {}};
  json object = json::parse(record(compared, result(), ""));
  GetParam()(object);
  EXPECT_THAT([&] { (void)read_back(object.dump()); },
              ThrowsMessage<Error>(AllOf(HasSubstr("cannot replay"), Not(HasSubstr("exception")))))
      << object["request"];
}

INSTANTIATE_TEST_SUITE_P(
    , DamagedRecord,
    testing::Values([](json& record) { record.erase("keys"); },
                    [](json& record) { record["keys"][0].erase("launch"); },
                    [](json& record) { record["keys"][0]["key"] = nullptr; },
                    [](json& record) { record["request"].erase("arch"); },
                    [](json& record) { record["request"]["device"] = nullptr; },
                    [](json& record) { record["request"]["against"].erase("name"); },
                    [](json& record) { record["request"]["against"]["source"] = nullptr; }));

}  // namespace
}  // namespace autokernel::trial
