// How many connections there are, so that no client takes the room of all others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace autokernel::serve {

class Seats : public std::enable_shared_from_this<Seats> {
 public:
  explicit Seats(std::size_t most) : most_(most) {}

  // A seat, free again when it goes. Null: there is none, or the client has its share of a quarter.
  [[nodiscard]] std::shared_ptr<void> take(const std::string& client) {
    const std::size_t share = std::max<std::size_t>(most_ / 4, 1);
    if (taken_ >= most_ || of_client_[client] >= share) return nullptr;
    ++taken_;
    ++of_client_[client];
    return {static_cast<void*>(this), [self = shared_from_this(), client](void*) {
              --self->taken_;
              if (--self->of_client_[client] == 0) self->of_client_.erase(client);
            }};
  }

 private:
  std::size_t most_;
  std::size_t taken_ = 0;
  std::map<std::string, std::size_t> of_client_;
};

}  // namespace autokernel::serve
