// What the command tells a script when it ends (docs/cli.md).
#pragma once

namespace sinew {

enum ExitCode {
    exitDone = 0,
    exitOtherState = 1,
    exitBadInput = 2,
    exitDiverged = 3,
    exitInfeasible = 4,
    exitInterrupted = 130
};

}  // namespace sinew
