#include "autokernel/trial/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace autokernel::trial {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::EndsWith;
using testing::FieldsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsNan;
using testing::Not;
using testing::Optional;
using testing::Property;
using testing::ThrowsMessage;

Request request() {
  Request request;
  request.case_directory = "/somewhere/kernels";
  request.case_files = {{"case.toml", "name = 1\n"}, {"reference.cu", "no UTF-8: \xff"}};
  request.kernel_file = "/somewhere/kernels/kernel.cu";
  request.source = "__global__ void k() {}\n\"quotes\" \\ and\ttabs";
  request.device = {driver::DeviceChoice::Kind::cuda, 3};
  request.architecture = "sm_80";
  request.size = "check";
  request.cached = false;
  request.recording_seconds = 2.5;
  request.noise = {{.device = "NVIDIA H200",
                    .driver_version = "13.0",
                    .pair_error = 0.5,
                    .pair_seconds = 1.5,
                    .detectable_gain = 0.25},
                   {}};
  request.keys = {{"timed launch 3", "0123456789abcdef"}};
  return request;
}

Conditions conditions() {
  return {.sm_clock_mhz = Range{31.5, 32.5},
          .memory_clock_mhz = Range{33.5, 34.5},
          .highest_celsius = 35.5,
          .highest_watts = 36.5,
          .throttle_reasons = 1ULL << 63U,
          .other_programs = 37,
          .samples_redone = 38,
          .others_cpu_share = 0.39,
          .governor = "performance",
          .environment = {{"LD_LIBRARY_PATH", "/lib"}},
          .niceness = 40,
          .processors = "0-3",
          .emulation = "engine automatic",
          .unclean = "too hot"};
}

// Every field with a value of its own, so that none can be taken for another.
Result full_result() {
  Result result;
  result.verdict = Verdict::incorrect;
  result.reason = "line one\nline two";
  result.detail = "the whole story";
  result.warnings = {"C7510", "another"};
  result.device = DeviceReport{.name = "NVIDIA H200", .major = 9, .minor = 1, .emulated = true};
  result.label = "label";
  result.problem = "MatMul [2,3] x [3,4] bfloat16";
  result.times =
      Times{.samples_us = {1.5, 0.1, 1e300}, .median_us = 2.5, .p95_us = 3.5, .noise_pct = 4.5};
  result.reference = Times{.samples_us = {}, .median_us = 5.5, .p95_us = 6.5, .noise_pct = 7.5};
  result.reference_default_us = 7.75;
  result.conditions = conditions();
  result.warm_us = 8.5;
  result.event_floor_us = 9.5;
  result.event_tick_us = 9.75;
  result.differences = Differences{.max_abs = 10.5, .max_rel = 11.5};
  result.resources =
      ResourceReport{.registers = 4294967295, .spill_bytes = 1ULL << 63, .shared_bytes = 12};
  result.flops = 13.5;
  result.bytes = 14.5;
  result.peak_tflops = 15.5;
  result.peak_gbytes_s = 16.5;
  result.unit = driver::Unit::tensor_fp8;
  result.unit_tflops = 16.75;
  result.cap_seconds = 17.5;
  result.samples_wanted = 18;
  result.bench_seconds = 19.5;
  result.total_seconds = 20.5;
  result.phase_seconds = {{"compile", 21.5}, {"check", 22.5}};
  result.keys = {{"check launch 1", "00ff"}, {"timed launch 1", "ff00"}};
  result.versions = {{"nvrtc", "13.0"}};
  return result;
}

template <typename Kind>
Kind there_and_back(const Kind& value) {
  return std::get<Kind>(decode_event(encode(Event{value})));
}

TEST(Message, CarriesEveryFieldOfARequest) {
  const Request sent = request();
  const Request got = decode_request(encode(sent));
  EXPECT_EQ(got.case_directory, sent.case_directory);
  EXPECT_EQ(got.case_files, sent.case_files);
  EXPECT_EQ(got.kernel_file, sent.kernel_file);
  EXPECT_EQ(got.source, sent.source);
  EXPECT_EQ(got.device, sent.device);
  EXPECT_EQ(got.architecture, sent.architecture);
  EXPECT_EQ(got.size, sent.size);
  EXPECT_EQ(got.cached, sent.cached);
  EXPECT_EQ(got.recording_seconds, sent.recording_seconds);
  EXPECT_EQ(got.noise, sent.noise);
  EXPECT_EQ(got.keys, sent.keys);
}

TEST(Message, CarriesASourceOfAnyBytes) {
  Request sent = request();
  sent.source.clear();
  for (int byte = 0; byte < 256; ++byte) sent.source += static_cast<char>(byte);
  EXPECT_EQ(decode_request(encode(sent)).source, sent.source);
}

TEST(Message, CarriesUnicodeReadably) {
  Request sent = request();
  sent.source = "// größer ≥ 1 µs";
  EXPECT_THAT(encode(sent), HasSubstr("größer ≥ 1 µs"));
  EXPECT_EQ(decode_request(encode(sent)).source, sent.source);
}

