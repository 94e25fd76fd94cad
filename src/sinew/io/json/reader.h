// The reader of scenes and recordings: syntax tree → Description, key by key, with the JSON pointer of the
// first fault. Not a public header.
//
// What is the same for every type, messages above all, is in reader.cpp: the templates here are made for
// some thirty types, and are kept thin.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/words.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/motion_files.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/springs.h"

namespace sinew {
struct WishPlace;
}

namespace sinew::reading {

using json::Kind;
using json::Member;
using json::Value;

class Reader;

template <class T>
struct Key {
    std::string_view name;
    bool (*read)(Reader&, const Value&, T&);
    bool required = false;
};

template <class T>
using Keys = std::vector<Key<T>>;

class Reader {
public:
    explicit Reader(const std::string& file, int line = 0)
    {
        error_.file = file;
        error_.line = line;
    }

    const Diagnostic& error() const { return error_; }
    // What is read and should be written in another way.
    const std::vector<Diagnostic>& notes() const { return notes_; }
    const std::vector<MotionFile>& motionFiles() const { return motionFiles_; }
    // Of the motion whose member is being read.
    MotionFile& motionFile();

    bool fail(std::string message);
    bool failAt(int column, std::string message);
    bool failKind(const char* expected, const Value& found);
    bool failWord(const char* kind, std::string_view word, std::span<const std::string_view> legal);

    // Runs `read` with the pointer lengthened by one token; true if that went well.
    template <class Function>
    bool within(std::string_view token, Function read)
    {
        const std::size_t before = pointer_.size();
        enter(token);
        const bool good = read();
        pointer_.resize(before);
        return good;
    }
    template <class Function>
    bool within(std::size_t index, Function read)
    {
        return within(std::to_string(index), read);
    }

    // ---- plain values --------------------------------------------------------------------------

