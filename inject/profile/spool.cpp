#include "spool.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "line.h"
#include "thread_number.h"

namespace recording {

bool Spool::kept(Shard& shard, std::string_view line) {
  const Locked held{shard.lock};
  if (!held) return false;
  if (shard.lines == nullptr) shard.lines = static_cast<char*>(std::malloc(kShardBytes));
  if (shard.lines == nullptr || kShardBytes - shard.used < line.size()) return false;
  std::memcpy(shard.lines + shard.used, line.data(), line.size());
  shard.used += line.size();
  return true;
}

void Spool::add(std::string_view line) {
  Shard& shard = shards_[thread_number() % kShards];
  if (kept(shard, line)) return;
  drain();
  if (!kept(shard, line)) lose();
}

void Spool::drain() {
  const Locked alone{draining_};
  if (!alone) return;
  if (spare_ == nullptr) spare_ = static_cast<char*>(std::malloc(kShardBytes));
  if (spare_ == nullptr) return;
  for (Shard& shard : shards_) {
    std::size_t size = 0;
    {
      const Locked held{shard.lock};
      if (!held || shard.used == 0) continue;
      std::swap(shard.lines, spare_);
      size = std::exchange(shard.used, 0);
    }
    file_.write({spare_, size});
  }
  const std::uint64_t lost = lost_.exchange(0, std::memory_order_relaxed);
  if (lost == 0) return;
  std::array<char, 64> room;  // NOLINT(*-member-init)
  file_.write(Line{room, 'X'}.number(lost).done());
}

}  // namespace recording