TEST(Message, CarriesWhatIsKnownBeforeTheVerdict) {
  const Outline got = there_and_back(Outline{full_result()});
  EXPECT_EQ(got.known.problem, full_result().problem);
  EXPECT_EQ(got.known.device.value_or(DeviceReport{}).name, "NVIDIA H200");
}

TEST(Message, CarriesThePtxAndWhereWarpsStand) {
  EXPECT_EQ(there_and_back(Code{".version 9.0\n\xff"}).ptx, ".version 9.0\n\xff");
  EXPECT_EQ(there_and_back(Whereabouts{"1 warp at kernel.cu:3"}).text, "1 warp at kernel.cu:3");
}

TEST(Message, CarriesACauseAndRefusesOneThatIsNone) {
  Result sent = full_result();
  sent.verdict = Verdict::unsupported;
  sent.cause = Cause::not_finite;
  const Result got = there_and_back(sent);
  EXPECT_EQ(got.verdict, Verdict::unsupported);
  EXPECT_EQ(got.cause, Cause::not_finite);
  std::string line = encode(sent);
  line.replace(line.find("not_finite"), 10, "not_finished");
  EXPECT_THROW((void)decode_event(line), Error);
}

TEST(Message, CarriesThePhases) {
  EXPECT_EQ(there_and_back(Phase::start), Phase::start);
  EXPECT_EQ(there_and_back(Phase::queue), Phase::queue);
  EXPECT_EQ(there_and_back(Phase::compile), Phase::compile);
  EXPECT_EQ(there_and_back(Phase::check), Phase::check);
  EXPECT_EQ(there_and_back(Phase::time), Phase::time);
}

TEST(Message, CarriesAFailureWithItsExitCode) {
  const Failure got = there_and_back(Failure{.stop = Stop::environment, .what = "no NVRTC"});
  EXPECT_EQ(got.stop, Stop::environment);
  EXPECT_EQ(got.what, "no NVRTC");
}

TEST(Message, CarriesTheTextsOfAResult) {
  const Result sent = full_result();
  const Result got = there_and_back(sent);
  EXPECT_EQ(got.verdict, sent.verdict);
  EXPECT_EQ(got.reason, sent.reason);
  EXPECT_EQ(got.detail, sent.detail);
  EXPECT_EQ(got.warnings, sent.warnings);
  EXPECT_EQ(got.label, sent.label);
  EXPECT_EQ(got.problem, sent.problem);
  EXPECT_EQ(got.keys, sent.keys);
  EXPECT_EQ(got.versions, sent.versions);
}

TEST(Message, CarriesTheDeviceOfAResult) {
  EXPECT_THAT(there_and_back(full_result()).device, Optional(FieldsAre("NVIDIA H200", 9, 1, true)));
}

TEST(Message, CarriesTheTimesOfAResultToTheLastBit) {
  const Result got = there_and_back(full_result());
  EXPECT_THAT(got.times, Optional(FieldsAre(ElementsAre(1.5, 0.1, 1e300), 2.5, 3.5, 4.5)));
  EXPECT_THAT(got.reference, Optional(FieldsAre(IsEmpty(), 5.5, 6.5, 7.5)));
}

TEST(Message, CarriesTheFiguresOfAResult) {
  const Result got = there_and_back(full_result());
  EXPECT_THAT(got.warm_us, Optional(8.5));
  EXPECT_THAT(got.event_floor_us, Optional(9.5));
  EXPECT_THAT(got.event_tick_us, Optional(9.75));
  EXPECT_THAT(got.reference_default_us, Optional(7.75));
  EXPECT_THAT(got.differences, Optional(FieldsAre(10.5, 11.5)));
  EXPECT_THAT(got.resources, Optional(FieldsAre(4294967295U, 1ULL << 63U, 12U)));
  EXPECT_EQ(got.flops, 13.5);
  EXPECT_EQ(got.bytes, 14.5);
  EXPECT_THAT(got.peak_tflops, Optional(15.5));
  EXPECT_THAT(got.peak_gbytes_s, Optional(16.5));
  EXPECT_THAT(got.unit, Optional(driver::Unit::tensor_fp8));
  EXPECT_THAT(got.unit_tflops, Optional(16.75));
  EXPECT_EQ(got.cap_seconds, 17.5);
  EXPECT_EQ(got.samples_wanted, 18);
  EXPECT_EQ(got.bench_seconds, 19.5);
  EXPECT_EQ(got.total_seconds, 20.5);
  EXPECT_EQ(got.phase_seconds, full_result().phase_seconds);
}

TEST(Message, CarriesTheConditionsOfAResult) {
  EXPECT_THAT(there_and_back(full_result()).conditions, Optional(conditions()));
  Result nothing_known;
  nothing_known.conditions.emplace();
  EXPECT_THAT(there_and_back(nothing_known).conditions, Optional(Conditions{}));
}

