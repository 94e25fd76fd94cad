// The table of contacts of a run: contacts.csv (docs/cli.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sinew/state/contacts.h"

namespace sinew {

// Two that touch: a body by its tree index, an obstacle by −2 − its number, one without a name as −1.
using TouchingPair = std::array<std::int64_t, 2>;

std::string contactsHeader();

// The rows of one frame: a row for each contact that bears a force, then one for each pair of `touching`,
// which did so a frame ago, that does no more. `touching` becomes the present one. Obstacles go by the
// description's names.
void appendContactRows(double time, const Model& model, const Description& description, const State& state,
                       double h, std::vector<TouchingPair>& touching, std::string& text);

}  // namespace sinew
