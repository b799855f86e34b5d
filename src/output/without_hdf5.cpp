// In the place of hdf5.cpp in builds that leave HDF5 out. check_output_path() refuses the names of such files before a run.
#include "output/hdf5.hpp"

#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"

namespace rattleback::report {
namespace {

[[noreturn]] void refuse() { throw Error("this build writes no .h5 files (RATTLEBACK_WITH_HDF5=OFF). Use .csv"); }

}  // namespace

void write_hdf5(const Model&, const Trajectory&, const std::string&, const std::string&) { refuse(); }

void write_hdf5(const std::vector<std::pair<Block, std::size_t>>&,
                const std::vector<std::pair<std::string, std::string>>&, const std::string&, const Texts&) {
  refuse();
}

}  // namespace rattleback::report

namespace rattleback {

struct MemberFile::Open {};
MemberFile::MemberFile(const Model&, const std::string&) { report::refuse(); }
MemberFile::~MemberFile() = default;
void MemberFile::add(const Trajectory&) {}
void MemberFile::finish(const EnsembleReport&) { report::refuse(); }

}  // namespace rattleback
