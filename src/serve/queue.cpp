#include "serve/queue.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace autokernel::serve {

using Kind = driver::DeviceChoice::Kind;

bool Offered::suits(const Wanted& wanted) const {
  if (wanted.kind != Kind::automatic && wanted.kind != kind) return false;
  if (wanted.kind == Kind::cuda && wanted.ordinal >= 0 && wanted.ordinal != ordinal) return false;
  if (wanted.device.empty()) return true;
  return name.empty() ? !is_not.contains(wanted.device) : wanted.device == name;
}

void Queue::add(TrialId id, const std::string& client, const Wanted& wanted) {
  if (!place_of_.try_emplace(id, Place{client, wanted}).second) return;
  Client& who = clients_[client];
  if (who.count++ == 0) {
    who.used_seconds = std::max(who.used_seconds, served_seconds_);
    turns_.insert({who.used_seconds, client});
  }
  who.waiting[wanted].insert(id);
}

std::optional<TrialId> Queue::next(const Offered& device) {
  std::vector<std::string> passed_over;
  for (const auto& [used_seconds, name] : turns_) {
    Client& client = clients_.at(name);
    std::optional<TrialId> first;
    for (const auto& [wanted, ids] : client.waiting) {
      if (device.suits(wanted) && (!first || *ids.begin() < *first)) first = *ids.begin();
    }
    if (!first) {
      passed_over.push_back(name);
      continue;
    }
    served_seconds_ = std::max(served_seconds_, used_seconds);
    // Who waits for what is not there saves up no turns meanwhile.
    for (const std::string& other : passed_over) catch_up(other);
    remove(*first);
    return first;
  }
  return std::nullopt;
}

void Queue::catch_up(const std::string& name) {
  Client& client = clients_.at(name);
  if (client.used_seconds >= served_seconds_) return;
  turns_.erase({client.used_seconds, name});
  client.used_seconds = served_seconds_;
  turns_.insert({client.used_seconds, name});
}

bool Queue::remove(TrialId id) {
  const auto place = place_of_.find(id);
  if (place == place_of_.end()) return false;
  const Place where = std::move(place->second);
  place_of_.erase(place);
  take_out(clients_.at(where.client), id, where);
  return true;
}

void Queue::take_out(Client& client, TrialId id, const Place& place) {
  const auto waiting = client.waiting.find(place.wanted);
  waiting->second.erase(id);
  if (waiting->second.empty()) client.waiting.erase(waiting);
  if (--client.count == 0) turns_.erase({client.used_seconds, place.client});
}

void Queue::charge(const std::string& client, double seconds) {
  Client& who = clients_[client];
  const bool waits = who.count > 0;
  if (waits) turns_.erase({who.used_seconds, client});
  who.used_seconds += seconds;
  if (waits) turns_.insert({who.used_seconds, client});
}

std::size_t Queue::waiting_of(const std::string& client) const {
  const auto who = clients_.find(client);
  return who == clients_.end() ? 0 : who->second.count;
}

}  // namespace autokernel::serve
