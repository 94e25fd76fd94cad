#include "sinew/contact/island.h"

namespace sinew {

IslandResult solveExactly(const Island& island, const ConstraintSolverSettings& settings)
{
    return solveIteratively(island, settings);
}

}  // namespace sinew
