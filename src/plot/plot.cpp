#include "autokernel/plot/plot.h"

#include "autokernel/base/error.h"
#include "plot/gnuplot.h"
#include "plot/html.h"
#include "plot/script.h"
#include "plot/text_picture.h"

namespace autokernel::plot {

std::string draw(const History& history, Format format, const std::filesystem::path& gnuplot,
                 TextSize size) {
  if (history.experiments.empty()) {
    throw Error(Stop::usage, "cannot draw: there is no experiment yet");
  }
  const Layout layout = lay_out(history, {});
  if (format == Format::term) {
    const std::string words = words_above(history, layout.story, size.columns);
    size.lines = lines_below(words, size.lines);
    return words + without_margins(run_gnuplot(gnuplot, script(layout, history, format, size)));
  }
  std::string picture = run_gnuplot(gnuplot, script(layout, history, format, size));
  return format == Format::html ? page(picture, layout, history) : picture;
}

}  // namespace autokernel::plot
