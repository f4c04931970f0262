#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/lab/load_figures.h"

namespace autokernel::lab {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kTimeUnits = {
    {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};

// In seconds; none for anything but a number above 0 with its unit.
[[nodiscard]] std::optional<double> time_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (failed != std::errc() || !(number > 0)) return {};
  for (const auto& [name, seconds] : kTimeUnits) {
    if (name == unit) return number * seconds;
  }
  return {};
}

}  // namespace

Objectives Objectives::parse(const std::string& text) {
  Objectives objectives;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    std::optional<double>* objective = name == "ttft"   ? &objectives.ttft
                                       : name == "tpot" ? &objectives.tpot
                                       : name == "itl"  ? &objectives.itl
                                       : name == "e2e"  ? &objectives.e2e
                                                        : nullptr;
    const auto time = equals == std::string_view::npos ? std::optional<double>()
                                                       : time_in(part.substr(equals + 1));
    if (objective == nullptr || !time) {
      throw Error(Stop::usage,
                  fmt::format("cannot read the objective '{}': --goodput takes ttft, tpot, itl and "
                              "e2e with a time in us, ms or s, such as ttft=200ms,tpot=30ms",
                              part));
    }
    *objective = time;
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return objectives;
}

}  // namespace autokernel::lab
