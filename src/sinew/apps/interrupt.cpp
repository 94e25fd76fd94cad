#include "sinew/apps/interrupt.h"

#include <csignal>

namespace sinew {

namespace {

volatile std::sig_atomic_t raised = 0;

extern "C" void raiseFlag(int)
{
    raised = 1;
}

}  // namespace

void catchInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = raiseFlag;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool interrupted()
{
    return raised != 0;
}

}  // namespace sinew
