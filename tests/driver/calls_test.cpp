// The driver that fails on demand (tests/support/faulty_driver) forwards every function that this
// layer looks up, and no other.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace autokernel::driver {
namespace {

std::set<std::string> looked_up() {
  std::ifstream file(AUTOKERNEL_SOURCES "/src/driver/library.cpp");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::regex lookup(R"(symbols\.find(?:_if_there)?\(api->\w+, "(\w+)\"\))");
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), lookup), end; found != end; ++found) {
    names.insert((*found)[1]);
  }
  return names;
}

std::set<std::string> forwarded() {
  return {
#define CALL(name) #name,
#define TEXT(name) #name,
#include "support/faulty_driver/calls.inc"
#undef TEXT
#undef CALL
  };
}

// The emulated device behind it shares no memory between processes, so it lacks what that takes.
std::set<std::string> shares_memory() {
  return {"cuMemGetAddressRange_v2", "cuIpcGetMemHandle", "cuIpcOpenMemHandle_v2",
          "cuIpcCloseMemHandle", "cuMemcpyDtoDAsync_v2"};
}

TEST(FaultyDriver, ForwardsEveryFunctionOfTheTableAndNoOther) {
  EXPECT_THAT(looked_up(), testing::SizeIs(testing::Gt(30U)));
  std::set<std::string> wanted = looked_up();
  for (const std::string& name : shares_memory()) EXPECT_EQ(wanted.erase(name), 1U) << name;
  EXPECT_EQ(forwarded(), wanted);
}

}  // namespace
}  // namespace autokernel::driver
