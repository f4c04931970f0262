// How a judge does, as Prometheus reads it (its text format, version 0.0.4).
#pragma once

#include <string>

#include "serve/service.h"

namespace autokernel::serve {

[[nodiscard]] std::string metrics_text(Service& service);

}  // namespace autokernel::serve
