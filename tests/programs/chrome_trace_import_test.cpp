#include "programs/profile/chrome_trace_import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "autokernel/programs/import.h"
#include "programs/traces.h"

namespace autokernel::programs {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

constexpr const char* kKernel =
    R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 3, "dur": 1, "args": {}})";

TEST(PyTorchTrace, HasItsKernels) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  EXPECT_EQ(profile.source, "PyTorch trace");
  ASSERT_THAT(profile.launches, SizeIs(2));
  const Launch& launch = profile.launches[0];
  EXPECT_EQ(profile.names.at(launch.name), "nvjet_tst_64x8_64x16_v_bz_TNT");
  EXPECT_EQ(launch.start, 1'040'001);
  EXPECT_EQ(launch.end, 1'043'126);
  EXPECT_EQ(launch.grid, (Extent{8, 2, 1}));
  EXPECT_EQ(launch.block, (Extent{384, 1, 1}));
  EXPECT_EQ(launch.registers, 168);
  EXPECT_EQ(launch.place.stream, 7);
  EXPECT_FALSE(launch.in_graph);
}

TEST(PyTorchTrace, DoesNotTellStaticFromDynamicSharedMemory) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  EXPECT_EQ(profile.launches.at(0).dynamic_shared, 196'608);
  EXPECT_EQ(profile.launches.at(0).static_shared, kUnknown);
  EXPECT_EQ(profile.launches.at(1).dynamic_shared, 0);
  EXPECT_EQ(profile.launches.at(1).static_shared, 0);
}

TEST(PyTorchTrace, TiesAKernelToTheCallThatLaunchedIt) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  EXPECT_EQ(profile.launches.at(0).thread, 501);
  EXPECT_EQ(profile.launches.at(0).called, 1'030'125);
  EXPECT_EQ(profile.asked, 2);
  EXPECT_EQ(profile.graph_launches, 0);
  EXPECT_THAT(profile.warnings, IsEmpty());
}

TEST(PyTorchTrace, TiesAKernelToTheInnermostOperation) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  ASSERT_THAT(profile.operations, SizeIs(2));
  ASSERT_EQ(profile.launches.at(0).operation, 0);
  const Operation& operation = profile.operations[0];
  EXPECT_EQ(operation.name, "aten::addmm");
  EXPECT_THAT(operation.dims, ElementsAre(ElementsAre(32), ElementsAre(8, 16), ElementsAre(16, 32),
                                          IsEmpty(), IsEmpty()));
  EXPECT_THAT(operation.types,
              ElementsAre("c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"));
  EXPECT_THAT(operation.product, Optional(Field(&Product::transposes, "TN")));
}

TEST(PyTorchTrace, HasAShapeForEachTensorOfAList) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  ASSERT_EQ(profile.launches.at(1).operation, 1);
  EXPECT_THAT(profile.operations.at(1).dims,
              ElementsAre(ElementsAre(8, 4), ElementsAre(8, 12), IsEmpty()));
  EXPECT_THAT(profile.operations.at(1).types, ElementsAre("TensorList", "TensorList", "Scalar"));
}

TEST(PyTorchTrace, HasCopiesAndFills) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  ASSERT_THAT(profile.transfers, SizeIs(2));
  EXPECT_EQ(profile.transfers[0].kind, "DtoH");
  EXPECT_EQ(profile.transfers[0].bytes, 4096);
  EXPECT_EQ(profile.transfers[0].thread, 501);
  EXPECT_EQ(profile.transfers[0].called, 1'200'000);
  EXPECT_EQ(profile.transfers[1].kind, "fill");
  EXPECT_EQ(profile.transfers[1].thread, kUnknown);
}

TEST(PyTorchTrace, HasStepsAndAnnotationsAsRanges) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  ASSERT_THAT(profile.ranges, SizeIs(1));
  EXPECT_EQ(profile.ranges[0].text, "ProfilerStep#1");
  EXPECT_EQ(profile.ranges[0].thread, 501);
  EXPECT_EQ(profile.ranges[0].start, 1'000'000);
  EXPECT_EQ(profile.ranges[0].end, 1'900'500);
}

