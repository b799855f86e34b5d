#include "run/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files/descriptor.hpp"
#include "files/digest.hpp"
#include "run/signature.hpp"

namespace rattleback {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKind = "RBCHK", kVersion = "005";
constexpr std::uintmax_t kLargestText = 1U << 26;
constexpr std::uintmax_t kLargestFile = 1U << 30;  // the state of a chain of 100 000 links has 40 MB
constexpr std::size_t kPortion = 1U << 16;

struct Head {
  std::array<char, 8> magic;
  std::uint64_t file, text;  // lengths
};
static_assert(sizeof(Head) == 24);

constexpr std::uintmax_t kLeast = sizeof(Head) + sizeof(std::uint64_t);

std::string shown(const std::string& value) { return value.empty() ? "not given" : value; }

std::string hex(std::uint64_t x) { return fmt::format("{:016x}", x); }

bool is_hex(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::size_t Checkpoint::record_width() const {
  std::size_t width = 0;
  for (const auto& [name, size] : columns) width += size;
  return width;
}

const std::vector<double>* Checkpoint::section(const std::string& name) const {
  for (const auto& [each, values] : sections)
    if (each == name) return &values;
  return nullptr;
}

std::vector<std::string> differences(const Checkpoint& saved, const Checkpoint& now) {
  std::vector<std::string> out, rest;
  const auto value_in = [](const Checkpoint& c, const std::string& name) {
    for (const auto& [each, value] : c.run)
      if (each == name) return value;
    return std::string();
  };
  const bool same_text = value_in(saved, kTextLine) == value_in(now, kTextLine);
  const auto differs = [&](const std::string& name, const std::string& there, const std::string& here) {
    if (there == here || (name == kSystemLine && same_text)) return;
    if (name.starts_with("--") || name == kSystemLine)
      out.push_back(fmt::format("{} is {} there and {} here", name, shown(there), shown(here)));
    else
      rest.push_back(fmt::format("{} differs", name));
  };
  for (const auto& [name, value] : now.run) differs(name, value_in(saved, name), value);
  for (const auto& old : saved.run) {  // what this program or this run does not know
    const auto same_name = [&](const auto& each) { return each.first == old.first; };
    if (std::none_of(now.run.begin(), now.run.end(), same_name)) differs(old.first, old.second, "");
  }
  if (out.empty() && rest.empty() && saved.columns != now.columns) rest.emplace_back("what a record holds differs");
  return out.empty() ? rest : out;
}

bool write_checkpoint(int fd, const Checkpoint& c) {
  Checkpoint::Sizes sizes;
  std::size_t numbers = 0;
  for (const auto& [name, values] : c.sections) {
    sizes.emplace_back(name, values.size());
    numbers += values.size();
  }
  const std::string text = Json{
      {"run", c.run},
      {"columns", c.columns},
      {"sections", sizes},
      {"steps", c.steps},
      {"records", c.records},
      {"identity", c.identity},
      {"records digest",
       hex(c.records_digest)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  Head head{{}, kLeast + text.size() + numbers * sizeof(double), text.size()};
  std::copy(kVersion.begin(), kVersion.end(), std::copy(kKind.begin(), kKind.end(), head.magic.begin()));
  std::uint64_t sum = kDigestOfNothing;
  long long at = 0;
  const auto put = [&](const void* data, std::size_t size) {
    sum = digest({static_cast<const char*>(data), size}, sum);
    at += static_cast<long long>(size);
    return files::write_all_at(fd, data, size, at - static_cast<long long>(size));
  };
  if (!put(&head, sizeof head) || !put(text.data(), text.size())) return false;
  for (const auto& [name, values] : c.sections)
    if (!put(values.data(), values.size() * sizeof(double))) return false;
  const std::uint64_t all = sum;
  return put(&all, sizeof all);
}

CheckpointRead read_checkpoint(int fd, std::uintmax_t size) {
  CheckpointRead out;
  const auto fail = [&](std::string what) { return CheckpointRead{{}, std::move(what)}; };
  Head head{};
  std::uintmax_t at = 0;
  const auto take = [&](void* to, std::uintmax_t bytes) {
    at += bytes;
    return files::read_all_at(fd, to, bytes, static_cast<long long>(at - bytes));
  };
  if (size < kLeast || !take(&head, sizeof head)) return fail("it ends too early");
  const std::string_view magic(head.magic.data(), head.magic.size());
  if (!magic.starts_with(kKind)) return fail("it does not begin as one");
  if (magic.substr(kKind.size()) != kVersion) return fail(fmt::format("its format is not number {}", kVersion));
  if (head.file > size) return fail("it ends too early");
  if (head.file < size) return fail("there is more in it than it says");
  if (size > kLargestFile) return fail("it is larger than any checkpoint");
  if (head.text > kLargestText || head.text > size - kLeast) return fail("the length of its description is wrong");

  std::uint64_t sum = kDigestOfNothing, stated = 0;
  std::array<char, kPortion> bytes{};
  at = 0;
  for (std::uintmax_t left = size - sizeof stated; left > 0;) {
    const auto portion = static_cast<std::size_t>(std::min<std::uintmax_t>(left, kPortion));
    if (!take(bytes.data(), portion)) return fail("it cannot be read to its end");
    sum = digest({bytes.data(), portion}, sum);
    left -= portion;
  }
  if (!take(&stated, sizeof stated) || stated != sum) return fail("its bytes are not those that were written");

  at = sizeof head;
  std::uintmax_t left = size - kLeast - head.text;  // no count is believed beyond it
  std::string text(head.text, '\0');
  if (!take(text.data(), text.size())) return fail("it cannot be read to its end");
  Checkpoint& c = out.checkpoint;
  try {
    const Json json = Json::parse(text);
    json.at("run").get_to(c.run);
    json.at("columns").get_to(c.columns);
    json.at("steps").get_to(c.steps);
    json.at("records").get_to(c.records);
    json.at("identity").get_to(c.identity);
    const std::string records = json.at("records digest").get<std::string>();
    if (!is_hex(c.identity, 32) || !is_hex(records, 16)) return fail("it does not say to which records it belongs");
    std::from_chars(records.data(), records.data() + records.size(), c.records_digest, 16);
    Checkpoint::Sizes sizes;
    json.at("sections").get_to(sizes);
    for (const auto& [name, count] : sizes) {
      if (count > left / sizeof(double)) return fail("it ends too early");
      left -= count * sizeof(double);
      std::vector<double>& values = c.sections.emplace_back(name, std::vector<double>(count)).second;
      if (!take(values.data(), count * sizeof(double))) return fail("it cannot be read to its end");
    }
  } catch (const Json::exception&) {
    return fail("its description cannot be read");
  }
  if (left != 0) return fail("there is more in it than it says");
  if (c.steps < 0 || c.records < 0) return fail("a count is negative");
  return out;
}

}  // namespace rattleback
