// What C++ makes of a module besides arithmetic: calls, tables of functions, virtual functions,
// recursion, printf, assert, initial values of every kind, unaligned addresses, local arrays, the
// heap.
struct Point {
  float x;
  double y;
  const int* next;
};
struct __attribute__((packed)) Unaligned {
  char first;
  const int* address;
  short last;
};

__constant__ int table[16] = {1, 2, 3, 4};
__device__ Point points[2] = {{1.0f, 2.0, nullptr}, {3.0f, 4.0, table}};
__device__ Unaligned unaligned = {1, table + 3, 7};
__device__ double doubles[3] = {1.0, 2.0};
__device__ const char* names[] = {"one", "two"};
__device__ int counter;

typedef int (*Operation)(int, int);
__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ Operation operations[] = {plus, times};

__device__ __noinline__ Point moved(float by, Point point) {
  point.x += by;
  return point;
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ float area() const override { return 3 * radius * radius; }
};

extern "C" __global__ void language(int* out, int n, int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int local[32];
  for (int k = 0; k < 32; ++k) local[k] = k * n;
  int value = local[i % 32];
  switch (which) {
    case 0:
      value += 3;
      break;
    case 1:
      value *= out[1];
      break;
    case 2:
      out[9] = 3;
      break;
    case 3:
      atomicAdd(&counter, value);
      break;
    case 4:
      __threadfence();
      break;
    case 5:
      value = fibonacci(value);
      break;
    default:
      value = out[2];
  }
  assert(value != 17);
  printf("%d %s\n", value, names[value & 1]);
  value = operations[value & 1](value, n);
  const Point point = moved(1.0f, points[value & 1]);
  Square square;
  square.side = value;
  Circle circle;
  circle.radius = value;
  const Shape* shape = value > 3 ? static_cast<Shape*>(&square) : static_cast<Shape*>(&circle);
  int* heap = new int[n];
  heap[0] = value;
  value += heap[n - 1];
  delete[] heap;
  out[i] = value + table[value & 15] + static_cast<int>(point.x + shape->area() + doubles[n % 3]) +
           *unaligned.address + unaligned.last;
}