TEST(PyTorchTrace, DescribesTheDevicesThatWereUsed) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  ASSERT_THAT(profile.devices, SizeIs(1));
  EXPECT_EQ(profile.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(profile.devices[0].major, 9);
  EXPECT_EQ(profile.devices[0].multiprocessors, 132);
  EXPECT_EQ(profile.devices[0].memory_bytes, 150'754'820'096);
}

TEST(PyTorchTrace, NamesTheProcessWithItsRank) {
  const Profile profile = profile_of(trace_text("shapes.json"));
  ASSERT_THAT(profile.processes, SizeIs(1));
  EXPECT_EQ(profile.processes[0].id, 500);
  EXPECT_EQ(profile.processes[0].command, "python3 (rank 3)");
}

TEST(PyTorchTrace, WithoutShapesSaysHowToRecordThem) {
  const Profile profile = profile_of(trace_text("no_shapes.json"));
  EXPECT_THAT(profile.warnings, ElementsAre(HasSubstr("record_shapes=True")));
}

TEST(PyTorchTrace, WhoseNumbersMeanCorrelationsIsReadByThreadAndTime) {
  const Profile profile = profile_of(trace_text("no_shapes.json"));
  ASSERT_EQ(profile.launches.at(0).operation, 0);
  EXPECT_EQ(profile.operations.at(0).name, "aten::mm");
}

TEST(PyTorchTrace, KnowsTheKernelsOfGraphs) {
  const Profile profile = profile_of(trace_text("graph.json"));
  ASSERT_THAT(profile.launches, SizeIs(4));
  EXPECT_FALSE(profile.launches[0].in_graph);
  EXPECT_TRUE(profile.launches[1].in_graph);
  EXPECT_TRUE(profile.launches[2].in_graph);
  EXPECT_TRUE(profile.launches[3].in_graph);
  EXPECT_EQ(profile.launches[2].called, 110'000);
  EXPECT_EQ(profile.asked, 2);
  EXPECT_EQ(profile.graph_launches, 1);
}

TEST(PyTorchTrace, DoesNotTakeTheOperationAroundAGraphForThatOfItsKernels) {
  const Profile profile = profile_of(trace_text("graph.json"));
  EXPECT_EQ(profile.launches.at(0).operation, 0);
  EXPECT_EQ(profile.launches.at(1).operation, kUnknown);
}

TEST(PyTorchTrace, SaysHowManyKernelsNobodyLaunched) {
  EXPECT_THAT(profile_of(trace_text("graph.json")).warnings,
              ElementsAre("The trace does not say what launched 1 of its 4 kernels."));
}

TEST(PyTorchTrace, KeepsProcessesAndDevicesApart) {
  const Profile profile = profile_of(trace_text("several_gpus.json"));
  ASSERT_THAT(profile.processes, SizeIs(2));
  ASSERT_THAT(profile.devices, SizeIs(2));
  ASSERT_THAT(profile.launches, SizeIs(3));
  const Launch& first = profile.launches[0];
  const Launch& second = profile.launches[1];
  EXPECT_EQ(first.name, second.name);
  EXPECT_EQ(profile.devices.at(first.place.device).name, "first");
  EXPECT_EQ(profile.devices.at(second.place.device).name, "second");
  EXPECT_EQ(profile.processes.at(first.place.process).id, 100);
  EXPECT_EQ(profile.processes.at(second.place.process).id, 200);
  EXPECT_EQ(first.thread, 101);
  EXPECT_EQ(second.thread, 201);
}

TEST(PyTorchTrace, TakesACollectiveFromItsAnnotation) {
  const Profile profile = profile_of(trace_text("several_gpus.json"));
  const Launch& launch = profile.launches.at(2);
  EXPECT_EQ(launch.place.stream, 20);
  ASSERT_EQ(launch.operation, 0);
  EXPECT_EQ(profile.operations.at(0).name, "nccl:all_reduce");
  EXPECT_THAT(profile.ranges, SizeIs(1));
}

TEST(PyTorchTrace, MayHaveTheSpellingsOfOlderVersions) {
  const Profile profile = profile_of(trace_text("old_spelling.json"));
  ASSERT_THAT(profile.launches, SizeIs(1));
  EXPECT_EQ(profile.launches[0].start, 1'650'000'000'123'077'000);
  EXPECT_EQ(profile.launches[0].thread, 10);
  EXPECT_EQ(profile.launches[0].place.stream, 7);
  ASSERT_EQ(profile.launches[0].operation, 0);
  EXPECT_EQ(profile.operations.at(0).name, "aten::mm");
  EXPECT_THAT(profile.transfers, SizeIs(2));
  EXPECT_THAT(profile.ranges, ElementsAre(Field(&Range::text, "ProfilerStep#2")));
  EXPECT_THAT(profile.warnings, IsEmpty());
}

TEST(PyTorchTrace, MayBeOnlyTheListOfEvents) {
  EXPECT_THAT(profile_of("[" + std::string(kKernel) + "]").launches, SizeIs(1));
}

TEST(PyTorchTrace, ThatIsSuchAListMayLackItsEnd) {
  const std::string open = "[" + std::string(kKernel);
  EXPECT_THAT(profile_of(open).warnings, ElementsAre(HasSubstr("ends early")));
  EXPECT_THAT(profile_of(open + ",\n").launches, SizeIs(1));
}

TEST(PyTorchTrace, MayHaveKernelsWithoutAnythingElse) {
  const Profile profile = profile_of(trace_of(kKernel));
  ASSERT_THAT(profile.launches, SizeIs(1));
  EXPECT_EQ(profile.launches[0].place.stream, 7);
  EXPECT_EQ(profile.launches[0].registers, kUnknown);
  EXPECT_EQ(profile.launches[0].called, kUnknown);
  EXPECT_EQ(profile.asked, kUnknown);
  EXPECT_THAT(profile.processes, SizeIs(1));
  EXPECT_THAT(profile.warnings, IsEmpty());
}

TEST(PyTorchTrace, MayNumberProcessesByTexts) {
  const Profile profile = profile_of(trace_of(
      R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": "[TP01] 1234",
          "tid": "main", "ts": 1, "dur": 1, "args": {"correlation": 5}},
         {"ph": "X", "cat": "kernel", "name": "k", "pid": "[TP01] 0", "tid": 7, "ts": 3, "dur": 1,
          "args": {"device": 0, "correlation": 5}})"));
  ASSERT_THAT(profile.processes, SizeIs(1));
  EXPECT_EQ(profile.processes[0].command, "[TP01] 1234");
  EXPECT_EQ(profile.launches.at(0).place.process, 0);
  EXPECT_EQ(profile.launches.at(0).called, 1'000);
}

TEST(PyTorchTrace, MayBeOfRocm) {
  const Profile profile = profile_of(trace_of(
      R"({"ph": "X", "cat": "cuda_runtime", "name": "hipGraphLaunch", "pid": 1, "tid": 1, "ts": 1,
          "dur": 1, "args": {"correlation": 5, "bytes": "9216", "kind": "1"}},
         {"ph": "X", "cat": "kernel", "name": "k.kd", "pid": 2, "tid": 0, "ts": 3, "dur": 1,
          "args": {"device": 2, "stream": 0, "correlation": 5, "kind": "Dispatch Kernel"}},
         {"ph": "X", "cat": "gpu_memcpy", "name": "CopyHostToDevice", "pid": 2, "tid": 0, "ts": 5,
          "dur": 1, "args": {"device": 2, "stream": 0, "correlation": 6, "bytes": "64"}})"));
  EXPECT_TRUE(profile.launches.at(0).in_graph);
  EXPECT_EQ(profile.devices.at(0).ordinal, 2);
  EXPECT_EQ(profile.transfers.at(0).kind, "HtoD");
  EXPECT_EQ(profile.transfers.at(0).bytes, 64);
}

// An operation of this many rows, which launches a kernel.
std::string addition(int number, int rows) {
  return fmt::format(
      R"(,{{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": {0},
            "dur": 9, "args": {{"Input Dims": [[{1}]], "Concrete Inputs": ["{0}"]}}}},
          {{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
            "ts": {0}, "dur": 1, "args": {{"correlation": {0}}}}},
          {{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": {0}, "dur": 1,
            "args": {{"correlation": {0}}}}})",
      10 * number, rows);
}