    bool read(const Value& value, double& out);
    bool read(const Value& value, bool& out);
    // Names end up in messages and table headings, so they have to stay on one line.
    bool read(const Value& value, std::string& out);
    bool text(const Value& value, std::string& out);
    bool read(const Value& value, Vec3& out)
    {
        return numbers(value, "a list of 3 numbers", {out.data(), 3});
    }
    bool read(const Value& value, Quat& out);
    bool read(const Value& value, Mat3& out);
    bool read(const Value& value, JointType& out);
    bool read(const Value& value, std::vector<double>& out);
    bool read(const Value& value, std::array<int, 3>& out);
    bool read(const Value& value, ShapeDescription& out);
    bool read(const Value& value, BodyDescription& out) { return object(value, bodyKeys(), out, "a body"); }
    bool read(const Value& value, JointDescription& out)
    {
        return joint(value, jointKeys(), out, "a joint");
    }
    // With the keys that a joint has where it stands.
    bool joint(const Value& value, const Keys<JointDescription>& keys, JointDescription& out,
               const std::string& what);
    bool readOldFriction(const Value& value);
    bool read(const Value& value, ForceDescription& out)
    {
        return object(value, forceKeys(), out, "a force");
    }
    bool read(const Value& value, ObstacleDescription& out);
    bool read(const Value& value, ContactDescription& out)
    {
        return object(value, contactKeys(), out, "contact");
    }
    bool read(const Value& value, std::array<std::string, 2>& out);
    bool read(const Value& value, SpringMeshDescription& out);
    // One of the words, which stand in the order of the enumeration.
    template <class Enumeration>
    bool word(const Value& value, const char* kind, std::span<const std::string_view> words,
              Enumeration& out)
    {
        const std::optional<std::size_t> place = placeOfWord(value, kind, words);
        if (place) out = static_cast<Enumeration>(*place);
        return place.has_value();
    }
    bool read(const Value& value, TargetDescription& out)
    {
        return object(value, targetKeys(), out, "a target");
    }
    bool read(const Value& value, TargetDescription::Key& out)
    {
        return object(value, pathKeys(), out, "a key of a path");
    }
    // A number, or an object whose one key tells the form.
    bool read(const Value& value, Signal& out);
    bool read(const Value& value, SineSignal& out) { return object(value, sineKeys(), out, "a sine"); }
    bool read(const Value& value, PulseSignal& out) { return object(value, pulseKeys(), out, "a pulse"); }
    bool read(const Value& value, StepSignal& out) { return object(value, stepKeys(), out, "a step"); }
    bool read(const Value& value, NoiseSignal& out) { return object(value, noiseKeys(), out, "noise"); }
    bool read(const Value& value, KeySignal& out) { return object(value, keyKeys(), out, "keys"); }
    bool read(const Value& value, KeySignal::Key& out)
    {
        double pair[2];
        if (!numbers(value, "a pair [time, value]", pair)) return false;
        out = {pair[0], pair[1]};
        return true;
    }
    bool read(const Value& value, std::uint32_t& out);
    // One signal per freedom; a single one may stand without brackets.
    bool signals(const Value& value, std::vector<Signal>& out)
    {
        if (value.isArray()) return read(value, out);
        return read(value, out.emplace_back());
    }
    bool read(const Value& value, std::array<double, 2>& out)
    {
        return numbers(value, "a pair of numbers", out);
    }
    bool read(const Value& value, std::array<double, 4>& out)
    {
        return numbers(value, "a list of 4 numbers", out);
    }
    bool read(const Value& value, SwingConeDescription& out)
    {
        return object(value, coneKeys(), out, "a swing cone");
    }
    bool read(const Value& value, TorqueDescription::Point& out)
    {
        double pair[2];
        if (!numbers(value, "a pair [angle, torque]", pair)) return false;
        out = {pair[0], pair[1]};
        return true;
    }
    bool read(const Value& value, int& out);
    bool read(const Value& value, ConditionDescription& out);
    bool read(const Value& value, SupportDescription& out);
    bool read(const Value& value, TorqueDescription::Part& out);
    bool read(const Value& value, MotorDescription& out)
    {
        return object(value, motorKeys(), out, "a motor");
    }
    bool read(const Value& value, TorqueDescription& out)
    {
        return object(value, torqueKeys(), out, "a torque function");
    }
    bool read(const Value& value, ControllerDescription& out)
    {
        return object(value, controllerKeys(), out, "a controller");
    }
    bool read(const Value& value, MotionDescription& out)
    {
        return object(value, motionKeys(), out, "a motion");
    }
    bool read(const Value& value, MotionDescription::RootPath& out)
    {
        return object(value, rootPathKeys(), out, "a root's motion");
    }
    bool read(const Value& value, TrackDescription& out)
    {
        return object(value, trackKeys(), out, "a track");
    }
    // An object whose keys are names: readOne(value, name, item).
    template <class T, class Function>
    bool named(const Value& value, std::vector<T>& out, Function readOne)
    {
        if (!value.isObject()) return failKind("an object with names as keys", value);
        for (const Member& member : value.members())
            if (!within(member.key, [&] { return readOne(member.value, member.key, out.emplace_back()); }))
                return false;
        return true;
    }
    bool read(const Value& value, PrescribedDescription& out)
    {
        return object(value, prescribedKeys(), out, "a prescribed motion");
    }
    // springs_reader.cpp
    bool read(const Value& value, SpringDescription& out);
    bool read(const Value& value, FieldDescription& out);
    bool read(const Value& value, MediumDescription& out);
    bool read(const Value& value, DragDescription& out);
    bool read(const Value& value, CouplingDescription& out)
    {
        return object(value, couplingKeys(), out, "a coupling");
    }
    bool read(const Value& value, SwitchDescription& out)
    {
        if (!object(value, switchKeys(), out, "a switch")) return false;
        if (out.settings.isAny() && !value.find("active")) out.active.reset();
        return true;
    }
    bool read(const Value& value, ParticlesDescription& out);
    // wish_reader.cpp
    bool read(const Value& value, WishDescription& out);
    bool read(const Value& value, WishPlace& out);
    // balance_reader.cpp
    bool read(const Value& value, BalanceDescription& out);
    bool read(const Value& value, ActionDescription& out);
    // plan_reader.cpp
    bool read(const Value& value, PlanDescription& out);
    bool read(const Value& value, PlanDescription::Drive& out);
    bool read(const Value& value, PlanDescription::Contact& out);
    bool read(const Value& value, PlanDescription::Hold& out);
    bool read(const Value& value, PlanDescription::Clearance& out);
    bool read(const Value& value, PlanDescription::Still& out);
    bool read(const Value& value, PlanDescription::Guess& out);
    bool read(const Value& value, RunSettings& out) { return object(value, runKeys(), out, "run"); }
    bool read(const Value& value, Description& out);

