#include "bridge/case_toml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "autokernel/base/sha256.h"

namespace autokernel::bridge {
namespace {

class CaseToml {
 public:
  explicit CaseToml(const WrittenCase& written) : case_(written) {}

  [[nodiscard]] std::string text() {
    line("# {}", case_.comment);
    line("name = \"{0}\"\nproblem = \"{0}\"", quotable(case_.name));
    for (const WrittenSize& size : case_.sizes) write(size);
    for (const WrittenTensor& tensor : case_.tensors) write(tensor);
    for (const WrittenScalar& scalar : case_.scalars) {
      line("\n[[scalar]]\nname = \"{}\"\ndtype = \"{}\"\nvalue = {}", scalar.name, scalar.dtype,
           scalar.value);
    }
    line("\n[reference]\nkind = \"python\"\nfile = \"reference.py\"");
    line("files = [\"{}\"]\n", fmt::join(case_.files, "\", \""));
    write_check();
    write_cost();
    return std::move(out_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  void write(const WrittenSize& size) {
    line("\n[sizes.{}]{}", size.name, size.comment.empty() ? "" : "  # " + size.comment);
    for (const auto& [symbol, value] : size.symbols) line("{} = {}", symbol, value);
    if (size.symbols.empty()) line("COUNT = 1  # a size has to have a symbol");
  }

  void write(const WrittenTensor& tensor) {
    line("\n[[tensor]]\nname = \"{}\"\nrole = \"{}\"\ndtype = \"{}\"", tensor.name, tensor.role,
         tensor.dtype);
    line("shape = [\"{}\"]", fmt::join(tensor.shape, "\", \""));
    if (!tensor.fill) return;
    const WrittenFill& fill = *tensor.fill;
    line("fill = \"{}\"", fill.name);
    if (!fill.low.empty()) line("low = {}\nhigh = {}", fill.low, fill.high);
    if (!fill.file.empty())
      line("file = \"{}\"\nsha256 = \"{}\"\nvalues = \"{}\"", fill.file, fill.sha256,
           is_floating_dtype(tensor.dtype) ? "perturbed" : "kept");
  }

  void write_check() {
    line("[check]");
    const bool has_floats = std::ranges::any_of(case_.tensors, [](const WrittenTensor& tensor) {
      return tensor.role != "in" && is_floating_dtype(tensor.dtype);
    });
    if (!has_floats) {
      line("exact = \"always\"");
      return;
    }
    line("exact = \"never\"\nabsolute = {}  # {}\nrelative = {}", case_.check.absolute,
         case_.check.whose, case_.check.relative);
    if (case_.check.may_be_wrong > 0) line("may_be_wrong = {:.6g}", case_.check.may_be_wrong);
  }

  void write_cost() {
    std::vector<std::string> bytes;
    std::vector<std::string> written;
    for (const WrittenTensor& tensor : case_.tensors) {
      const std::string count = fmt::format("{}", fmt::join(tensor.shape, "*"));
      bytes.push_back(fmt::format("{}*{}", dtype_bytes(tensor.dtype), count));
      if (tensor.role != "in") written.push_back(count);
    }
    line("\n[cost]\nflops = \"{}\"  # one for each element that is written: say what it is",
         sum_of(written));
    line("bytes = \"{}\"", sum_of(bytes));
  }

  // As many terms as a formula of a case may have; those of a network's weights are too many.
  [[nodiscard]] static std::string sum_of(const std::vector<std::string>& terms) {
    constexpr std::size_t kLongest = 480;
    std::string sum;
    for (const std::string& term : terms) {
      if (sum.size() + term.size() > kLongest) break;
      sum += (sum.empty() ? "" : " + ") + term;
    }
    return sum.empty() ? "1" : sum;
  }

  const WrittenCase& case_;
  std::string out_;
};

}  // namespace

std::string case_toml(const WrittenCase& written) { return CaseToml(written).text(); }

WrittenFill kept_values(const std::string& file, const std::string& bytes) {
  return {.name = "captured", .low = {}, .high = {}, .file = file, .sha256 = sha256(bytes)};
}

std::string floating_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string quotable(std::string text) {
  for (char& c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  return text;
}

bool is_floating_dtype(const std::string& dtype) {
  return dtype.starts_with('f') || dtype == "bf16" || dtype == "e4m3" || dtype == "e5m2";
}

std::uint64_t dtype_bytes(const std::string& dtype) {
  if (dtype.ends_with("64")) return 8;
  if (dtype.ends_with("32")) return 4;
  return dtype.ends_with("16") ? 2 : 1;
}

std::string number_text(double value, const std::string& dtype) {
  return is_floating_dtype(dtype) ? floating_text(value)
                                  : std::to_string(static_cast<std::int64_t>(value));
}

}  // namespace autokernel::bridge
