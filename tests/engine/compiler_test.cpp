// Compilers that hang, that leave something running, and that are ended with the program: nothing stays behind.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "engine/answers.hpp"
#include "files/temporary.hpp"
#include "rattleback/error.hpp"

namespace rattleback::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class CompilerProcess : public Native {
 protected:
  CompilerProcess()
      : tmp_("TMPDIR", (folder_ / "tmp").string()), path_("PATH", folder_.string() + ":" + std::getenv("PATH")) {
    fs::create_directory(folder_ / "tmp");
  }
  // A compiler that writes down its number, which is that of its group, and what follows.
  void compiler(const std::string& script) const {
    write_bytes(folder_ / "gcc", "#!/bin/sh\necho $$ > '" + (folder_ / "number").string() + "'\n" + script + "\n");
    ASSERT_EQ(chmod((folder_ / "gcc").c_str(), 0700), 0);
  }
  // Once it has been started.
  [[nodiscard]] pid_t group() const {
    for (int k = 0; k < 2000; ++k) {
      pid_t number = 0;
      std::ifstream in(folder_ / "number");
      std::string rest;
      if (in >> number && std::getline(in, rest)) return number;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return -1;
  }
  // Killed processes take a moment to go.
  static bool gone(pid_t group) {
    for (int k = 0; k < 2000; ++k) {
      if (kill(-group, 0) != 0 && errno == ESRCH) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  void expect_nothing_left() const {
    const pid_t number = group();
    ASSERT_GT(number, 1);
    EXPECT_TRUE(gone(number));
    EXPECT_TRUE(files_in(folder_ / "tmp").empty());
    EXPECT_TRUE(files_in(cached()).empty());
  }

  std::string real_ = find_compiler().value().string();
  Environment tmp_, path_;
};

// One that starts others, as gcc does, and that does not care for gentle signals.
constexpr const char* kHangs = "trap '' TERM INT HUP\n/bin/sleep 1000 &\n/bin/sleep 1000\n/bin/sleep 1000";

TEST_F(CompilerProcess, OneThatHangsIsGivenUpOnceAndNotAskedAgain) {
  compiler(kHangs);
  const Environment patience("RATTLEBACK_COMPILER_SECONDS", "0.5");
  const Clock::time_point begin = Clock::now();
  const NativeCode code = code_that_says(1);
  EXPECT_GE(seconds_since(begin), 0.5);
  EXPECT_EQ(code.steps, nullptr);
  EXPECT_TRUE(code.given_up);
  EXPECT_EQ(code.fault, "the compiler " + (folder_ / "gcc").string() + " did not end within 0.5 s and was given up");
  expect_nothing_left();
  fs::remove(folder_ / "number");
  const NativeCode again = code_that_says(2);
  EXPECT_EQ(again.fault, code.fault);
  EXPECT_TRUE(again.given_up);
  EXPECT_FALSE(fs::exists(folder_ / "number"));
}

TEST_F(CompilerProcess, ItsPatienceIsTwentySecondsUnlessAskedOtherwise) {
  EXPECT_EQ(compiler_patience(), 20.0);
  for (const char* const nonsense : {"", "0", "-1", "nan", "inf", "1e9", "5 s"}) {
    const Environment patience("RATTLEBACK_COMPILER_SECONDS", nonsense);
    EXPECT_EQ(compiler_patience(), 20.0) << nonsense;
  }
  const Environment patience("RATTLEBACK_COMPILER_SECONDS", "2.5");
  EXPECT_EQ(compiler_patience(), 2.5);
}

TEST_F(CompilerProcess, ItEndsWhenTheRunIsToldTo) {
  compiler(kHangs);
  std::stop_source source;
  std::thread other([&] {
    (void)group();
    source.request_stop();
  });
  const Clock::time_point begin = Clock::now();
  const NativeCode code = code_that_says(3, false, source.get_token());
  EXPECT_LT(seconds_since(begin), 15.0);  // 0.05
  other.join();
  EXPECT_EQ(code.steps, nullptr);
  EXPECT_TRUE(code.given_up);
  expect_nothing_left();
  // It is not to blame, and asked again by a run that was not told to end.
  fs::remove(folder_ / "number");
  EXPECT_TRUE(code_that_says(3, false, source.get_token()).given_up);
  EXPECT_FALSE(fs::exists(folder_ / "number")) << "told to end before";
  compiler("exec '" + real_ + "' \"$@\"");
  const NativeCode then = code_that_says(3);
  EXPECT_EQ(answer(then), 3) << then.fault;
}

// What a signal handler does.
TEST_F(CompilerProcess, ItEndsWithTheProgram) {
  compiler(kHangs);
  const int status = in_a_child([&] {
    std::thread other([] { (void)code_that_says(4); });
    const pid_t number = group();
    if (number <= 1 || files_in(folder_ / "tmp").size() != 1) return 1;
    kill_compilers();
    files::remove_temporaries();
    _exit(0);
  });
  EXPECT_EQ(status, 0);
  expect_nothing_left();
}

TEST_F(CompilerProcess, NoneIsStartedAfterAll) {
  const int status = in_a_child([&] {
    kill_compilers();
    const NativeCode code = code_that_says(5);
    return code.steps == nullptr && files_in(folder_ / "tmp").empty() ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(CompilerProcess, WhatItLeavesRunningIsEnded) {
  compiler("/bin/sleep 1000 &\nexit 1");
  const NativeCode code = code_that_says(6);
  EXPECT_EQ(code.steps, nullptr);
  EXPECT_FALSE(code.given_up);
  expect_nothing_left();
}

TEST_F(CompilerProcess, OneThatMakesNoObjectIsNamed) {
  const fs::path target = folder_ / "target";
  write_bytes(target, "not an object");
  ASSERT_EQ(chmod(target.c_str(), 0640), 0);
  for (const std::string& script :
       {std::string("exit 0"), std::string("echo nonsense > step.so"), "ln -s '" + target.string() + "' step.so",
        std::string("mkdir step.so"), std::string("mkfifo step.so")}) {
    compiler(script);
    const NativeCode code = code_that_says(7);
    EXPECT_EQ(code.steps, nullptr);
    EXPECT_EQ(code.fault, "the compiler " + (folder_ / "gcc").string() + " made no object") << script;
    expect_nothing_left();
  }
  EXPECT_EQ(fs::status(target).permissions(), static_cast<fs::perms>(0640)) << "the link was not followed";
}

// A program that ignores SIGCHLD: the system forgets how its children ended.
TEST_F(CompilerProcess, WhereNobodyKnowsHowItEndedItsObjectTells) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  compiler("exec '" + real_ + "' \"$@\"");
  const NativeCode good = code_that_says(9);
  compiler("'" + real_ + "' \"$@\"; /usr/bin/head -c 3000 step.so > half; /bin/mv half step.so");
  const NativeCode half = code_that_says(10);
  compiler("exit 1");
  const NativeCode none = code_that_says(11);
  std::signal(SIGCHLD, before);
  EXPECT_EQ(answer(good), 9) << good.fault;
  for (const NativeCode* const code : {&half, &none}) {
    EXPECT_EQ(code->steps, nullptr);
    EXPECT_EQ(code->fault, "the compiler " + (folder_ / "gcc").string() + " made no object");
  }
}

TEST_F(CompilerProcess, NoneIsStartedAndNoCacheReadWhenTheProcessSaysSo) {
  ASSERT_EQ(answer(code_that_says(12)), 12);
  const std::size_t kept = files_in(cached()).size();
  compiler("exit 1");
  set_native("off");
  const NativeCode same = code_that_says(12), other = code_that_says(13);
  set_native("auto");
  for (const NativeCode* const code : {&same, &other}) {
    EXPECT_EQ(code->steps, nullptr);
    EXPECT_EQ(code->fault, "rattleback::set_native(\"off\") holds for this process");
  }
  EXPECT_FALSE(fs::exists(folder_ / "number"));
  EXPECT_EQ(files_in(cached()).size(), kept);
  EXPECT_THROW(set_native("never"), Error);
  EXPECT_EQ(process_native(), rattleback::Native::automatic);
  compiler("exec '" + real_ + "' \"$@\"");
  EXPECT_EQ(answer(code_that_says(12)), 12);
}

TEST_F(CompilerProcess, ItWorksInAFolderOfOursWithUsualSignals) {
  const std::string seen = (folder_ / "seen").string();
  compiler("pwd -P > '" + seen + "'; echo $TMPDIR >> '" + seen + "'; grep -E 'Sig(Blk|Ign)' /proc/self/status >> '" +
           seen + "'; exit 1");
  const auto before = std::signal(SIGTERM, SIG_IGN);
  (void)code_that_says(8);
  std::signal(SIGTERM, before);
  std::ifstream in(seen);
  std::string folder, tmp, blocked, ignored;
  std::getline(in, folder);
  std::getline(in, tmp);
  std::getline(in, blocked);
  std::getline(in, ignored);
  EXPECT_TRUE(folder.starts_with((fs::canonical(folder_) / "tmp" / "rattleback-native-").string())) << folder;
  EXPECT_EQ(tmp, ".");
  EXPECT_EQ(blocked, "SigBlk:\t0000000000000000");
  ASSERT_TRUE(ignored.starts_with("SigIgn:\t")) << ignored;
  EXPECT_EQ(std::stoull(ignored.substr(8), nullptr, 16) & 0x7fffffffU, 0U) << ignored;  // 32 and 33 are the C library's
}

// What processes that were killed left: removed by the next that makes such a folder, unless it is in use.
TEST_F(CompilerProcess, LeftoversInTheTemporaryFolderGo) {
  const fs::path stale = folder_ / "tmp" / "rattleback-native-Abc123",
                 strange = folder_ / "tmp" / "rattleback-native-Xyz789",
                 link = folder_ / "tmp" / "rattleback-native-Lnk000", elsewhere = folder_ / "elsewhere";
  for (const fs::path& f : {stale, strange, elsewhere}) fs::create_directory(f);
  for (const char* const name : {"step.c", "step.so", "ccAbcdef.s", "step-123456.o"}) write_bytes(stale / name, "x");
  for (int k = 0; k < 200; ++k) write_bytes(stale / ("cc" + std::to_string(k)), "x");
  write_bytes(strange / "diary.txt", "mine");
  write_bytes(elsewhere / "step.c", "mine");
  fs::create_directory_symlink(elsewhere, link);
  {
    const files::TemporaryFolder used;
    ASSERT_TRUE(used.ok());
    const files::TemporaryFolder other;
    ASSERT_TRUE(other.ok());
    EXPECT_TRUE(fs::exists(used.path()));
    EXPECT_FALSE(fs::exists(stale));
    EXPECT_TRUE(fs::exists(strange / "diary.txt"));
    EXPECT_TRUE(fs::exists(elsewhere / "step.c"));
  }
  EXPECT_EQ(files_in(folder_ / "tmp").size(), 2U);  // the strange one and the link
}

// A folder that cannot be emptied is no reason to try for ever.
TEST_F(CompilerProcess, AFolderInTheTemporaryFolderDoesNotHoldAnythingUp) {
  std::string path;
  {
    const files::TemporaryFolder folder;
    ASSERT_TRUE(folder.ok());
    path = folder.path();
    for (int k = 0; k < 50; ++k)
      fs::create_directories(path + "/a folder with a long name " + std::to_string(k) + "/in it");
    write_bytes(path + "/step.c", "x");
  }
  EXPECT_FALSE(fs::exists(path + "/step.c"));
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(CompilerProcess, TemporaryFilesGoWithTheFolderThatWasOpened) {
  const fs::path a = folder_ / "a", b = folder_ / "b";
  fs::create_directory(a);
  files::TemporaryFile kept(a.string());
  {
    const files::TemporaryFile lost(a.string());
    ASSERT_TRUE(kept.ok() && lost.ok());
    EXPECT_EQ(files_in(a).size(), 2U);
    fs::rename(a, b);
  }
  ASSERT_EQ(files_in(b).size(), 1U);
  EXPECT_TRUE(kept.rename_within("result"));
  EXPECT_TRUE(fs::exists(b / "result"));
  errno = 0;
  EXPECT_FALSE(files::TemporaryFile(a.string()).ok());
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace rattleback::testing
