// What the parser's tests share: small modules around the text under test, and errors as values.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "ptx/ast.h"

namespace emulator::ptx::testing {

inline constexpr const char* kHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n";

// The given text stands from line 4 on.
inline Module parse_module(const std::string& text) { return parse(kHeader + text); }

// The body of the only function of a module; the text stands from line 6 on. Registers: %r0-%r9
// (b32), %rd0-%rd9 (b64), %f0-%f9 (f32), %p0-%p9 (pred).
inline std::string around_body(const std::string& text) {
  return std::string(kHeader) +
         ".visible .entry kernel(.param .u64 pointer, .param .u32 count) {\n"
         ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .pred %p<10>;\n" +
         text + "\n}\n";
}

inline Function parse_body(const std::string& text) {
  return parse(around_body(text)).functions.at(0);
}

inline Instruction parse_instruction(const std::string& text) {
  return parse_body(text).body.at(0);
}

// Operand `index` of the only instruction.
inline Operand parse_operand(const std::string& text, std::size_t index) {
  return parse_instruction(text).operands.at(index);
}

// "line L, column C: message" of the error that reading the text gives, "no error" where it gives
// none.
inline std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const Error& error) {
    return error.located();
  }
  return "no error";
}

inline std::string error_of_module(const std::string& text) { return error_of(kHeader + text); }
inline std::string error_of_body(const std::string& text) { return error_of(around_body(text)); }

// A file of tests/ptx/data.
inline std::string data_file(const std::string& name) {
  std::ifstream file(std::string(EMULATOR_PTX_TEST_DATA) + "/" + name);
  if (!file) throw std::runtime_error("cannot open test data " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The register an operand is, by name; empty where it is none.
inline std::string register_name(const Function& function, const Operand& operand) {
  const auto* const found = std::get_if<Register>(&operand.value);
  return found == nullptr ? "" : function.registers.at(found->index).name;
}

}  // namespace emulator::ptx::testing
