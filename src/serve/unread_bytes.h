// How much memory is taken by requests that have not come whole yet: bounded for all, and for each
// client, so that none takes the room of the others.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace autokernel::serve {

class UnreadBytes {
 public:
  // Of all, and, of one client, a quarter of that.
  static constexpr std::size_t kMost = std::size_t{200} << 20U;

  // What one connection holds; given back when it goes.
  class Share {
   public:
    Share(std::shared_ptr<UnreadBytes> all, std::string client)
        : all_(std::move(all)), client_(std::move(client)) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { static_cast<void>(set(0)); }

    // So many by now. False, and nothing is taken, where there is no room for more.
    [[nodiscard]] bool set(std::size_t bytes) {
      std::size_t& own = all_->of_client_[client_];
      const std::size_t others = own - bytes_;
      const std::size_t rest = all_->total_ - bytes_;
      const bool fits = bytes <= bytes_ || (rest + bytes <= kMost && others + bytes <= kMost / 4);
      if (fits) {
        all_->total_ = rest + bytes;
        own = others + bytes;
        bytes_ = bytes;
      }
      if (own == 0) all_->of_client_.erase(client_);
      return fits;
    }

   private:
    std::shared_ptr<UnreadBytes> all_;
    std::string client_;
    std::size_t bytes_ = 0;
  };

 private:
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> of_client_;
};

}  // namespace autokernel::serve
