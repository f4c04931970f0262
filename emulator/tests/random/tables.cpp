// What the statements of random programs that are more than operations choose from.
#include <algorithm>
#include <bit>

#include "random/numbers.h"
#include "random/program.h"

namespace emulator::testing::random {
namespace {

using Lanes = std::array<Operands, 32>;

std::int32_t signed_word(std::uint64_t word) {
  return std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(word));
}

template <typename Combine>
std::uint64_t over_all(const Lanes& lanes, Combine combine) {
  std::uint64_t result = lanes[0][0];
  for (unsigned i = 1; i < 32; ++i) result = low_bits(combine(result, lanes[i][0]), 32);
  return result;
}

std::uint64_t ballot(const Lanes& lanes) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 32; ++i) bits |= lanes[i][0] << i;
  return bits;
}

}  // namespace

const std::vector<Width>& widths() {
  static const std::vector<Width> kAll = {
      {"u8", 1, 1, Kind::b32, false},     {"s8", 1, 1, Kind::b32, true},
      {"u16", 2, 1, Kind::b16, false},    {"s16", 2, 1, Kind::b32, true},
      {"b32", 4, 1, Kind::b32, false},    {"f32", 4, 1, Kind::f32, false},
      {"b64", 8, 1, Kind::b64, false},    {"s32", 4, 1, Kind::b64, true},
      {"v2.b32", 4, 2, Kind::b32, false}, {"v4.f32", 4, 4, Kind::f32, false},
      {"v2.b64", 8, 2, Kind::b64, false}, {"v4.u8", 1, 4, Kind::b32, false},
      {"v2.b16", 2, 2, Kind::b16, false}, {"v4.b32", 4, 4, Kind::b32, false},
  };
  return kAll;
}

const std::vector<Reduction>& reductions() {
  using U = std::uint32_t;
  static const std::vector<Reduction> kAll = {
      {"add.u32", [](U old, U value) { return old + value; }},
      {"and.b32", [](U old, U value) { return old & value; }},
      {"or.b32", [](U old, U value) { return old | value; }},
      {"xor.b32", [](U old, U value) { return old ^ value; }},
      {"min.u32", [](U old, U value) { return std::min(old, value); }},
      {"max.u32", [](U old, U value) { return std::max(old, value); }},
      {"min.s32",
       [](U old, U value) { return signed_word(old) < signed_word(value) ? old : value; }},
      {"max.s32",
       [](U old, U value) { return signed_word(old) > signed_word(value) ? old : value; }},
  };
  return kAll;
}

const std::vector<Collective>& collectives() {
  const Kind word = Kind::b32;
  static const std::vector<Collective> kAll = {
      {"shfl.sync.idx.b32 D, A, B, 31, M;",
       word,
       {word, word},
       [](const Lanes& v, unsigned lane) { return v[v[lane][1] % 32][0]; }},
      {"shfl.sync.up.b32 D, A, 3, 0, M;",
       word,
       {word},
       [](const Lanes& v, unsigned lane) { return v[lane < 3 ? lane : lane - 3][0]; }},
      {"shfl.sync.down.b32 D, A, B, 31, M;",
       word,
       {word, word},
       [](const Lanes& v, unsigned lane) {
         const auto from = lane + static_cast<unsigned>(v[lane][1] % 32);
         return v[from > 31 ? lane : from][0];
       }},
      {"shfl.sync.bfly.b32 D, A, 5, 0x1807, M;",
       word,
       {word},
       // Groups of 8: 0x18 keeps the upper bits of the lane, and 7 is the last of a group.
       [](const Lanes& v, unsigned lane) { return v[lane ^ 5U][0]; }},
      {"vote.sync.any.pred D, A, M;",
       Kind::pred,
       {Kind::pred},
       [](const Lanes& v, unsigned) { return std::uint64_t{ballot(v) != 0}; }},
      {"vote.sync.all.pred D, A, M;",
       Kind::pred,
       {Kind::pred},
       [](const Lanes& v, unsigned) { return std::uint64_t{ballot(v) == 0xffffffff}; }},
      {"vote.sync.uni.pred D, A, M;",
       Kind::pred,
       {Kind::pred},
       [](const Lanes& v, unsigned) {
         return std::uint64_t{ballot(v) == 0 || ballot(v) == 0xffffffff};
       }},
      {"vote.sync.ballot.b32 D, A, M;",
       word,
       {Kind::pred},
       [](const Lanes& v, unsigned) { return ballot(v); }},
      {"match.any.sync.b32 D, A, M;",
       word,
       {word},
       [](const Lanes& v, unsigned lane) {
         std::uint64_t bits = 0;
         for (unsigned i = 0; i < 32; ++i) bits |= std::uint64_t{v[i][0] == v[lane][0]} << i;
         return bits;
       }},
      {"redux.sync.add.u32 D, A, M;",
       word,
       {word},
       [](const Lanes& v, unsigned) { return over_all(v, [](auto a, auto b) { return a + b; }); }},
      {"redux.sync.xor.b32 D, A, M;",
       word,
       {word},
       [](const Lanes& v, unsigned) { return over_all(v, [](auto a, auto b) { return a ^ b; }); }},
      {"redux.sync.min.s32 D, A, M;",
       word,
       {word},
       [](const Lanes& v, unsigned) {
         return over_all(v, [](auto a, auto b) { return signed_word(a) < signed_word(b) ? a : b; });
       }},
      {"redux.sync.max.u32 D, A, M;",
       word,
       {word},
       [](const Lanes& v, unsigned) {
         return over_all(v, [](auto a, auto b) { return std::max(a, b); });
       }},
  };
  return kAll;
}

}  // namespace emulator::testing::random
