// The members of Indirect, for the one source file that knows the type (base/indirect.h).
#pragma once

#include <utility>

#include "sinew/base/indirect.h"

namespace sinew {

template <class T>
Indirect<T>::Indirect() : value_(new T())
{
}

template <class T>
Indirect<T>::Indirect(const Indirect& other) : value_(other.value_ ? new T(*other.value_) : nullptr)
{
}

template <class T>
Indirect<T>::Indirect(Indirect&& other) noexcept : value_(std::exchange(other.value_, nullptr))
{
}

template <class T>
Indirect<T>& Indirect<T>::operator=(const Indirect& other)
{
    if (this == &other) return *this;
    if (value_ && other.value_)
        *value_ = *other.value_;  // keeps its memory
    else
        *this = Indirect(other);
    return *this;
}

template <class T>
Indirect<T>& Indirect<T>::operator=(Indirect&& other) noexcept
{
    std::swap(value_, other.value_);
    return *this;
}

template <class T>
Indirect<T>::~Indirect()
{
    delete value_;
}

}  // namespace sinew
