// Wishes.
#include "sinew/io/json/scene_writer.h"
#include "sinew/model/springs.h"
#include "sinew/model/wish.h"

namespace sinew::writing {
namespace {

Value placeValue(const WishPlace& place)
{
    if (place.body == "world" && place.point) return list(*place.point);
    if (!place.point) return place.body;
    Value out = Value::object();
    out.add("body", place.body);
    out.add("point", list(*place.point));
    return out;
}

}  // namespace

Value wishValue(const WishDescription& wish)
{
    Value out = Value::object();
    addText(out, "name", wish.name);
    out.add("type", wish.type);
    if (wish.of.body != "world") out.add("body", wish.of.body);
    addVector(out, "point", wish.of.point);
    if (wish.to) out.add("to", placeValue(*wish.to));
    addForm(out, wish.on);
    addList(out, "points", wish.points, placeValue);
    if (!wish.joints.empty()) {
        Value joints = Value::object();
        for (const auto& [joint, coordinate] : wish.joints) addFreedoms(joints, joint.c_str(), coordinate);
        out.add("joints", std::move(joints));
    }
    addVector(out, "axis", wish.axis);
    addVector(out, "direction", wish.direction);
    if (wish.orientation) out.add("orientation", list(wish.orientation->coeffs().data(), 4));
    addVector(out, "velocity", wish.velocity);
    addNumber(out, "length", wish.length);
    if (wish.side != WishDescription::Side::both)
        out.add("side", wish.side == WishDescription::Side::atLeast ? "at_least" : "at_most");
    addNumber(out, "weight", wish.weight, 1);
    if (wish.soft) out.add("soft", true);
    addNumber(out, "from", wish.from);
    addNumber(out, "until", wish.until);
    if (wish.acts) out.add("acts", true);
    addNumber(out, "damping", wish.damping);
    return out;
}

}  // namespace sinew::writing
