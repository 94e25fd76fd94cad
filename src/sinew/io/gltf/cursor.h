// Walks down a JSON tree, remembers the way for messages, and throws at the first fault: the public
// functions catch. Not a public header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinew/base/result.h"
#include "sinew/io/json/json.h"

namespace sinew::gltf {

struct Fault {
    Diagnostic error;  // without the file, which the catcher knows
};

[[noreturn]] inline void fail(std::string pointer, std::string message)
{
    throw Fault{faultAt(std::move(pointer), std::move(message))};
}

// "/nodes/3": the place of an item of a list at the top.
inline std::string pointerTo(std::string_view list, std::size_t index)
{
    return "/" + std::string(list) + "/" + std::to_string(index);
}

// A value and the way to it. Refers to the cursor that it came from, which must outlive it.
class Cursor {
public:
    explicit Cursor(const json::Value& root) : value_(&root) {}

    bool isThere() const { return value_ != nullptr; }
    const json::Value& value() const { return *value_; }

    // A member of an object, there or not.
    Cursor operator[](std::string_view key) const
    {
        if (!value_->isObject()) failKind("an object");
        return Cursor(value_->find(key), this, key, 0);
    }
    Cursor required(std::string_view key) const
    {
        const Cursor member = (*this)[key];
        if (!member.isThere()) fail("\"" + std::string(key) + "\" is missing");
        return member;
    }

    // each(item, index), for a list that may be absent.
    template <class Function>
    void items(Function each) const
    {
        if (!isThere()) return;
        if (!value_->isArray()) failKind("a list");
        for (std::size_t i = 0; i < value_->items().size(); ++i)
            each(Cursor(&value_->items()[i], this, {}, i), i);
    }

    double number() const
    {
        if (!value_->isNumber()) failKind("a number");
        return value_->number();
    }
    double number(double otherwise) const { return isThere() ? number() : otherwise; }
    // Whole and not negative; up to 2⁵³, which a double tells exactly.
    std::uint64_t whole() const
    {
        const double found = number();
        if (!(found >= 0 && found <= 9007199254740992.0) ||
            found != static_cast<double>(static_cast<std::uint64_t>(found)))
            fail("a whole number that is not negative is expected, found " + json::numberText(found));
        return static_cast<std::uint64_t>(found);
    }
    std::uint64_t whole(std::uint64_t otherwise) const { return isThere() ? whole() : otherwise; }
    // An index into a list of so many; -1 where there is none.
    int index(std::size_t size, std::string_view what) const
    {
        if (!isThere()) return -1;
        const std::uint64_t found = whole();
        if (found >= size)
            fail("there is no " + std::string(what) + " " + std::to_string(found) + "; the file has " +
                 std::to_string(size));
        return static_cast<int>(found);
    }
    std::string text() const
    {
        if (!isThere()) return "";
        if (!value_->isString()) failKind("a string");
        return value_->string();
    }
    bool flag() const
    {
        if (!isThere()) return false;
        if (value_->kind() != json::Kind::boolean) failKind("true or false");
        return value_->boolean();
    }
    // Exactly so many numbers, where there are any.
    void numbers(double* out, std::size_t count) const
    {
        if (!isThere()) return;
        if (!value_->isArray() || value_->items().size() != count)
            fail("a list of " + std::to_string(count) + " numbers is expected");
        items([&](const Cursor& item, std::size_t i) { out[i] = item.number(); });
    }

    std::string pointer() const
    {
        if (above_ == nullptr) return "";
        return above_->pointer() + "/" + (key_.empty() ? std::to_string(index_) : std::string(key_));
    }
    [[noreturn]] void fail(std::string message) const { gltf::fail(pointer(), std::move(message)); }
    [[noreturn]] void failKind(const char* expected) const
    {
        fail(std::string(expected) + " is expected, found " + json::kindName(value_->kind()));
    }

private:
    Cursor(const json::Value* value, const Cursor* above, std::string_view key, std::size_t index)
        : value_(value), above_(above), key_(key), index_(index)
    {
    }

    const json::Value* value_ = nullptr;
    const Cursor* above_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
};

}  // namespace sinew::gltf
