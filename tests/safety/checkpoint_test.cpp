// Checkpoints against bad luck and other users: what is damaged, foreign or in use is refused, and nothing is lost by trying.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "files/own.hpp"
#include "files/replace.hpp"
#include "run/checkpoint_file.hpp"
#include "run/resume_pairs.hpp"

namespace rattleback::testing {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

class Safety : public ::testing::Test {
 protected:
  Safety() {
    options_.step = 0.1;
    options_.steps = 10;
    options_.every = 5;
    options_.checkpoint = scratch_.file();
    file_ = scratch_.file();
    records_ = file_ + ".records";
  }

  Trajectory run(bool resume, std::int64_t steps = 10) {
    options_.steps = steps;
    options_.resume = resume;
    return simulate(model_, options_);
  }
  std::string refusal(bool resume = true, std::int64_t steps = 10) {
    options_.steps = steps;
    options_.resume = resume;
    return message_of(model_, options_);
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(scratch_.path)) out.insert(entry.path().filename().string());
    return out;
  }
  // Longer, from the start, without a checkpoint.
  std::string whole(std::int64_t steps) {
    Options o = options_;
    o.checkpoint.clear();
    o.resume = false;
    o.steps = steps;
    return everything(model_, simulate(model_, o));
  }
  void expect_resumes(std::int64_t steps = 20) {
    EXPECT_EQ(everything(model_, run(true, steps)), whole(steps));
    EXPECT_EQ(names(), (std::set<std::string>{"run.checkpoint", "run.checkpoint.records"}));
  }

  Scratch scratch_;
  Model model_ = shipped("skate");
  Options options_;
  std::string file_, records_;
};

TEST_F(Safety, AStartDoesNotReplaceFilesThatAreNoCheckpoints) {
  for (const char* suffix : {"", ".records", ".records.old"}) {
    put(file_ + suffix, "letters to a friend");
    expect_contains(refusal(false),
                    fmt::format("would replace '{}{}', which is no file of a checkpoint", file_, suffix));
    EXPECT_EQ(bytes_of(file_ + suffix), "letters to a friend");
    put(file_ + suffix, "");  // as mktemp leaves it
    EXPECT_EQ(run(false).status, Status::done);
    fs::remove(file_ + suffix);
  }
}

TEST_F(Safety, ALockNeverTouchesAFileOfSomethingElse) {
  put(file_ + ".lock", "letters");
  expect_contains(refusal(false), "run.checkpoint.lock', the name of its lock, is a file of something else");
  EXPECT_EQ(bytes_of(file_ + ".lock"), "letters");
}

TEST_F(Safety, ACheckpointOfAnotherSystemIsNamedAsThat) {
  run(false);
  model_ = shipped("chaplygin-sleigh");
  expect_contains(refusal(), "the system is skate there and chaplygin-sleigh here");
}

TEST_F(Safety, EveryFlippedBitOfTheStateIsRefused) {
  run(false);
  const std::string good = bytes_of(file_);
  for (std::size_t i = 0; i < 8 * good.size(); ++i) {
    std::string bad = good;
    bad[i / 8] = static_cast<char>(bad[i / 8] ^ (1 << (i % 8)));
    put(file_, bad);
    const files::OwnFile own = files::open_own(file_, O_RDONLY);
    EXPECT_NE(read_checkpoint(own.file.get(), own.size).fault, "") << "bit " << i;
  }
  put(file_, good);
  expect_resumes();
}

TEST_F(Safety, EveryFlippedBitOfTheRecordsIsRefused) {
  run(false);
  const std::string good = bytes_of(records_);
  {
    CheckpointFile file(file_);
    const auto state = file.read();
    for (std::size_t i = 0; i < 8 * good.size(); ++i) {
      std::string bad = good;
      bad[i / 8] = static_cast<char>(bad[i / 8] ^ (1 << (i % 8)));
      put(records_, bad);
      EXPECT_THROW(file.read_records(*state, [](std::span<const double>) {}), Error) << "bit " << i;
    }
  }
  put(records_, good);
  expect_resumes();
}

