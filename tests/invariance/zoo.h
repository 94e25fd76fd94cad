// Scenes for what no committed scene has: all shapes on all grounds, all joints, all that drives them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinew/model/description.h"

namespace sinew::invariance {

std::vector<std::pair<std::string, Description>> zoo();

}  // namespace sinew::invariance
