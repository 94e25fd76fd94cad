// A value whose type need not be known where it is held: copied with its owner, like a member, but on the
// heap.
//
// The owner's header declares the type and holds an Indirect of it; one source file, which knows the type,
// includes base/indirect_members.h and says `template class Indirect<Type>;`.
#pragma once

#include "sinew/base/assert.h"

namespace sinew {

template <class T>
class Indirect {
public:
    Indirect();
    Indirect(const Indirect& other);
    Indirect(Indirect&& other) noexcept;
    Indirect& operator=(const Indirect& other);
    Indirect& operator=(Indirect&& other) noexcept;
    ~Indirect();

    // Not of one that was moved from.
    T& operator*() { return *held(); }
    const T& operator*() const { return *held(); }
    T* operator->() { return held(); }
    const T* operator->() const { return held(); }

private:
    T* held() const
    {
        SINEW_ASSERT(value_);
        return value_;
    }

    T* value_;
};

}  // namespace sinew
