#include "sinew/io/json/json.h"

namespace sinew::json {

Value Value::array(std::vector<Value> items)
{
    Value value;
    value.data_ = std::move(items);
    return value;
}

Value Value::object()
{
    Value value;
    value.data_ = std::vector<Member>();
    return value;
}

const Value* Value::find(std::string_view key) const
{
    for (const Member& member : members())
        if (member.key == key) return &member.value;
    return nullptr;
}

const char* kindName(Kind kind)
{
    switch (kind) {
        case Kind::null:
            return "null";
        case Kind::boolean:
            return "true or false";
        case Kind::number:
            return "a number";
        case Kind::string:
            return "a string";
        case Kind::array:
            return "a list";
        case Kind::object:
            return "an object";
    }
    return "";
}

}  // namespace sinew::json
