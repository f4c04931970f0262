// Which configuration of a kernel's parameters to measure next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "autokernel/loop/autotune.h"
#include "loop/autotune/parameters.h"

namespace autokernel::loop {

// All configurations that meet the conditions, in the order of the declarations: the last parameter
// changes first. Throws Error(usage) where the parameters have more than 200,000.
[[nodiscard]] std::vector<Configuration> allowed_configurations(const TuneSpace& space,
                                                                TuneConditions& conditions);

class ConfigurationSearch {
 public:
  ConfigurationSearch() = default;
  ConfigurationSearch(const ConfigurationSearch&) = delete;
  ConfigurationSearch& operator=(const ConfigurationSearch&) = delete;
  virtual ~ConfigurationSearch() = default;

  // One that was not told of yet; none: there is none left.
  [[nodiscard]] virtual std::optional<Configuration> next() = 0;
  // Its time; none where it has none: it is wrong, or does not compile.
  virtual void tell(const Configuration& configuration, std::optional<double> time_us) = 0;
};

// `values` are those of each parameter, as numbers: which are near to each other follows from them.
[[nodiscard]] std::unique_ptr<ConfigurationSearch> make_search(
    Strategy strategy, std::vector<Configuration> allowed,
    const std::vector<std::vector<double>>& values, std::uint64_t seed);

}  // namespace autokernel::loop
