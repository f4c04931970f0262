// `autokernel plot`: the run as a picture.
#include "autokernel/plot/plot.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/search_path.h"
#include "autokernel/base/system_error.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "cli/plot/history.h"

namespace autokernel::cli {
namespace {

class Plot : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "plot"; }
  [[nodiscard]] std::string summary() const override {
    return "Plot the experiments in results.tsv as PNG, SVG, HTML or text";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string input_;
  std::string output_;
  std::string format_;
  std::string guard_;  // empty: what the experiments are kept for
  bool raw_ = false;
  bool open_ = false;
};

namespace fs = std::filesystem;

constexpr const char* kPlotExamples = R"(Examples:
  autokernel plot
  autokernel plot --format html --open
  autokernel plot --format term
  autokernel plot --input old/results.tsv --output /tmp/old.svg
  autokernel plot --format svg --output - > progress.svg

Reads results.tsv and, if it is beside it, the ledger of the run. With a ledger, the times are
those of 'autokernel log': the median of the baseline, and from there the gains in pairs of
launches; a rejected experiment is drawn at its incumbent, or slower. After 'loop finish' the
title is the confirmed gain. Without a ledger, or with --raw, they are medians of different
processes.
Needs gnuplot (sudo apt-get install gnuplot-nox).)";

const std::map<std::string, plot::Format>& formats() {
  static const std::map<std::string, plot::Format> known = {{"png", plot::Format::png},
                                                            {"svg", plot::Format::svg},
                                                            {"html", plot::Format::html},
                                                            {"term", plot::Format::term}};
  return known;
}

// As requested; else by the ending of the output's name; else png.
[[nodiscard]] plot::Format format_of(const std::string& asked, const std::string& output) {
  if (!asked.empty()) return formats().at(asked);
  const std::string ending = fs::path(output).extension().string();
  if (ending == ".txt") return plot::Format::term;
  const auto found = formats().find(ending.empty() ? "png" : ending.substr(1));
  if (found != formats().end()) return found->second;
  throw Error(Stop::usage, "unknown format of " + output +
                               ": end it in .png, .svg, .html or .txt, or name one with --format");
}

// The terminal's, within what can be read.
[[nodiscard]] plot::TextSize text_size() {
  plot::TextSize size;
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    constexpr int kNarrowest = 40;
    constexpr int kWidest = 200;
    constexpr int kLowest = 24;
    constexpr int kHighest = 60;
    size.columns = std::clamp<int>(window.ws_col - 1, kNarrowest, kWidest);
    size.lines = std::clamp<int>(window.ws_row - 2, kLowest, kHighest);
  }
  return size;
}

// Whatever shows such a file on this desktop, left to itself. One that fails does so at once; it
// says so in the words of programs that it has tried, which nobody knows.
void show(const fs::path& file) {
  const std::string attempt = "cannot open " + file.string() + " (it is written)";
  const fs::path program = find_on_path("xdg-open");
  if (program.empty()) throw Error(Stop::environment, attempt + ": xdg-open is not on the PATH");
  const pid_t child = ::fork();
  if (child < 0) throw system_failure(Stop::environment, attempt, "fork");
  if (child == 0) {
    ::setsid();
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, output);
    ::execl(program.c_str(), program.c_str(), file.c_str(), nullptr);
    ::_exit(static_cast<int>(Stop::environment));
  }
  // Some desktops' programs stay as long as the picture is looked at.
  constexpr std::chrono::milliseconds kPatience{2000};
  constexpr std::chrono::milliseconds kInterval{20};
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(kInterval);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw Error(Stop::environment, attempt + ": xdg-open found no program for it [xdg-open]");
}

}  // namespace

void Plot::declare(Options options) {
  options.footer(kPlotExamples);
  std::vector<std::string> words;
  for (const auto& format : formats()) words.push_back(format.first);
  options.add_option("--format", format_, "png, svg, html (one page, with a table) or term (text)")
      .type_name("FORMAT")
      .one_of(words);
  options.add_option("--input", input_, "Table of results (default: results.tsv here or above)")
      .type_name("FILE");
  options
      .add_option("-o,--output", output_,
                  "Output file, - for stdout (default: progress.FORMAT; term: -)")
      .type_name("FILE");
  options.add_flag("--raw", raw_,
                   "Plot each experiment's own median, each from a process of its own");
  options
      .add_option("--guard", guard_,
                  "Of a case of commands: plot this guard-rail's number in the metric's place")
      .type_name("NAME");
  options.add_flag("--open", open_, "Open the picture with xdg-open");
}

int Plot::run(const Console& console) {
  const plot::Format format = format_of(format_, output_ == "-" ? "" : output_);
  const fs::path input = input_.empty() ? find_results(fs::current_path()) : fs::path(input_);
  plot::History history =
      read_history(input, raw_ ? plot::Scale::medians : plot::Scale::pairs, console.err);
  if (!guard_.empty()) history = by_guard(std::move(history), input, guard_);
  const std::string picture = plot::draw(history, format, plot::find_gnuplot(), text_size());
  std::string output = output_;
  if (output.empty()) {
    const auto is_it = [&](const auto& known) { return known.second == format; };
    output = format == plot::Format::term
                 ? "-"
                 : "progress." + std::ranges::find_if(formats(), is_it)->first;
  }
  if (output == "-") {
    if (open_) throw Error(Stop::usage, "cannot open standard output: leave out --open or -o -");
    console.out << picture;
    return 0;
  }
  refuse_to_overwrite_source(output, "the picture");
  write_file_atomically(output, picture, Sync::no);
  console.err << output << ": " << history.experiments.size() << " experiments of "
              << input.string() << "\n";
  if (open_) show(fs::absolute(output));
  return 0;
}

std::unique_ptr<Command> plot_command() { return std::make_unique<Plot>(); }

}  // namespace autokernel::cli
