#include "random/interpreter.h"

#include <algorithm>
#include <cstring>

#include "random/numbers.h"

namespace emulator::testing::random {
namespace {

struct Thread {
  std::array<std::array<std::uint64_t, 16>, kKinds> registers{};
  std::array<std::uint8_t, kOwnBytes> local{};
  std::array<std::uint8_t, kOwnBytes> shared{};
  bool left = false;  // the loop it is in
};

// Of all blocks, one block after the other, in ascending order.
using Active = std::vector<std::uint32_t>;

class Run {
 public:
  Run(const Program& program, const std::vector<std::uint64_t>& input)
      : program_(program),
        input_(input),
        block_(program.threads()),
        threads_(std::size_t{block_} * program.blocks),
        sums_(program.blocks) {
    for (Sums& sums : sums_) {
      for (std::uint32_t i = 0; i < kSums; ++i) sums[i] = 77 * i;
    }
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      begin(t);
      all_.push_back(t);
    }
  }

  void run(std::vector<std::uint64_t>& output) {
    run(program_.body, all_);
    for (std::uint32_t t = 0; t < threads_.size(); ++t) end(t, output);
  }

 private:
  std::uint64_t& at(std::uint32_t thread, Register reg) {
    return threads_[thread].registers[static_cast<std::size_t>(reg.kind)][reg.index];
  }

  void begin(std::uint32_t t) {
    const std::uint32_t block = t / block_;
    const std::uint64_t item = program_.spread == Spread::lanes ? t : block;
    std::size_t from = kCommonBytes / 8 + item * kAllRegisters;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (unsigned i = 0; i < kRegisters[kind]; ++i) {
        threads_[t].registers[kind][i] = low_bits(input_[from++], bits_of(static_cast<Kind>(kind)));
      }
    }
    at(t, {Kind::b32, 0}) = t % block_ % program_.block[0];
    at(t, {Kind::b32, 1}) = block;
    at(t, {Kind::b32, 2}) = t % block_ % 32;
    at(t, {Kind::b32, 3}) = program_.block[0];
  }

