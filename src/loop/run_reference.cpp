#include "loop/run_reference.h"

#include "autokernel/base/error.h"
#include "autokernel/base/sha256.h"

namespace autokernel::loop {
namespace {

constexpr const char* kInTheWay = "refs/autokernel-strays/in-the-way/";

void clear(const repo::Repository& repository, const std::string& name) {
  constexpr std::size_t kDigits = 12;
  try {
    repository.rename_reference(name, kInTheWay + sha256(name).substr(0, kDigits));
  } catch (const Error&) {
    // There may be something in the way there, too, and a run is worth more.
    repository.delete_reference(name);
  }
}

}  // namespace

void set_run_reference(const repo::Repository& repository, const std::string& name,
                       const std::string& object) {
  try {
    return repository.set_reference(name, object);
  } catch (const Error&) {
    for (const std::string& other : repository.references_in_the_way(name))
      clear(repository, other);
    repository.move_aside_in_the_way(name);
    static_cast<void>(repository.remove_stale_locks({name}));
  }
  repository.set_reference(name, object);
}

void delete_run_reference(const repo::Repository& repository, const std::string& name) {
  try {
    return repository.delete_reference(name);
  } catch (const Error&) {
    static_cast<void>(repository.remove_stale_locks({name}));
  }
  repository.delete_reference(name);
}

}  // namespace autokernel::loop
