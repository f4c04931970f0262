// The parameters that a kernel's file declares for tuning (AUTOKERNEL_TUNE of autokernel.cuh), and
// the file with other values of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::loop {

struct TuneParameter {
  std::string name;
  std::vector<std::string> values;  // as written; the first is the one that the file has
  // Of the list of values in the text.
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct TuneSpace {
  std::vector<TuneParameter> parameters;  // in the order of the text
  std::vector<std::string> conditions;    // of AUTOKERNEL_TUNE_IF, as written
};

// The number of each parameter's value, in the order of the parameters.
using Configuration = std::vector<std::size_t>;

// Throws Error(usage), naming the line of `file`, where a declaration cannot be understood.
[[nodiscard]] TuneSpace tune_space_of(std::string_view source, const std::string& file);

// The text with these values first; behind each, the others from the least to the greatest, so that
// a configuration has one text whatever was tried before.
[[nodiscard]] std::string with_configuration(std::string_view source, const TuneSpace& space,
                                             const Configuration& configuration);

// What is left where the values, comments and blanks are taken out: the same for all configurations
// of one kernel.
[[nodiscard]] std::string without_values(std::string_view source, const TuneSpace& space);

// "BM = 128, STAGES = 3"
[[nodiscard]] std::string configuration_text(const TuneSpace& space,
                                             const Configuration& configuration);

// The configuration that another text of the same kernel has, in terms of this space's values;
// empty where it has a value that this space lacks.
[[nodiscard]] Configuration configuration_of(const TuneSpace& of_text, const TuneSpace& space);

// Whether a whole number written as in C++ ("64", "-0x40", "1'024u", "true") that an int holds.
[[nodiscard]] bool is_whole_number(std::string_view text);
// Of such a text.
[[nodiscard]] std::int64_t value_of(const std::string& text);

// Whether a configuration meets the conditions. `sizes` are the case's symbols, which a condition
// may name. A condition that cannot be read here (integer_condition.h), or that the kernel's own
// values would not meet, holds; it is named in `left`, and the compiler, for which it is a
// static_assert, decides.
class TuneConditions {
 public:
  TuneConditions(const TuneSpace& space, const std::map<std::string, std::int64_t>& sizes);
  TuneConditions(TuneConditions&&) noexcept;
  TuneConditions& operator=(TuneConditions&&) noexcept;
  ~TuneConditions();

  [[nodiscard]] bool hold(const Configuration& configuration);
  struct Left {
    std::string condition;
    std::string why;
  };
  [[nodiscard]] const std::vector<Left>& left() const { return left_; }

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
  std::vector<Left> left_;
};

}  // namespace autokernel::loop
