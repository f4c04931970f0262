#include "programs/profile/nsight_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "autokernel/base/owned.h"
#include "autokernel/programs/import.h"
#include "programs/traces.h"

namespace autokernel::programs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The tables of a report as nsys of 2025 exports it, as far as they are read.
constexpr const char* kTables = R"(
  CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
  CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,
    busLocation TEXT, l2CacheSize INTEGER, totalMemory INTEGER, clockRate INTEGER, smCount INTEGER,
    cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER);
  CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL,
    pid INTEGER NOT NULL, uuid TEXT, numMultiprocessors INTEGER);
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
    streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
    registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
    gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
    blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
    dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
    eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,
    nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
  CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
    text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);
)";

// Processes 100 and 200 of one machine, of which the second one knows GPU 1 as its device 0.
constexpr const char* kRows = R"(
  INSERT INTO StringIds VALUES (1, 'gemm<float>(float *)'), (2, 'gemm'), (3, '_Z4gemmIfEvPf'),
    (4, 'cudaLaunchKernel_v7000'), (5, 'cudaGraphLaunch_v10000'), (6, 'cudaMemcpyAsync_v3020'),
    (7, 'a registered text');
  INSERT INTO PROCESSES VALUES ((1 << 48) | (100 << 24), 100, './program'),
    ((1 << 48) | (200 << 24), 200, './worker');
  INSERT INTO TARGET_INFO_GPU VALUES
    (0, 0, 'NVIDIA H200', '0000:1B:00.0', 62914560, 150754820096, 1980000000, 132, 0, 9, 0),
    (0, 1, 'NVIDIA L4', '0000:2B:00.0', 50331648, 24152899584, 2040000000, 58, 1, 8, 9);
  INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 100, '', 132), (1, 0, 200, '', 58);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (900, 950, 0, (1 << 48) | (100 << 24) | 101, 11, 4, 0),
    (910, 960, 0, (1 << 48) | (200 << 24) | 201, 11, 5, 0),
    (920, 970, 0, (1 << 48) | (100 << 24) | 101, 12, 6, 0),
    (930, 980, 0, (1 << 48) | (100 << 24) | 101, 13, 4, 719);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (2000, 2100, 0, 1, NULL, 7, 11, (1 << 48) | (200 << 24), 1, 2, NULL, 32, 1, 1, 1, 64, 1, 1, 0,
     0, 77),
    (1000, 1500, 0, 1, NULL, 7, 11, (1 << 48) | (100 << 24), 1, 2, 3, 168, 8, 2, 1, 384, 1, 1,
     1024, 2048, NULL);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
    (1600, 1700, 0, 7, 12, (1 << 48) | (100 << 24), 4096, 2);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES
    (1800, 1900, 0, 7, 14, (1 << 48) | (100 << 24), 0, 512);
  INSERT INTO NVTX_EVENTS VALUES
    (800, 1800, 59, 'pushed', (1 << 48) | (100 << 24) | 101, NULL, 0),
    (810, NULL, 60, NULL, (1 << 48) | (100 << 24) | 101, 7, 0),
    (820, 830, 34, 'a mark', (1 << 48) | (100 << 24) | 101, NULL, 0);
)";

class NsightReport : public testing::Test {
 protected:
  // A database of what the statements make.
  [[nodiscard]] std::filesystem::path report(const std::string& statements) const {
    const std::filesystem::path file = scratch_.path() / "re#port?.sqlite";
    std::filesystem::remove(file);
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &opened), SQLITE_OK);
    const Owned<sqlite3*> owner(opened, [](sqlite3* closed) { sqlite3_close(closed); });
    char* why = nullptr;
    // Nobody waits for the disk.
    const std::string all = "PRAGMA synchronous = OFF; " + statements;
    EXPECT_EQ(sqlite3_exec(opened, all.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    return file;
  }
  [[nodiscard]] Profile profile(const std::string& further = "") const {
    return imported(report(std::string(kTables) + kRows + further));
  }
  [[nodiscard]] auto importing(const std::string& statements) const {
    return [file = report(statements)] { (void)imported(file); };
  }
  test::ScratchFolder scratch_;
};

