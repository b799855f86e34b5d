// Output files: columns, exact read-back, and that nothing is ever half-written.
#include "output/write.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <csignal>

#include <bit>
#include <cstdlib>

#include "output/hdf5.hpp"
#include "rattleback/error.hpp"
#include "report/samples.hpp"

namespace rattleback {
namespace {

class OutputFile : public InFolder {
 protected:
  std::string message(const std::string& target) {
    try {
      check_output_path(target);
    } catch (const Error& error) {
      std::string text = error.what();
      for (std::size_t at = 0; (at = text.find(folder_.string())) != std::string::npos;)
        text.replace(at, folder_.string().size(), "FOLDER");
      return text;
    }
    return "no error";
  }
};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

TEST_F(OutputFile, CsvOfAMechanicalSystemHasTheColumnsOfTheContract) {
  write_trajectory(sleigh(), sleigh_run(), path("out.csv"));
  EXPECT_EQ(lines(read_all(path("out.csv"))).front(),
            "t,x,y,theta,x',y',theta',lambda.blade,energy,residual.position,residual.velocity");
  EXPECT_EQ(files(), std::vector<std::string>{"out.csv"});
}

TEST_F(OutputFile, CsvOfADaeHasStatesAndAlgebraicVariables) {
  write_trajectory(hessenberg(), hessenberg_run(), path("out.csv"));
  EXPECT_EQ(read_all(path("out.csv")), "t,y1,y2,z1,residual.position\n0,1,1,1,0\n0.1,1.1,0.8,1.2,1e-16\n");
}

TEST_F(OutputFile, CsvNumbersReadBackToTheSameDouble) {
  write_trajectory(sleigh(), sleigh_run(), path("out.csv"));
  const auto text = lines(read_all(path("out.csv")));
  ASSERT_EQ(text.size(), 3U);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(cells(text[row + 1])[i + 1].c_str(), nullptr)),
                std::bit_cast<std::uint64_t>(kAwkward[3 * row + i]));
}

TEST_F(OutputFile, CsvOfNumbersThatAreNotFinite) {
  Trajectory t = hessenberg_run();
  t.records.q = {std::nan(""), -std::nan(""), std::numeric_limits<double>::infinity(),
                 -std::numeric_limits<double>::infinity()};
  write_trajectory(hessenberg(), t, path("out.csv"));
  EXPECT_EQ(read_all(path("out.csv")), "t,y1,y2,z1,residual.position\n0,nan,nan,1,0\n0.1,inf,-inf,1.2,1e-16\n");
}

TEST_F(OutputFile, CsvNamesWithCommasOrQuotesAreQuoted) {
  Model model = hessenberg();
  model.coordinates = {};
  model.coordinates.add("a,b");
  model.coordinates.add("c\"d");
  write_trajectory(model, hessenberg_run(), path("out.csv"));
  EXPECT_EQ(lines(read_all(path("out.csv"))).front(), R"(t,"a,b","c""d",z1,residual.position)");
}

TEST_F(OutputFile, CsvWithoutRecordedMultipliersHasNoColumnsForThem) {
  Trajectory t = sleigh_run();
  t.records.multipliers.clear();
  write_trajectory(sleigh(), t, path("out.csv"));
  EXPECT_EQ(lines(read_all(path("out.csv"))).front(),
            "t,x,y,theta,x',y',theta',energy,residual.position,residual.velocity");
}

