// What untrusted input comes back as: a value, or the one thing that is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "sinew/base/assert.h"

namespace sinew {

// One finding, printed as one line: "<file>:<line>:<column>: <message>" for syntax,
// "<file>: <pointer>: <message>" for meaning, "<setting>: <message>" for what a program asks for. Any part
// that is unknown is left out.
struct Diagnostic {
    std::string message;       // what is wrong and what would be right
    std::string pointer = {};  // JSON pointer into the input, such as /joints/2/axis
    std::string file = {};
    int line = 0;  // counted from 1; 0 means unknown
    int column = 0;
    std::string setting = {};  // or the name of a setting that was given, such as slow_band

    std::string text() const;
};

// What is wrong at a place of the input, and what with a setting.
Diagnostic faultAt(std::string pointer, std::string message);
Diagnostic settingFault(std::string setting, std::string message);

// Either a value or a Diagnostic. Reading the wrong one is a programmer's mistake.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Diagnostic error) : error_(std::move(error)) {}

    explicit operator bool() const { return value_.has_value(); }
    T& value()
    {
        SINEW_ASSERT(value_.has_value());
        return *value_;
    }
    const T& value() const
    {
        SINEW_ASSERT(value_.has_value());
        return *value_;
    }
    const Diagnostic& error() const
    {
        SINEW_ASSERT(!value_.has_value());
        return error_;
    }

private:
    std::optional<T> value_;
    Diagnostic error_;
};

}  // namespace sinew