TEST_F(Safety, WhatWasCutAtAnyLengthIsRefused) {
  run(false);
  const std::string state = bytes_of(file_), records = bytes_of(records_);
  for (std::size_t size = 0; size < state.size(); ++size) {
    put(file_, state.substr(0, size));
    EXPECT_THROW((void)CheckpointFile(file_).read(), Error) << size;
  }
  put(file_, state);
  for (std::size_t size = 0; size < records.size(); ++size) {
    put(records_, records.substr(0, size));
    CheckpointFile file(file_);
    EXPECT_THROW(file.read_records(*file.read(), [](std::span<const double>) {}), Error) << size;
  }
  fs::remove(records_);
  expect_contains(refusal(), "its records file '" + records_ + "' does not exist");
  put(records_, records + "more");  // what a killed run wrote after its last state
  expect_resumes();
}

// Nothing is allocated for what a file of a terabyte says of itself.
TEST_F(Safety, AFileWithoutEndIsRefusedAtOnce) {
  run(false);
  const std::string good = bytes_of(file_);
  fs::resize_file(file_, 1ULL << 40U);
  expect_contains(refusal(), "there is more in it than it says");
  put(file_, good);
  fs::resize_file(file_, good.size());
  const std::uint64_t huge = 1ULL << 40U;
  std::string bad = good;
  bad.replace(8, 8, reinterpret_cast<const char*>(&huge), 8);
  put(file_, bad);
  fs::resize_file(file_, huge);
  expect_contains(refusal(), "it is larger than any checkpoint");
}

TEST_F(Safety, RecordsOfAnotherRunAreRefused) {
  run(false);
  const std::string other = bytes_of(records_);
  run(false);
  put(records_, other);
  expect_contains(refusal(), "its records file '" + records_ + "' belongs to another run. Start without --resume");
}

// A run that goes on until it is told to stop, in a thread of its own.
class EndlessRun {
 public:
  EndlessRun(const Model& model, Options o) {
    o.steps = 1'000'000'000'000;
    o.every = 1'000'000'000;
    o.native = "off";
    o.stop = stop_.get_token();
    thread_ = std::jthread([this, &model, o] { end_ = simulate(model, o); });
  }
  Trajectory end() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
    return end_;
  }
  ~EndlessRun() { (void)end(); }

 private:
  std::stop_source stop_;
  Trajectory end_;
  std::jthread thread_;
};

