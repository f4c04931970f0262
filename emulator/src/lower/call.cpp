// call: the functions every CUDA program may call without defining them (printf, assert, malloc and
// free). Where warps run, calls of functions that the module defines are gone by now
// (inline_calls.h).
#include "lower/call_graph.h"
#include "lower/thread_call.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;

class Call {
 public:
  Call(Writer& writer, const Instruction& instruction)
      : writer_(writer), instruction_(instruction), call_(parts_of(instruction)) {}

  void run() {
    if (!call_.callee) unsupported(instruction_, "calls through pointers are not");
    const Value line = Ir::constant(instruction_.where.line, "i32", 1);
    const std::string& name = writer_.module().functions[*call_.callee].name;
    if (name == "vprintf" && call_.arguments.size() == 2) {
      writer_.ir.store(argument(0, "i64"), writer_.address_area(), 64);
      writer_.ir.store(argument(1, "i64"), writer_.value_area(0), 64);
      writer_.call("emu_printf", {writer_.mask(), line});
      result(writer_.value_area(1), "i32");
    } else if (name == "__assertfail" && call_.arguments.size() == 5) {
      writer_.ir.store(argument(0, "i64"), writer_.address_area(), 64);
      writer_.ir.store(argument(1, "i64"), writer_.value_area(0), 64);
      writer_.ir.store(argument(2, "i32"), writer_.value_area(1), 64);
      writer_.ir.store(argument(3, "i64"), writer_.value_area(2), 64);
      writer_.call("emu_assert", {writer_.mask(), line});
    } else if (name == "malloc" && call_.arguments.size() == 1) {
      writer_.ir.store(argument(0, "i64"), writer_.address_area(), 64);
      writer_.call("emu_malloc", {writer_.mask()});
      result(writer_.value_area(0), "i64");
    } else if (name == "free" && call_.arguments.size() == 1) {
      writer_.ir.store(argument(0, "i64"), writer_.address_area(), 64);
      writer_.call("emu_free", {writer_.mask(), line});
    } else {
      unsupported(instruction_, "'" + name + "' has other parameters");
    }
  }

 private:
  Value argument(std::size_t i, const std::string& element) {
    const ptx::Operand& operand = call_.arguments.at(i);
    const auto* symbol = std::get_if<ptx::Symbol>(&operand.value);
    if (symbol == nullptr) return writer_.read(operand, element, kLanes);
    require_slot(*symbol, element);
    if (writer_.by_thread()) {
      return writer_.ir.splat(writer_.ir.load(place(operand), element, 1, 1), kLanes);
    }
    return writer_.ir.load(writer_.call_slot(instruction_, symbol->index, 0, element), element,
                           kLanes, 64);
  }

  void result(const Value& area, const std::string& element) {
    if (call_.results.empty()) return;
    const Value value = writer_.ir.load(area, element, kLanes, 64);
    const auto* symbol = std::get_if<ptx::Symbol>(&call_.results[0].value);
    if (symbol == nullptr) return writer_.write(call_.results[0], value, LaneValues::any());
    require_slot(*symbol, element);
    if (writer_.by_thread()) {
      return writer_.ir.store(writer_.own_lane(value), place(call_.results[0]), 1);
    }
    writer_.ir.store(value, writer_.call_slot(instruction_, symbol->index, 0, element), 64);
  }

  // Where a thread's variable lies.
  Value place(const ptx::Operand& variable) {
    return writer_.ir.pointer_add(writer_.local_base(), writer_.read(variable, "i64", 1));
  }

  // Arguments are looked for where st.param of one whole argument leaves them: in a slot, or in the
  // frame of a thread.
  void require_slot(const ptx::Symbol& symbol, const std::string& element) {
    const ptx::Space space = writer_.by_thread() ? ptx::Space::local : ptx::Space::param;
    const bool is_slot = symbol.where == ptx::Symbol::Where::local_variable &&
                         writer_.function().variables[symbol.index].space == space &&
                         writer_.function().variables[symbol.index].size * 8 >= bits_of(element);
    if (!is_slot) unsupported(instruction_, "an argument in pieces is not");
  }

  Writer& writer_;
  const Instruction& instruction_;
  CallParts call_;
};

}  // namespace

void lower_call(Writer& writer, const Instruction& instruction) {
  if (writer.by_thread() && calls_code(writer.module(), instruction)) {
    lower_thread_call(writer, instruction);
  } else {
    Call(writer, instruction).run();
  }
}

}  // namespace emulator::lower