TEST_F(NsightReport, HasItsKernelsInTheOrderOfTime) {
  const Profile read = profile();
  EXPECT_EQ(read.source, "Nsight Systems");
  ASSERT_THAT(read.launches, SizeIs(2));
  const Launch& launch = read.launches[0];
  EXPECT_EQ(launch.start, 1000);
  EXPECT_EQ(launch.end, 1500);
  EXPECT_EQ(launch.grid, (Extent{8, 2, 1}));
  EXPECT_EQ(launch.block, (Extent{384, 1, 1}));
  EXPECT_EQ(launch.registers, 168);
  EXPECT_EQ(launch.static_shared, 1024);
  EXPECT_EQ(launch.dynamic_shared, 2048);
  EXPECT_EQ(launch.place.stream, 7);
}

TEST_F(NsightReport, HasMangledNamesWhereItWasRecordedWithThem) {
  const Profile read = profile();
  EXPECT_EQ(read.names.at(read.launches.at(0).name), "_Z4gemmIfEvPf");
  EXPECT_EQ(read.names.at(read.launches.at(1).name), "gemm<float>(float *)");
}

TEST_F(NsightReport, TiesAKernelToTheCallOfItsProcess) {
  const Profile read = profile();
  EXPECT_EQ(read.launches.at(0).thread, 101);
  EXPECT_EQ(read.launches.at(0).called, 900);
  EXPECT_EQ(read.launches.at(1).thread, 201);
  EXPECT_EQ(read.launches.at(1).called, 910);
  EXPECT_EQ(read.processes.at(read.launches.at(1).place.process).id, 200);
  EXPECT_EQ(read.processes.at(read.launches.at(1).place.process).command, "./worker");
}

TEST_F(NsightReport, CountsTheLaunchesThatSucceeded) {
  const Profile read = profile();
  EXPECT_EQ(read.asked, 2);
  EXPECT_EQ(read.graph_launches, 1);
  EXPECT_FALSE(read.launches.at(0).in_graph);
  EXPECT_TRUE(read.launches.at(1).in_graph);
}

TEST_F(NsightReport, DescribesTheDeviceThatAProcessMeans) {
  const Profile read = profile();
  ASSERT_THAT(read.devices, SizeIs(2));
  const driver::DeviceInfo& device = read.devices.at(read.launches.at(0).place.device);
  EXPECT_EQ(device.name, "NVIDIA H200");
  EXPECT_EQ(device.major, 9);
  EXPECT_EQ(device.multiprocessors, 132);
  EXPECT_EQ(device.clock_mhz, 1980);
  EXPECT_EQ(device.l2_bytes, 62'914'560);
  EXPECT_EQ(device.memory_bytes, 150'754'820'096);
  EXPECT_EQ(device.address, "0000:1B:00.0");
  EXPECT_EQ(read.devices.at(read.launches.at(1).place.device).name, "NVIDIA L4");
}

TEST_F(NsightReport, HasCopiesAndFills) {
  const Profile read = profile();
  ASSERT_THAT(read.transfers, SizeIs(2));
  EXPECT_EQ(read.transfers[0].kind, "DtoH");
  EXPECT_EQ(read.transfers[0].bytes, 4096);
  EXPECT_EQ(read.transfers[0].called, 920);
  EXPECT_EQ(read.transfers[1].kind, "fill");
  EXPECT_EQ(read.transfers[1].bytes, 512);
  EXPECT_EQ(read.transfers[1].called, kUnknown);
}

TEST_F(NsightReport, HasItsRanges) {
  const Profile read = profile();
  ASSERT_THAT(read.ranges, SizeIs(2));
  EXPECT_EQ(read.ranges[0].text, "pushed");
  EXPECT_EQ(read.ranges[0].thread, 101);
  EXPECT_EQ(read.ranges[1].text, "a registered text");
  EXPECT_EQ(read.ranges[1].thread, kUnknown);
}

TEST_F(NsightReport, EndsARangeThatWasOpenWithItself) {
  EXPECT_EQ(profile().ranges.at(1).end, 2100);
}

TEST_F(NsightReport, IsNotWrittenTo) {
  const auto file = report(std::string(kTables) + kRows);
  const std::string before = test::contents(file);
  (void)imported(file);
  EXPECT_EQ(test::contents(file), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 1);
}

TEST_F(NsightReport, InAFolderThatNobodyMayWriteToIsRead) {
  const auto file = report(std::string(kTables) + "PRAGMA journal_mode = WAL;" + kRows);
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::remove);
  EXPECT_THAT(imported(file).launches, SizeIs(2));
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms::owner_all);
}

