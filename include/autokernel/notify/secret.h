// A text that nobody may see: the address of a webhook, which is as good as a password, or a key.
#pragma once

#include <string>
#include <utility>

namespace autokernel::notify {

// Has neither a stream operator nor a form in JSON or fmt, so that it gets into no message by
// mistake: whoever needs the text asks for it by name.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& reveal() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace autokernel::notify
