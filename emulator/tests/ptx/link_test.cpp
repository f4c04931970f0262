#include "ptx/link.h"

#include <gmock/gmock.h>

#include "ptx/parsing.h"

namespace emulator::ptx::testing {
namespace {

using ::testing::HasSubstr;

Module linked(const std::vector<std::string>& texts) {
  std::vector<Module> modules;
  modules.reserve(texts.size());
  for (const std::string& text : texts) modules.push_back(parse_module(text));
  return link(std::move(modules));
}

std::string error_of_link(const std::vector<std::string>& texts) {
  try {
    static_cast<void>(linked(texts));
  } catch (const Error& error) {
    return error.located();
  }
  return "no error";
}

// The name of what operand `index` of a function's instruction refers to.
std::string target_of(const Module& module, const std::string& function, std::size_t instruction,
                      std::size_t index) {
  const Operand& operand = module.find_function(function)->body.at(instruction).operands.at(index);
  const auto* address = std::get_if<Address>(&operand.value);
  const Symbol& symbol =
      address == nullptr ? std::get<Symbol>(operand.value) : std::get<Symbol>(address->base);
  return symbol.where == Symbol::Where::function ? module.functions.at(symbol.index).name
                                                 : module.variables.at(symbol.index).name;
}

constexpr const char* kUser = R"(
.extern .global .align 4 .u32 counter;
.extern .func twice();
.global .align 4 .u32 own = 1;
.visible .entry use() {
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  st.global.u32 [own], %r1;
  call twice;
  ret;
})";
constexpr const char* kMaker = R"(
.global .align 4 .u32 own = 2;
.global .align 8 .u64 pointer = own;
.visible .global .align 4 .u32 counter = 7;
.visible .func twice() {
  .reg .b32 %r<3>;
  st.global.u32 [own], %r1;
  ret;
})";

TEST(Linking, JoinsDeclarationsToTheirDefinitions) {
  const Module module = linked({kUser, kMaker});

  EXPECT_FALSE(module.find_variable("counter")->external);
  EXPECT_EQ(module.find_variable("counter")->initial.at(0), 7);
  EXPECT_TRUE(module.find_function("twice")->defined);
  EXPECT_EQ(target_of(module, "use", 0, 1), "counter");
  EXPECT_EQ(target_of(module, "use", 2, 1), "twice");
}

TEST(Linking, DoesNotDependOnTheOrder) {
  const Module module = linked({kMaker, kUser});

  EXPECT_EQ(module.find_variable("counter")->initial.at(0), 7);
  EXPECT_EQ(target_of(module, "use", 0, 1), "counter");
  EXPECT_EQ(target_of(module, "use", 2, 1), "twice");
}

TEST(Linking, KeepsNamesWithoutLinkageApart) {
  const Module module = linked({kUser, kMaker});
  const std::string first = target_of(module, "use", 1, 0);
  const std::string second = target_of(module, "twice", 0, 0);

  EXPECT_NE(first, second);
  EXPECT_EQ(module.find_variable(first)->initial.at(0), 1);
  EXPECT_EQ(module.find_variable(second)->initial.at(0), 2);
  EXPECT_EQ(module.find_variable("pointer")->relocations.at(0).symbol, second);
}

TEST(Linking, PrefersTheStrongerOfTwoDefinitions) {
  const std::string weak = ".weak .global .align 4 .u32 counter = 1;";
  const std::string strong = ".visible .global .align 4 .u32 counter = 2;";
  const auto value = [](const Module& module) {
    return module.find_variable("counter")->initial.at(0);
  };

  EXPECT_EQ(value(linked({weak, strong})), 2);
  EXPECT_EQ(value(linked({strong, weak})), 2);
  EXPECT_EQ(value(linked({weak, weak})), 1);
}

TEST(Linking, LeavesWhatNobodyDefinesADeclaration) {
  const Module module = linked({kUser, ".extern .func twice();"});

  EXPECT_TRUE(module.find_variable("counter")->external);
  EXPECT_FALSE(module.find_function("twice")->defined);
}

TEST(Linking, TakesTheLatestTarget) {
  std::vector<Module> modules;
  modules.push_back(parse(".version 8.10\n.target sm_90a\n.address_size 64\n"));
  modules.push_back(parse(".version 8.9\n.target sm_100\n.address_size 64\n"));
  const Module module = link(std::move(modules));

  EXPECT_EQ(module.version_minor, 10);
  EXPECT_EQ(module.target, "sm_100");
}

TEST(Linking, TakesADeclarationOfAnotherTypeOfTheSameSize) {
  const Module module = linked({".extern .global .align 4 .b32 counter;", kMaker});

  EXPECT_EQ(module.find_variable("counter")->type, Type::u32);
  EXPECT_EQ(module.find_variable("counter")->initial.at(0), 7);
}

TEST(Linking, RefusesWhatIsDefinedTwiceOrDifferently) {
  EXPECT_THAT(error_of_link({kMaker, ".visible .func twice() { ret; }"}),
              HasSubstr("line 4, column 16: 'twice' is defined in more than one module"));
  EXPECT_THAT(error_of_link({kMaker, ".visible .global .align 4 .u32 counter;"}),
              HasSubstr("'counter' is defined in more than one module"));
  EXPECT_THAT(error_of_link({kMaker, ".extern .func twice(.param .b32 a);"}),
              HasSubstr("'twice' is declared differently in another module"));
  EXPECT_THAT(error_of_link({kMaker, ".extern .const .align 4 .u32 counter;"}),
              HasSubstr("'counter' is declared differently in another module"));
  EXPECT_THAT(error_of_link({kMaker, ".extern .global .align 8 .b64 counter;"}),
              HasSubstr("'counter' is declared differently in another module"));
  EXPECT_THAT(error_of_link({kMaker, ".extern .func counter();"}),
              HasSubstr("'counter' is a function in one module and a variable in another"));
}

}  // namespace
}  // namespace emulator::ptx::testing
