// Every variable of the candidate's that outlives a launch is found, however it was hidden.
#include <gmock/gmock.h>

#include <algorithm>

#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::Each;
using testing::HasSubstr;

const ModuleObject& object(const Program& from, const std::string& part_of_name) {
  const auto found = std::ranges::find_if(from.objects, [&](const ModuleObject& each) {
    return each.name.find(part_of_name) != std::string::npos;
  });
  if (found == from.objects.end()) throw std::runtime_error("there is no object " + part_of_name);
  return *found;
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(ModuleObjects, HoldADeviceVariableThatStartsAsZeros) {
  const Program result = program(with_kernel("__device__ int counter;", "x[0] = counter++;"));

  EXPECT_EQ(object(result, "counter").bytes, 4U);
  EXPECT_THAT(object(result, "counter").initial, testing::IsEmpty());
}

TEST(ModuleObjects, HoldADeviceVariableWithItsInitialBytes) {
  const Program result =
      program(with_kernel("__device__ short table[3] = {1, 2, 770};", "x[0] = table[1]++;"));

  EXPECT_EQ(object(result, "table").bytes, 6U);
  EXPECT_EQ(object(result, "table").initial, bytes({1, 0, 2, 0, 2, 3}));
}

TEST(ModuleObjects, HoldStaticVariablesOfFunctions) {
  const Program result = program(with_kernel("", "static int calls = 7; x[0] = calls++;"));

  EXPECT_EQ(object(result, "calls").initial, bytes({7, 0, 0, 0}));
}

TEST(ModuleObjects, HoldVariablesOfUnnamedNamespaces) {
  const Program result =
      program(with_kernel("namespace { __device__ int hidden; }", "x[0] = hidden++;"));

  EXPECT_EQ(object(result, "hidden").bytes, 4U);
}

TEST(ModuleObjects, HoldVariablesThatInlineAssemblyDeclares) {
  const Program result = program(with_kernel(
      "",
      R"(asm volatile("{ .reg .u32 t; .global .align 4 .u32 scoped; ld.global.u32 t, [scoped]; add.u32 t, t, 1;"
                         " st.global.u32 [scoped], t; }" ::: "memory");)"));

  EXPECT_EQ(object(result, "scoped").bytes, 4U);
}

TEST(ModuleObjects, HoldManagedVariables) {
  const Program result =
      program(with_kernel("__managed__ int shared_with_host = 5;", "x[0] = shared_with_host++;"));

  EXPECT_EQ(object(result, "shared_with_host").initial, bytes({5, 0, 0, 0}));
}

TEST(ModuleObjects, HoldConstantMemory) {
  const Program result = program(with_kernel("__constant__ unsigned char weights[2] = {3, 4};",
                                             "x[0] = weights[threadIdx.x & 1];"));

  EXPECT_EQ(object(result, "weights").initial, bytes({3, 4}));
}

TEST(ModuleObjects, HoldConstantsOfTheLanguageWhichACastCanWrite) {
  const Program result =
      program(with_kernel("", "*const_cast<int*>(&K) += 1; x[0] = *(volatile const int*)&K;"));

  EXPECT_EQ(object(result, "K").initial, bytes({16, 0, 0, 0}));
}

TEST(ModuleObjects, HoldTextsWhichACastCanWrite) {
  const Program result = program(
      with_kernel("", "const char* text = \"kept\"; ((char*)text)[0] = 'x'; printf(text);"));

  EXPECT_EQ(object(result, "$str").initial, bytes({'k', 'e', 'p', 't', 0}));
}

TEST(ModuleObjects, HoldTheDeclarationItself) {
  EXPECT_EQ(object(program(with_kernel("", "")), "autokernel_launch").bytes, 5136U);
}

TEST(ModuleObjects, DoNotHoldSharedOrLocalMemory) {
  const Program result = program(
      with_kernel("__shared__ float tile[32];",
                  "float own[64]; own[(int)x[1]] = x[2]; tile[threadIdx.x] = own[(int)x[3]]; "
                  "__syncthreads(); x[0] = tile[31 - threadIdx.x];"));

  EXPECT_THAT(result.objects,
              Each(testing::Field(&ModuleObject::name, testing::Not(HasSubstr("tile")))));
}

TEST(ModuleObjects, HaveInitialBytesOfTheirSizeOrNone) {
  const Program result = program(with_kernel(
      "__device__ double d = 2; __device__ char c; __device__ int4 wide = {1, 2, 3, 4};",
      "x[0] = d + c + wide.x; d = 1; c = 2; wide.y = 3;"));

  EXPECT_THAT(result.objects, Each(testing::Truly([](const ModuleObject& each) {
                return each.bytes > 0 &&
                       (each.initial.empty() || each.initial.size() == each.bytes);
              })));
}

TEST(ModuleObjects, WithWideAlignmentAreNotTakenForHiddenMemory) {
  const Program result =
      program(with_kernel("__device__ __align__(256) char first[1] = {1}; __device__ "
                          "__align__(256) char second[1] = {2};",
                          "x[0] = first[0]++ + second[0]++;"));

  EXPECT_EQ(object(result, "first").initial, bytes({1}));
  EXPECT_EQ(object(result, "second").initial, bytes({2}));
}

}  // namespace
}  // namespace autokernel::compile
