// Makes a failing scene smaller: leaves out what it can while the same fault stays.
#pragma once

#include <functional>

#include "sinew/model/description.h"

namespace sinew::test {

// The description without these bodies, and without all that names them.
Description withoutBodies(const Description& description, const std::vector<std::string>& names);

// `fails` says whether a scene still shows the fault; it is asked at most `tries` times.
Description shrunk(Description description, const std::function<bool(const Description&)>& fails,
                   int tries);

}  // namespace sinew::test
