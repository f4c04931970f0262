// Marks a function that others find in the library by its name; exports.map lists them all.
#pragma once

#define AUTOKERNEL_ENTRY extern "C" [[gnu::visibility("default")]]
