#include "output/hdf5_image.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace rattleback::report {
namespace {

constexpr std::size_t kVersion = 8, kChecksum = 44;  // places in the superblock

std::uint32_t word(const std::vector<char>& bytes, std::size_t at, std::size_t end) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4 && at + i < end; ++i)
    x |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8U * i);
  return x;
}

// Of the bytes before `end`.
std::uint32_t lookup3(const std::vector<char>& bytes, std::size_t end) {
  const auto rot = [](std::uint32_t x, int k) { return std::rotl(x, k); };
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(end), b = a, c = a;
  std::size_t at = 0;
  for (; end - at > 12; at += 12) {
    a += word(bytes, at, end);
    b += word(bytes, at + 4, end);
    c += word(bytes, at + 8, end);
    a -= c, a ^= rot(c, 4), c += b;
    b -= a, b ^= rot(a, 6), a += c;
    c -= b, c ^= rot(b, 8), b += a;
    a -= c, a ^= rot(c, 16), c += b;
    b -= a, b ^= rot(a, 19), a += c;
    c -= b, c ^= rot(b, 4), b += a;
  }
  a += word(bytes, at, end);
  b += word(bytes, at + 4, end);
  c += word(bytes, at + 8, end);
  c ^= b, c -= rot(b, 14);
  a ^= c, a -= rot(c, 11);
  b ^= a, b -= rot(a, 25);
  c ^= b, c -= rot(b, 16);
  a ^= c, a -= rot(c, 4);
  b ^= a, b -= rot(a, 14);
  c ^= b, c -= rot(b, 24);
  return c;
}

}  // namespace

void close_image(std::vector<char>& image) {
  if (image.size() < kChecksum + 4 || image[kVersion] != 2) return;
  const std::uint32_t sum = lookup3(image, kChecksum);
  for (std::size_t i = 0; i < 4; ++i) image[kChecksum + i] = static_cast<char>(sum >> (8U * i));
}

}  // namespace rattleback::report
