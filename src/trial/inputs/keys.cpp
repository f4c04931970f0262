#include "trial/inputs/keys.h"

#include <algorithm>

#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"

namespace autokernel::trial {

Keys::Keys(const std::vector<LaunchKey>& recorded) : recorded_(recorded) {
  for (const LaunchKey& one : recorded_) {
    if (!key_of(one.key)) {
      throw Error(Stop::usage, "cannot replay \"" + one.launch + "\": its key \"" + one.key +
                                   "\" is not 16 hexadecimal digits");
    }
  }
}

Key Keys::draw(const std::string& launch) {
  const auto next = std::ranges::find(recorded_, launch, &LaunchKey::launch);
  Key key;
  if (next == recorded_.end()) {
    key = stands(Defence::fresh_keys) ? draw_key() : Key{};
  } else {
    key = key_of(next->key).value_or(key);
    recorded_.erase(next);
  }
  drawn_.push_back({launch, hexadecimal(key)});
  return key;
}

}  // namespace autokernel::trial
