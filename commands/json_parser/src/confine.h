// Takes from this process, and what it starts, every right to write files, and to touch the memory,
// the descriptors or the threads of the processes above it (Landlock, Linux 5.13 and later).
#pragma once

#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// False where the kernel has no Landlock.
[[nodiscard]] inline bool confine() {
  // Reading and starting programs stay: the loader needs them. No rule allows anything of the rest.
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  const long rules =
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
  if (rules < 0) return false;
  // No processes and threads beside this one, unless the user is root: a gain from a second
  // processor would be no gain of the parser.
  const rlimit none{};
  return ::setrlimit(RLIMIT_NPROC, &none) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}
