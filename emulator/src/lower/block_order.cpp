#include "lower/block_order.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <ranges>
#include <utility>

namespace emulator::lower {
namespace {

using Region = std::vector<std::uint32_t>;  // blocks, in the order of the text

class Order {
 public:
  Order(const ControlFlow& flow, LanesChoice lanes)
      : blocks_(flow.blocks), exit_(flow.exit()), lanes_(lanes) {
    blocks_.emplace_back();  // in the place of the exit: further blocks are numbered behind it
    region_of_.resize(blocks_.size(), kDone);
  }

  std::vector<BasicBlock> run() {
    // Components whose blocks are still to be put in order, the next one last.
    std::vector<Region> open = components(reachable());
    while (!open.empty()) {
      Region region = std::move(open.back());
      open.pop_back();
      if (region.size() == 1 && !(lanes_ == LanesChoice::in_turns && leads_to_itself(region[0]))) {
        order_.push_back(region.front());
        continue;
      }
      const std::uint32_t head = head_of(region);
      order_.push_back(head);
      add_way_back(region, head);
      std::erase(region, head);
      std::ranges::move(components(region), std::back_inserter(open));
    }
    return in_order();
  }

 private:
  static constexpr std::uint32_t kDone = 0;  // no region

  [[nodiscard]] Region reachable() {
    Region found{0};
    std::vector<bool> seen(blocks_.size(), false);
    seen[0] = true;
    seen[exit_] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const std::uint32_t s : blocks_[found[i]].successors) {
        if (seen[s]) continue;
        seen[s] = true;
        found.push_back(s);
      }
    }
    std::ranges::sort(found);
    ways_.resize(blocks_.size());
    predecessors_.resize(blocks_.size());
    for (const std::uint32_t b : found) {
      ways_[b] = blocks_[b].successors;
      std::ranges::sort(ways_[b], std::ranges::greater());
      for (const std::uint32_t s : blocks_[b].successors) predecessors_[s].push_back(b);
    }
    return found;
  }

  // The strongly connected components of a region (Kosaraju and Sharir), those that lead to others
  // last.
  std::vector<Region> components(const Region& region) {
    const std::uint32_t number = ++regions_;
    for (const std::uint32_t b : region) region_of_[b] = number;
    std::vector<Region> found;
    const std::vector<std::uint32_t> left = in_order_of_leaving(region, number);
    for (const std::uint32_t first : std::views::reverse(left)) {
      if (region_of_[first] != number) continue;
      Region component{first};
      region_of_[first] = kDone;
      for (std::size_t i = 0; i < component.size(); ++i) {
        for (const std::uint32_t p : predecessors_[component[i]]) {
          if (region_of_[p] != number) continue;
          region_of_[p] = kDone;
          component.push_back(p);
        }
      }
      std::ranges::sort(component);
      found.push_back(std::move(component));
    }
    std::ranges::reverse(found);
    return found;
  }

  // The order in which a walk in depth leaves the blocks. It takes what is last in the text first,
  // so that from the end of the order on the text's own is kept where it can be.
  [[nodiscard]] std::vector<std::uint32_t> in_order_of_leaving(const Region& region,
                                                               std::uint32_t number) const {
    struct Visit {
      std::uint32_t block;
      std::size_t next = 0;  // of its ways
    };
    std::vector<bool> seen(blocks_.size(), false);
    std::vector<std::uint32_t> left;
    std::vector<Visit> path;
    const auto enter = [&](std::uint32_t block) {
      if (region_of_[block] != number || seen[block]) return;
      seen[block] = true;
      path.push_back({block});
    };
    for (const std::uint32_t root : std::views::reverse(region)) {
      enter(root);
      while (!path.empty()) {
        const std::uint32_t block = path.back().block;
        if (path.back().next < ways_[block].size()) {
          enter(ways_[block][path.back().next++]);
        } else {
          left.push_back(block);
          path.pop_back();
        }
      }
    }
    return left;
  }

  [[nodiscard]] bool leads_to_itself(std::uint32_t block) const {
    return std::ranges::find(blocks_[block].successors, block) != blocks_[block].successors.end();
  }

  // Where a loop is entered.
  [[nodiscard]] std::uint32_t head_of(const Region& loop) const {
    const auto entered = std::ranges::find_if(loop, [&](std::uint32_t b) {
      return b == 0 || !std::ranges::all_of(predecessors_[b], [&](std::uint32_t p) {
               return std::ranges::binary_search(loop, p);
             });
    });
    return *entered;
  }

  void add_way_back(Region& loop, std::uint32_t head) {
    Region sources;
    bool last = true;  // all other ways from there lead out
    for (const std::uint32_t b : loop) {
      const auto& successors = blocks_[b].successors;
      if (std::ranges::find(successors, head) == successors.end()) continue;
      sources.push_back(b);
      last = last && std::ranges::all_of(successors, [&](std::uint32_t s) {
               return s == head || !std::ranges::binary_search(loop, s);
             });
    }
    if (sources.size() == 1 && last && lanes_ == LanesChoice::together) return;
    const auto added = static_cast<std::uint32_t>(blocks_.size());
    for (const std::uint32_t b : sources) {
      std::ranges::replace(blocks_[b].successors, head, added);
      std::ranges::replace(ways_[b], head, added);
    }
    BasicBlock way_back;
    way_back.first = way_back.last = blocks_[head].first;
    way_back.successors = {head};
    if (lanes_ == LanesChoice::in_turns) way_back.line = blocks_[sources.back()].line;
    blocks_.push_back(std::move(way_back));
    ways_.push_back({head});
    predecessors_.push_back(std::move(sources));
    region_of_.push_back(kDone);
    loop.push_back(added);
  }

  std::vector<BasicBlock> in_order() {
    constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place(blocks_.size(), kNowhere);
    for (std::uint32_t i = 0; i < order_.size(); ++i) place[order_[i]] = i;
    for (std::uint32_t b = 0; b < exit_; ++b) {
      if (place[b] != kNowhere) continue;
      blocks_[b].end = BasicBlock::End::stop;
      blocks_[b].successors.clear();
      order_.push_back(b);
    }
    place[exit_] = static_cast<std::uint32_t>(order_.size());
    std::vector<BasicBlock> blocks;
    blocks.reserve(order_.size());
    for (const std::uint32_t b : order_) {
      for (std::uint32_t& s : blocks_[b].successors) s = place[s];
      blocks.push_back(std::move(blocks_[b]));
    }
    return blocks;
  }

  std::vector<BasicBlock> blocks_;
  std::uint32_t exit_;
  LanesChoice lanes_;
  std::vector<Region> ways_;  // the successors, what is last in the text first
  std::vector<Region> predecessors_;
  std::vector<std::uint32_t> region_of_;
  std::uint32_t regions_ = kDone;
  std::vector<std::uint32_t> order_;
};

}  // namespace

void put_in_running_order(ControlFlow& flow, LanesChoice lanes) {
  flow.blocks = Order(flow, lanes).run();
}

}  // namespace emulator::lower
