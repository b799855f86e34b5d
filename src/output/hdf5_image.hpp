// The image of an HDF5 file in memory, as it is to stand on a disk.
#pragma once

#include <vector>

namespace rattleback::report {

// An image has the mark "open for writing" taken off its superblock, but HDF5 1.10 leaves the checksum that was made with the
// mark, so that nobody can open the file. This puts the right one in. (HDF5 File Format Specification 3.0, II.A: superblock of
// version 2; its checksum is Jenkins' lookup3.)
void close_image(std::vector<char>& image);

}  // namespace rattleback::report