TEST_F(NsightReport, WithALogBesideItHasAWarning) {
  const auto file = report(std::string(kTables) + kRows);
  scratch_.write("re#port?.sqlite-wal", "changes");
  EXPECT_THAT(imported(file).warnings, ElementsAre(HasSubstr("A file -wal beside the report")));
}

// As of 2019: without processes, mangled names, sizes of shared memory and graphs.
constexpr const char* kOldTables = R"(
  CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL,
    deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL,
    correlationId INT NOT NULL, demangledName INT NOT NULL, shortName INT NOT NULL,
    gridX INT NOT NULL, gridY INT NOT NULL, gridZ INT NOT NULL, blockX INT NOT NULL,
    blockY INT NOT NULL, blockZ INT NOT NULL);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL,
    globalTid INT NOT NULL, correlationId INT NOT NULL, nameId INT NOT NULL);
  CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);
  INSERT INTO StringIds VALUES (1, 'gemm(float *)'), (2, 'gemm'), (4, 'cudaLaunchKernel_v7000');
  INSERT INTO TARGET_INFO_GPU VALUES (0, 'Tesla V100');
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900, 950, (100 << 24) | 101, 11, 4);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1500, 0, 1, 7, 11, 1, 2, 8, 2, 1, 384, 1, 1);
)";

