// Whether somebody wants work that takes long to end early. Whoever does such work asks now and then, at
// little cost, and leaves; the core knows nothing of who wants it or why.
#pragma once

namespace sinew {

struct Stop {
    bool (*isWanted)(void* asker) = nullptr;  // once true, always true; null: never
    void* asker = nullptr;

    bool operator()() const { return isWanted && isWanted(asker); }
};

}  // namespace sinew
