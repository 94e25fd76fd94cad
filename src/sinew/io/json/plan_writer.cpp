// A motion to be found.
#include "sinew/io/json/scene_writer.h"

namespace sinew::writing {
namespace {

Value driveValue(const PlanDescription::Drive& drive)
{
    Value out = Value::object();
    addText(out, "joint", drive.joint);
    addText(out, "body", drive.body);
    addNumber(out, "limit", drive.limit);
    addNumber(out, "cost", drive.cost, 1);
    return out;
}

Value planContactValue(const PlanDescription::Contact& contact)
{
    Value out = Value::object();
    addText(out, "name", contact.name);
    out.add("body", contact.body);
    addList(
        out, "points", contact.points, +[](const Vec3& point) { return list(point); });
    out.add("from", contact.from);
    out.add("until", contact.until);
    if (contact.normal != Vec3(0, 1, 0)) out.add("normal", list(contact.normal));
    addNumber(out, "height", contact.height);
    addNumber(out, "friction", contact.friction, 1);
    return out;
}

Value holdValue(const PlanDescription::Hold& hold)
{
    Value out = Value::object();
    addText(out, "name", hold.name);
    out.add("body", hold.body);
    out.add("by", hold.by);
    out.add("from", hold.from);
    out.add("until", hold.until);
    return out;
}

Value clearanceValue(const PlanDescription::Clearance& clearance)
{
    Value out = Value::object();
    addText(out, "name", clearance.name);
    out.add("body", clearance.body);
    addVector(out, "point", clearance.point);
    if (clearance.normal != Vec3(0, 1, 0)) out.add("normal", list(clearance.normal));
    addNumber(out, "height", clearance.height);
    return out;
}

Value stillValue(const PlanDescription::Still& still)
{
    if (still.joints.empty()) return still.time;
    Value out = Value::object();
    out.add("time", still.time);
    addList(
        out, "joints", still.joints, +[](const std::string& name) { return Value(name); });
    return out;
}

Value guessValue(const PlanDescription::Guess& guess)
{
    Value out = Value::object();
    out.add("time", guess.time);
    Value joints = Value::object();
    for (const auto& [joint, coordinate] : guess.joints) addFreedoms(joints, joint.c_str(), coordinate);
    if (!guess.joints.empty()) out.add("joints", std::move(joints));
    Value bodies = Value::object();
    for (const PlanDescription::Guess::Place& place : guess.bodies) {
        Value one = Value::object();
        addVector(one, "position", place.position);
        if (place.orientation) one.add("orientation", list(place.orientation->coeffs().data(), 4));
        bodies.add(place.body, std::move(one));
    }
    if (!guess.bodies.empty()) out.add("bodies", std::move(bodies));
    return out;
}

}  // namespace

Value planValue(const PlanDescription& plan)
{
    Value out = Value::object();
    out.add("duration", plan.duration);
    addNumber(out, "piece", plan.piece, 0.05);
    if (plan.points != 3) out.add("points", plan.points);
    if (plan.start != PlanDescription::Start::state)
        out.add("start", plan.start == PlanDescription::Start::pose ? "pose" : "free");
    addList(out, "drives", plan.drives, driveValue);
    if (plan.force != 1 || plan.power != 0 || plan.acceleration != 0) {
        Value cost = Value::object();
        addNumber(cost, "force", plan.force);
        addNumber(cost, "power", plan.power);
        addNumber(cost, "acceleration", plan.acceleration);
        out.add("minimize", std::move(cost));
    }
    addList(out, "still", plan.still, stillValue);
    addList(out, "contacts", plan.contacts, planContactValue);
    addList(out, "holds", plan.holds, holdValue);
    addList(out, "clear", plan.clearances, clearanceValue);
    addList(out, "guess", plan.guess, guessValue);
    return out;
}

}  // namespace sinew::writing
