// This program on a machine that lacks it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace autokernel::trial {

// Where this build is put there, as a shell of that machine reads it: "$HOME/.cache/...". The name
// is the build's own, so that builds lie side by side.
[[nodiscard]] std::string installed_folder();

// The tree that can be sent: what AUTOKERNEL_PACKAGE names, or the package that this program runs
// from. Empty where there is none. Throws Error(usage) where AUTOKERNEL_PACKAGE names no package.
[[nodiscard]] std::filesystem::path package_to_send();

// Sends the package to an ssh place and unpacks it there, where its SHA-256 is what it is here.
// Whatever ends it in the middle leaves nothing that would run. Throws Error(environment), and
// Interrupted.
void install_at(const std::string& place, const std::filesystem::path& package,
                const std::function<void(const std::string&)>& note);

}  // namespace autokernel::trial
