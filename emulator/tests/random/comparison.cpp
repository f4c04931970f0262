#include "random/comparison.h"

#include <fmt/format.h>

#include <exception>

#include "random/generator.h"
#include "random/interpreter.h"
#include "support/kernel_run.h"

namespace emulator::testing::random {
namespace {

std::string name_of_output(std::size_t index) {
  static constexpr const char* kNames[] = {"%p", "%h", "%r", "%l", "%f", "%d"};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (index < kRegisters[kind]) return fmt::format("{}{}", kNames[kind], index);
    index -= kRegisters[kind];
  }
  constexpr std::size_t kWords = kOwnBytes / 8;
  if (index >= 2 * kWords) return "a sum of the block";
  return fmt::format("8 bytes at {} of its {} memory", index % kWords * 8,
                     index < kWords ? "local" : "shared");
}

std::vector<std::uint32_t> words_of(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::uint32_t> words;
  for (const std::uint64_t number : numbers) {
    words.push_back(static_cast<std::uint32_t>(number));
    words.push_back(static_cast<std::uint32_t>(number >> 32));
  }
  return words;
}

// Tries to leave out each statement, those inside of it later. True if one could be.
bool leave_out(Program& program, Statements& statements, lower::EngineChoice engine,
               jit::Compilation compilation) {
  bool changed = false;
  for (std::size_t i = 0; i < statements.size();) {
    Statement statement = std::move(statements[i]);
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    if (difference(program, engine, compilation)) {
      changed = true;
      continue;
    }
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(i), std::move(statement));
    if (auto* branch = std::get_if<Branch>(&statements[i].what)) {
      changed = leave_out(program, branch->then, engine, compilation) || changed;
      changed = leave_out(program, branch->otherwise, engine, compilation) || changed;
    } else if (auto* loop = std::get_if<Loop>(&statements[i].what)) {
      changed = leave_out(program, loop->body, engine, compilation) || changed;
    }
    ++i;
  }
  return changed;
}

}  // namespace

Grid launch_of(const Program& program) {
  return {.grid = {program.blocks, 1, 1},
          .block = program.block,
          .cluster = {program.cluster, 1, 1},
          .map = TensorOfWords{kMapDims, kMapBox}};
}

std::optional<std::string> difference(const Program& program, lower::EngineChoice engine,
                                      jit::Compilation compilation) {
  const std::vector<std::uint64_t> input = input_of(program);
  const std::vector<std::uint64_t> expected = interpret(program, input);
  Outcome outcome;
  try {
    outcome = run_kernel(ptx_of(program), words_of(input), expected.size() * 2, launch_of(program),
                         engine, compilation);
  } catch (const std::exception& error) {
    return fmt::format("refused: {}", error.what());
  }
  if (!outcome.fault.empty()) return "fault: " + outcome.fault;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::uint64_t got = outcome.words[2 * i] | std::uint64_t{outcome.words[2 * i + 1]} << 32;
    if (got == expected[i]) continue;
    return fmt::format("thread {} leaves {:#x} in {} and not {:#x}", i / kOutputs, got,
                       name_of_output(i % kOutputs), expected[i]);
  }
  return std::nullopt;
}

Program shrunk(Program program, lower::EngineChoice engine, jit::Compilation compilation) {
  while (leave_out(program, program.body, engine, compilation)) {
  }
  return program;
}

}  // namespace emulator::testing::random
