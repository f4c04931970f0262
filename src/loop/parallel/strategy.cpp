#include "loop/parallel/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace autokernel::loop {
namespace {

// Whether the one figure is the better one; none is the worst.
[[nodiscard]] bool is_better(const std::optional<double>& figure, const std::optional<double>& than,
                             bool more_is_better) {
  if (!figure || !than) return figure.has_value();
  return more_is_better ? *figure > *than : *figure < *than;
}

[[nodiscard]] bool more_is_better(const Status& status) {
  return status.baseline.metric && status.baseline.metric->higher_is_better;
}

class Climb : public ParallelStrategy {
 public:
  [[nodiscard]] std::string base_of(std::size_t /*agent*/, const Status& status) override {
    return status.best.commit;
  }
  [[nodiscard]] std::string guidance_of(std::size_t /*agent*/, const Status& /*status*/) override {
    return {};
  }
  void took(std::size_t /*agent*/, const ledger::Experiment& /*experiment*/,
            std::optional<double> /*figure*/) override {}
  void lost(std::size_t /*agent*/) override {}
};

// Where an agent, or a family, has got to by itself.
struct Lineage {
  std::string commit;  // empty: it has not begun
  int number = 0;      // of that experiment
  std::string idea;
  std::optional<double> figure;
  int experiments = 0;  // since the last look at the others

  void take(const ledger::Experiment& experiment, std::optional<double> now, bool more) {
    ++experiments;
    if (!is_better(now, figure, more)) return;
    commit = experiment.commit;
    number = experiment.number;
    idea = experiment.description;
    figure = now;
  }
};

// Lineages that go on from what is best among their own.
class Lineages : public ParallelStrategy {
 public:
  explicit Lineages(std::size_t count) : lineages_(count) {}

  [[nodiscard]] std::string base_of(std::size_t agent, const Status& status) override {
    more_ = more_is_better(status);
    look_around(status);
    Lineage& own = lineage_of(agent);
    if (own.commit.empty()) join_best(own, status);
    return own.commit;
  }
  void took(std::size_t agent, const ledger::Experiment& experiment,
            std::optional<double> figure) override {
    lineage_of(agent).take(experiment, figure, more_);
  }
  void lost(std::size_t /*agent*/) override {}

 protected:
  // Before an agent starts: who moves where.
  virtual void look_around(const Status& status) = 0;
  [[nodiscard]] virtual Lineage& lineage_of(std::size_t agent) = 0;

  static void join_best(Lineage& lineage, const Status& status) {
    lineage = {.commit = status.best.commit,
               .number = status.best.number,
               .idea = status.best.description,
               .figure = status.best_us(),
               .experiments = 0};
  }
  [[nodiscard]] std::vector<Lineage>& lineages() { return lineages_; }
  [[nodiscard]] bool more() const { return more_; }
  [[nodiscard]] static std::string origin_of(const Lineage& own, const Status& status) {
    if (own.commit == status.best.commit || own.commit.empty()) return {};
    return fmt::format(
        "The file that you find is experiment {} ({}), not the best: go on from there. What you "
        "make of it is held against the best all the same.",
        own.number, own.idea);
  }

 private:
  std::vector<Lineage> lineages_;
  bool more_ = false;
};

class Islands : public Lineages {
 public:
  using Lineages::Lineages;
  [[nodiscard]] std::string guidance_of(std::size_t agent, const Status& status) override {
    return origin_of(lineage_of(agent), status);
  }

 protected:
  void look_around(const Status& status) override {
    for (Lineage& island : lineages()) {
      if (island.experiments < kIslandStay) continue;
      island.experiments = 0;
      if (is_better(status.best_us(), island.figure, more())) join_best(island, status);
    }
  }
  [[nodiscard]] Lineage& lineage_of(std::size_t agent) override { return lineages().at(agent); }
};

class Tournament : public Lineages {
 public:
  explicit Tournament(std::size_t agents) : Lineages(agents), family_of_(agents) {
    for (std::size_t i = 0; i < agents; ++i) family_of_[i] = i;
  }
  // A family that nobody is left of has no part in a round.
  void lost(std::size_t agent) override { family_of_.at(agent) = lineages().size(); }
  [[nodiscard]] std::string guidance_of(std::size_t agent, const Status& status) override {
    std::string text = origin_of(lineage_of(agent), status);
    if (families() == 1) return text;
    text += fmt::format(
        "{}You belong to family {} of {}. Each pursues an approach of its own, different in "
        "structure, and the one that is behind is dissolved. Stay with the approach of yours; what "
        "the others have reached:",
        text.empty() ? "" : " ", family_of_[agent] + 1, lineages().size());
    for (std::size_t family = 0; family < lineages().size(); ++family) {
      if (family == family_of_[agent] || !is_alive(family)) continue;
      const Lineage& other = lineages()[family];
      text += fmt::format(" family {}: {};", family + 1,
                          other.idea.empty() ? "nothing yet" : other.idea);
    }
    text.pop_back();
    return text + ".";
  }

 protected:
  void look_around(const Status& /*status*/) override {
    if (families() == 1) return;
    std::size_t first = lineages().size();
    std::size_t last = first;
    for (std::size_t family = 0; family < lineages().size(); ++family) {
      if (!is_alive(family)) continue;
      Lineage& one = lineages()[family];
      if (one.experiments < kRound) return;  // the round goes on
      if (first == lineages().size() || is_better(one.figure, lineages()[first].figure, more()))
        first = family;
      if (last == lineages().size() || !is_better(one.figure, lineages()[last].figure, more()))
        last = family;
    }
    for (Lineage& family : lineages()) family.experiments = 0;
    if (first == last) return;
    std::ranges::replace(family_of_, last, first);
  }
  [[nodiscard]] Lineage& lineage_of(std::size_t agent) override {
    return lineages().at(family_of_.at(agent));
  }

 private:
  [[nodiscard]] bool is_alive(std::size_t family) const {
    return std::ranges::find(family_of_, family) != family_of_.end();
  }
  [[nodiscard]] std::size_t families() const {
    std::size_t alive = 0;
    for (std::size_t family = 0; family < family_of_.size(); ++family)
      alive += is_alive(family) ? 1 : 0;
    return alive;
  }

  std::vector<std::size_t> family_of_;  // by agent
};

}  // namespace

std::unique_ptr<ParallelStrategy> make_strategy(StrategyKind kind, std::size_t agents) {
  switch (kind) {
    case StrategyKind::islands:
      return std::make_unique<Islands>(agents);
    case StrategyKind::tournament:
      return std::make_unique<Tournament>(agents);
    case StrategyKind::climb:
      break;
  }
  return std::make_unique<Climb>();
}

}  // namespace autokernel::loop
