#include "autokernel/bridge/baseline_times.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::bridge {
namespace {

using document::Json;

[[nodiscard]] const Json* found_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nullptr : &*found;
}

[[nodiscard]] std::string text_in(const Json& object, const char* key) {
  const Json* const found = found_in(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

[[nodiscard]] std::optional<double> time_in(const Json& object, const char* key) {
  const Json* const found = found_in(object, key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  const double ms = found->get<double>();
  return std::isfinite(ms) && ms > 0 ? std::optional(ms) : std::nullopt;
}

class BaselineReader {
 public:
  explicit BaselineReader(const std::string& file) : file_(file) {}

  [[nodiscard]] BaselineTimes read(const std::string& text) {
    // Of traces each line is an object.
    const std::optional<Json> whole = parsed(text);
    if (whole && whole->is_object() && !whole->contains("workload")) {
      take_problems(*whole, 0);
    } else {
      take_traces(text);
    }
    if (times_.of_problems.empty() && times_.of_workloads.empty())
      fail("it has no times above zero");
    return std::move(times_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Stop::usage,
                fmt::format("cannot take baseline times from {}: {}; name a file of KernelBench's "
                            "times, or traces of FlashInfer Trace or SOL-ExecBench",
                            visible_line(file_), what));
  }

  [[nodiscard]] std::optional<Json> parsed(std::string_view text) const {
    try {
      return document::parsed(text);
    } catch (const document::Unreadable& unreadable) {
      fail(unreadable.why);
    }
  }

  void take_problems(const Json& object, int depth) {
    for (const auto& [name, value] : object.items()) {
      if (const auto ms = time_in(value, "mean")) {
        const BaselineTime time{*ms, text_in(value, "hardware")};
        if (!times_.of_problems.emplace(name, time).second)
          fail(fmt::format("two of its levels have {}", visible_line(name)));
      } else if (depth == 0 && value.is_object()) {
        take_problems(value, 1);  // a level
      }
    }
  }

  void take_traces(const std::string& text) {
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const std::optional<Json> trace = parsed(line);
      if (!trace || !trace->is_object())
        fail(fmt::format("its line {} is no object in JSON", number));
      take_trace(*trace);
    }
  }

  void take_trace(const Json& trace) {
    const Json* const workload = found_in(trace, "workload");
    const Json* const evaluation = found_in(trace, "evaluation");
    if (workload == nullptr || evaluation == nullptr) fail("it holds something else");
    const Json* const performance = found_in(*evaluation, "performance");
    const Json* const environment = found_in(*evaluation, "environment");
    if (performance == nullptr || text_in(*evaluation, "status") != "PASSED") return;
    const auto ms = time_in(*performance, "latency_ms");
    if (!ms) return;
    const BaselineTime time{*ms, environment == nullptr ? "" : text_in(*environment, "hardware")};
    const auto [known, is_first] =
        times_.of_workloads.try_emplace(text_in(*workload, "uuid"), time);
    if (!is_first && time.ms < known->second.ms) known->second = time;
  }

  const std::string& file_;
  BaselineTimes times_;
};

}  // namespace

BaselineTimes read_baseline_times(const std::string& file, const std::string& text) {
  return BaselineReader(file).read(text);
}

}  // namespace autokernel::bridge
