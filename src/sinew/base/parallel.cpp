#include "sinew/base/parallel.h"

#if defined(SINEW_HAS_TBB)
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#endif
// oneTBB is not compiled for the thread sanitizer, which would take all that it hands over for races: what
// loops share is looked at with plain threads instead.
#if defined(__SANITIZE_THREAD__)
#include <thread>
#include <vector>
#endif

namespace sinew {
namespace {

#if defined(SINEW_HAS_TBB)
thread_local
#endif
    int scopeThreads = 1;

}  // namespace

ThreadScope::ThreadScope(int threads) : before_(scopeThreads)
{
    scopeThreads = !hasThreads() || threads < 1 ? 1 : threads > mostThreads ? mostThreads : threads;
}

ThreadScope::~ThreadScope()
{
    scopeThreads = before_;
}

int threadsOfScope()
{
    return scopeThreads;
}

#if defined(SINEW_HAS_TBB)

int threadsAtHand()
{
    return oneapi::tbb::info::default_concurrency();
}

bool hasThreads()
{
    return true;
}

void runWorkers(int workers, void (*work)(void* context, int worker), void* context)
{
#if defined(__SANITIZE_THREAD__)
    std::vector<std::thread> threads;
    for (int worker = 0; worker < workers; ++worker) threads.emplace_back(work, context, worker);
    for (std::thread& thread : threads) thread.join();
#else
    // As many tasks as workers, so that no more run at a time however many threads oneTBB has.
    const auto one = [&](int worker) {
        const ThreadScope alone(1);
        work(context, worker);
    };
    oneapi::tbb::parallel_for(0, workers, 1, one, oneapi::tbb::simple_partitioner());
#endif
}

#else

int threadsAtHand()
{
    return 1;
}

bool hasThreads()
{
    return false;
}

void runWorkers(int workers, void (*work)(void* context, int worker), void* context)
{
    for (int worker = 0; worker < workers; ++worker) work(context, worker);
}

#endif

}  // namespace sinew
