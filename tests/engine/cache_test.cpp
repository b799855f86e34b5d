// The cache of compiled steps: damaged and exchanged entries, folders and entries of others, full disks, its size.
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "engine/answers.hpp"
#include "engine/build/cache.hpp"
#include "engine/build/load.hpp"
#include "files/trusted.hpp"

namespace rattleback::testing {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSomebody = 65534;

class CacheOfSteps : public Native {
 protected:
  CacheOfSteps() : tmp_("TMPDIR", (folder_ / "tmp").string()) { fs::create_directory(folder_ / "tmp"); }

  [[nodiscard]] fs::path entry() const {
    const std::vector<fs::path> all = files_in(cached());
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? fs::path() : all.front();
  }
  // Right, and not from what lies there; the time after from the cache again.
  static void expect_made_again(int number) {
    const NativeCode again = code_that_says(number);
    EXPECT_EQ(answer(again), number) << again.fault;
    EXPECT_FALSE(again.from_cache);
    const NativeCode then = code_that_says(number);
    EXPECT_EQ(answer(then), number) << then.fault;
    EXPECT_TRUE(then.from_cache);
  }
  static void expect_not_used(int number) {
    for (int k = 0; k < 2; ++k) {
      const NativeCode code = code_that_says(number);
      EXPECT_EQ(answer(code), number) << code.fault;
      EXPECT_FALSE(code.from_cache);
    }
  }

  Environment tmp_;
};

TEST_F(CacheOfSteps, AnEntryThatWasCutOffIsMadeAgain) {
  ASSERT_EQ(answer(code_that_says(1)), 1);
  const fs::path file = entry();
  const std::string whole = bytes_of(file), origin = origin_of(text_that_says(1));
  ASSERT_GT(whole.size(), origin.size());
  for (std::size_t length = 0; length < whole.size(); length += length < 64 || whole.size() - length < 64 ? 1 : 61) {
    write_bytes(file, whole.substr(0, length));
    EXPECT_EQ(Cache().find(origin), "") << length;
    EXPECT_FALSE(fs::exists(file)) << length;
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, whole.size() / 2, whole.size() - 1}) {
    write_bytes(file, whole.substr(0, length));
    expect_made_again(1);
  }
  write_bytes(file, whole + 'x');
  expect_made_again(1);
}

TEST_F(CacheOfSteps, AFlippedBitIsSeenWhereverItIs) {
  ASSERT_EQ(answer(code_that_says(2)), 2);
  const fs::path file = entry();
  const std::string whole = bytes_of(file), origin = origin_of(text_that_says(2));
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same bits every time
  for (int k = 0; k < 2000; ++k) {
    std::string damaged = whole;
    const std::size_t at = random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    write_bytes(file, damaged);
    EXPECT_EQ(Cache().find(origin), "") << at;
    EXPECT_FALSE(fs::exists(file));
    if (k % 500 == 0) {
      write_bytes(file, damaged);
      expect_made_again(2);
    }
  }
}

TEST_F(CacheOfSteps, ExchangedEntriesAreNotLoaded) {
  ASSERT_EQ(answer(code_that_says(3)), 3);
  const fs::path first = entry();
  ASSERT_EQ(answer(code_that_says(4)), 4);
  std::vector<fs::path> all = files_in(cached());
  ASSERT_EQ(all.size(), 2U);
  const fs::path second = all[0] == first ? all[1] : all[0];
  const std::string a = bytes_of(first), b = bytes_of(second);
  write_bytes(first, b);
  write_bytes(second, a);
  expect_made_again(3);
  expect_made_again(4);
}

