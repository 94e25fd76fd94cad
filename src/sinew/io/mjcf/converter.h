// The parts of the conversion MJCF → scene. Not a public header.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/mjcf/mjcf.h"

namespace sinew::mjcf {

using xml::Element;

// <compiler>: how the rest of the file is to be read.
struct Compiler {
    bool isRadian = false;
    std::string eulerSequence = "xyz";
    enum class FromGeoms { no, yes, automatic } inertiaFromGeoms = FromGeoms::automatic;
    double leastGroup = 0, largestGroup = 5;  // of geoms that count for inertias
    bool autolimits = true;                   // MuJoCo 3's default
    double leastMass = 0, leastInertia = 0, totalMass = -1;
    bool balancesInertia = false;

    double angle(double x) const;
};

// Notes, at most one of a kind: the first place, and how many there were.
class Notes {
public:
    void add(const Element& where, const std::string& what);
    void take(Imported& into) const;

private:
    struct Note {
        Diagnostic first;
        int count = 0;
    };
    std::map<std::string, std::size_t> numbers_;
    std::vector<Note> notes_;
};

// Default classes: attributes for geoms, joints and actuators that do not say otherwise.
class Defaults {
public:
    Defaults();
    void read(const Element& root, xml::Reader& reader, Notes& notes);
    // The element with what it leaves out from its class, else from that of the bodies around it.
    Element complete(const Element& element, const std::string& childClass, xml::Reader& reader) const;

private:
    using Attributes = std::map<std::string, xml::Attribute>;
    struct Class {
        std::map<std::string, Attributes> kinds;  // "geom", "joint", "actuator"
    };
    void readClass(const Element& element, const std::string& name, xml::Reader& reader, Notes& notes);

    std::map<std::string, Class> classes_;
};

// Everything that the parts share.
struct Context {
    Compiler compiler;
    Defaults defaults;
    xml::Reader reader;
    Notes notes;
    Imported out;

    struct JointInfo {
        JointType type = JointType::hinge;
        double reference = 0;  // MuJoCo's coordinate in the rest pose
    };
    std::map<std::string, JointInfo> joints;  // by name
    std::set<std::string> bodyNames, jointNames;
    std::map<std::pair<int, int>, std::string> layers;  // contype, conaffinity → name of a layer
    bool hasContact = false;
    bool isContactOff = false;
};

// `name`, or with a number behind it where that is taken.
std::string uniqueName(std::set<std::string>& taken, const std::string& name);

// Notes attributes that are neither in `known` nor about looks.
void noteUnread(Context& context, const Element& element, std::initializer_list<std::string_view> known);

// pos with quat, axisangle, xyaxes, zaxis or euler.
Quat readOrientation(Context& context, const Element& element);
Pose readPose(Context& context, const Element& element);
bool isOrientation(std::string_view attribute);
// The least turn that takes z there.
Quat turnFromZ(const Vec3& direction);

// A geom: what it is made of, in the frame of its body, and what it adds to its body's inertia.
struct Geom {
    std::optional<Shape> shape;  // none: left out, and noted
    bool isPlane = false;
    Pose pose;        // of the shape; of a plane, its z axis is the normal
    Inertia inertia;  // in the frame of the body; zero where it does not count
    double friction = 1;
    int contype = 1, conaffinity = 1;

    bool collides() const { return contype != 0 || conaffinity != 0; }
};
Geom readGeom(Context& context, const Element& element);

void readBodies(Context& context, const Element& root);
void readActuators(Context& context, const Element& root);

}  // namespace sinew::mjcf
