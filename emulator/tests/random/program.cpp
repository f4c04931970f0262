#include "random/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "random/numbers.h"

namespace emulator::testing::random {
namespace {

// All threads of the cluster.
constexpr const char* kMeet =
    "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;";
constexpr const char* kNames[] = {"%p", "%h", "%r", "%l", "%f", "%d"};

std::string name(Register reg) {
  return fmt::format("{}{}", kNames[static_cast<std::size_t>(reg.kind)], reg.index);
}
std::string text(const Operand& operand) {
  if (!operand.number) return name(operand.from);
  return fmt::format("{:#x}", low_bits(*operand.number, bits_of(operand.from.kind)));
}
std::string text(const std::optional<Guard>& guard) {
  return guard ? fmt::format("@{}%p{} ", guard->negated ? "!" : "", guard->predicate) : "";
}

// Statements without a branch but for the last one.
struct TextBlock {
  std::string label;  // empty: nothing names it
  std::string text;
  bool goes_on = true;  // may run into the next block
};

// The blocks with the first one in its place and the others anywhere.
std::string shuffled(std::vector<TextBlock> blocks, std::uint64_t seed) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (std::size_t left = order.size() - 1; left > 1; --left) {
    std::swap(order[left], order[1 + random() % left]);
  }
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].label.empty()) blocks[i].label = fmt::format("NEXT{}", i);
  }
  std::string text;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const TextBlock& block = blocks[order[at]];
    const std::size_t next = order[at] + 1;
    if (order[at] != 0) text += block.label + ":\n";
    text += block.text;
    const bool follows = at + 1 < order.size() && order[at + 1] == next;
    if (block.goes_on && !follows) text += fmt::format("bra {};\n", blocks.at(next).label);
  }
  return text;
}