TEST_F(CacheOfSteps, AnEntryThatOthersMayWriteIsReplaced) {
  ASSERT_EQ(answer(code_that_says(5)), 5);
  for (const mode_t mode : {0620U, 0602U, 0777U}) {
    ASSERT_EQ(chmod(entry().c_str(), mode), 0);
    expect_made_again(5);
    struct stat s {};
    ASSERT_EQ(stat(entry().c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 0777U, 0600U);
  }
}

TEST_F(CacheOfSteps, WhatIsNotAFileIsNotFollowedAndNotWaitedFor) {
  ASSERT_EQ(answer(code_that_says(6)), 6);
  const fs::path file = entry(), elsewhere = folder_ / "elsewhere";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  expect_made_again(6);
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_TRUE(fs::exists(elsewhere));
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  expect_made_again(6);
  fs::remove(file);
  fs::create_directory(file);
  expect_not_used(6);
}

TEST_F(CacheOfSteps, FoldersThatOthersMayWriteAreNotUsed) {
  const fs::path parent = folder_ / "parent", base = parent / "base";
  fs::create_directories(base);
  const Environment place("XDG_CACHE_HOME", base.string());
  for (const mode_t mode : {0770U, 0707U, 0777U}) {
    ASSERT_EQ(chmod(parent.c_str(), mode), 0);
    expect_not_used(7);
    EXPECT_TRUE(files_in(base).empty()) << "nothing is even made there";
  }
  ASSERT_EQ(chmod(parent.c_str(), 01777), 0);  // as /tmp
  ASSERT_EQ(answer(code_that_says(7)), 7);
  EXPECT_TRUE(code_that_says(7).from_cache);
  // The last folder itself has no excuse.
  ASSERT_EQ(chmod((base / "rattleback").c_str(), 01777), 0);
  expect_not_used(7);
  ASSERT_EQ(chmod((base / "rattleback").c_str(), 0700), 0);
  EXPECT_TRUE(code_that_says(7).from_cache);
}

TEST_F(CacheOfSteps, WhatBelongsToOthersIsNotUsed) {
  // Whoever we are: one of these belongs to somebody else.
  EXPECT_EQ(static_cast<bool>(files::open_trusted_folder("/usr/share", false)), geteuid() == 0);
  if (geteuid() != 0) return;
  const fs::path parent = folder_ / "parent", base = parent / "base";
  fs::create_directories(base);
  const Environment place("XDG_CACHE_HOME", base.string());
  ASSERT_EQ(answer(code_that_says(8)), 8);
  ASSERT_TRUE(code_that_says(8).from_cache);
  for (const fs::path& folder : {parent, base, base / "rattleback"}) {
    ASSERT_EQ(chown(folder.c_str(), kSomebody, kSomebody), 0);
    expect_not_used(8);
    ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  }
  const fs::path file = files_in(base / "rattleback").front();
  ASSERT_EQ(chown(file.c_str(), kSomebody, kSomebody), 0);
  expect_made_again(8);
}

TEST_F(CacheOfSteps, MissingFoldersAreMadeForTheUserAlone) {
  const fs::path a = folder_ / "a", b = a / "b";
  const Environment place("XDG_CACHE_HOME", b.string() + "/");
  const mode_t before = umask(0);
  ASSERT_EQ(answer(code_that_says(9)), 9);
  umask(before);
  for (const fs::path& folder : {a, b, b / "rattleback"}) {
    struct stat s {};
    ASSERT_EQ(stat(folder.c_str(), &s), 0) << folder;
    EXPECT_EQ(s.st_mode & 07777U, 0700U) << folder;
  }
  EXPECT_TRUE(code_that_says(9).from_cache);
  // A link of the user's own is followed; where it ends is judged.
  const Environment by_link("XDG_CACHE_HOME", (folder_ / "link").string());
  fs::create_directory_symlink(b, folder_ / "link");
  EXPECT_TRUE(code_that_says(9).from_cache);
  ASSERT_EQ(chmod(a.c_str(), 0777), 0);
  expect_not_used(9);
}

// A tree of another user, with an entry that is right in every other respect, comes and goes in the place of ours.
TEST_F(CacheOfSteps, AFolderThatIsExchangedMeanwhileGetsNothingLoaded) {
  const fs::path marker = folder_ / "marker", ours = folder_ / "ours", theirs = folder_ / "theirs";
  const std::string evil = "#include <fcntl.h>\n__attribute__((constructor)) static void c(void) { open(\"" +
                           marker.string() + "\", O_CREAT | O_WRONLY, 0600); }\nint answer(void) { return 666; }\n";
  const std::string origin = origin_of(text_that_says(10));
  {
    const Environment place("XDG_CACHE_HOME", theirs.string());
    ASSERT_EQ(answer(native_code(evil, false, "answer")), 666);
    ASSERT_TRUE(fs::exists(marker));
    Cache().keep(origin, Cache().find(origin_of(evil)));
    ASSERT_EQ(answer(code_that_says(10)), 666) << "it would be loaded if it were ours";
    fs::remove(marker);
  }
  const Environment place("XDG_CACHE_HOME", (ours / "base").string());
  ASSERT_EQ(answer(code_that_says(10)), 10);
  fs::create_directory(folder_ / "hold");
  fs::rename(theirs, folder_ / "hold" / "base");
  fs::rename(folder_ / "hold", theirs);
  for (const auto& found : fs::recursive_directory_iterator(theirs)) {
    if (geteuid() == 0)
      ASSERT_EQ(chown(found.path().c_str(), kSomebody, kSomebody), 0);
    else
      fs::permissions(found.path(), fs::perms::group_write | fs::perms::others_write, fs::perm_options::add);
  }
  ASSERT_EQ(chown(theirs.c_str(), geteuid() == 0 ? kSomebody : geteuid(), static_cast<gid_t>(-1)), 0);
  if (geteuid() != 0) fs::permissions(theirs, fs::perms::all);
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) (void)syscall(SYS_renameat2, AT_FDCWD, ours.c_str(), AT_FDCWD, theirs.c_str(), 2U);  // exchange
  });
  int loaded = 0, refused = 0;
  const auto begin = std::chrono::steady_clock::now();
  while ((loaded < 500 || refused < 500) && std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
    const NativeCode code = code_that_says(10, true);
    if (code.steps == nullptr)
      ++refused;
    else if (++loaded; answer(code) != 10)
      ADD_FAILURE() << "the code of another user was run";
  }
  over = true;
  other.join();
  EXPECT_FALSE(fs::exists(marker));
  EXPECT_GT(loaded, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(CacheOfSteps, AFullDiskLeavesNothingPartial) {
  ASSERT_EQ(answer(code_that_says(11)), 11);
  const std::string object = bytes_of(entry());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {5000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Cache().keep("something else", object);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(files_in(cached()).size(), 1U);
  EXPECT_TRUE(code_that_says(11).from_cache);
}

// The limit is no reason to end the program, as its signal would.
TEST_F(CacheOfSteps, ALimitOnTheSizeOfFilesIsNotDeadly) {
  const int status = in_a_child([&] {
    const rlimit small = {1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) return 1;
    const NativeCode code = code_that_says(12);
    return code.steps == nullptr && !code.fault.empty() && files_in(cached()).empty() &&
                   files_in(folder_ / "tmp").empty()
               ? 0
               : 2;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(CacheOfSteps, ObjectsAreLoadedFromMemoryAndElseFromTheTemporaryFolder) {
  ASSERT_EQ(answer(code_that_says(13)), 13);
  ASSERT_EQ(answer(code_that_says(14)), 14);
  const std::string object = Cache().find(origin_of(text_that_says(13))),
                    other = Cache().find(origin_of(text_that_says(14)));
  for (const auto& load : {load_from_memory, load_from_temporary_folder})
    for (int k = 0; k < 3; ++k) {  // descriptors have the same numbers again
      NativeCode a, b;
      a.library = load(object);
      b.library = load(other);
      ASSERT_NE(a.library, nullptr);
      ASSERT_NE(b.library, nullptr);
      a.steps = reinterpret_cast<NativeSteps>(dlsym(a.library.get(), "answer"));
      b.steps = reinterpret_cast<NativeSteps>(dlsym(b.library.get(), "answer"));
      EXPECT_EQ(answer(a), 13);
      EXPECT_EQ(answer(b), 14);
    }
  EXPECT_TRUE(files_in(folder_ / "tmp").empty());
  // A temporary folder that others may exchange is not loaded from.
  ASSERT_EQ(chmod((folder_ / "tmp").c_str(), 0777), 0);
  EXPECT_EQ(load_from_temporary_folder(object), nullptr);
}

// Where a process may mount: a cache from which nothing may be executed, and a disk that is full.
TEST_F(CacheOfSteps, NothingNeedBeExecutableInItAndADiskMayBeFull) {
  constexpr int kMayNotMount = 100;
  fs::create_directory(cached());
  const auto on_a_disk = [&](const char* options, const std::function<int()>& work) {
    return in_a_child([&] {
      if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("none", cached().c_str(), "tmpfs", MS_NOEXEC, options) != 0)
        return kMayNotMount;
      return work();
    });
  };
  const int executed = on_a_disk("mode=0700", [] {
    if (answer(code_that_says(15)) != 15) return 1;
    const NativeCode again = code_that_says(15);
    return again.from_cache && answer(again) == 15 ? 0 : 2;
  });
  EXPECT_TRUE(executed == 0 || executed == kMayNotMount) << executed;
  const int full = on_a_disk("mode=0700,size=8k", [&] {
    for (int k = 0; k < 2; ++k)
      if (const NativeCode code = code_that_says(16); answer(code) != 16 || code.from_cache) return 1;
    return files_in(cached()).empty() ? 0 : 2;
  });
  EXPECT_TRUE(full == 0 || full == kMayNotMount) << full;
}

TEST_F(CacheOfSteps, TheOldestGoWhenItIsFull) {
  const Environment limit("RATTLEBACK_CACHE_MB", "1");
  const std::string object(200'000, 'x');
  const auto age = [&](const std::string& origin, int hours) {
    for (const fs::path& file : files_in(cached()))
      if (bytes_of(file).find(origin) != std::string::npos)
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (int k = 0; k < 4; ++k) {
    const std::string origin = "origin " + std::to_string(k);
    Cache().keep(origin, object);
    age(origin, 100 - k);
  }
  EXPECT_EQ(Cache().find("origin 0"), object);  // the oldest is used: now it is the newest
  Cache().keep("origin 4", object);
  EXPECT_EQ(files_in(cached()).size(), 4U);  // 5 and their trailers are more than 1 MB
  EXPECT_EQ(Cache().find("origin 1"), "");
  for (const char* const origin : {"origin 0", "origin 2", "origin 3", "origin 4"})
    EXPECT_EQ(Cache().find(origin), object) << origin;
  Cache().keep("too long", std::string(1'000'000, 'x'));
  EXPECT_EQ(Cache().find("too long"), "");
  EXPECT_EQ(files_in(cached()).size(), 4U);
}

TEST_F(CacheOfSteps, LeftoversAndObjectsOfEarlierVersionsGo) {
  fs::create_directory(cached());
  fs::permissions(cached(), fs::perms::owner_all);
  const std::string digits(32, 'a');
  for (const std::string& name : {digits + ".so", digits + ".4711.1", std::string(".rattleback-Abc123")})
    write_bytes(cached() / name, "old");
  for (const char* const name : {"notes.txt", "abc.so", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.so.bak"})
    write_bytes(cached() / name, "not ours to remove");
  ASSERT_EQ(answer(code_that_says(17)), 17);
  EXPECT_EQ(files_in(cached()).size(), 4U);
  EXPECT_TRUE(fs::exists(cached() / "abc.so"));
}

TEST_F(CacheOfSteps, OfNoMegabytesIsNoCache) {
  const Environment limit("RATTLEBACK_CACHE_MB", "0");
  expect_not_used(18);
  EXPECT_FALSE(fs::exists(cached()));
  const Environment nonsense("RATTLEBACK_CACHE_MB", "many");
  ASSERT_EQ(answer(code_that_says(18)), 18);
  EXPECT_TRUE(code_that_says(18).from_cache);
}

TEST_F(CacheOfSteps, ManyThreadsMayAskAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&, k] {
      for (int i = 0; i < 4; ++i)
        if (answer(code_that_says(20 + (k + i) % 3)) == 20 + (k + i) % 3) ++right;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 32);
  EXPECT_EQ(files_in(cached()).size(), 3U);
  EXPECT_TRUE(files_in(folder_ / "tmp").empty());
}

}  // namespace
}  // namespace rattleback::testing
