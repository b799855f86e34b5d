// Loads the plugin twice, and knows nothing of the library.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>

int main(int, char** arguments) {
  for (int k = 0; k < 2; ++k) {
    void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    const auto skate_at = reinterpret_cast<double (*)(double)>(dlsym(plugin, "skate_at"));
    if (skate_at == nullptr || std::fabs(skate_at(2.0) - 2.0) > 1e-9) return 1;
    dlclose(plugin);
  }
  return 0;
}