template <class Condition>
bool comes_true(const Condition& condition) {
  for (int k = 0; k < 10'000; ++k) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST_F(Safety, TwoRunsDoNotUseOneCheckpoint) {
  run(false);
  const std::string old = bytes_of(file_);
  options_.checkpoint_seconds = 0.0;
  {
    EndlessRun first(model_, options_);
    ASSERT_TRUE(comes_true([&] { return bytes_of(file_) != old; }));  // it has the lock by then
    for (const bool resume : {false, true})
      EXPECT_EQ(refusal(resume), fmt::format("checkpoint '{}' is in use by another run (process {}). Wait for its end, "
                                             "or give another name",
                                             file_, getpid()));
  }
  EXPECT_EQ(refusal(false), "(no error)");
}

TEST_F(Safety, ALockThatAKilledRunLeftKeepsNobodyOut) {
  run(false);
  put(file_ + ".lock", "123456789\n");
  expect_resumes();
}

// The old pair is there until the first checkpoint of a new run, whatever happens before.
TEST_F(Safety, AnOlderPairIsUntouchedUntilANewOneIsComplete) {
  run(false);
  const std::string state = bytes_of(file_), records = bytes_of(records_);
  {
    CheckpointFile file(file_);
    file.begin(nullptr);
  }
  EXPECT_EQ(bytes_of(file_) + bytes_of(records_), state + records);
  expect_resumes();
}

// A run that was killed between the renames of its first checkpoint.
TEST_F(Safety, AnInterruptedFirstCheckpointLeavesTheOlderPairValid) {
  run(false);
  const std::string records = bytes_of(records_);
  fs::rename(records_, records_ + ".old");
  expect_resumes();  // after the first rename
  run(false);
  fs::rename(records_, records_ + ".old");
  put(records_, records);  // after the second one: records of another run
  expect_resumes();
  run(false);
  put(records_ + ".old", records);  // after the third one
  expect_resumes();
  // A fresh run over any of them gets its own pair, too.
  run(false);
  fs::rename(records_, records_ + ".old");
  run(false);
  expect_resumes();
}

TEST_F(Safety, NoLinkIsFollowed) {
  const std::string victim = (scratch_.path / "victim").string();
  const auto with_link = [&](const std::string& place) {
    for (const auto& entry : fs::directory_iterator(scratch_.path)) fs::remove(entry);
    run(false);
    put(victim, "precious");
    fs::remove(place);
    fs::create_symlink(victim, place);
  };
  with_link(file_);
  for (const bool resume : {false, true})
    expect_contains(refusal(resume), "is a symbolic link, which is not followed. Name the file itself");
  EXPECT_EQ(bytes_of(victim), "precious");
  with_link(file_ + ".lock");
  expect_contains(refusal(), "its lock '" + file_ + ".lock' is a symbolic link, which is not followed. Remove it");
  EXPECT_EQ(bytes_of(victim), "precious");
  for (const std::string& place : {records_, records_ + ".old"}) {
    with_link(place);
    if (place == records_) expect_contains(refusal(), "is a symbolic link, which is not followed");
    EXPECT_EQ(run(false).checkpoint_fault, "");
    EXPECT_EQ(bytes_of(victim), "precious") << place;
    EXPECT_FALSE(fs::is_symlink(place));
    fs::remove(victim);
    expect_resumes();
  }
}

TEST_F(Safety, WhatOthersMayHaveWrittenIsRefused) {
  run(false);
  for (const std::string& place : {file_, records_}) {
    for (const mode_t mode : {0664U, 0646U}) {
      chmod(place.c_str(), mode);
      expect_contains(refusal(), fmt::format("may be written by other users (mode {:o}", mode));
    }
    chmod(place.c_str(), 0644);
    if (geteuid() == 0) {
      ASSERT_EQ(chown(place.c_str(), 12345, 12345), 0);
      expect_contains(refusal(), "belongs to another user (number 12345), who may have changed it");
      ASSERT_EQ(chown(place.c_str(), 0, 0), 0);
    }
    const std::string good = bytes_of(place);
    fs::remove(place);
    ASSERT_EQ(mkfifo(place.c_str(), 0600), 0);  // nobody will ever write into it
    expect_contains(refusal(), "is not a regular file");
    fs::remove(place);
    put(place, good);
  }
  expect_resumes();
}

// Whatever the user allows others, a checkpoint is not refused by the run that comes after.
TEST_F(Safety, AnOpenUmaskDoesNotMakeOurOwnFilesSuspect) {
  const mode_t before = umask(0);
  run(false);
  umask(before);
  expect_resumes();
}

TEST_F(Safety, ARequestThatEndsBeforeTheCheckpointIsRefused) {
  struct Case {
    std::string system;
    double adaptive, output_every;
    std::string event;
    bool by_time;
  };
  for (const Case& c : {Case{"skate", 0.0, 0.0, "", false}, Case{"skate", 0.0, 0.0, "", true},
                        Case{"skate", 0.0, 0.25, "", false}, Case{"skate", 0.0, 0.0, "x - 0.1", false},
                        Case{"skate", 1e-6, 0.0, "", true}, Case{"pendulum", 1e-6, 0.25, "x", true}}) {
    SCOPED_TRACE(fmt::format("{} {} {} {}", c.system, c.adaptive, c.output_every, c.event));
    const Model model = shipped(c.system);
    Options o;
    o.step = 0.1;
    o.adaptive = c.adaptive;
    o.output_every = c.output_every;
    if (!c.event.empty()) o.event = {c.event};
    o.checkpoint = file_;
    const auto end = [&](int steps) {
      if (c.by_time)
        o.until = 0.1 * steps;
      else
        o.steps = steps;
    };
    end(100);
    (void)simulate(model, o);
    o.resume = true;
    const std::string before = bytes_of(file_) + bytes_of(records_);
    for (const int steps : {0, 1, 50, 90}) {
      end(steps);
      expect_contains(message_of(model, o), "which is too late for");
    }
    EXPECT_EQ(bytes_of(file_) + bytes_of(records_), before);
    end(100);
    EXPECT_EQ(message_of(model, o), "(no error)");
  }
}

TEST_F(Safety, ANameThatCannotServeIsRefusedBeforeTheRun) {
  fs::create_directory(records_);
  EXPECT_EQ(refusal(false),
            fmt::format("checkpoint '{0}' needs the name '{0}.records', which is a folder. Give another "
                        "name",
                        file_));
  fs::remove(records_);
  options_.checkpoint = (scratch_.path / std::string(244, 'x')).string();
  expect_contains(refusal(false), "is too long: it may have 243 bytes");
  EXPECT_TRUE(names().empty());
}

// Outputs follow links of one's own, but not those that another user laid. Only root can make one look so.
TEST_F(Safety, OutputsDoNotFollowLinksOfOtherUsers) {
  const std::string place = (scratch_.path / "out.csv").string(), target = (scratch_.path / "target").string();
  put(target, "before");
  ASSERT_EQ(symlink(target.c_str(), place.c_str()), 0);
  files::write_text(place, "mine");
  EXPECT_EQ(bytes_of(target), "mine");
  if (lchown(place.c_str(), 65534, 65534) != 0) return;  // who may not give files away is done
  EXPECT_THROW(files::check_place(place, "output file"), Error);
  EXPECT_THROW(files::write_text(place, "again"), Error);
  EXPECT_EQ(bytes_of(target), "mine");
}

// --- faults while the run goes on

TEST_F(Safety, ACheckpointThatCannotBeWrittenDoesNotEndTheRun) {
  std::vector<std::string> warnings;
  std::atomic<int> told = 0;
  options_.checkpoint_seconds = 0.0;
  options_.warn = [&](const std::string& text) {
    warnings.push_back(text);
    ++told;
  };
  EndlessRun endless(model_, options_);
  ASSERT_TRUE(comes_true([&] { return fs::exists(file_); }));
  fs::rename(scratch_.path, scratch_.path.string() + ".gone");
  ASSERT_TRUE(comes_true([&] { return told > 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // further tries are not told again
  const Trajectory t = endless.end();
  const std::string fault = fmt::format("checkpoint '{}' could not be written: No such file or directory", file_);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], fault + ". The run goes on, and it will be tried again");
  EXPECT_EQ(t.checkpoint_fault, fault);
  EXPECT_EQ(t.status, Status::cancelled);
  EXPECT_GT(t.steps, 0);
  fs::rename(scratch_.path.string() + ".gone", scratch_.path);
}

// The folder goes and comes back: all records are written again.
TEST_F(Safety, ALaterCheckpointMakesUpForOneThatFailed) {
  CheckpointFile file(file_);
  file.begin(nullptr);
  Checkpoint c;
  c.columns = {{"t", 1}};
  c.sections = {{"stepper", {1.0, 2.0}}};
  const CheckpointFile::Row row = [](std::int64_t i, std::vector<double>& to) { to.push_back(static_cast<double>(i)); };
  c.records = 3;
  EXPECT_EQ(file.write(c, row), "");
  const fs::path elsewhere = scratch_.path.string() + ".away";
  fs::rename(scratch_.path, elsewhere);
  c.records = 5;
  EXPECT_EQ(file.write(c, row), "No such file or directory");
  fs::create_directory(scratch_.path);
  c.records = 7;
  EXPECT_EQ(file.write(c, row), "");
  fs::remove_all(elsewhere);
  const auto read = file.read();
  ASSERT_TRUE(read);
  std::vector<double> rows;
  file.read_records(*read, [&](std::span<const double> each) { rows.push_back(each[0]); });
  EXPECT_EQ(rows, (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace rattleback::testing
