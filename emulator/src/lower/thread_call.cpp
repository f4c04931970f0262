#include "lower/thread_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Operand;
using runtime::FaultKind;

class ThreadCall {
 public:
  ThreadCall(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        call_(parts_of(instruction)),
        area_(call_.callee ? known_area() : area_of_operands()) {}

  void run() {
    const std::string target = call_.callee ? "@" + name_of_function(*call_.callee) : pointed_to();
    const Value frame = writer_.stack_top();
    fault_unless(ir_.compare("icmp ule", ir_.binary("add", frame, area_.bytes),
                             writer_.local_window_bytes()),
                 FaultKind::stack);
    for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
      pass(call_.arguments[i], place(frame, i), bytes_.at(i));
    }
    ir_.store(number(instruction_.where.line),
              writer_.context_field(offsetof(runtime::WarpContext, call_line)), 4);
    const Value exited =
        ir_.define(fmt::format("call i32 {}(ptr %ctx, {})", target, frame.typed()), "i32", 1);
    const std::string gone = ir_.label("exited");
    const std::string back = ir_.label("returned");
    ir_.branch(ir_.compare("icmp ne", exited, 0), gone, back, true);
    ir_.begin_block(gone);
    ir_.line(writer_.function().entry ? "ret void" : "ret i32 1");
    ir_.begin_block(back);
    for (std::size_t i = 0; i < call_.results.size(); ++i) {
      const std::size_t at = call_.arguments.size() + i;
      take(call_.results[i], place(frame, at), bytes_.at(at));
    }
  }

 private:
  // Where it is no pointer.
  [[nodiscard]] const ptx::Function& called() const {
    return writer_.module().functions.at(call_.callee.value_or(UINT32_MAX));
  }

  CallArea known_area() {
    const ptx::Function& callee = called();
    if (callee.entry) unsupported(instruction_, "'" + callee.name + "' is a kernel");
    if (call_.arguments.size() != callee.parameters.size() ||
        call_.results.size() != callee.returns.size()) {
      unsupported(instruction_, "'" + callee.name + "' has other parameters");
    }
    for (const auto* list : {&callee.parameters, &callee.returns}) {
      for (const ptx::Variable& formal : *list) bytes_.push_back(formal.size);
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const bool is_argument = i < call_.arguments.size();
      const Operand& operand =
          is_argument ? call_.arguments[i] : call_.results[i - call_.arguments.size()];
      const std::uint64_t given = bytes_of(operand).value_or(bytes_[i]);
      if (given < bytes_[i] || (given > bytes_[i] && !variable_of(operand))) {
        unsupported(instruction_, "an argument is not what '" + callee.name + "' takes");
      }
    }
    return call_area(callee);
  }

  // What is called is known only when it runs: then its signature has to be that of the operands.
  CallArea area_of_operands() {
    for (const auto* list : {&call_.arguments, &call_.results}) {
      for (const Operand& operand : *list) {
        const auto bytes = bytes_of(operand);
        if (!bytes) unsupported(instruction_, "a constant given to a pointer's function is not");
        bytes_.push_back(*bytes);
      }
    }
    const auto split = bytes_.begin() + static_cast<std::ptrdiff_t>(call_.arguments.size());
    return call_area({bytes_.begin(), split}, {split, bytes_.end()});
  }

