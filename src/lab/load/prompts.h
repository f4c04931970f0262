// What the requests of a load say: from a file, or random words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autokernel/lab/load.h"

namespace autokernel::lab {

class Prompts {
 public:
  // Reads the file of the settings, where they name one. Throws Error(usage) with its line for
  // what is neither {"prompt": TEXT} nor {"messages": [...]}.
  explicit Prompts(const LoadSettings& settings);

  // A request's body, and what is to be known of it.
  struct Body {
    std::string json;
    std::size_t output_tokens = 0;
    std::size_t prompt = 0;  // of the file; of random prompts, which are all different, the index
  };
  // The body of request number `index`: the same for the same settings.
  [[nodiscard]] Body body(std::size_t index) const;

 private:
  [[nodiscard]] std::string random_prompt(std::size_t index) const;

  const LoadSettings& settings_;
  std::string head_;                // up to the prompt
  std::vector<std::string> fixed_;  // "prompt" or "messages" with its value
};

}  // namespace autokernel::lab