    template <class T>
    bool read(const Value& value, std::optional<T>& out)
    {
        return read(value, out.emplace());
    }
    template <class T>
    bool read(const Value& value, std::vector<T>& out)
    {
        if (!value.isArray()) return failKind("a list", value);
        out.resize(value.items().size());
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!within(i, [&] { return read(value.items()[i], out[i]); })) return false;
        return true;
    }

    // Bones into bodies and joints, before those that `out` has.
    bool figure(const Value& value, Description& out);

    bool version(const Value& value);
    bool facesExist(const std::vector<std::array<int, 3>>& faces, std::size_t vertices);

    // An object whose keys are those of the table. What it is called is for messages.
    template <class T>
    bool object(const Value& value, const Keys<T>& keys, T& out, const std::string& what)
    {
        if (!value.isObject()) return failKind("an object", value);
        for (const Member& member : value.members()) {
            const Key<T>* key = nullptr;
            for (const Key<T>& candidate : keys)
                if (candidate.name == member.key) key = &candidate;
            const auto readMember = [&] {
                return key ? key->read(*this, member.value, out) : unknownKey(member.key, keys, what);
            };
            if (!within(member.key, readMember)) return false;
        }
        for (const Key<T>& key : keys)
            if (key.required && value.find(key.name) == nullptr) return failMissing(key.name, what);
        return true;
    }

    template <class T>
    bool unknownKey(std::string_view word, const Keys<T>& keys, const std::string& what)
    {
        std::vector<std::string_view> legal(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) legal[i] = keys[i].name;
        return failKey(word, legal, what);
    }

    static const Keys<ShapeDescription>& shapeKeys(const Shape& shape);
    static const Keys<BodyDescription>& bodyKeys();
    static const Keys<JointDescription>& jointKeys();
    static const Keys<ForceDescription>& forceKeys();
    static const Keys<ContactDescription>& contactKeys();
    static const Keys<TargetDescription>& targetKeys();
    static const Keys<TargetDescription::Key>& pathKeys();
    static const Keys<SwingConeDescription>& coneKeys();
    static const Keys<SineSignal>& sineKeys();
    static const Keys<PulseSignal>& pulseKeys();
    static const Keys<StepSignal>& stepKeys();
    static const Keys<NoiseSignal>& noiseKeys();
    static const Keys<KeySignal>& keyKeys();
    static const Keys<ConditionDescription>& conditionKeys();
    static const Keys<MotorDescription>& motorKeys();
    static const Keys<TorqueDescription>& torqueKeys();
    static const Keys<ControllerDescription>& controllerKeys();
    static const Keys<SupportDescription>& supportKeys();
    static const Keys<MotionDescription>& motionKeys();
    static const Keys<MotionDescription::RootPath>& rootPathKeys();
    static const Keys<TrackDescription>& trackKeys();
    static const Keys<PrescribedDescription>& prescribedKeys();
    static const Keys<CouplingDescription>& couplingKeys();
    static const Keys<SwitchDescription>& switchKeys();
    static const Keys<RunSettings>& runKeys();
    static const Keys<Description>& sceneKeys();
    // Keys that say what a spring's end or a wish holds on to.
    static const Keys<SpringCurve>& curveKeys();
    static const Keys<SpringPlane>& planeKeys();
    static const Keys<SpringSphere>& sphereKeys();
    static const Keys<SpringCylinder>& cylinderKeys();

private:
    void enter(std::string_view token);  // lengthens the pointer
    bool failMissing(std::string_view key, const std::string& what);
    bool failKey(std::string_view key, std::span<const std::string_view> legal, const std::string& what);
    std::optional<std::size_t> placeOfWord(const Value& value, const char* kind,
                                           std::span<const std::string_view> words);
    bool numbers(const Value& value, const char* expected, std::span<double> out);

