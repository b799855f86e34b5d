// The one exception of the library: the request or the model is wrong. Numerical failure is not an exception but a
// status in the trajectory (see simulate.hpp), because everything computed before it is worth keeping.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

// A place in a file that a user wrote.
struct FilePlace {
  std::string file = {};   // its path; "": no file is meant
  std::size_t line = 0;    // from 1; 0: the file as a whole
  std::size_t column = 0;  // from 1, in characters; 0: the line as a whole
};

// The request or the model is wrong; what() says where, what was found, what was expected, and what to do.
class Error : public std::runtime_error {
 public:
  // With the text of what(), and what programs may want to know apart from it.
  explicit Error(const std::string& message, FilePlace place = {}, std::string suggestion = {});

  // The place in a file that what() begins with or speaks of.
  [[nodiscard]] const FilePlace& place() const noexcept;

  // What was probably meant by a name that is not known, as it would be written; "" where nothing known is near.
  [[nodiscard]] const std::string& suggestion() const noexcept;

 private:
  struct Facts {
    FilePlace place;         // place()
    std::string suggestion;  // suggestion()
  };
  std::shared_ptr<const Facts> facts_;  // shared: an exception must be copied without throwing another
};

}  // namespace rattleback
