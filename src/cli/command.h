// What every subcommand is to the command line: options it declares, and a run.
#pragma once

#include <string>

#include "autokernel/cli/cli.h"
#include "cli/options.h"

namespace autokernel::cli {

class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  Command(Command&&) = delete;
  Command& operator=(Command&&) = delete;
  virtual ~Command() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  // One line for the list of commands; empty for a command that users do not call.
  [[nodiscard]] virtual std::string summary() const = 0;
  // Adds the command's options, bound to its members, to `options`; both must outlive the parsing.
  virtual void declare(Options options) = 0;
  // Called after parsing; returns the exit code.
  [[nodiscard]] virtual int run(const Console& console) = 0;
};

}  // namespace autokernel::cli