TEST(Message, CarriesTheAbsenceOfWhatDoesNotExist) {
  const Result got = there_and_back(Result{});
  EXPECT_FALSE(got.device);
  EXPECT_FALSE(got.times);
  EXPECT_FALSE(got.conditions);
  EXPECT_FALSE(got.reference);
  EXPECT_FALSE(got.warm_us);
  EXPECT_FALSE(got.event_floor_us);
  EXPECT_FALSE(got.event_tick_us);
  EXPECT_FALSE(got.reference_default_us);
  EXPECT_FALSE(got.differences);
  EXPECT_FALSE(got.resources);
  EXPECT_FALSE(got.peak_tflops);
  EXPECT_FALSE(got.peak_gbytes_s);
  EXPECT_FALSE(got.unit);
  EXPECT_FALSE(got.unit_tflops);
}

TEST(Message, CarriesNumbersThatAreNone) {
  Result sent;
  sent.differences = Differences{.max_abs = std::numeric_limits<double>::quiet_NaN(),
                                 .max_rel = std::numeric_limits<double>::infinity()};
  sent.flops = -std::numeric_limits<double>::infinity();
  const Result got = there_and_back(sent);
  EXPECT_THAT(got.differences,
              Optional(FieldsAre(IsNan(), std::numeric_limits<double>::infinity())));
  EXPECT_EQ(got.flops, -std::numeric_limits<double>::infinity());
}

TEST(Message, IsOneLine) {
  const std::string line = encode(Event{full_result()});
  EXPECT_THAT(line, EndsWith("}\n"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(Message, OfAResultCutAtAnyByteIsRefused) {
  const std::string line = encode(Event{full_result()});
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_THROW((void)decode_event(line.substr(0, length)), Error) << length;
  }
}

TEST(Message, OfAResultCutAtAnyByteIsRefusedEvenWhereALineEndFollows) {
  const std::string line = encode(Event{full_result()});
  for (std::size_t length = 0; length + 1 < line.size(); ++length) {
    EXPECT_THROW((void)decode_event(line.substr(0, length) + "\n"), Error) << length;
  }
}

TEST(Message, OfARequestCutAtAnyByteIsRefused) {
  const std::string line = encode(request());
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_THROW((void)decode_request(line.substr(0, length)), Error) << length;
  }
}

TEST(Message, WithAnyByteOverwrittenIsReadOrRefusedButNeverBreaksTheReader) {
  const std::string line = encode(Event{full_result()});
  int refused = 0;
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    std::string damaged = line;
    damaged[at] = '\x01';
    try {
      (void)decode_event(damaged);
    } catch (const Error& error) {
      EXPECT_EQ(error.stop(), Stop::internal) << at;
      ++refused;
    }
  }
  // A control character is allowed nowhere in JSON, inside strings neither.
  EXPECT_EQ(refused, static_cast<int>(line.size()) - 1);
}

TEST(Message, OfAnotherVersionSaysThatTheInstallationIsMixed) {
  EXPECT_THAT(
      [] {
        (void)decode_event("{\"autokernel_message\":2,\"kind\":\"phase\",\"body\":\"time\"}\n");
      },
      ThrowsMessage<Error>(HasSubstr("version 2, this program speaks version 1")));
}

TEST(Message, OfTheWrongKindIsRefused) {
  EXPECT_THAT([] { (void)decode_event(encode(request())); },
              ThrowsMessage<Error>(HasSubstr("not a request")));
  EXPECT_THAT([] { (void)decode_request(encode(Event{Phase::time})); },
              ThrowsMessage<Error>(HasSubstr("a request was expected, not a phase")));
}

TEST(Message, WithoutAFieldNamesTheField) {
  EXPECT_THAT(
      [] {
        (void)decode_event(
            "{\"autokernel_message\":1,\"kind\":\"failure\",\"body\":{\"stop\":3}}\n");
      },
      ThrowsMessage<Error>(HasSubstr("it has no 'what'")));
}

TEST(Message, WithAFieldOfTheWrongTypeNamesTheField) {
  EXPECT_THAT(
      [] {
        (void)decode_event(
            "{\"autokernel_message\":1,\"kind\":\"failure\",\"body\":{\"stop\":3,\"what\":4}}\n");
      },
      ThrowsMessage<Error>(HasSubstr("'what'")));
}

TEST(Message, WithAnUnknownPhaseVerdictOrExitCodeIsRefused) {
  EXPECT_THAT(
      [] {
        (void)decode_event("{\"autokernel_message\":1,\"kind\":\"phase\",\"body\":\"rest\"}\n");
      },
      ThrowsMessage<Error>(HasSubstr("no such value as \"rest\"")));
  EXPECT_THAT(
      [] {
        (void)decode_event(
            "{\"autokernel_message\":1,\"kind\":\"failure\",\"body\":{\"stop\":5,\"what\":\"\"}}"
            "\n");
      },
      ThrowsMessage<Error>(HasSubstr("no exit code 5")));
}

TEST(Message, WithADeviceThatIsNoneIsNotUnderstood) {
  std::string line = encode(request());
  line.replace(line.find("cuda:3"), 6, "cuda:x");
  EXPECT_THAT([&] { (void)decode_request(line); },
              testing::Throws<Error>(Property(&Error::stop, Stop::internal)));
}

}  // namespace
}  // namespace autokernel::trial