  [[nodiscard]] const ptx::Variable* variable_of(const Operand& operand) const {
    const auto* symbol = std::get_if<ptx::Symbol>(&operand.value);
    if (symbol == nullptr) return nullptr;
    // Others do not lie in the thread's frame.
    if (symbol->where != ptx::Symbol::Where::local_variable ||
        writer_.function().variables.at(symbol->index).space != ptx::Space::local) {
      unsupported(instruction_, "an argument of this kind is not");
    }
    return &writer_.function().variables.at(symbol->index);
  }
  // Of a variable or register; a constant is as large as what it is given to.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(const Operand& operand) const {
    if (const ptx::Variable* variable = variable_of(operand)) return variable->size;
    if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
      return ptx::bits(writer_.function().registers.at(reg->index).type) / 8;
    }
    return std::nullopt;
  }

  Value place(const Value& frame, std::size_t index) {
    return ir_.pointer_offset(ir_.pointer_add(writer_.local_base(), frame),
                              area_.offsets.at(index));
  }
  Value own_place(const Operand& variable) {
    return ir_.pointer_add(writer_.local_base(), writer_.read(variable, "i64", 1));
  }
  void copy(const Value& to, const Value& from, std::uint64_t bytes) {
    ir_.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)");
    ir_.line(fmt::format("call void @llvm.memcpy.p0.p0.i64({}, {}, i64 {}, i1 false)", to.typed(),
                         from.typed(), bytes));
  }

  void pass(const Operand& argument, const Value& to, std::uint64_t bytes) {
    if (variable_of(argument) != nullptr) return copy(to, own_place(argument), bytes);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
      unsupported(instruction_, "an array passed by a register is not");
    }
    // A constant is a number of the parameter's type.
    const ptx::Type type =
        call_.callee
            ? formal_type(argument)
            : writer_.function().registers.at(std::get<ptx::Register>(argument.value).index).type;
    ir_.store(writer_.read_bits(argument, type, 1), to, 1);
  }
  [[nodiscard]] ptx::Type formal_type(const Operand& argument) const {
    const auto index = static_cast<std::size_t>(&argument - call_.arguments.data());
    return called().parameters.at(index).type;
  }

  void take(const Operand& result, const Value& from, std::uint64_t bytes) {
    if (variable_of(result) != nullptr) return copy(own_place(result), from, bytes);
    const std::string element = fmt::format("i{}", bytes * 8);
    writer_.write(result, ir_.load(from, element, 1, 1), LaneValues::uniform(64));
  }

  // The function a register names, which must be one of the table and take what the call gives.
  std::string pointed_to() {
    const Value address = writer_.read(instruction_.operands.at(1), "i64", 1);
    const Value offset = ir_.binary("sub", address, kFunctionAddresses);
    const Value index = ir_.binary("udiv", offset, kFunctionAddressStep);
    const Value whole = ir_.compare("icmp eq", ir_.binary("urem", offset, kFunctionAddressStep), 0);
    const Value within = ir_.compare("icmp ult", index, writer_.module().functions.size());
    refuse_unless(ir_.binary("and", whole, within), address, number(0));
    const Value signature = ir_.load(entry("signatures", "i32", index), "i32", 1, 4);
    const Value same =
        ir_.compare("icmp eq", signature, writer_.scope().signatures.of(area_.signature));
    const Value known = ir_.resize(ir_.compare("icmp ne", signature, 0), "i32", false);
    refuse_unless(same, address, known);
    return ir_.load(entry("functions", "ptr", index), "ptr", 1, 8).name;
  }
  Value entry(const char* table, const char* element, const Value& index) {
    return ir_.define(fmt::format("getelementptr {}, ptr @{}, {}", element, table, index.typed()),
                      "ptr", 1);
  }
  void refuse_unless(const Value& good, const Value& address, const Value& known) {
    unless(good, [&] {
      writer_.call("emu_bad_call", {number(instruction_.where.line), address, known});
    });
  }
  void fault_unless(const Value& good, FaultKind kind) {
    unless(good, [&] {
      writer_.call("emu_fault", {number(static_cast<std::uint64_t>(kind)), writer_.mask(),
                                 number(instruction_.where.line)});
    });
  }
  template <typename Otherwise>
  void unless(const Value& good, const Otherwise& otherwise) {
    const std::string bad = ir_.label("call.bad");
    const std::string go_on = ir_.label("call.good");
    ir_.branch(ir_.binary("xor", good, 1), bad, go_on, true);
    ir_.begin_block(bad);
    otherwise();
    ir_.line("unreachable");
    ir_.begin_block(go_on);
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  CallParts call_;
  std::vector<std::uint64_t> bytes_;  // of arguments, then of results
  CallArea area_;
};

}  // namespace

std::string name_of_function(std::uint32_t index) { return fmt::format("f{}", index); }

void lower_thread_call(Writer& writer, const Instruction& instruction) {
  ThreadCall(writer, instruction).run();
}

void check_room(Writer& writer) {
  Ir& ir = writer.ir;
  // The stack pointer, nearly: where the return address lies.
  ir.declare("declare ptr @llvm.addressofreturnaddress.p0()");
  const Value here = ir.define("call ptr @llvm.addressofreturnaddress.p0()", "ptr", 1);
  const Value end =
      ir.load(writer.context_field(offsetof(runtime::WarpContext, stack_end)), "ptr", 1, 8);
  const Value frame_end = ir.binary("add", writer.frame(), writer.layout().local_bytes);
  const Value room = ir.binary("and", ir.compare("icmp ugt", here, end),
                               ir.compare("icmp ule", frame_end, writer.local_window_bytes()));
  const std::string full = ir.label("stack.full");
  const std::string good = ir.label("stack.good");
  ir.branch(ir.binary("xor", room, 1), full, good, true);
  ir.begin_block(full);
  const Value lanes =
      ir.load(writer.context_field(offsetof(runtime::WarpContext, live)), "i32", 1, 4);
  // Of a kernel, which nobody called, its own line.
  const Value line =
      writer.function().entry
          ? number(writer.function().where.line)
          : ir.load(writer.context_field(offsetof(runtime::WarpContext, call_line)), "i32", 1, 4);
  writer.call("emu_fault", {number(static_cast<std::uint64_t>(FaultKind::stack)), lanes, line});
  ir.line("unreachable");
  ir.begin_block(good);
}

std::string function_tables(const ptx::Module& module, KernelScope& scope) {
  std::vector<std::string> functions(module.functions.size(), "ptr null");
  std::vector<std::string> signatures(module.functions.size(), "i32 0");
  for (const std::uint32_t index : scope.program->addressed) {
    functions[index] = "ptr @" + name_of_function(index);
    signatures[index] =
        fmt::format("i32 {}", scope.signatures.of(call_area(module.functions[index]).signature));
  }
  return fmt::format(
      "@functions = internal constant [{0} x ptr] [{1}]\n@signatures = internal constant [{0} x "
      "i32] [{2}]\n",
      functions.size(), fmt::join(functions, ", "), fmt::join(signatures, ", "));
}

}  // namespace emulator::lower
