// What a trial is made of beside the kernel's own file.
#pragma once

#include "autokernel/cases/case.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Puts the files of the case into the request.
void take_case(Request& request, cases::CaseFiles files);

// The case that they are.  Throws Error(usage) where they make none.
[[nodiscard]] cases::Case case_of(const Request& request);

// The request as it is sent to a runner: of the headers of [compile] include, those that the
// kernel, the incumbent or a reference can include.
[[nodiscard]] Request with_reachable_headers(Request request);

// Whether Python compiles the kernel or its incumbent.
[[nodiscard]] bool runs_python(const Request& request);

}  // namespace autokernel::trial
