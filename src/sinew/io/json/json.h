// JSON as a syntax tree: text → Value → text. What the values mean is decided elsewhere (scene.h).
//
// Beyond the standard, `//` and `/* */` comments are allowed, since people write scenes by hand.
// Trailing commas, duplicate keys, NaN, invalid UTF-8 and numbers beyond the range of a double are
// refused with the line and column (counted in characters, from 1) at which they stand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "sinew/base/result.h"

namespace sinew::json {

enum class Kind { null, boolean, number, string, array, object };

// A template only so that Value may hold members of itself while it is still being declared.
template <class V>
struct MemberOf {
    std::string key;
    V value;
};

class Value;
using Member = MemberOf<Value>;

class Value {
public:
    Value() = default;
    Value(bool value) : data_(value) {}
    template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) Value(T value)
        : data_(static_cast<double>(value))
    {
    }
    Value(std::string value) : data_(std::move(value)) {}
    Value(std::string_view value) : data_(std::string(value)) {}
    Value(const char* value) : data_(std::string(value)) {}

    static Value array(std::vector<Value> items = {});
    static Value object();

    Kind kind() const { return static_cast<Kind>(data_.index()); }
    bool isNumber() const { return kind() == Kind::number; }
    bool isString() const { return kind() == Kind::string; }
    bool isArray() const { return kind() == Kind::array; }
    bool isObject() const { return kind() == Kind::object; }

    // Asking for another kind than the value has is a programmer's mistake.
    bool boolean() const { return get<bool>(); }
    double number() const { return get<double>(); }
    const std::string& string() const { return get<std::string>(); }
    const std::vector<Value>& items() const { return get<std::vector<Value>>(); }
    const std::vector<Member>& members() const { return get<std::vector<Member>>(); }

    // The value of a key of an object, or null.
    const Value* find(std::string_view key) const;

    // Appends to an array, or to an object in the order in which the text shall have it.
    void add(Value item) { get<std::vector<Value>>().push_back(std::move(item)); }
    void add(std::string key, Value item)
    {
        get<std::vector<Member>>().push_back({std::move(key), std::move(item)});
    }

    int line = 0;  // where the value starts in the text it was read from
    int column = 0;

private:
    template <class T>
    const T& get() const
    {
        const T* found = std::get_if<T>(&data_);
        SINEW_ASSERT(found != nullptr);
        return *found;
    }
    template <class T>
    T& get()
    {
        return const_cast<T&>(static_cast<const Value&>(*this).get<T>());
    }

    // In the order of Kind.
    std::variant<std::monostate, bool, double, std::string, std::vector<Value>, std::vector<Member>> data_;
};

// "a number", "an object", …: for messages.
const char* kindName(Kind kind);

inline constexpr int maxDepth = 64;
inline constexpr int maxValues = 4'000'000;  // bounds the memory that a file of the largest size can take
inline constexpr std::size_t maxFileSize = std::size_t{64} << 20;

// `fileName` is for messages only.
Result<Value> parse(std::string_view text, const std::string& fileName);

// Indented by two spaces; what holds no object and fits a line stands on one line. Numbers have as
// many digits as it takes to read back the same bits. A number that is not finite becomes null.
std::string write(const Value& value);
// The same on one line, however long.
std::string writeLine(const Value& value);

// The text of one number, and of one string with its quotes and escapes.
std::string numberText(double number);
std::string stringText(std::string_view text);

// A whole regular file. The size is checked before anything is read.
Result<std::string> readFile(const std::string& path, std::size_t limit = maxFileSize);

}  // namespace sinew::json
