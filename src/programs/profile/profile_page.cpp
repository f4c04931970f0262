#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "autokernel/base/html_text.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/programs/profile_text.h"
#include "autokernel/programs/profile_views.h"
#include "programs/profile/scales.h"

namespace autokernel::programs {
namespace {

// A page stays quick to draw with some thousands of rectangles and rows.
constexpr std::size_t kMostDrawn = 4000;
constexpr std::size_t kMostRows = 500;
constexpr double kWidth = 1200;  // of the pictures, in units of their own
constexpr double kLane = 26;

// The colours of Okabe and Ito, which the colour-blind can tell apart, one for each origin.
constexpr auto kColours = std::to_array({"#0072B2", "#56B4E9", "#E69F00", "#009E73", "#CC79A7",
                                         "#D55E00", "#999999", "#F0E442", "#882255", "#44AA99"});
[[nodiscard]] const char* colour(Origin origin) {
  return kColours.at(static_cast<std::size_t>(origin));
}

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.45 "DejaVu Sans", Verdana, sans-serif; color: #333; background: #fff; margin: 0 auto; max-width: 1280px; padding: 12px; }
h1 { font-size: 20px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin-top: 28px; }
svg { width: 100%; height: auto; display: block; }
dl { display: grid; grid-template-columns: max-content auto; gap: 2px 16px; }
dd { margin: 0; }
.note { color: #A84A00; }
.key { display: inline-block; width: 12px; height: 12px; margin: 0 6px 0 14px; vertical-align: -1px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th { text-align: left; border-bottom: 2px solid #999; position: sticky; top: 0; background: #fff; cursor: pointer; }
th, td { padding: 3px 12px 3px 0; vertical-align: top; white-space: nowrap; }
td.n, th.n { text-align: right; }
td.k { white-space: normal; overflow-wrap: anywhere; }
tr { border-bottom: 1px solid #eee; }
small { color: #777; }
)";

// A click on a title sorts by that column.
constexpr std::string_view kScript = R"(
document.querySelectorAll('th').forEach((title, column) => title.onclick = () => {
  const body = document.querySelector('tbody');
  const down = title.dataset.down = title.dataset.down === '1' ? '0' : '1';
  const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const order = (a, b) => { const x = key(a), y = key(b), n = x - y;
    return isNaN(n) ? x.localeCompare(y) : n; };
  [...body.rows].sort((a, b) => down === '1' ? order(b, a) : order(a, b)).forEach(row => body.append(row));
});
)";

[[nodiscard]] std::string shares_bar(const Ranking& ranking) {
  std::string text = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img">)", kWidth, kLane);
  double at = 0;
  for (const RankedKernel& kernel : ranking.kernels) {
    const double width = kernel.share * kWidth;
    text += fmt::format(
        R"(<rect x="{:.2f}" width="{:.2f}" height="{}" fill="{}" stroke="#fff" stroke-width=".5"><title>{:.1f} % {}</title></rect>)",
        at, width, kLane, colour(kernel.origin), kPercent * kernel.share,
        html_text(visible_line(kernel.short_name)));
    at += width;
    constexpr double kInvisible = 0.3;
    if (width < kInvisible) break;  // so are all after it
  }
  text += "</svg>\n<p>";
  for (const OriginShare& share : ranking.origins) {
    text += fmt::format(
        R"(<span class="key" style="background:{}"></span>{} {:.1f} % <small>{}, {} launches</small>)",
        colour(share.origin), spelling(share.origin), kPercent * share.share,
        duration_text(share.total_us), share.launches);
  }
  return text + "</p>\n";
}

struct Bar {
  Nanoseconds start, end;
  std::string colour;
  std::string title;
};

// One lane for each stream, from the first event on; as many events as can be drawn.
[[nodiscard]] std::string timeline(const Ranking& ranking, const Profile& profile) {
  std::map<std::string, std::pair<const RankedKernel*, Origin>> known;
  for (const RankedKernel& kernel : ranking.kernels)
    known.try_emplace(kernel.name, &kernel, kernel.origin);
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<Bar>> lanes;
  const std::size_t shown = std::min(profile.launches.size(), kMostDrawn);
  if (shown == 0) return {};
  const Nanoseconds origin = profile.launches.front().start;
  Nanoseconds last = origin;
  for (std::size_t i = 0; i < shown; ++i) {
    const Launch& launch = profile.launches[i];
    const auto found = known.find(profile.names[launch.name]);
    if (found == known.end()) continue;
    last = std::max(last, launch.end);
    lanes[{launch.place.device, launch.place.stream}].push_back(
        {.start = launch.start,
         .end = launch.end,
         .colour = colour(found->second.second),
         .title = found->second.first->short_name});
  }
  for (const Transfer& transfer : profile.transfers) {
    if (transfer.start < origin || transfer.end > last) continue;
    lanes[{transfer.place.device, transfer.place.stream}].push_back(
        {.start = transfer.start, .end = transfer.end, .colour = "#bbb", .title = transfer.kind});
  }
  const double scale = kWidth / std::max(static_cast<double>(last - origin), 1.0);
  std::string text = fmt::format(
      "<h2>Timeline <small>the first {} of {} launches, {}</small></h2>\n", shown,
      profile.launches.size(), duration_text(static_cast<double>(last - origin) / kNsPerUs));
  for (const auto& [lane, bars] : lanes) {
    text += fmt::format("<small>device {}, stream {}</small>\n", lane.first, lane.second);
    text += fmt::format(
        R"(<svg viewBox="0 0 {} {}" preserveAspectRatio="none"><rect width="{}" height="{}" fill="#f4f4f4"/>)",
        kWidth, kLane, kWidth, kLane);
    for (const Bar& bar : bars) {
      constexpr double kThinnest = 0.4;
      text += fmt::format(
          R"(<rect x="{:.2f}" width="{:.2f}" height="{}" fill="{}"><title>{} {}</title></rect>)",
          static_cast<double>(bar.start - origin) * scale,
          std::max(static_cast<double>(bar.end - bar.start) * scale, kThinnest), kLane, bar.colour,
          html_text(visible_line(bar.title)),
          duration_text(static_cast<double>(bar.end - bar.start) / kNsPerUs));
    }
    text += "</svg>\n";
  }
  return text;
}

[[nodiscard]] std::string number_cell(double sorted_by, const std::string& text) {
  return fmt::format(R"(<td class="n" data-v="{}">{}</td>)", sorted_by, text);
}

[[nodiscard]] std::string row(const RankedKernel& kernel, std::size_t number) {
  const std::int64_t shared = std::max<std::int64_t>(kernel.static_shared, 0) +
                              std::max<std::int64_t>(kernel.dynamic_shared, 0);
  const std::string operation = kernel.operation ? operation_text(*kernel.operation) : "";
  std::string limit;
  double reached = 0;
  if (kernel.limit && kernel.median_us > 0) {
    reached = kernel.limit->least_us / kernel.median_us;
    limit = fmt::format("{:.0f} % {}", kPercent * reached, kernel.limit->bound);
  }
  return "<tr>" + number_cell(static_cast<double>(number), std::to_string(number)) +
         number_cell(kernel.share, fmt::format("{:.1f} %", kPercent * kernel.share)) +
         number_cell(kernel.total_us, duration_text(kernel.total_us)) +
         number_cell(static_cast<double>(kernel.launches), std::to_string(kernel.launches)) +
         number_cell(kernel.mean_us, duration_text(kernel.mean_us)) +
         number_cell(kernel.least_us, duration_text(kernel.least_us)) +
         number_cell(kernel.most_us, duration_text(kernel.most_us)) +
         fmt::format(R"(<td><span class="key" style="background:{};margin-left:0"></span>{}</td>)",
                     colour(kernel.origin), spelling(kernel.origin)) +
         number_cell(static_cast<double>(kernel.grid.count()), extent_text(kernel.grid)) +
         number_cell(static_cast<double>(kernel.block.count()), extent_text(kernel.block)) +
         number_cell(static_cast<double>(kernel.registers),
                     kernel.registers == kUnknown ? "" : std::to_string(kernel.registers)) +
         number_cell(static_cast<double>(shared), std::to_string(shared)) +
         number_cell(reached, limit) +
         fmt::format(R"(<td class="k" title="{}">{}{}</td></tr>)",
                     html_text(visible_line(kernel.demangled)),
                     html_text(visible_line(kernel.short_name)),
                     operation.empty() ? "" : "<br><small>" + html_text(operation) + "</small>") +
         "\n";
}

[[nodiscard]] std::string line(const char* title, const std::string& text) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", title, html_text(visible_line(text)));
}

}  // namespace

std::string profile_page(const Ranking& ranking, const Profile& profile) {
  const Totals& totals = ranking.totals;
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Profile of " +
      html_text(visible_line(ranking.program)) + "</title>\n<style>" + std::string(kStyle) +
      "</style></head><body>\n<h1>Profile of " + html_text(visible_line(ranking.program)) +
      "</h1>\n<dl>\n";
  if (!ranking.part.empty()) text += line("Part", ranking.part);
  for (const driver::DeviceInfo& device : ranking.devices) {
    text += line("Device", fmt::format("{}: {}", device.ordinal, device.name));
  }
  text += line("Kernels",
               fmt::format("{} in {} launches", duration_text(totals.kernels_us), totals.launches));
  text += line("Copies and fills",
               fmt::format("{} in {}", duration_text(totals.transfers_us), totals.transfers));
  text += line("Span", fmt::format("{}, the device idle {:.1f} % of it",
                                   duration_text(totals.span_us), kPercent * totals.idle_share));
  text += line("Source", ranking.source);
  text += "</dl>\n";
  for (const std::string& warning : ranking.warnings) {
    text += "<p class=\"note\">" + html_text(visible_line(warning)) + "</p>\n";
  }
  text += "<h2>Where the time of kernels goes</h2>\n" + shares_bar(ranking);
  text += timeline(ranking, profile);
  const std::size_t rows = std::min(ranking.kernels.size(), kMostRows);
  text += fmt::format(
      "<h2>Kernels <small>{} of {}</small></h2>\n<table><thead><tr><th class=\"n\">#</th><th "
      "class=\"n\">share</th><th class=\"n\">total</th><th class=\"n\">calls</th><th "
      "class=\"n\">mean</th><th class=\"n\">least</th><th class=\"n\">most</th><th>whose</th><th "
      "class=\"n\">grid</th><th class=\"n\">block</th><th class=\"n\">registers</th><th "
      "class=\"n\">shared, B</th><th class=\"n\">of its limit</th><th>kernel</th></tr></thead>\n"
      "<tbody>\n",
      rows, ranking.kernels.size());
  for (std::size_t i = 0; i < rows; ++i) text += row(ranking.kernels[i], i + 1);
  return text + "</tbody></table>\n<script>" + std::string(kScript) + "</script></body></html>\n";
}

}  // namespace autokernel::programs
