// Wires the parts and maps what stopped them to an exit code; everything else is in the layers.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cli/cli.h"

namespace {

[[nodiscard]] bool err_is_terminal() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

int fail(autokernel::Stop stop, std::string_view what) {
  std::cerr << "autokernel: " << autokernel::visible_text(what) << '\n';
  return static_cast<int>(stop);
}

}  // namespace

int main(int argc, char** argv) {
  using autokernel::Stop;
  // Where a limit is set on the size of files (ulimit -f), a write that fails is reported like any
  // other; without this it would end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const int code = autokernel::cli::run(arguments, {std::cout, std::cerr, err_is_terminal()});
    errno = 0;
    if (!std::cout.flush()) {
      // What was written before it was flushed may have failed earlier, and then nobody knows why.
      const std::string why = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
      return fail(Stop::environment, "cannot write to standard output" + why);
    }
    return code;
  } catch (const autokernel::Error& error) {
    return fail(error.stop(), error.what());
  } catch (const autokernel::Interrupted& interrupted) {
    std::cerr << "autokernel: interrupted; nothing of it was left running\n";
    autokernel::end_by(interrupted.signal());
  } catch (const std::exception& error) {
    return fail(Stop::internal, std::string("internal error: ") + error.what());
  }
}