    std::string pointer_;
    Diagnostic error_;
    std::vector<Diagnostic> notes_;
    std::vector<MotionFile> motionFiles_;
    double oldFriction_ = 0;  // of the joint that is being read
};

// A key whose value goes straight into a member of T.
template <class T, auto member>
Key<T> key(std::string_view name, bool required = false)
{
    return {name,
            [](Reader& reader, const Value& value, T& out) { return reader.read(value, out.*member); },
            required};
}
// A key of the numbers that a T sets of a joint.
template <class T, auto member>
Key<T> settingKey(std::string_view name)
{
    return {name, [](Reader& reader, const Value& value, T& out) {
                return reader.read(value, out.settings.*member);
            }};
}
// With further keys of T.
template <class T>
Keys<T> settingKeys(Keys<T> keys)
{
    using S = JointSettings;
    for (const Key<T>& key :
         {settingKey<T, &S::stiffness>("stiffness"), settingKey<T, &S::damping>("damping"),
          settingKey<T, &S::rest>("rest"), settingKey<T, &S::lower>("lower"),
          settingKey<T, &S::upper>("upper"), settingKey<T, &S::swingLimit>("swing_limit"),
          settingKey<T, &S::limitStiffness>("limit_stiffness"), settingKey<T, &S::limits>("limits"),
          settingKey<T, &S::motor>("motor")})
        keys.push_back(key);
    return keys;
}
template <class T>
Key<T> positionKey()
{
    return {"position", [](Reader& reader, const Value& value, T& out) {
                return reader.read(value, out.pose.position);
            }};
}
template <class T>
Key<T> orientationKey()
{
    return {"orientation", [](Reader& reader, const Value& value, T& out) {
                return reader.read(value, out.pose.orientation);
            }};
}
// A key of one kind of shape, which `out.shape` already is.
template <class T, class S, auto member>
Key<T> sizeKey(std::string_view name, bool required = true)
{
    return {name,
            [](Reader& reader, const Value& value, T& out) {
                return reader.read(value, std::get<S>(out.shape).*member);
            },
            required};
}
// The sizes of each kind of shape, in the order of the alternatives of Shape, for a T that has a shape.
template <class T>
std::array<Keys<T>, std::variant_size_v<Shape>> sizeKeys()
{
    return {{
        {sizeKey<T, Sphere, &Sphere::radius>("radius")},
        {sizeKey<T, Box, &Box::size>("size")},
        {sizeKey<T, Capsule, &Capsule::radius>("radius"), sizeKey<T, Capsule, &Capsule::length>("length")},
        {sizeKey<T, Cylinder, &Cylinder::radius>("radius"),
         sizeKey<T, Cylinder, &Cylinder::length>("length")},
        {sizeKey<T, Ellipsoid, &Ellipsoid::radii>("radii")},
        {sizeKey<T, ConvexMesh, &ConvexMesh::vertices>("vertices"),
         sizeKey<T, ConvexMesh, &ConvexMesh::faces>("faces", false)},
    }};
}

}  // namespace sinew::reading
