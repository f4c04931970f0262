// The fuzzers' entry points under mutations of good input that are the same in every run: what is
// left of fuzzing where there is no time for it. A fault ends the test program, as it would the
// fuzzer; CMakeLists.txt here says how to run those.
#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

extern "C" int fuzz_fatbin(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_ptx_parser(const std::uint8_t* data, std::size_t size);

namespace emulator::fuzz {
namespace {

using EntryPoint = int (*)(const std::uint8_t*, std::size_t);

// Texts longer than this only make the others wait.
constexpr std::size_t kLongest = 32768;
constexpr int kMostChangesAtOnce = 6;

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  [[nodiscard]] std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    const std::size_t changes = 1 + below(kMostChangesAtOnce);
    for (std::size_t i = 0; i < changes; ++i) change(text);
    return text.substr(0, kLongest);
  }

 private:
  [[nodiscard]] std::size_t below(std::size_t limit) { return random_() % limit; }

  [[nodiscard]] std::string piece_of(const std::string& text) {
    if (text.empty()) return {};
    const std::size_t at = below(text.size());
    return text.substr(at, 1 + below(64));
  }

  void change(std::string& text) {
    static const std::vector<std::string> kOdd = {
        "",      "0",          "-1", "18446744073709551616",
        "1e999", "0f7F800000", "0x", "\"",
        "{",     "}",          "[",  "]",
        "(",     ";",          ":",  ",",
        "//",    "/*",         "\n", "\xff\xfe",
        "%",     "<",          "-",  "=",
        ".",     "@"};
    if (text.empty()) text = "x";
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.erase(at, 1 + below(32));
        break;
      case 2:
        text.insert(at, piece_of(text));
        break;
      case 3:
        text.insert(at, piece_of(seeds_[below(seeds_.size())]));
        break;
      case 4:
        text.replace(at, below(8), kOdd[below(kOdd.size())]);
        break;
      default:
        if (below(8) == 0) text.resize(at);
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_{20'240'501};  // any number, the same in every run
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(std::filesystem::path(EMULATOR_TESTS) / file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.empty()) throw std::runtime_error("cannot read " + file.string());
  return text;
}

int runs(EntryPoint entry, std::vector<std::string> seeds, int count) {
  Mutator mutator(std::move(seeds));
  int done = 0;
  for (; done < count; ++done) {
    const std::string text = mutator.next();
    if (entry(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()) != 0) break;
  }
  return done;
}

// About two seconds each.
constexpr int kFatbinRuns = 100'000;
constexpr int kPtxRuns = 4'000;

TEST(Mutations, OfFatBinariesAreFatBinariesOrErrors) {
  EXPECT_EQ(runs(fuzz_fatbin,
                 {text_of("fatbin/data/size.fatbin"), text_of("fatbin/data/speed.fatbin"),
                  text_of("fatbin/data/plain.fatbin")},
                 kFatbinRuns),
            kFatbinRuns);
}

TEST(Mutations, OfPtxAreModulesOrErrorsWithAPlace) {
  EXPECT_EQ(runs(fuzz_ptx_parser,
                 {text_of("ptx/data/language.ptx"), text_of("ptx/data/matmul.ptx"),
                  text_of("ptx/data/warp.ptx"), text_of("ptx/data/inlined.ptx")},
                 kPtxRuns),
            kPtxRuns);
}

}  // namespace
}  // namespace emulator::fuzz
