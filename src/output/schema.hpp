// The JSON schema of model files, with which editors complete keys, explain them and underline what is wrong.
#pragma once

#include "output/json.hpp"

namespace rattleback::report {

// Draft 2020-12, made of the rows that the readers go by: model/keys.hpp and, for [run], the table of options. What formulas
// may contain is not in it: the program says that.
Json model_schema();

}  // namespace rattleback::report
