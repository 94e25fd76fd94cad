// Figures on the ground: what MuJoCo's own humanoid takes in MuJoCo and here, heaps of persons, one with
// fingers, and chains that lie on the floor.
#pragma once

#include <string>

namespace sinew::bench {

// Prints a table for each. Engines and runs have a process each; times are the least of the passes.
void compareFigures(int passes, const std::string& complaints);

}  // namespace sinew::bench
