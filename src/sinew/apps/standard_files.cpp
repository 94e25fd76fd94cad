#include "sinew/apps/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "sinew/apps/exit_code.h"
#include "sinew/apps/text.h"

namespace sinew {

namespace {

int outputFault = 0;

}  // namespace

void openStandardFiles()
{
    // The lowest free number is taken, which is this one: those below are in use by now.
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
}

void noteOutputFault(int error)
{
    outputFault = error;
}

int flushOutput(int exitCode)
{
    if (std::fflush(stdout) != 0) noteOutputFault(errno);
    if (outputFault == 0 && std::ferror(stdout) != 0) noteOutputFault(EIO);  // why is forgotten by now
    if (outputFault == 0) return exitCode;
    fail(std::string("sinew: standard output cannot be written: ") + std::strerror(outputFault));
    return exitCode == exitDone ? exitBadInput : exitCode;
}

}  // namespace sinew
