#include "autokernel/programs/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "autokernel/base/visible_text.h"
#include "programs/profile/scales.h"

namespace autokernel::programs {
namespace {

// What is left for a kernel's name in a narrow terminal.
constexpr std::size_t kNarrowestName = 24;
constexpr std::size_t kWidestName = 60;

[[nodiscard]] std::string number_text(std::int64_t number) {
  return number == kUnknown ? std::string("-") : std::to_string(number);
}

[[nodiscard]] std::string shared_text(const RankedKernel& kernel) {
  if (kernel.static_shared == kUnknown && kernel.dynamic_shared == kUnknown) return "-";
  constexpr double kKib = 1024;
  const std::int64_t bytes = std::max<std::int64_t>(kernel.static_shared, 0) +
                             std::max<std::int64_t>(kernel.dynamic_shared, 0);
  return bytes == 0 ? "0" : fmt::format("{:.3g}k", static_cast<double>(bytes) / kKib);
}

[[nodiscard]] std::string limit_text(const RankedKernel& kernel) {
  if (!kernel.limit || kernel.median_us <= 0) return "";
  return fmt::format("{:.0f} % {}", kPercent * kernel.limit->least_us / kernel.median_us,
                     kernel.limit->bound);
}

[[nodiscard]] std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  return width < 4 ? text.substr(0, width) : text.substr(0, width - 3) + "...";
}

enum class Side : std::uint8_t { left, right };
struct Column {
  const char* title;
  Side side;
};
constexpr auto kColumns = std::to_array<Column>({{"", Side::right},
                                                 {"share", Side::right},
                                                 {"total", Side::right},
                                                 {"calls", Side::right},
                                                 {"mean", Side::right},
                                                 {"whose", Side::left},
                                                 {"grid", Side::left},
                                                 {"block", Side::left},
                                                 {"regs", Side::right},
                                                 {"shared", Side::right},
                                                 {"of its limit", Side::left},
                                                 {"kernel", Side::left}});
using Row = std::array<std::string, kColumns.size()>;

[[nodiscard]] Row row_of(const RankedKernel& kernel, std::size_t number) {
  const std::string operation = kernel.operation ? operation_text(*kernel.operation) : "";
  return {std::to_string(number),
          fmt::format("{:.1f} %", kPercent * kernel.share),
          duration_text(kernel.total_us),
          std::to_string(kernel.launches),
          duration_text(kernel.mean_us),
          spelling(kernel.origin),
          extent_text(kernel.grid),
          extent_text(kernel.block),
          number_text(kernel.registers),
          shared_text(kernel),
          limit_text(kernel),
          visible_line(kernel.short_name) + (operation.empty() ? "" : "  " + operation)};
}

[[nodiscard]] std::string table(const std::vector<Row>& rows, int columns) {
  std::array<std::size_t, kColumns.size()> widths{};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (const Row& row : rows) widths[i] = std::max(widths[i], row[i].size());
    // A column that says nothing is left out, its title too.
    if (widths[i] > 0) widths[i] = std::max(widths[i], std::string_view(kColumns[i].title).size());
  }
  std::size_t before = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] == 0 ? 0 : widths[i] + 2;
  std::size_t name = kWidestName;
  if (columns > 0) {
    const auto width = static_cast<std::size_t>(columns);
    name = std::max(width > before ? width - before : 0, kNarrowestName);
  }
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string value = cell(i);
      text += kColumns[i].side == Side::right ? fmt::format("{:>{}}", value, widths[i])
                                              : fmt::format("{:<{}}", value, widths[i]);
      text += "  ";
    }
    return text + shortened(cell(widths.size() - 1), name) + "\n";
  };
  std::string text = line([](std::size_t i) { return std::string(kColumns[i].title); });
  for (const Row& row : rows) text += line([&](std::size_t i) { return row[i]; });
  return text;
}