TEST_F(OutputFile, ExistingFileIsReplacedAndKeepsItsMode) {
  std::ofstream(path("out.csv")) << std::string(100'000, 'x');
  chmod(path("out.csv").c_str(), 0640);
  write_trajectory(hessenberg(), hessenberg_run(), path("out.csv"));
  EXPECT_LT(std::filesystem::file_size(path("out.csv")), 200U);
  struct stat now {};
  ASSERT_EQ(stat(path("out.csv").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 0777U, 0640U);
}

TEST_F(OutputFile, NewFileHasTheModeOfTheUsersMask) {
  const mode_t mask = umask(0022);
  write_trajectory(hessenberg(), hessenberg_run(), path("out.csv"));
  umask(mask);
  struct stat now {};
  ASSERT_EQ(stat(path("out.csv").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 0777U, 0644U);
}

TEST_F(OutputFile, LinkStaysALink) {
  std::ofstream(path("real.csv")) << "old";
  std::filesystem::create_symlink("real.csv", path("link.csv"));
  write_trajectory(hessenberg(), hessenberg_run(), path("link.csv"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.csv")));
  EXPECT_TRUE(read_all(path("real.csv")).starts_with("t,y1"));
}

// A limit on the size of files stands for a full disk.
TEST_F(OutputFile, FullDiskLeavesTheOldFileAndNothingElse) {
  Trajectory t = sleigh_run();
  for (std::vector<double>* values :
       {&t.records.t, &t.records.energy, &t.records.residual_velocity, &t.records.multipliers})
    values->assign(20'000, 0.1);
  t.records.q.assign(60'000, 0.1);
  t.records.v = t.records.q;
  t.records.rows = 20'000;
  for (const char* name : {"out.csv", "out.h5"}) {
    std::ofstream(path(name)) << "old";
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{100'000, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(write_trajectory(sleigh(), t, path(name)), Error) << name;
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(read_all(path(name)), "old") << name;
  }
  EXPECT_EQ(files().size(), 2U);
}

TEST_F(OutputFile, RefusedPathsSayWhyAndWhatToDo) {
  std::filesystem::create_directory(path("folder.csv"));
  std::ofstream(path("file")) << "x";
  mkfifo(path("pipe.csv").c_str(), 0600);
  std::filesystem::create_symlink("nowhere/out.csv", path("dangling.csv"));
  EXPECT_EQ(message(path("out.csv")), "no error");
  EXPECT_EQ(message(path("out.H5")), "no error");
  EXPECT_EQ(message(""), "the output file has no name");
  EXPECT_EQ(message(path("out.txt")),
            "output file 'FOLDER/out.txt': the extension '.txt' is not known. Use .csv or .h5");
  EXPECT_EQ(
      message(path("out")),
      "output file 'FOLDER/out' has no extension, which chooses the format. Use 'FOLDER/out.csv' or 'FOLDER/out.h5'");
  EXPECT_EQ(
      message(path("no/out.csv")),
      "output file 'FOLDER/no/out.csv': the folder 'FOLDER/no' does not exist. Make it first, or name another place");
  EXPECT_EQ(message(path("file/out.csv")), "output file 'FOLDER/file/out.csv': 'FOLDER/file' is not a folder");
  EXPECT_EQ(message(path("folder.csv")), "output file 'FOLDER/folder.csv' is a folder. Name a file in it");
  EXPECT_EQ(message(path("pipe.csv")), "output file 'FOLDER/pipe.csv' is not a regular file");
  EXPECT_EQ(message(path("dangling.csv")),
            "output file 'FOLDER/dangling.csv' is a link to 'nowhere/out.csv', which does not exist");
  EXPECT_EQ(message(path(std::string(300, 'a') + ".csv")),
            "output file 'FOLDER/" + std::string(300, 'a') + ".csv' cannot be used: File name too long");
}

TEST_F(OutputFile, PlacesWithoutPermissionAreRefused) {
  const auto refused = [&] {
    std::ofstream(path("old.csv")) << "x";
    chmod(path("old.csv").c_str(), 0400);
    const std::string old_file = message(path("old.csv"));
    chmod(folder_.c_str(), 0500);
    const std::string new_file = message(path("new.csv"));
    chmod(folder_.c_str(), 0700);
    return old_file == "output file 'FOLDER/old.csv' exists and is read-only" &&
           new_file == "output file 'FOLDER/new.csv': no permission to write in the folder 'FOLDER'";
  };
  if (geteuid() != 0) {
    EXPECT_TRUE(refused());
    return;
  }
  // Root may write everywhere: a child tries it as nobody.
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(chown(folder_.c_str(), kNobody, kNobody), 0);
  const pid_t child = fork();
  if (child == 0) _exit(setgid(kNobody) == 0 && setuid(kNobody) == 0 && refused() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace rattleback
