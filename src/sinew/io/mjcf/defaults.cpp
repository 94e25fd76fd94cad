// Default classes, notes and orientations.
#include <algorithm>
#include <array>

#include "sinew/base/text.h"
#include "sinew/io/mjcf/composition.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/math/rotation.h"

namespace sinew::mjcf {
namespace {

constexpr std::size_t mostClasses = 1000;  // each holds a copy of what it inherits
constexpr std::string_view actuators[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                          "damper",  "cylinder", "muscle",   "adhesion"};

// What an element inherits from; empty: nothing that is read.
std::string kindOf(std::string_view name)
{
    for (std::string_view kind : {"geom", "joint", "mesh", "site", "equality", "tendon"})
        if (name == kind) return std::string(name);
    if (std::find(std::begin(actuators), std::end(actuators), name) != std::end(actuators))
        return "actuator";
    return {};
}

bool isAboutLooks(std::string_view attribute)
{
    for (std::string_view word :
         {"name", "class", "rgba", "material", "group", "user", "fitscale", "texcoord"})
        if (attribute == word) return true;
    return attribute == modelMark || attribute == twistMark;
}

bool isAboutLooksAlone(std::string_view element)
{
    for (std::string_view word : {"camera", "light", "material", "texture", "skin", "pair", "flex"})
        if (element == word) return true;
    return false;
}

}  // namespace

double Compiler::angle(double x) const
{
    return isRadian ? x : x * (pi / 180);
}

void Notes::add(const Element& where, const std::string& what)
{
    const auto [found, isNew] = numbers_.emplace(where.name + "\n" + what, notes_.size());
    if (isNew) notes_.push_back({xml::at(where, what), 0});
    ++notes_[found->second].count;
}

void Notes::add(const Notes& others)
{
    for (const auto& [key, number] : others.numbers_) {
        const Note& note = others.notes_[number];
        const auto [found, isNew] = numbers_.emplace(key, notes_.size());
        if (isNew) notes_.push_back({note.first, 0});
        notes_[found->second].count += note.count;
    }
}

void Notes::take(Imported& into) const
{
    for (const Note& note : notes_) {
        into.notes.push_back(note.first);
        if (note.count > 1) into.notes.back().message += " (" + std::to_string(note.count) + " times)";
    }
}

// ---- classes ----------------------------------------------------------------------------------------

Defaults::Defaults()
{
    classes_["main"] = {};
}

void Defaults::read(const Element& root, xml::Reader& reader, Notes& notes)
{
    // The outermost class is 'main' whatever it is called; several of them are one.
    for (const Element& child : root.children)
        if (child.name == "default") {
            readClass(child, "main", reader, notes);
            const std::optional<std::string> name = reader.name(child, "class");
            if (name && *name != "main") classes_[*name] = classes_["main"];
        }
}

void Defaults::readClass(const Element& element, const std::string& name, xml::Reader& reader, Notes& notes)
{
    for (const Element& child : element.children) {
        if (child.name == "default") continue;
        const std::string kind = kindOf(child.name);
        if (kind.empty()) {
            if (!isAboutLooksAlone(child.name)) notes.add(child, "in a default class is not read");
            continue;
        }
        Attributes& attributes = classes_[name].kinds[kind];
        for (const xml::Attribute& attribute : child.attributes) {
            // One orientation replaces another.
            if (isOrientation(attribute.name))
                std::erase_if(attributes, [](const auto& known) { return isOrientation(known.first); });
            attributes[attribute.name] = attribute;
        }
    }
    // What a class says holds for the classes inside it, wherever it stands.
    for (const Element& child : element.children) {
        if (child.name != "default" || reader.failed()) continue;
        const std::string inner = reader.requiredName(child, "class");
        if (reader.failed()) return;
        if (classes_.contains(inner))
            return reader.fail(child, "class", "is there already; names must differ");
        if (classes_.size() >= mostClasses)
            return reader.fail(child, "more than 1000 default classes; the limit is reached");
        classes_[inner] = classes_[name];
        readClass(child, inner, reader, notes);
    }
}

Element Defaults::complete(const Element& element, const std::string& childClass, xml::Reader& reader,
                           const std::string& inherits) const
{
    const std::string name = reader.name(element, "class").value_or(childClass);
    const auto found = classes_.find(name.empty() ? "main" : name);
    Element full;
    full.name = element.name;
    full.attributes = element.attributes;
    full.children = element.children;
    full.line = element.line;
    full.column = element.column;
    full.file = element.file;
    if (found == classes_.end()) {
        reader.fail(element, "class", "is not a default class of this file");
        return full;
    }
    const auto kind = found->second.kinds.find(inherits.empty() ? kindOf(element.name) : inherits);
    if (kind == found->second.kinds.end()) return full;
    const bool isTurned = std::any_of(element.attributes.begin(), element.attributes.end(),
                                      [](const xml::Attribute& a) { return isOrientation(a.name); });
    for (const auto& [key, attribute] : kind->second)
        if (!element.find(key) && !(isTurned && isOrientation(key))) full.attributes.push_back(attribute);
    return full;
}

// ---- shared -----------------------------------------------------------------------------------------

InModelOf::InModelOf(Context& context, const Element& marked) : context_(context), before_(context.model)
{
    if (const xml::Attribute* mark = marked.find(modelMark))
        context.model = context.models[static_cast<std::size_t>(std::stoi(mark->value))].get();
}

bool mayBeLeftOut(Context& context, const Element& element, const std::string& name)
{
    if (!context.hasLeftOutBodies) return false;
    context.notes.add(element, "refers to " + quotedName(name) + ", which is not here, and is left out");
    return true;
}

std::string uniqueName(std::set<std::string>& taken, const std::string& name)
{
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
    return unique;
}

void noteUnread(Context& context, const Element& element, std::initializer_list<std::string_view> known)
{
    for (const xml::Attribute& attribute : element.attributes)
        if (!isAboutLooks(attribute.name) &&
            std::find(known.begin(), known.end(), attribute.name) == known.end())
            context.notes.add(element, "attribute " + quotedName(attribute.name) + " is not read");
}

bool isOrientation(std::string_view attribute)
{
    for (std::string_view word : {"quat", "axisangle", "euler", "xyaxes", "zaxis"})
        if (attribute == word) return true;
    return false;
}

Quat turnFromZ(const Vec3& direction)
{
    return rotationBetween(Vec3::UnitZ(), direction);
}

Quat readOrientation(Context& context, const Element& element)
{
    xml::Reader& reader = context.reader;
    constexpr double shortest = 1e-10;
    const auto refuseZero = [&](const char* attribute) {
        reader.fail(element, attribute, "has no direction; it must not be zero");
        return Quat::Identity();
    };
    int given = 0;
    for (const xml::Attribute& attribute : element.attributes) given += isOrientation(attribute.name);
    if (given > 1) reader.fail(element, "has more than one of quat, axisangle, euler, xyaxes and zaxis");

    if (const auto q = reader.numbers(element, "quat", 4, 4); !q.empty()) {
        const Quat quat(q[0], q[1], q[2], q[3]);
        return quat.norm() < shortest ? refuseZero("quat") : quat.normalized();
    }
    if (const auto a = reader.numbers(element, "axisangle", 4, 4); !a.empty()) {
        const Vec3 axis(a[0], a[1], a[2]);
        if (axis.norm() < shortest) return refuseZero("axisangle");
        return expRotation(axis.normalized() * context.model->compiler.angle(a[3]));
    }
    if (const auto a = reader.numbers(element, "xyaxes", 6, 6); !a.empty()) {
        Vec3 x(a[0], a[1], a[2]), y(a[3], a[4], a[5]);
        if (x.norm() < shortest) return refuseZero("xyaxes");
        x.normalize();
        y -= x.dot(y) * x;
        if (y.norm() < shortest) return refuseZero("xyaxes");
        y.normalize();
        Mat3 R;
        R << x, y, x.cross(y);
        return Quat(R).normalized();
    }
    if (const auto z = reader.vector(element, "zaxis")) {
        if (z->norm() < shortest) return refuseZero("zaxis");
        return turnFromZ(z->normalized());
    }
    if (const auto e = reader.vector(element, "euler")) {
        // Small letters turn about the axes as they have come to lie, capitals about those of the parent.
        Quat turn = Quat::Identity();
        for (int i = 0; i < 3; ++i) {
            const char letter = context.model->compiler.eulerSequence[static_cast<std::size_t>(i)];
            const bool isFixed = letter >= 'X' && letter <= 'Z';
            const Vec3 axis = Vec3::Unit(letter - (isFixed ? 'X' : 'x'));
            const Quat single = expRotation(axis * context.model->compiler.angle((*e)[i]));
            turn = isFixed ? single * turn : turn * single;
        }
        return turn.normalized();
    }
    return Quat::Identity();
}

Pose readPose(Context& context, const Element& element)
{
    Pose pose;
    pose.position = context.reader.vector(element, "pos").value_or(Vec3::Zero());
    pose.orientation = readOrientation(context, element);
    return pose;
}

}  // namespace sinew::mjcf
