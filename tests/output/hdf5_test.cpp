// HDF5 files, read back through the C library. tests/cli reads one with h5py.
#include <gtest/gtest.h>
#include <hdf5.h>

#include "output/version.hpp"
#include "output/write.hpp"
#include "rattleback/write.hpp"
#include "report/samples.hpp"
#include "support/json.hpp"

namespace rattleback {
namespace {

class Hdf5File : public InFolder {
 protected:
  void open(const Model& model, const Trajectory& trajectory, const std::string& options = "{}") {
    report::write_trajectory(model, trajectory, options, path("out.h5"));
    file_ = H5Fopen(path("out.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file_, 0);
  }
  void TearDown() override {
    if (file_ >= 0) H5Fclose(file_);
    InFolder::TearDown();
  }

  std::vector<double> dataset(const char* name, std::vector<hsize_t> expected_shape) {
    const hid_t id = H5Dopen2(file_, name, H5P_DEFAULT);
    EXPECT_GE(id, 0) << name;
    const hid_t space = H5Dget_space(id);
    std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    EXPECT_EQ(shape, expected_shape) << name;
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Dclose(id);
    return values;
  }

  std::vector<std::string> texts(const char* object, const char* name) {
    const hid_t attribute = H5Aopen_by_name(file_, object, name, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(attribute, 0) << object << " " << name;
    const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    std::vector<char*> raw(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Aread(attribute, type, raw.data());
    std::vector<std::string> out(raw.begin(), raw.end());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return out;
  }

  double number(const char* name) {
    double value = 0.0;
    const hid_t attribute = H5Aopen(file_, name, H5P_DEFAULT);
    H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    return value;
  }

  hid_t file_ = -1;
};

using Texts = std::vector<std::string>;

TEST_F(Hdf5File, MechanicalRunReadsBackExactly) {
  const Trajectory t = sleigh_run();
  open(sleigh(), t);
  EXPECT_EQ(dataset("/t", {2}), t.records.t);
  EXPECT_EQ(dataset("/q", {2, 3}), t.records.q);
  EXPECT_EQ(dataset("/v", {2, 3}), t.records.v);
  EXPECT_EQ(dataset("/multipliers", {2, 1}), t.records.multipliers);
  EXPECT_EQ(dataset("/energy", {2}), t.records.energy);
  EXPECT_EQ(dataset("/residual/position", {2}), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(dataset("/residual/velocity", {2}), t.records.residual_velocity);
  EXPECT_EQ(texts("/q", "columns"), (Texts{"x", "y", "theta"}));
  EXPECT_EQ(texts("/v", "columns"), (Texts{"x'", "y'", "theta'"}));
  EXPECT_EQ(texts("/multipliers", "columns"), (Texts{"lambda.blade"}));
}

TEST_F(Hdf5File, RootSaysHowTheRunWasMade) {
  const Model model = sleigh();
  open(model, sleigh_run(), R"({"set":{"g":"1"}})");
  EXPECT_EQ(texts("/", "model"), Texts{model.text});
  EXPECT_EQ(texts("/", "system"), Texts{"chaplygin-sleigh"});
  EXPECT_EQ(texts("/", "method"), Texts{"spark-lobatto-ab"});
  EXPECT_EQ(number("stages"), 3);
  EXPECT_EQ(number("step"), 0.12);
  EXPECT_EQ(texts("/", "options"), Texts{R"({"set":{"g":"1"}})"});
  EXPECT_EQ(texts("/", "version"), Texts{std::string(report::kVersion)});
  const auto audit = parse_json(texts("/", "audit").front());
  EXPECT_EQ(audit["energy"]["max_error"], 3.1e-15);
  EXPECT_FALSE(audit.contains("wall_seconds"));  // the same run gives the same file
}

TEST_F(Hdf5File, DaeHasStatesAndAlgebraicVariables) {
  const Trajectory t = hessenberg_run();
  open(hessenberg(), t);
  EXPECT_EQ(dataset("/x", {2, 2}), t.records.q);
  EXPECT_EQ(dataset("/z", {2, 1}), t.records.multipliers);
  EXPECT_EQ(dataset("/residual/position", {2}), t.records.residual_position);
  EXPECT_EQ(H5Lexists(file_, "/energy", H5P_DEFAULT), 0);
  EXPECT_EQ(H5Lexists(file_, "/residual/velocity", H5P_DEFAULT), 0);
}

TEST_F(Hdf5File, RunWithoutRecordsHasEmptyDatasets) {
  Trajectory t = sleigh_run();
  t.records = {};
  open(sleigh(), t);
  EXPECT_TRUE(dataset("/q", {0, 3}).empty());
}

// Attributes above 64 KiB need the newer format.
TEST_F(Hdf5File, LongModelTextAndManyNamesFit) {
  Model model = hessenberg();
  model.text.assign(3'000'000, '#');
  model.coordinates = {};
  model.coordinates.add_family("x", 1, 20'000);
  Trajectory t = hessenberg_run();
  t.q.assign(20'000, 1.0);
  t.records.q.assign(40'000, 0.5);
  open(model, t);
  EXPECT_EQ(texts("/", "model").front().size(), 3'000'000U);
  EXPECT_EQ(texts("/x", "columns").back(), "x[20000]");
}

TEST_F(Hdf5File, WhatAProgramHasSetForErrorsComesBack) {
  const H5E_auto2_t mine = [](hid_t, void*) -> herr_t { return 0; };
  H5E_auto2_t before = nullptr, after = nullptr;
  void *data = nullptr, *none = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  H5Eset_auto2(H5E_DEFAULT, mine, nullptr);
  write_trajectory(sleigh(), sleigh_run(), path("a.h5"));
  H5Eget_auto2(H5E_DEFAULT, &after, &none);
  H5Eset_auto2(H5E_DEFAULT, before, data);
  EXPECT_EQ(after, mine);
}

TEST_F(Hdf5File, SameRunGivesTheSameBytes) {
  write_trajectory(sleigh(), sleigh_run(), path("a.h5"));
  Trajectory again = sleigh_run();
  again.wall_seconds = 77.0;
  again.native = true;
  again.compile_seconds = 7.0;
  sleep(1);  // times of creation would have seconds
  write_trajectory(sleigh(), again, path("b.h5"));
  EXPECT_EQ(read_all(path("a.h5")), read_all(path("b.h5")));
}

}  // namespace
}  // namespace rattleback