TEST(PyTorchTrace, KeepsAnOperationOnceForEachShape) {
  const Profile profile = profile_of(
      trace_of(kKernel + addition(1, 4) + addition(2, 8) + addition(3, 4) + addition(4, 4)));
  EXPECT_THAT(profile.launches, SizeIs(5));
  EXPECT_THAT(profile.operations, SizeIs(2));
  EXPECT_THAT(profile.names, ElementsAre("k"));
}

TEST(PyTorchTrace, WithoutWorkOfAGpuSaysHowToRecordIt) {
  EXPECT_THAT([] { (void)profile_of(trace_of("")); }, refuses_with("ProfilerActivity.CUDA"));
  EXPECT_THAT(
      [] {
        (void)profile_of(trace_of(
            R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1})"));
      },
      refuses_with("ProfilerActivity.CUDA"));
}

TEST(PyTorchTrace, WithCopiesAloneHasAWarning) {
  EXPECT_THAT(profile_of(trace_of(R"({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD",
                                      "pid": 0, "tid": 7, "ts": 1, "dur": 1})"))
                  .warnings,
              ElementsAre("The trace has copies, but no kernels."));
}

TEST(PyTorchTrace, IsNotAnyJson) {
  EXPECT_THAT([] { (void)profile_of("{}"); }, refuses_with("it is JSON, but no trace"));
  EXPECT_THAT([] { (void)profile_of("[[1, 2], 3, \"a\"]"); }, refuses_with("but no trace"));
  EXPECT_THAT([] { (void)profile_of(R"({"traceEvents": {"a": 1}, "b": []})"); },
              refuses_with("but no trace"));
}