  void end(std::uint32_t t, std::vector<std::uint64_t>& output) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (unsigned i = 0; i < kRegisters[kind]; ++i) {
        const std::uint64_t value = threads_[t].registers[kind][i];
        output.push_back(static_cast<Kind>(kind) == Kind::f64 ? bits_of_double(as_double(value))
                                                              : value);
      }
    }
    for (const auto* bytes : {&threads_[t].local, &threads_[t].shared}) {
      for (unsigned i = 0; i < kOwnBytes; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes->data() + i, sizeof word);
        output.push_back(word);
      }
    }
    output.push_back(sums_[t / block_][t % block_ % program_.block[0] % kSums]);
    output.push_back(0);
  }

  void run(const Statements& statements, Active active) {
    for (const Statement& statement : statements) {
      std::visit([&](const auto& what) { run(what, active); }, statement.what);
      std::erase_if(active, [this](std::uint32_t t) { return threads_[t].left; });
    }
  }

  bool holds(std::uint32_t t, const Guard& guard) {
    return (at(t, {Kind::pred, guard.predicate}) != 0) != guard.negated;
  }
  bool runs(std::uint32_t t, const std::optional<Guard>& guard) {
    return !guard || holds(t, *guard);
  }

  void run(const Compute& compute, const Active& active) {
    const Operation& operation = operations()[compute.operation];
    for (const std::uint32_t t : active) {
      if (!runs(t, compute.guard)) continue;
      Operands operands{};
      for (std::size_t i = 0; i < compute.operands.size(); ++i) {
        const Operand& operand = compute.operands[i];
        operands[i] = operand.number ? low_bits(*operand.number, bits_of(operand.from.kind))
                                     : at(t, operand.from);
      }
      at(t, compute.result) = operation.compute(operands);
    }
  }

  void run(const Branch& branch, const Active& active) {
    Active then;
    Active otherwise;
    for (const std::uint32_t t : active)
      (holds(t, branch.condition) ? then : otherwise).push_back(t);
    run(branch.then, then);
    run(branch.otherwise, otherwise);
  }

  void run(const Loop& loop, const Active& active) {
    std::vector<std::uint64_t> rounds(threads_.size());
    for (const std::uint32_t t : active) {
      rounds[t] = loop.how ? at(t, *loop.how) & loop.most : loop.most;
    }
    Active inside = active;
    for (;;) {
      std::erase_if(inside, [&](std::uint32_t t) { return threads_[t].left || rounds[t] == 0; });
      if (inside.empty()) break;
      run(loop.body, inside);
      for (const std::uint32_t t : inside) {
        --rounds[t];
        if (loop.leave && holds(t, *loop.leave)) threads_[t].left = true;
      }
    }
    for (const std::uint32_t t : active) threads_[t].left = false;
  }

  // The bytes a thread sees there, and how many.
  std::uint8_t* bytes(std::uint32_t t, Place place) {
    return place == Place::local ? threads_[t].local.data() : threads_[t].shared.data();
  }

  void run(const Access& access, const Active& active) {
    const Width& width = widths()[access.width];
    const std::uint32_t whole = width.bytes * width.count;
    const std::uint32_t room = access.place == Place::input ? kCommonBytes : kOwnBytes;
    for (const std::uint32_t t : active) {
      if (!runs(t, access.guard)) continue;
      const std::uint64_t index = at(t, access.index) & ((room - whole) & ~(whole - 1));
      for (std::uint32_t i = 0; i < width.count; ++i) {
        const std::uint64_t offset = index + std::uint64_t{i} * width.bytes;
        std::uint64_t& value = at(t, access.values[i]);
        if (access.stores) {
          std::memcpy(bytes(t, access.place) + offset, &value, width.bytes);
          continue;
        }
        std::uint64_t read = 0;
        const void* from = access.place == Place::input
                               ? reinterpret_cast<const std::uint8_t*>(input_.data()) + offset
                               : bytes(t, access.place) + offset;
        std::memcpy(&read, from, width.bytes);
        value =
            low_bits(static_cast<std::uint64_t>(integer(read, width.bytes * 8, width.is_signed)),
                     bits_of(width.kind));
      }
    }
  }

  void run(const Exchange& exchange, const Active& active) {
    std::vector<std::uint64_t> words(threads_.size());
    for (const std::uint32_t t : active) words[t] = at(t, exchange.value);
    for (const std::uint32_t t : active) {
      const std::uint32_t first = t / block_ * block_;
      at(t, exchange.result) = words[first + (t - first + exchange.distance) % block_];
    }
  }

  void run(const Together& together, const Active& active) {
    const Collective& collective = collectives()[together.collective];
    for (std::size_t first = 0; first < active.size(); first += 32) {
      std::array<Operands, 32> lanes{};
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::size_t i = 0; i < together.operands.size(); ++i) {
          lanes[lane][i] = at(active[first + lane], together.operands[i]);
        }
      }
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        at(active[first + lane], together.result) = collective.compute(lanes, lane);
      }
    }
  }

  void run(const Gather& gather, const Active& active) {
    const Gathering& gathering = gatherings()[gather.gathering];
    Gathered all{std::vector<Operands>(threads_.size()), block_, input_};
    for (const std::uint32_t t : active) {
      for (std::size_t i = 0; i < gather.operands.size(); ++i) {
        all.operands[t][i] = at(t, gather.operands[i]);
      }
    }
    for (const std::uint32_t t : active) at(t, gather.result) = gathering.compute(all, t);
  }

  void run(const Reduce& reduce, const Active& active) {
    for (const std::uint32_t t : active) {
      if (!runs(t, reduce.guard)) continue;
      std::uint32_t& sum = sums_[t / block_][at(t, reduce.index) % kSums];
      sum = reductions()[reduce.reduction].apply(sum,
                                                 static_cast<std::uint32_t>(at(t, reduce.value)));
    }
  }

  const Program& program_;
  const std::vector<std::uint64_t>& input_;
  std::uint32_t block_;  // threads of one
  std::vector<Thread> threads_;
  using Sums = std::array<std::uint32_t, kSums>;
  std::vector<Sums> sums_;
  Active all_;
};

}  // namespace

std::vector<std::uint64_t> interpret(const Program& program,
                                     const std::vector<std::uint64_t>& input) {
  std::vector<std::uint64_t> output;
  Run(program, input).run(output);
  return output;
}

}  // namespace emulator::testing::random
