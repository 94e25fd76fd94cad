// A value that many owners share, and that each of them may change: who changes it gets a copy of its own
// first, unless nobody else has it.
#pragma once

#include <memory>
#include <utility>

#include "sinew/base/assert.h"

namespace sinew {

template <class T>
class SharedValue {
public:
    SharedValue() = default;
    explicit SharedValue(T value) { own(std::make_shared<T>(std::move(value))); }
    explicit SharedValue(std::shared_ptr<const T> value) : value_(std::move(value)) {}

    // Not of an empty one, or one that was moved from.
    const T& operator*() const
    {
        SINEW_ASSERT(value_);
        return *value_;
    }
    const T* operator->() const { return &**this; }
    const std::shared_ptr<const T>& shared() const { return value_; }

    T& change()
    {
        if (!isAlone()) own(std::make_shared<T>(**this));
        return *own_;
    }

private:
    void own(std::shared_ptr<T> value)
    {
        own_ = value.get();
        value_ = std::move(value);
    }
    // What somebody else made may be a constant. Dropping a share puts what follows after the last look of
    // those who had one, in other threads too; asking for their number alone would not.
    bool isAlone() const
    {
        const std::shared_ptr<const T> one = value_;
        return own_ && own_ == one.get() && one.use_count() == 2;
    }

    std::shared_ptr<const T> value_;
    T* own_ = nullptr;  // the same, if it was made here
};

}  // namespace sinew