TEST(PyTorchTrace, ThatIsNoJsonIsRefusedWithThePlace) {
  EXPECT_THAT([] { (void)profile_of(R"({"traceEvents": [} )"); },
              refuses_with("it is no JSON near byte 18"));
  EXPECT_THAT([] { (void)profile_of("{} x"); }, refuses_with("it is no JSON near byte 4"));
}

TEST(PyTorchTrace, ThatIsNestedWithoutEndIsRefused) {
  EXPECT_THAT([] { (void)profile_of(std::string(100'000, '[')); }, refuses_with("too deeply"));
  EXPECT_THAT([] { (void)profile_of(trace_of(R"({"args": )" + std::string(100'000, '['))); },
              refuses_with("too deeply"));
}

// Whether it is refused as it should be, or has become a profile.
testing::AssertionResult is_handled(const std::string& json) {
  try {
    (void)profile_of(json, 64);
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) return testing::AssertionFailure() << error.what();
  }
  return testing::AssertionSuccess();
}

TEST(PyTorchTrace, ThatIsCutAnywhereIsRefusedWithThePlace) {
  const std::string whole = trace_text("shapes.json");
  const std::size_t last = whole.rfind('}');
  for (std::size_t length = 1; length <= last; ++length) {
    SCOPED_TRACE(length);
    EXPECT_THAT([&] { (void)profile_of(whole.substr(0, length), 4096); },
                refuses_with("it is cut: the JSON ends at byte " + std::to_string(length)));
  }
}

TEST(PyTorchTrace, WithAByteMissingAnywhereIsHandled) {
  const std::string whole = trace_text("old_spelling.json");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    EXPECT_TRUE(is_handled(whole.substr(0, at) + whole.substr(at + 1))) << at;
  }
}

// An event with a field of a value; the other fields are as they should be.
std::string event_with(const std::string& field, const std::string& value) {
  static constexpr std::array<std::array<const char*, 2>, 15> kFields = {
      {{"name", "\"k\""},
       {"pid", "0"},
       {"tid", "7"},
       {"ts", "3"},
       {"dur", "1"},
       {"device", "0"},
       {"stream", "7"},
       {"correlation", "1"},
       {"External id", "1"},
       {"registers per thread", "1"},
       {"shared memory", "1"},
       {"bytes", "1"},
       {"graph node id", "0"},
       {"grid", "[1, 1, 1]"},
       {"block", "[1, 1, 1]"}}};
  constexpr std::size_t kOfEvent = 5;
  std::string event = R"({"ph": "X", "cat": "kernel")";
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    if (i == kOfEvent) event += R"(, "args": {"x": 0)";
    event += std::string(", \"") + kFields.at(i).at(0) +
             "\": " + (field == kFields.at(i).at(0) ? value : kFields.at(i).at(1));
  }
  return event + "}}";
}

// What the profile warns of when one of two kernels has this field.
std::vector<std::string> warnings_with(const std::string& field, const std::string& value) {
  return profile_of(trace_of(std::string(kKernel) + "," + event_with(field, value))).warnings;
}

TEST(PyTorchTrace, LeavesOutAKernelWithADamagedField) {
  for (const char* field :
       {"device", "stream", "correlation", "External id", "bytes", "ts", "dur",
        "registers per thread", "shared memory", "graph node id", "grid", "block"}) {
    for (const char* value : {"null", "true", "{}", "[[1]]", "\"x\"", "1e300", "{\"a\": [1]}"}) {
      SCOPED_TRACE(std::string(field) + ": " + value);
      EXPECT_THAT(warnings_with(field, value),
                  ElementsAre("1 damaged event of the trace was left out."));
    }
  }
}

TEST(PyTorchTrace, LeavesOutAKernelWhoseNameIsNoText) {
  for (const char* value : {"null", "true", "{}", "[1]", "1", "1.5"}) {
    SCOPED_TRACE(value);
    EXPECT_THAT(warnings_with("name", value), ElementsAre(HasSubstr("1 damaged event")));
  }
}

TEST(PyTorchTrace, LeavesOutAKernelWithNumbersThatMeanNothing) {
  EXPECT_THAT(warnings_with("grid", "[1, -1, 1]"), ElementsAre(HasSubstr("1 damaged event")));
  EXPECT_THAT(warnings_with("grid", "[1, 1, 1, 1]"), ElementsAre(HasSubstr("1 damaged event")));
  EXPECT_THAT(warnings_with("block", "[4294967296, 1, 1]"), ElementsAre(HasSubstr("damaged")));
  EXPECT_THAT(warnings_with("device", "0.5"), ElementsAre(HasSubstr("1 damaged event")));
  EXPECT_THAT(warnings_with("bytes", "-1"), ElementsAre(HasSubstr("1 damaged event")));
}

TEST(PyTorchTrace, ReadsAKernelThatIsAsItShouldBe) {
  const Profile profile = profile_of(trace_of(event_with("", "")));
  EXPECT_THAT(profile.launches, SizeIs(1));
  EXPECT_THAT(profile.warnings, IsEmpty());
}

TEST(PyTorchTrace, LeavesOutTimesBeyondAllClocks) {
  for (const char* value : {"9223372036854775807", "18446744073709551615", "1e19", "nan", "-1"}) {
    SCOPED_TRACE(value);
    EXPECT_THAT(
        profile_of(trace_of(std::string(kKernel) + "," + event_with("dur", value))).launches,
        SizeIs(1));
  }
}

TEST(PyTorchTrace, WithDamagedEventsAloneIsRefused) {
  EXPECT_THAT([] { (void)profile_of(trace_of(event_with("dur", "-1"))); },
              refuses_with("its 1 events are damaged"));
}

TEST(PyTorchTrace, LeavesOutAnOperationWithDamagedShapes) {
  for (const char* dims :
       {"1", "[1]", "[[[[1]]]]", "[[-1]]", "[[1.5]]", "[[\"x\"]]", "{}", "null"}) {
    SCOPED_TRACE(dims);
    const Profile profile = profile_of(trace_of(
        std::string(kKernel) +
        R"(,{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 9,
             "args": {"Input Dims": )" +
        dims + "}}"));
    EXPECT_THAT(profile.warnings, ElementsAre(HasSubstr("1 damaged event")));
  }
}

TEST(PyTorchTrace, KeepsNamesThatAreValidUtf8) {
  const Profile profile =
      profile_of(trace_of("{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\xFF\n\", \"pid\": 0, "
                          "\"ts\": 3, \"dur\": 1}"));
  EXPECT_THAT(profile.names, ElementsAre("k\xEF\xBF\xBD "));
}

TEST(PyTorchTrace, HasWorkInTheOrderOfTime) {
  const Profile profile = profile_of(trace_text("several_gpus.json"));
  EXPECT_LT(profile.launches.at(0).start, profile.launches.at(1).start);
  EXPECT_THAT(profile.launches, Each(Field(&Launch::end, testing::Gt(0))));
}

}  // namespace
}  // namespace autokernel::programs