TEST_F(NsightReport, MayHaveTheTablesOfOlderVersions) {
  const Profile read = imported(report(kOldTables));
  ASSERT_THAT(read.launches, SizeIs(1));
  EXPECT_EQ(read.names.at(0), "gemm(float *)");
  EXPECT_EQ(read.launches[0].thread, 101);
  EXPECT_EQ(read.launches[0].registers, kUnknown);
  EXPECT_EQ(read.launches[0].static_shared, kUnknown);
  EXPECT_EQ(read.devices.at(0).name, "Tesla V100");
  EXPECT_EQ(read.asked, 1);
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST_F(NsightReport, MayHaveKernelsAlone) {
  const Profile read =
      imported(report("CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (1, 'k');"
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 1);"));
  EXPECT_THAT(read.launches, SizeIs(1));
  EXPECT_THAT(read.processes, SizeIs(1));
  EXPECT_THAT(read.devices, SizeIs(1));
  EXPECT_EQ(read.asked, kUnknown);
  EXPECT_THAT(read.warnings, IsEmpty());
}

constexpr const char* kWholeGraphs =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1, 2), (3, 4);";

TEST_F(NsightReport, WithWholeGraphsSaysHowToRecordTheirKernels) {
  EXPECT_THAT(profile(kWholeGraphs).warnings, ElementsAre(HasSubstr("--cuda-graph-trace=node")));
  EXPECT_THAT(importing(std::string(kTables) + kWholeGraphs),
              refuses_with("--cuda-graph-trace=node"));
}

TEST_F(NsightReport, WithoutKernelsIsRefused) {
  EXPECT_THAT(importing(kTables), refuses_with("it has calls of CUDA, but no kernels"));
  EXPECT_THAT(importing("CREATE TABLE StringIds (id, value);"),
              refuses_with("record with nsys profile --trace=cuda"));
}

TEST_F(NsightReport, IsNotAnySqliteFile) {
  EXPECT_THAT(importing("CREATE TABLE notes (text);"), refuses_with("but not of Nsight Systems"));
  EXPECT_THAT(importing("CREATE TABLE StringTable (_id_, value);"),
              refuses_with("it is of nvprof"));
}

TEST_F(NsightReport, LeavesOutAKernelWithADamagedField) {
  for (const char* column :
       {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName",
        "registersPerThread", "gridX", "blockZ", "dynamicSharedMemory", "graphNodeId"}) {
    for (const char* value : {"'x'", "1.5", "x'00ff'"}) {
      SCOPED_TRACE(std::string(column) + " = " + value);
      EXPECT_THAT(profile(std::string("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET ") + column + " = " +
                          value + " WHERE start = 2000")
                      .warnings,
                  ElementsAre("1 damaged row of the report was left out."));
    }
  }
}

TEST_F(NsightReport, LeavesOutAKernelWithNumbersThatMeanNothing) {
  for (const char* change :
       {"end = 1999", "gridX = -1", "gridX = 4294967296", "demangledName = 99, shortName = 99",
        "start = 9223372036854775807, end = 9223372036854775807"}) {
    SCOPED_TRACE(change);
    EXPECT_THAT(profile(std::string("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET ") + change +
                        " WHERE start = 2000")
                    .warnings,
                ElementsAre("1 damaged row of the report was left out."));
  }
}

TEST_F(NsightReport, LeavesOutDamagedRowsOfTheOtherTables) {
  for (const char* change :
       {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = -1",
        "UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET end = 'x'",
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = 'x' WHERE correlationId = 12",
        "UPDATE NVTX_EVENTS SET end = 1 WHERE eventType = 59"}) {
    SCOPED_TRACE(change);
    EXPECT_THAT(profile(change).warnings, testing::Contains(HasSubstr("1 damaged row")));
  }
}

TEST_F(NsightReport, WithAViewInPlaceOfATableIsRefused) {
  EXPECT_THAT(importing("CREATE TABLE StringIds (id, value);"
                        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(x) AS "
                        "(SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS start FROM n;"),
              refuses_with("it has no kernels"));
}

TEST_F(NsightReport, WithAComputedColumnIsReadWithoutIt) {
  const Profile read = imported(report(
      "CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (1, 'k');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName, streamId AS (start * 2));"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 1);"));
  EXPECT_EQ(read.launches.at(0).place.stream, kUnknown);
}

// Whether it is refused as it should be, or has become a profile.
testing::AssertionResult is_handled(const std::filesystem::path& file) {
  try {
    (void)imported(file);
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) return testing::AssertionFailure() << error.what();
  }
  return testing::AssertionSuccess();
}

TEST_F(NsightReport, ThatIsCutAnywhereIsHandled) {
  const std::string whole = test::contents(report(std::string(kTables) + kRows));
  constexpr std::size_t kStep = 97;  // of no page
  for (std::size_t length = 1; length < whole.size(); length += kStep) {
    EXPECT_TRUE(is_handled(scratch_.write("cut.sqlite", whole.substr(0, length)))) << length;
  }
}

TEST_F(NsightReport, ThatIsDamagedAnywhereIsHandled) {
  const std::string whole = test::contents(report(std::string(kTables) + kRows));
  constexpr std::size_t kStep = 31;
  for (std::size_t at = 16; at < whole.size(); at += kStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    EXPECT_TRUE(is_handled(scratch_.write("damaged.sqlite", damaged))) << at;
  }
}

}  // namespace
}  // namespace autokernel::programs
