// The checks that compile() is made of: the first fault wins, with its JSON pointer. Not a public header.
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "sinew/base/result.h"
#include "sinew/base/text.h"
#include "sinew/math/types.h"

namespace sinew::compiling {

inline std::string number(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

inline std::string quoted(const std::string& name)
{
    return quotedName(name);
}

// A name as part of a JSON pointer.
inline std::string token(const std::string& name)
{
    std::string out = "/";
    for (char c : shownName(name)) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

inline std::string at(const char* list, std::size_t index)
{
    return std::string("/") + list + "/" + std::to_string(index);
}

// Collects the first fault; every check after it is a no-op. Keeps each check on one line.
class Checker {
public:
    bool failed() const { return failed_; }
    const Diagnostic& diagnostic() const { return diagnostic_; }

    void fail(const std::string& pointer, const std::string& message)
    {
        if (failed_) return;
        failed_ = true;
        diagnostic_ = faultAt(pointer, message);
    }
    void require(bool condition, const std::string& pointer, const std::string& message)
    {
        if (!condition) fail(pointer, message);
    }
    // Beyond these, squares, products and quotients overflow: no scene means it.
    static constexpr double largest = 1e30, least = 1e-30;
    // Nothing in a script takes less time: shorter spans make slopes without end.
    static constexpr double shortest = 1e-9;  // s

    void finite(double x, const std::string& pointer)
    {
        require(std::isfinite(x), pointer, "is not finite");
        require(std::abs(x) <= largest, pointer, "is " + number(x) + "; at most 1e30 is taken");
    }
    void finite(const Vec3& v, const std::string& pointer)
    {
        require(v.allFinite(), pointer, "has a number that is not finite");
        for (double x : v) finite(x, pointer);
    }
    void notNegative(double x, const std::string& pointer)
    {
        require(std::isfinite(x) && x >= 0, pointer, "is " + number(x) + "; it must be zero or more");
        if (x != 0) notTiny(x, pointer);
        finite(x, pointer);
    }
    void positive(double x, const std::string& pointer)
    {
        require(std::isfinite(x) && x > 0, pointer, "is " + number(x) + "; it must be positive");
        notTiny(x, pointer);
        finite(x, pointer);
    }
    void notTiny(double x, const std::string& pointer)
    {
        require(x >= least, pointer, "is " + number(x) + "; at least 1e-30 is taken");
    }
    // A span of time that may be nothing at all.
    void span(double x, const std::string& pointer)
    {
        notNegative(x, pointer);
        require(x == 0 || x >= shortest, pointer,
                "is " + number(x) + "; a span of time is zero or at least 1e-9 s");
    }
    Quat unit(const Quat& q, const std::string& pointer)
    {
        const double norm = q.norm();
        require(std::isfinite(norm) && norm > 1e-6, pointer,
                "is not a rotation; give a quaternion x, y, z, w of length 1");
        return failed_ ? Quat::Identity() : q.normalized();
    }
    Vec3 direction(const Vec3& v, const std::string& pointer)
    {
        const double norm = v.norm();
        require(std::isfinite(norm) && norm > 1e-9, pointer,
                "is zero or not finite; it must have a direction");
        return failed_ ? Vec3::UnitX() : Vec3(v / norm);
    }
    Vec3 direction(const std::optional<Vec3>& axis, const std::string& pointer, const char* what)
    {
        require(axis.has_value(), pointer, std::string("is missing; a ") + what + " joint needs it");
        return failed_ ? Vec3::UnitX() : direction(*axis, pointer);
    }

private:
    bool failed_ = false;
    Diagnostic diagnostic_;
};

}  // namespace sinew::compiling
