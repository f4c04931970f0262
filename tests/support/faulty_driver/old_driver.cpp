// libcuda.so.1 as it was years ago: it starts, and lacks most of what is needed now.
extern "C" int cuInit(unsigned /*flags*/) { return 0; }
extern "C" int cuDriverGetVersion(int* version) {
  *version = 4000;
  return 0;
}
