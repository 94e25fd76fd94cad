// Standard input, output and errors, which may be closed or full.
#pragma once

namespace sinew {

// Where one of the three is closed, the next file that is opened would take its place, and get what is
// printed. So nothing is put there.
void openStandardFiles();

// For what is written past stdout's buffer: why it failed, told at the end.
void noteOutputFault(int error);

// At the end of every command: its exit code, or that its output could not be written.
int flushOutput(int exitCode);

}  // namespace sinew
