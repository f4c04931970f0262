// call: the functions every CUDA program may call without defining them (printf, assert, malloc and
// free). Calls of functions that the module defines are gone by now (inline_calls.h).
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Opcode;

class Call {
 public:
  Call(Writer& writer, const Instruction& instruction)
      : writer_(writer), instruction_(instruction) {
    for (const ptx::Operand& operand : instruction.operands) {
      if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) {
        if (symbol->where == ptx::Symbol::Where::function)
          callee_ = &writer.module().functions[symbol->index];
      } else if (const auto* list = std::get_if<ptx::Vector>(&operand.value)) {
        (callee_ == nullptr ? results_ : arguments_) = list->elements;
      }
    }
  }

  void run() {
    if (callee_ == nullptr) unsupported(instruction_, "calls through pointers are not");
    const Value line = Ir::constant(instruction_.where.line, "i32", 1);
    const std::string& name = callee_->name;
    if (name == "vprintf" && arguments_.size() == 2) {
      writer_.ir.store(argument(0, "i64"), writer_.address_area(), 64);
      writer_.ir.store(argument(1, "i64"), writer_.value_area(0), 64);
      writer_.call("emu_printf", {writer_.mask(), line});
      result(writer_.value_area(1), "i32");
    } else if (name == "__assertfail" && arguments_.size() == 5) {
      writer_.ir.store(argument(0, "i64"), writer_.address_area(), 64);
      writer_.ir.store(argument(1, "i64"), writer_.value_area(0), 64);
      writer_.ir.store(argument(2, "i32"), writer_.value_area(1), 64);
      writer_.ir.store(argument(3, "i64"), writer_.value_area(2), 64);
      writer_.call("emu_assert", {writer_.mask(), line});
    } else if (name == "malloc" && arguments_.size() == 1) {
      writer_.call("emu_malloc", {writer_.mask(), line});
      result(writer_.value_area(0), "i64");
    } else if (name == "free") {
      return;  // malloc never gave anything
    } else {
      unsupported(instruction_, "'" + name + "' is defined nowhere");
    }
  }

 private:
  Value argument(std::size_t i, const std::string& element) {
    const ptx::Operand& operand = arguments_.at(i);
    const auto* symbol = std::get_if<ptx::Symbol>(&operand.value);
    if (symbol == nullptr) return writer_.read(operand, element, kLanes);
    require_slot(*symbol);
    return writer_.ir.load(writer_.call_slot(symbol->index, 0, element), element, kLanes, 64);
  }

  void result(const Value& area, const std::string& element) {
    if (results_.empty()) return;
    const Value value = writer_.ir.load(area, element, kLanes, 64);
    const auto* symbol = std::get_if<ptx::Symbol>(&results_[0].value);
    if (symbol == nullptr) return writer_.write(results_[0], value, Form::any());
    require_slot(*symbol);
    writer_.ir.store(value, writer_.call_slot(symbol->index, 0, element), 64);
  }

  // Arguments are looked for where st.param of one whole argument leaves them.
  void require_slot(const ptx::Symbol& symbol) {
    const bool is_slot = symbol.where == ptx::Symbol::Where::local_variable &&
                         writer_.function().variables[symbol.index].space == ptx::Space::param;
    if (!is_slot) unsupported(instruction_, "an argument in pieces is not");
  }

  Writer& writer_;
  const Instruction& instruction_;
  const ptx::Function* callee_ = nullptr;
  std::vector<ptx::Operand> results_;
  std::vector<ptx::Operand> arguments_;
};

}  // namespace

bool lower_call(Writer& writer, const Instruction& instruction) {
  if (instruction.opcode != Opcode::call) return false;
  Call(writer, instruction).run();
  return true;
}

}  // namespace emulator::lower
