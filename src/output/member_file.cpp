// The records of all members in one HDF5 file: datasets of members x records (x columns), in chunks, written as members come.
#include <algorithm>
#include <cmath>

#include "files/replace.hpp"
#include "output/ending.hpp"
#include "output/hdf5_disk.hpp"
#include "output/members.hpp"
#include "output/write.hpp"
#include "rattleback/analysis.hpp"

namespace rattleback {

using namespace report;
using namespace report::hdf5;

namespace {

constexpr hsize_t kChunk = std::size_t{1} << 15U;  // numbers

// A dataset that grows by members, and by records where a member has more than those before.
struct Grown {
  std::string name;
  std::vector<std::string> columns;
  int rank;
  Handle dataset;
};

Grown new_dataset(hid_t file, const Block& block, std::size_t rows) {
  const std::string name = "records/" + block.dataset;
  const int rank = is_vector(block) ? 2 : 3;
  const hsize_t width = block.columns.size(),
                records = std::max<hsize_t>(1, std::min<hsize_t>(rows, kChunk / width + 1)),
                members = std::clamp<hsize_t>(kChunk / (records * width), 1, 64);
  const hsize_t sizes[3] = {0, rows, width}, most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, width},
                chunk[3] = {members, records, width};
  const Handle space(H5Screate_simple(rank, sizes, most), H5Sclose, name);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  const double none = std::nan("");
  H5Pset_obj_track_times(creation, false);
  ensure(H5Pset_chunk(creation, rank, chunk), name);
  ensure(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &none), name);
  Grown out{name, block.columns, rank,
            Handle(H5Dcreate2(file, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                   H5Dclose, name)};
  set_columns(out.dataset, block);
  return out;
}

}  // namespace

struct MemberFile::Open {
  Open(const Model& of, const std::string& path) : model(of), target(path), place(path), file(place.fd()) {}

  void add(const Trajectory& run) {
    const std::vector<Block> blocks = record_blocks(model, run);
    const std::size_t rows = run.records.rows;
    if (members == 0) {
      new_group(file.id(), "records");
      if (std::any_of(blocks.begin(), blocks.end(),
                      [](const Block& block) { return block.dataset.starts_with("residual/"); }))
        new_group(file.id(), "records/residual");
      for (const Block& block : blocks) sets.push_back(new_dataset(file.id(), block, rows));
    }
    most = std::max<hsize_t>(most, rows);
    for (const Grown& set : sets) {
      const hsize_t sizes[3] = {members + 1, most, set.columns.size()};
      ensure(H5Dset_extent(set.dataset, sizes), set.name);
      const auto block = std::find_if(blocks.begin(), blocks.end(),
                                      [&](const Block& b) { return "records/" + b.dataset == set.name; });
      if (block == blocks.end() || rows == 0) continue;
      const hsize_t at[3] = {members, 0, 0}, count[3] = {1, rows, set.columns.size()};
      const Handle there(H5Dget_space(set.dataset), H5Sclose, set.name);
      ensure(H5Sselect_hyperslab(there, H5S_SELECT_SET, at, nullptr, count, nullptr), set.name);
      const Handle here(H5Screate_simple(set.rank, count, nullptr), H5Sclose, set.name);
      const std::vector<double> zeros(block->values == nullptr ? rows * set.columns.size() : 0);
      ensure(H5Dwrite(set.dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT,
                      block->values != nullptr ? block->values : zeros.data()),
             set.name);
    }
    ++members;
    counts.push_back(static_cast<double>(rows));
    if (fault.empty()) fault = file.fault();
  }

  void finish(const EnsembleReport& report) {
    for (Grown& set : sets) set.dataset.close(set.name);
    sets.clear();
    new_group(file.id(), "members");
    for (Block& block : member_blocks(model, report)) {
      block.dataset = "members/" + block.dataset;
      add_dataset(file.id(), block, report.members.size());
    }
    if (members > 0)
      add_dataset(file.id(),
                  {.dataset = "records/count", .columns = {"records"}, .values = counts.data(), .vector = true},
                  members);
    add_texts(file.id(), "members/status", member_status(report));
    add_texts(file.id(), "members/message", member_messages(report));
    for (const auto& [name, text] : ensemble_attributes(model, report)) set_text(file.id(), name.c_str(), text);
    file.close();
    place.commit();
  }

  Model model;
  std::string target;
  files::Replacement place;
  DiskFile file;
  std::vector<Grown> sets;
  hsize_t members = 0, most = 0;
  std::vector<double> counts;
  std::string fault;
};

MemberFile::MemberFile(const Model& model, const std::string& path) {
  check_output_path(path);
  if (path.ends_with(".csv") || path.ends_with(".CSV"))
    throw Error("output file '" + path +
                "': the records of all members are written as HDF5. Use a name that ends with .h5");
  const QuietErrors quiet;
  open_ = std::make_unique<Open>(model, path);
}

MemberFile::~MemberFile() {
  const QuietErrors quiet;
  open_.reset();
}

void MemberFile::add(const Trajectory& run) {
  if (!open_->fault.empty()) return;
  const QuietErrors quiet;
  try {
    open_->add(run);
  } catch (const Error& error) {
    open_->fault = error.what();
  }
}

void MemberFile::finish(const EnsembleReport& report) {
  const QuietErrors quiet;
  try {
    if (!open_->fault.empty()) throw Error(open_->fault);
    open_->finish(report);
  } catch (const Error& error) {  // written under another name, which nobody knows
    throw Error("output file '" + open_->target + "': " + error.what());
  }
}

}  // namespace rattleback
