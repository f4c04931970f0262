#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::NotNull;

long count(const Function& function, Opcode opcode) {
  return std::ranges::count(function.body, opcode, &Instruction::opcode);
}

const Function& function(const Module& module, const std::string& name) {
  const Function* const found = module.find_function(name);
  if (found == nullptr) throw std::runtime_error("no function " + name);
  return *found;
}

const Variable& variable(const Module& module, const std::string& name) {
  const Variable* const found = module.find_variable(name);
  if (found == nullptr) throw std::runtime_error("no variable " + name);
  return *found;
}

TEST(Module, GivesVersionAndTarget) {
  const Module module = parse(".version 8.10\n.target sm_90a, debug\n");
  EXPECT_EQ(module.version_major, 8U);
  EXPECT_EQ(module.version_minor, 10U);
  EXPECT_EQ(module.target, "sm_90a");
}

TEST(Module, FindsNothingUnderAnUnknownName) {
  const Module module = parse_module("");
  EXPECT_EQ(module.find_function("f"), nullptr);
  EXPECT_EQ(module.find_variable("x"), nullptr);
}

TEST(Module, SkipsDebugInformation) {
  const Module module = parse_module(
      ".file 1 \"a b.cu\", 1700000000, 42\n.section .debug_info\n{\n.b32 12\nL:\n.b8 1,2\n"
      ".b64 .debug_abbrev+4\n{ }\n}\n.pragma \"x\";\n.func f();");
  EXPECT_EQ(module.functions.size(), 1U);
}

TEST(NvrtcModule, MatmulHasTwoKernels) {
  const Module module = parse(data_file("matmul.ptx"));
  EXPECT_EQ(module.functions.size(), 2U);
  EXPECT_TRUE(function(module, "naive").entry);
  EXPECT_EQ(function(module, "naive").parameters.size(), 4U);
}

TEST(NvrtcModule, TiledMatmulDeclaresItsTilesAndBlock) {
  const Module module = parse(data_file("matmul.ptx"));
  const Function& tiled = function(module, "tiled");
  ASSERT_EQ(tiled.variables.size(), 2U);
  EXPECT_EQ(tiled.variables[0].size, 1024U);
  EXPECT_EQ(tiled.max_threads, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(count(tiled, Opcode::bar), 2);
}

TEST(NvrtcModule, EveryBranchOfMatmulStaysInsideItsFunction) {
  const Module module = parse(data_file("matmul.ptx"));
  const Function& naive = function(module, "naive");
  EXPECT_TRUE(std::ranges::all_of(naive.body, [&](const Instruction& each) {
    return each.opcode != Opcode::bra ||
           std::get<LabelReference>(each.operands.at(0).value).instruction <= naive.body.size();
  }));
}

TEST(NvrtcModule, DebugInformationChangesNoKernel) {
  const Module module = parse(data_file("matmul_debug.ptx"));
  EXPECT_EQ(module.functions.size(), 2U);
  EXPECT_EQ(count(function(module, "tiled"), Opcode::bar), 2);
}

TEST(NvrtcModule, LanguageDeclaresWhatTheDriverProvides) {
  const Module module = parse(data_file("language.ptx"));
  EXPECT_FALSE(function(module, "vprintf").defined);
  EXPECT_FALSE(function(module, "malloc").defined);
  EXPECT_FALSE(function(module, "__assertfail").defined);
}

TEST(NvrtcModule, LanguageCallsThroughRegisters) {
  const Module module = parse(data_file("language.ptx"));
  const Function& kernel = function(module, "language");
  EXPECT_EQ(
      std::ranges::count_if(kernel.body,
                            [](const Instruction& each) {
                              return each.opcode == Opcode::call &&
                                     std::holds_alternative<Register>(each.operands.at(1).value);
                            }),
      2);
}

TEST(NvrtcModule, LanguageStoresAddressesInVariables) {
  const Module module = parse(data_file("language.ptx"));
  const Variable& points = variable(module, "points");
  ASSERT_EQ(points.relocations.size(), 1U);
  EXPECT_EQ(points.relocations[0].offset, 40U);
  EXPECT_EQ(points.relocations[0].symbol, "table");
  EXPECT_TRUE(points.relocations[0].generic);
}

TEST(NvrtcModule, LanguageStoresAnUnalignedAddress) {
  const Module module = parse(data_file("language.ptx"));
  const Variable& unaligned = variable(module, "unaligned");
  ASSERT_EQ(unaligned.relocations.size(), 1U);
  EXPECT_EQ(unaligned.relocations[0].offset, 1U);
  EXPECT_EQ(unaligned.relocations[0].addend, 12);
  EXPECT_THAT(unaligned.initial, ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0));
}

TEST(NvrtcModule, LanguageStoresConstants) {
  const Module module = parse(data_file("language.ptx"));
  const Variable& table = variable(module, "table");
  EXPECT_EQ(table.space, Space::constant);
  EXPECT_EQ(table.size, 64U);
  EXPECT_EQ(table.initial.size(), 64U);
  EXPECT_EQ(table.initial.at(4), 2U);
}

TEST(NvrtcModule, WarpKeepsRepeatedLabelsApart) {
  const Module module = parse(data_file("warp.ptx"));
  const Function& kernel = function(module, "warp");
  std::vector<std::uint32_t> waits;
  std::vector<std::uint32_t> loops;
  for (std::uint32_t i = 0; i < kernel.body.size(); ++i) {
    const Instruction& each = kernel.body[i];
    if (each.opcode == Opcode::mbarrier && each.has(Modifier::try_wait)) waits.push_back(i);
    if (each.opcode == Opcode::bra && each.text == "bra.uni AGAIN") {
      loops.push_back(std::get<LabelReference>(each.operands.at(0).value).instruction);
    }
  }
  EXPECT_EQ(waits.size(), 2U);
  EXPECT_EQ(loops, waits);
}

TEST(NvrtcModule, WarpHasDynamicSharedMemory) {
  const Module module = parse(data_file("warp.ptx"));
  const Variable* const staging = module.find_variable("staging");
  ASSERT_THAT(staging, NotNull());
  EXPECT_TRUE(staging->external);
  EXPECT_EQ(staging->size, 0U);
  EXPECT_EQ(staging->alignment, 128U);
}

TEST(NvrtcModule, WarpMultipliesMatrices) {
  const Module module = parse(data_file("warp.ptx"));
  const Function& kernel = function(module, "warp");
  EXPECT_EQ(count(kernel, Opcode::mma), 1);
  EXPECT_EQ(count(kernel, Opcode::ldmatrix), 2);
}

}  // namespace
}  // namespace emulator::ptx::testing