std::string in_order(const std::vector<TextBlock>& blocks) {
  std::string text;
  for (const TextBlock& block : blocks) {
    if (!block.label.empty()) text += block.label + ":\n";
    text += block.text;
  }
  return text;
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string run() {
    begin();
    print(program_.body);
    end();
    const std::string body = program_.order == TextOrder::shuffled
                                 ? shuffled(std::move(blocks_), program_.seed)
                                 : in_order(blocks_);
    return body + "}\n";
  }

 private:
  void line(const std::string& text) { blocks_.back().text += text + "\n"; }
  // A branch under a guard.
  void line_that_may_leave(const std::string& text) {
    line(text);
    blocks_.emplace_back();
  }
  // Nothing but a label may follow.
  void line_that_leaves(const std::string& text) {
    line(text);
    blocks_.back().goes_on = false;
  }
  void label(const std::string& name) {
    TextBlock& last = blocks_.back();
    const bool is_new = last.label.empty() && last.text.empty();
    if (!is_new) blocks_.emplace_back();
    blocks_.back().label = name;
  }

  void begin() {
    const std::uint32_t threads = program_.threads();
    line(".version 8.1\n.target sm_90a\n.address_size 64");
    line(
        ".visible .entry k(.param .u64 k_in, .param .u64 k_out, .param .align 64 .b8 "
        "k_map[128])\n{");
    line(
        ".reg .pred %p<8>, %q, %lead, %first;\n.reg .b16 %h<8>, %U;\n.reg .b32 %r<16>, %T, %x, "
        "%n<8>, %own, %ex, %t, %land, %other, %words, %room, %phase;");
    line(
        ".reg .b64 %l<16>, %V, %Z, %y, %in, %out, %array;\n.reg .f32 %f<16>;\n.reg .f64 %d<16>, "
        "%W;");
    line(fmt::format(".shared .align 16 .b8 own[{}];", threads * kOwnBytes));
    line(fmt::format(".shared .align 128 .b8 exchanged[{0}];\n.shared .align 128 .b8 landing[{0}];",
                     room()));
    line(".shared .align 128 .b8 tile[256];\n.shared .align 8 .b64 full;");
    line(fmt::format(".shared .align 4 .b8 sums[{}];", kSums * 4));
    line(fmt::format(".local .align 16 .b8 array[{}];", kOwnBytes));
    line("ld.param.u64 %in, [k_in];\nld.param.u64 %out, [k_out];");
    line("mov.u32 %n0, %tid.z; mov.u32 %n1, %ntid.y; mov.u32 %n2, %tid.y;");
    line("mad.lo.u32 %n0, %n0, %n1, %n2; mov.u32 %n1, %ntid.x; mov.u32 %n2, %tid.x;");
    line("mad.lo.u32 %x, %n0, %n1, %n2;  // the thread's number in its block");
    line(fmt::format("mov.u32 %own, own; mad.lo.u32 %own, %x, {}, %own;", kOwnBytes));
    line("mov.u32 %ex, exchanged; mad.lo.u32 %ex, %x, 4, %ex;");
    line("mov.u64 %array, array;");
    line("mov.u32 %t, %x; mov.u32 %land, landing; mad.lo.u32 %land, %x, 4, %land;");
    line(fmt::format("mov.u32 %words, {}; mov.u32 %room, {}; mov.u32 %phase, 0;", threads * 4,
                     room()));
    line("mov.u32 %other, %cluster_ctarank; add.u32 %T, %other, %x; setp.eq.u32 %first, %T, 0;");
    line("xor.b32 %other, %other, 1; setp.eq.u32 %lead, %x, 0;");
    line("@%lead mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster;");
    for (unsigned at = 0; at < kOwnBytes; at += 16) {
      line(
          fmt::format("mov.u32 %T, 0; st.shared.v4.b32 [%own+{0}], {{%T, %T, %T, %T}}; "
                      "st.local.v4.b32 [%array+{0}], {{%T, %T, %T, %T}};",
                      at));
    }
    // Every thread writes the same numbers.
    for (unsigned i = 0; i < kSums; ++i) {
      line(fmt::format("mov.u32 %T, {}; st.shared.u32 [sums+{}], %T;", 77 * i, 4 * i));
    }
    line(fmt::format("mov.u32 %n1, %ctaid.x; mad.lo.u32 %n0, %n1, {}, %x;", threads));
    line(fmt::format("mad.wide.u32 %out, %n0, {}, %out;", kOutputs * 8));
    line(fmt::format("mad.wide.u32 %y, {}, {}, %in;",
                     program_.spread == Spread::lanes ? "%n0" : "%n1", kAllRegisters * 8));
    each_register([&](Register reg, unsigned i) {
      // By twos: each access costs the compiler more than most instructions.
      if (i % 2 == 0)
        line(fmt::format("ld.global.v2.u64 {{%V, %Z}}, [%y+{}];", kCommonBytes + 8 * i));
      if (i % 2 == 1) line("mov.u64 %V, %Z;");
      const std::string to = name(reg);
      switch (reg.kind) {
        case Kind::pred:
          return line(fmt::format("and.b64 %V, %V, 1; setp.ne.u64 {}, %V, 0;", to));
        case Kind::b16:
          return line(fmt::format("cvt.u16.u64 {}, %V;", to));
        case Kind::b32:
          return line(fmt::format("cvt.u32.u64 {}, %V;", to));
        case Kind::b64:
          return line(fmt::format("mov.u64 {}, %V;", to));
        case Kind::f32:
          return line(fmt::format("cvt.u32.u64 %T, %V; mov.b32 {}, %T;", to));
        case Kind::f64:
          return line(fmt::format("mov.b64 {}, %V;", to));
      }
    });
    line("mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %laneid; mov.u32 %r3, %ntid.x;");
    line(kMeet);
  }

  void end() {
    line(kMeet);
    each_register([&](Register reg, unsigned i) {
      const std::string from = name(reg);
      const char* const to = i % 2 == 0 ? "%V" : "%Z";
      switch (reg.kind) {
        case Kind::pred:
          line(fmt::format("selp.u64 {}, 1, 0, {};", to, from));
          break;
        case Kind::b16:
          line(fmt::format("cvt.u64.u16 {}, {};", to, from));
          break;
        case Kind::b32:
          line(fmt::format("cvt.u64.u32 {}, {};", to, from));
          break;
        case Kind::b64:
          line(fmt::format("mov.u64 {}, {};", to, from));
          break;
        case Kind::f32:
          line(fmt::format("mov.b32 %T, {}; cvt.u64.u32 {}, %T;", from, to));
          break;
        case Kind::f64:
          line(fmt::format(fmt::runtime(kBitsOfDouble), fmt::arg("from", from), fmt::arg("to", to),
                           fmt::arg("t", "%T"), fmt::arg("w", "%W")));
          break;
      }
      if (i % 2 == 1) store_both(i - 1);
    });
    unsigned next = kAllRegisters;
    for (unsigned at = 0; at < kOwnBytes; at += 16, next += 2) {
      line(fmt::format("ld.local.v2.u64 {{%V, %Z}}, [%array+{}];", at));
      store_both(next);
    }
    for (unsigned at = 0; at < kOwnBytes; at += 16, next += 2) {
      line(fmt::format("ld.shared.v2.u64 {{%V, %Z}}, [%own+{}];", at));
      store_both(next);
    }
    line(fmt::format("mov.u32 %x, %tid.x; and.b32 %x, %x, {}; mov.u32 %T, sums;", kSums - 1));
    line("mad.lo.u32 %x, %x, 4, %T; ld.shared.u32 %T, [%x]; cvt.u64.u32 %V, %T; mov.u64 %Z, 0;");
    store_both(next);
    line_that_leaves("ret;");
  }
  // Bytes of what threads exchange, as a bulk copy takes them and a tensor's box needs them.
  [[nodiscard]] std::uint32_t room() const {
    return std::max(program_.threads() * 4 + 15, kMapBox[0] * kMapBox[1] * 4) / 16 * 16;
  }
  void store_both(unsigned at) {
    line(fmt::format("st.global.v2.u64 [%out+{}], {{%V, %Z}};", 8 * at));
  }

  template <typename Do>
  void each_register(Do each) {
    unsigned i = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (unsigned index = 0; index < kRegisters[kind]; ++index) {
        each(Register{static_cast<Kind>(kind), index}, i++);
      }
    }
  }

  void print(const Statements& statements) {
    for (const Statement& statement : statements) {
      std::visit([this](const auto& what) { print(what); }, statement.what);
    }
  }

  static std::string filled(const std::string& text, const Register& result,
                            const std::vector<std::string>& operands) {
    std::string line;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const bool alone = i == 0 || std::string_view(" {|").find(text[i - 1]) != std::string::npos;
      if (alone && c == 'D') {
        line += name(result);
      } else if (alone && c >= 'A' && c <= 'C') {
        line += operands.at(static_cast<std::size_t>(c - 'A'));
      } else if (alone && c >= 'T' && c <= 'W') {
        line += std::string("%") + c;
      } else if (alone && c == 'M') {
        line += "-1";
      } else {
        line += c;
      }
    }
    return line;
  }

  void print(const Compute& compute) {
    std::vector<std::string> operands;
    operands.reserve(compute.operands.size());
    for (const Operand& operand : compute.operands) operands.push_back(text(operand));
    line(text(compute.guard) +
         filled(operations()[compute.operation].text, compute.result, operands));
  }
  void print(const Together& together) {
    print(collectives()[together.collective].text, together.result, together.operands);
  }
  void print(const Gather& gather) {
    print(gatherings()[gather.gathering].text, gather.result, gather.operands);
  }
  void print(const std::string& text, const Register& result,
             const std::vector<Register>& registers) {
    std::vector<std::string> operands;
    operands.reserve(registers.size());
    for (const Register& reg : registers) operands.push_back(name(reg));
    line(filled(text, result, operands));
  }

  void print(const Branch& branch) {
    const unsigned id = labels_++;
    line_that_may_leave(fmt::format("@{}%p{} bra ELSE{};", branch.condition.negated ? "" : "!",
                                    branch.condition.predicate, id));
    print(branch.then);
    line_that_leaves(fmt::format("bra END{};", id));
    label(fmt::format("ELSE{}", id));
    print(branch.otherwise);
    label(fmt::format("END{}", id));
  }

  void print(const Loop& loop) {
    const unsigned id = labels_++;
    const std::string counter = fmt::format("%n{}", loop.depth);
    line(loop.how ? fmt::format("and.b32 {}, {}, {};", counter, name(*loop.how), loop.most)
                  : fmt::format("mov.u32 {}, {};", counter, loop.most));
    label(fmt::format("LOOP{}", id));
    line_that_may_leave(fmt::format("setp.eq.u32 %q, {}, 0; @%q bra DONE{};", counter, id));
    print(loop.body);
    if (loop.leave) line_that_may_leave(text(loop.leave) + fmt::format("bra DONE{};", id));
    line_that_leaves(fmt::format("sub.u32 {0}, {0}, 1; bra LOOP{1};", counter, id));
    label(fmt::format("DONE{}", id));
  }

  void print(const Access& access) {
    const Width& width = widths()[access.width];
    const unsigned bytes = width.bytes * width.count;
    const unsigned room = access.place == Place::input ? kCommonBytes : kOwnBytes;
    line(fmt::format("and.b32 %x, {}, {};", name(access.index), (room - bytes) & ~(bytes - 1)));
    const char* space = "local";
    std::string address = "%y";
    if (access.place == Place::own_shared) {
      space = "shared";
      address = "%x";
      line("add.u32 %x, %x, %own;");
    } else {
      if (access.place == Place::input) space = "global";
      line(fmt::format("cvt.u64.u32 %y, %x; add.u64 %y, %y, {};",
                       access.place == Place::input ? "%in" : "%array"));
    }
    std::string values;
    for (const Register& reg : access.values) values += (values.empty() ? "" : ", ") + name(reg);
    if (width.count > 1) values = "{" + values + "}";
    line(text(access.guard) +
         (access.stores ? fmt::format("st.{}.{} [{}], {};", space, width.type, address, values)
                        : fmt::format("ld.{}.{} {}, [{}];", space, width.type, values, address)));
  }

  void print(const Exchange& exchange) {
    const std::uint32_t threads = program_.threads();
    line(fmt::format("st.shared.b32 [%ex], {}; bar.sync 0;", name(exchange.value)));
    line("mov.u32 %T, exchanged; sub.u32 %x, %ex, %T;");
    line(fmt::format("add.u32 %x, %x, {}; rem.u32 %x, %x, {}; add.u32 %x, %x, %T;",
                     exchange.distance * 4, threads * 4));
    line(fmt::format("ld.shared.b32 {}, [%x]; bar.sync 0;", name(exchange.result)));
  }

  void print(const Reduce& reduce) {
    line(fmt::format("and.b32 %x, {}, {}; mov.u32 %T, sums; mad.lo.u32 %x, %x, 4, %T;",
                     name(reduce.index), kSums - 1));
    line(text(reduce.guard) + fmt::format("red.shared.{} [%x], {};",
                                          reductions()[reduce.reduction].text, name(reduce.value)));
  }

  const Program& program_;
  std::vector<TextBlock> blocks_ = std::vector<TextBlock>(1);
  unsigned labels_ = 0;
};

}  // namespace

std::string ptx_of(const Program& program) { return Printer(program).run(); }

}  // namespace emulator::testing::random
