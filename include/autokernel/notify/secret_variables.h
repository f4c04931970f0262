// The environment variables that configure notifications, and must stay within this program.
#pragma once

#include <array>
#include <string_view>

#include "autokernel/base/environment.h"

namespace autokernel::notify {

inline constexpr const char* kUrlVariable = "AUTOKERNEL_NOTIFY_URL";
inline constexpr const char* kKindVariable = "AUTOKERNEL_NOTIFY_KIND";
inline constexpr const char* kSecretVariable = "AUTOKERNEL_NOTIFY_SECRET";
inline constexpr const char* kEventsVariable = "AUTOKERNEL_NOTIFY_EVENTS";
inline constexpr const char* kPlotVariable = "AUTOKERNEL_NOTIFY_PLOT";

// All of them. Agents, kernels and programs that are measured get none: who has the address can
// write to the user in our name.
inline constexpr std::array<std::string_view, 5> kNotifyVariables = {
    kUrlVariable, kKindVariable, kSecretVariable, kEventsVariable, kPlotVariable};

// The variables without these, for a child that is started with Inherits::nothing.
[[nodiscard]] Variables without_notify_variables(Variables variables);

// Removes them from this process's own environment, after read_configuration(), so that no child
// inherits them and nobody finds them in /proc. To be called while there is one thread.
void forget_notify_variables();

}  // namespace autokernel::notify
