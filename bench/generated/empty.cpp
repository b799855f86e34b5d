int main() {}  // what the system takes to start a program, for bench_startup
