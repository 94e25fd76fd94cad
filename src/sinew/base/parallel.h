// Loops whose rounds do not know of each other, shared among threads: by oneTBB where the library was built
// with it; elsewhere, and in WebAssembly, one thread does it all.
//
//     const ThreadScope scope(4);                            what follows may use four threads
//     parallelFor(count, 16, [&](int first, int end, int worker) { … });
//
// A round does the same whoever does it, so the results do not depend on the number of threads. With one
// thread a loop is a plain one: no lock, no atomic, nothing from the heap.
#pragma once

#include <atomic>

namespace sinew {

inline constexpr int mostThreads = 1024;

// How many threads can run at a time: the processors that this process may use, or 1 without oneTBB.
int threadsAtHand();
// Whether the library was built with oneTBB.
bool hasThreads();

// Until its end, loops that the thread which made it comes to are shared among so many threads, 1 to
// mostThreads; those inside of such loops are not.
class ThreadScope {
public:
    explicit ThreadScope(int threads);
    ~ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;

private:
    int before_;
};
// Of the scope that this thread is in; 1 outside of all.
int threadsOfScope();

// work(context, w) for each w < workers, at the same time as far as there are threads.
void runWorkers(int workers, void (*work)(void* context, int worker), void* context);

// body(first, end, worker) for parts of [0, count) that together are all of it, of `grain` rounds or fewer;
// with one thread, for all of it at once. `worker` is less than threadsOfScope(), and no two parts with the
// same one run at the same time: it tells whose scratch memory to use.
template <class Body>
void parallelFor(int count, int grain, const Body& body)
{
    const int parts = (count + grain - 1) / grain;
    const int workers = threadsOfScope() < parts ? threadsOfScope() : parts;
    if (workers <= 1) {
        if (count > 0) body(0, count, 0);
        return;
    }
    struct Loop {
        const Body& body;
        int count, grain, parts;
        std::atomic<int> next;

        static void work(void* context, int worker)
        {
            Loop& loop = *static_cast<Loop*>(context);
            for (int part = loop.next++; part < loop.parts; part = loop.next++) {
                const int first = part * loop.grain, left = loop.count - first;
                loop.body(first, first + (left < loop.grain ? left : loop.grain), worker);
            }
        }
    };
    Loop loop{body, count, grain, parts, 0};
    runWorkers(workers, Loop::work, &loop);
}

}  // namespace sinew
