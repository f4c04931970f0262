#include "ptx/dotted_words.h"

#include <array>

namespace emulator::ptx {
namespace {

template <typename Value>
struct Entry {
  std::string_view text;
  Value value;
};

template <typename Value, std::size_t count>
std::optional<Value> find(const std::array<Entry<Value>, count>& entries, std::string_view text) {
  for (const Entry<Value>& entry : entries) {
    if (entry.text == text) return entry.value;
  }
  return std::nullopt;
}

// The frequent ones first: the table is searched from the front.
constexpr std::array<Entry<Type>, 50> kTypes = {{
    {"b32", Type::b32},       {"f32", Type::f32},       {"u32", Type::u32},
    {"s32", Type::s32},       {"b64", Type::b64},       {"u64", Type::u64},
    {"s64", Type::s64},       {"b16", Type::b16},       {"u16", Type::u16},
    {"s16", Type::s16},       {"b8", Type::b8},         {"u8", Type::u8},
    {"s8", Type::s8},         {"pred", Type::pred},     {"f64", Type::f64},
    {"f16", Type::f16},       {"bf16", Type::bf16},     {"f16x2", Type::f16x2},
    {"bf16x2", Type::bf16x2}, {"tf32", Type::tf32},     {"b128", Type::b128},
    {"e4m3", Type::e4m3},     {"e5m2", Type::e5m2},     {"e4m3x2", Type::e4m3x2},
    {"e5m2x2", Type::e5m2x2}, {"u16x2", Type::u16x2},   {"s16x2", Type::s16x2},
    {"f32x2", Type::f32x2},   {"u8x4", Type::u8x4},     {"s8x4", Type::s8x4},
    {"b1", Type::b1},         {"b4", Type::b4},         {"u2", Type::u2},
    {"s2", Type::s2},         {"u4", Type::u4},         {"s4", Type::s4},
    {"e2m1", Type::e2m1},     {"e2m3", Type::e2m3},     {"e3m2", Type::e3m2},
    {"ue4m3", Type::ue4m3},   {"ue8m0", Type::ue8m0},   {"e2m1x2", Type::e2m1x2},
    {"e2m3x2", Type::e2m3x2}, {"e3m2x2", Type::e3m2x2}, {"ue8m0x2", Type::ue8m0x2},
    {"e2m1x4", Type::e2m1x4}, {"e2m3x4", Type::e2m3x4}, {"e3m2x4", Type::e3m2x4},
    {"e4m3x4", Type::e4m3x4}, {"e5m2x4", Type::e5m2x4},
}};

constexpr std::array<Entry<SpaceWord>, 9> kSpaces = {{
    {"global", {Space::global, false}},
    {"shared", {Space::shared, false}},
    {"param", {Space::param, false}},
    {"local", {Space::local, false}},
    {"const", {Space::constant, false}},
    {"shared::cta", {Space::shared, false, true}},
    {"shared::cluster", {Space::shared, true}},
    {"param::entry", {Space::param, false}},
    {"param::func", {Space::param, false}},
}};

constexpr std::array<Entry<SpecialName>, 38> kSpecials = {{
    {"tid", {Special::tid, true, 0}},
    {"ntid", {Special::ntid, true, 0}},
    {"ctaid", {Special::ctaid, true, 0}},
    {"nctaid", {Special::nctaid, true, 0}},
    {"laneid", {Special::laneid, false, 0}},
    {"warpid", {Special::warpid, false, 0}},
    {"nwarpid", {Special::nwarpid, false, 0}},
    {"smid", {Special::smid, false, 0}},
    {"nsmid", {Special::nsmid, false, 0}},
    {"gridid", {Special::gridid, false, 0}},
    {"lanemask_eq", {Special::lanemask_eq, false, 0}},
    {"lanemask_le", {Special::lanemask_le, false, 0}},
    {"lanemask_lt", {Special::lanemask_lt, false, 0}},
    {"lanemask_ge", {Special::lanemask_ge, false, 0}},
    {"lanemask_gt", {Special::lanemask_gt, false, 0}},
    {"clock", {Special::clock, false, 0}},
    {"clock_hi", {Special::clock_hi, false, 0}},
    {"clock64", {Special::clock64, false, 0}},
    {"globaltimer", {Special::globaltimer, false, 0}},
    {"globaltimer_lo", {Special::globaltimer_lo, false, 0}},
    {"globaltimer_hi", {Special::globaltimer_hi, false, 0}},
    {"dynamic_smem_size", {Special::dynamic_smem_size, false, 0}},
    {"total_smem_size", {Special::total_smem_size, false, 0}},
    {"aggr_smem_size", {Special::aggr_smem_size, false, 0}},
    {"clusterid", {Special::clusterid, true, 0}},
    {"nclusterid", {Special::nclusterid, true, 0}},
    {"cluster_ctaid", {Special::cluster_ctaid, true, 0}},
    {"cluster_nctaid", {Special::cluster_nctaid, true, 0}},
    {"cluster_ctarank", {Special::cluster_ctarank, false, 0}},
    {"cluster_nctarank", {Special::cluster_nctarank, false, 0}},
    {"is_explicit_cluster", {Special::is_explicit_cluster, false, 0}},
    {"current_graph_exec", {Special::current_graph_exec, false, 0}},
    {"reserved_smem_offset_begin", {Special::reserved_smem_offset_begin, false, 0}},
    {"reserved_smem_offset_end", {Special::reserved_smem_offset_end, false, 0}},
    {"reserved_smem_offset_cap", {Special::reserved_smem_offset_cap, false, 0}},
    {"reserved_smem_offset_0", {Special::reserved_smem_offset, false, 0}},
    {"reserved_smem_offset_1", {Special::reserved_smem_offset, false, 1}},
    {"reserved_smem_offset_2", {Special::reserved_smem_offset, false, 2}},
}};

// One or two digits without a leading zero, below `end`.
std::optional<std::uint8_t> small_number(std::string_view digits, unsigned end) {
  if (digits.empty() || digits.size() > 2 || (digits.size() == 2 && digits[0] == '0')) return {};
  unsigned value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  if (value >= end) return {};
  return static_cast<std::uint8_t>(value);
}

}  // namespace

std::optional<Type> type_of(std::string_view word) { return find(kTypes, word); }

std::optional<SpaceWord> space_of(std::string_view word) { return find(kSpaces, word); }

std::optional<std::uint8_t> vector_width_of(std::string_view word) {
  if (word == "v2") return std::uint8_t{2};
  if (word == "v4") return std::uint8_t{4};
  if (word == "v8") return std::uint8_t{8};
  return std::nullopt;
}

std::optional<SpecialName> special_of(std::string_view name) {
  if (name.empty() || name.front() != '%') return std::nullopt;
  name.remove_prefix(1);
  if (const auto found = find(kSpecials, name)) return found;
  constexpr std::string_view kEnvironment = "envreg";
  constexpr std::string_view kMonitor = "pm";
  constexpr std::string_view kWide = "_64";
  if (name.starts_with(kEnvironment)) {
    const auto number = small_number(name.substr(kEnvironment.size()), 32);
    if (number) return SpecialName{Special::envreg, false, *number};
  } else if (name.starts_with(kMonitor)) {
    name.remove_prefix(kMonitor.size());
    const bool wide = name.ends_with(kWide);
    if (wide) name.remove_suffix(kWide.size());
    const auto number = small_number(name, 8);
    if (number) return SpecialName{wide ? Special::pm_64 : Special::pm, false, *number};
  }
  return std::nullopt;
}

}  // namespace emulator::ptx
