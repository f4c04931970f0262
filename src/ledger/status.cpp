#include "ledger/status.h"

namespace autokernel::ledger {

const char* spelling(Status status) {
  switch (status) {
    case Status::keep:
      return "keep";
    case Status::discard:
      return "discard";
    case Status::crash:
      return "crash";
  }
  return "crash";
}

std::optional<Status> status_spelled(std::string_view text) {
  for (const Status status : {Status::keep, Status::discard, Status::crash}) {
    if (text == spelling(status)) return status;
  }
  return std::nullopt;
}

}  // namespace autokernel::ledger