[[nodiscard]] std::string devices_text(const Ranking& ranking) {
  std::vector<std::pair<std::string, int>> counts;
  for (const driver::DeviceInfo& device : ranking.devices) {
    const std::string name = device.name.empty() ? "unnamed device" : visible_line(device.name);
    const auto found = std::ranges::find(counts, name, &std::pair<std::string, int>::first);
    if (found == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++found->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + (count > 1 ? fmt::format("{} x ", count) : "") + name;
  }
  return text;
}

[[nodiscard]] std::string launches_text(const Ranking& ranking) {
  const std::int64_t seen = ranking.totals.launches;
  std::string text = fmt::format("{} launch{}", seen, seen == 1 ? "" : "es");
  if (!ranking.part.empty() || ranking.asked == kUnknown) return text;
  if (ranking.graph_launches > 0) {
    return text + fmt::format(", of {} calls and {} launches of graphs", ranking.asked,
                              ranking.graph_launches);
  }
  if (seen < ranking.asked)
    return text + fmt::format(" of {} that the program made", ranking.asked);
  return text + (seen == ranking.asked ? ", all that the program made" : "");
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr double kStep = 1000;
  constexpr auto kUnits = std::to_array({"B", "kB", "MB", "GB", "TB"});
  std::size_t unit = 0;
  while (bytes >= kStep && unit + 1 < kUnits.size()) {
    bytes /= kStep;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string duration_text(double microseconds) {
  constexpr double kStep = 1000;
  if (microseconds < kStep) return fmt::format("{:.3g} us", microseconds);
  if (microseconds < kStep * kStep) return fmt::format("{:.3g} ms", microseconds / kStep);
  return fmt::format("{:.3g} s", microseconds / (kStep * kStep));
}

std::string extent_text(const Extent& extent) {
  if (extent.z != 1) return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
  if (extent.y != 1) return fmt::format("{}x{}", extent.x, extent.y);
  return std::to_string(extent.x);
}

std::string operation_text(const Operation& operation) {
  if (operation.product) {
    const Product& product = *operation.product;
    std::string text = fmt::format("{}x{}x{}", product.m, product.n, product.k);
    if (product.batch != 1) text += fmt::format(" x {}", product.batch);
    if (!product.a_type.empty()) text += " " + product.a_type;
    text += " " + product.transposes;
    if (!product.epilogue.empty() && product.epilogue != "DEFAULT") text += " " + product.epilogue;
    return visible_line(text);
  }
  std::string dims;
  for (const auto& extents : operation.dims) {
    if (extents.empty()) continue;
    dims += fmt::format("{}[{}]", dims.empty() ? "" : " ", fmt::join(extents, ", "));
  }
  return visible_line(operation.name + (dims.empty() ? "" : " " + dims));
}

std::string profile_text(const Ranking& ranking, int most, int columns) {
  std::string text = fmt::format("profile of  {}\n", visible_line(ranking.program));
  if (!ranking.part.empty()) text += fmt::format("part        {}\n", ranking.part);
  if (const std::string devices = devices_text(ranking); !devices.empty()) {
    text += fmt::format("on          {}{}\n", devices,
                        ranking.processes.size() > 1
                            ? fmt::format(", {} processes", ranking.processes.size())
                            : "");
  }
  const Totals& totals = ranking.totals;
  text += fmt::format("recorded    {}; {} in kernels of {}, the device idle {:.1f} % of it\n",
                      launches_text(ranking), duration_text(totals.kernels_us),
                      duration_text(totals.span_us), kPercent * totals.idle_share);
  if (totals.transfers > 0) {
    text += fmt::format("copies      {} and fills, {} in {}\n", totals.transfers,
                        bytes_text(static_cast<double>(totals.transfer_bytes)),
                        duration_text(totals.transfers_us));
  }
  if (ranking.lost > 0) text += fmt::format("lost        {} records\n", ranking.lost);
  if (ranking.origins.size() > 1) {
    std::string shares;
    for (const OriginShare& share : ranking.origins) {
      shares += fmt::format("{}{} {:.1f} %", shares.empty() ? "" : ", ", spelling(share.origin),
                            kPercent * share.share);
    }
    text += fmt::format("whose       {}\n", shares);
  }
  for (const std::string& warning : ranking.warnings) {
    text += fmt::format("note        {}\n", visible_line(warning));
  }
  if (ranking.kernels.empty()) return text;

  std::vector<Row> rows;
  const auto shown = std::min(static_cast<std::size_t>(std::max(most, 1)), ranking.kernels.size());
  rows.reserve(shown);
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(row_of(ranking.kernels[i], i + 1));
  text += "\n" + table(rows, columns);
  if (shown < ranking.kernels.size()) {
    double rest = 0;
    for (std::size_t i = shown; i < ranking.kernels.size(); ++i) rest += ranking.kernels[i].share;
    text += fmt::format("and {} more, {:.1f} % of the time\n", ranking.kernels.size() - shown,
                        kPercent * rest);
  }
  return text;
}

}  // namespace autokernel::programs
