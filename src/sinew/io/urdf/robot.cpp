#include "sinew/io/urdf/robot.h"

#include <cmath>
#include <unordered_map>

#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/io/file_error.h"
#include "sinew/io/xml/xml.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

constexpr double pointRadius = 0.001;  // m

using xml::Element;

Quat turnAbout(const Vec3& axis, double angle)
{
    return expRotation(angle * axis);
}

// The engine's shapes lie along y, URDF's along z.
const Quat& zAlongY()
{
    static const Quat turn = turnAbout(Vec3::UnitX(), pi / 2);
    return turn;
}

class RobotReader {
public:
    explicit RobotReader(UrdfRobot& robot) : robot_(robot) {}

    Result<bool> read(const Element& root)
    {
        if (root.name != "robot") return xml::at(root, "a URDF file has <robot> at its root");
        robot_.name = in_.name(root, "name").value_or("");
        for (const Element& element : root.children) {
            if (in_.failed()) break;
            if (element.name == "link")
                readLink(element);
            else if (element.name == "joint")
                readJoint(element);
            else if (element.name == "material")
                leaveOut(element, "materials are not taken");
            else if (element.name == "transmission")
                leaveOut(element, "<transmission> is not taken: nothing drives the joints");
            else
                leaveOut(element, "<" + shownName(element.name) + "> is not taken");
        }
        if (in_.failed()) return in_.error();
        return true;
    }

private:
    void leaveOut(const Element& element, const std::string& what)
    {
        robot_.leftOut.add(what, element.line);
    }

    // What an element has beside what we know.
    void leaveOthers(const Element& element, std::initializer_list<std::string_view> known)
    {
        for (const Element& child : element.children) {
            bool isKnown = false;
            for (std::string_view name : known) isKnown = isKnown || child.name == name;
            if (!isKnown)
                leaveOut(child, "<" + shownName(child.name) + "> in <" + shownName(element.name) +
                                    "> is not taken");
        }
    }

    Pose poseOf(const Element& parent)
    {
        Pose pose;
        const Element* origin = parent.child("origin");
        if (!origin) return pose;
        pose.position = in_.vector(*origin, "xyz").value_or(Vec3::Zero());
        const Vec3 rpy = in_.vector(*origin, "rpy").value_or(Vec3::Zero());
        pose.orientation = turnAbout(Vec3::UnitZ(), rpy.z()) * turnAbout(Vec3::UnitY(), rpy.y()) *
                           turnAbout(Vec3::UnitX(), rpy.x());
        return pose;
    }

    double required(const Element& element, const char* attribute)
    {
        const std::optional<double> value = in_.number(element, attribute);
        if (!value) in_.fail(element, attribute, "is missing; it must be a number");
        return value.value_or(0);
    }

    void readLink(const Element& element)
    {
        UrdfLink link;
        link.name = in_.requiredName(element, "name");
        link.line = element.line;
        for (const Element& child : element.children) {
            if (in_.failed()) return;
            if (child.name == "inertial") {
                if (link.inertial) return in_.fail(child, "the link has a second <inertial>");
                link.inertial = inertialOf(child);
            } else if (child.name == "collision") {
                readGeometry(child, link.collisions);
            } else if (child.name == "visual") {
                readGeometry(child, link.visuals);
            }
        }
        leaveOthers(element, {"inertial", "collision", "visual"});
        robot_.links.push_back(std::move(link));
    }

    Inertia inertialOf(const Element& element)
    {
        Inertia inertia;
        if (const Element* mass = element.child("mass")) inertia.mass = required(*mass, "value");
        if (inertia.mass < 0) in_.fail(*element.child("mass"), "value", "is negative; a mass is 0 or more");
        Mat3 I = Mat3::Zero();
        if (const Element* moments = element.child("inertia")) {
            const auto entry = [&](const char* name) { return in_.number(*moments, name).value_or(0); };
            const double xy = entry("ixy"), xz = entry("ixz"), yz = entry("iyz");
            I << entry("ixx"), xy, xz, xy, entry("iyy"), yz, xz, yz, entry("izz");
        }
        if (inertia.mass == 0 && !I.isZero(0))
            leaveOut(element, "an <inertia> beside a mass of 0 is not taken");
        leaveOthers(element, {"origin", "mass", "inertia"});
        if (inertia.mass == 0) return {};
        inertia.rotational = I;
        return inertia.placed(poseOf(element));
    }

    void readGeometry(const Element& element, std::vector<UrdfGeometry>& out)
    {
        leaveOthers(element, {"origin", "geometry", "material"});
        if (element.child("material")) leaveOut(*element.child("material"), "materials are not taken");
        const Element* geometry = element.child("geometry");
        if (!geometry || geometry->children.empty())
            return in_.fail(element, "has no <geometry> with a shape in it");
        const Element& shape = geometry->children.front();
        UrdfGeometry g;
        g.pose = poseOf(element);
        g.line = shape.line;
        bool alongZ = false;
        if (shape.name == "box") {
            const std::optional<Vec3> size = in_.vector(shape, "size");
            if (!size) return in_.fail(shape, "size", "is missing; it must be three lengths");
            g.form = Shape(Box{*size});
        } else if (shape.name == "sphere") {
            double radius = required(shape, "radius");
            if (radius == 0 && element.name == "collision") {
                // The points that a foot stands on are written so.
                radius = pointRadius;
                leaveOut(shape, "spheres of radius 0 are taken for points: they have 1 mm");
            }
            g.form = Shape(Sphere{radius});
        } else if (shape.name == "cylinder") {
            g.form = Shape(Cylinder{required(shape, "radius"), required(shape, "length")});
            alongZ = true;
        } else if (shape.name == "capsule") {
            g.form = Shape(Capsule{required(shape, "radius"), required(shape, "length")});
            alongZ = true;
        } else if (shape.name == "mesh") {
            UrdfMesh mesh;
            mesh.file = in_.requiredName(shape, "filename");
            const std::vector<double> scale = in_.numbers(shape, "scale", 1, 3);
            if (scale.size() == 2) return in_.fail(shape, "scale", "must be one factor or three");
            if (scale.size() == 1) mesh.scale.setConstant(scale[0]);
            if (scale.size() == 3) mesh.scale = Vec3(scale[0], scale[1], scale[2]);
            if (mesh.scale.cwiseAbs().minCoeff() == 0)
                return in_.fail(shape, "scale", "has a factor of zero");
            g.form = std::move(mesh);
        } else {
            return leaveOut(shape, "<" + shownName(shape.name) +
                                       "> as a geometry is not taken; box, sphere, cylinder, capsule and "
                                       "mesh are");
        }
        if (in_.failed()) return;
        if (alongZ) g.pose.orientation = g.pose.orientation * zAlongY();
        if (const auto* form = std::get_if<Shape>(&g.form))
            if (const Result<Shape> checked = checkedShape(*form); !checked)
                return leaveOut(shape, "<" + shape.name + "> is left out: " + checked.error().message);
        out.push_back(std::move(g));
    }

    void readJoint(const Element& element)
    {
        UrdfJoint joint;
        joint.name = in_.requiredName(element, "name");
        joint.line = element.line;
        const std::string type = in_.requiredName(element, "type");
        static const std::unordered_map<std::string_view, UrdfJoint::Type> types = {
            {"revolute", UrdfJoint::Type::revolute},   {"continuous", UrdfJoint::Type::continuous},
            {"prismatic", UrdfJoint::Type::prismatic}, {"fixed", UrdfJoint::Type::fixed},
            {"floating", UrdfJoint::Type::floating},   {"planar", UrdfJoint::Type::planar}};
        const auto found = types.find(type);
        if (found == types.end())
            return in_.fail(element, "type",
                            words::quoted(type) +
                                " is not a type of joint; revolute, continuous, prismatic, "
                                "fixed, floating and planar are");
        joint.type = found->second;
        for (const auto& [name, link] :
             {std::pair("parent", &joint.parent), std::pair("child", &joint.child)}) {
            const Element* end = element.child(name);
            if (!end) return in_.fail(element, std::string("has no <") + name + " link=\"…\"/>");
            *link = in_.requiredName(*end, "link");
        }
        joint.origin = poseOf(element);
        const bool moves = joint.type != UrdfJoint::Type::fixed && joint.type != UrdfJoint::Type::floating;
        if (const Element* axis = element.child("axis"); axis && moves) {
            const Vec3 direction = in_.vector(*axis, "xyz").value_or(Vec3::UnitX());
            const double length = direction.norm();
            if (!(length > 1e-9)) return in_.fail(*axis, "xyz", "has no length; it must be a direction");
            joint.axis = direction / length;
        }
        if (const Element* limit = element.child("limit"); limit && moves) readLimits(*limit, joint);
        if (const Element* dynamics = element.child("dynamics"); dynamics && moves) {
            joint.damping = in_.number(*dynamics, "damping").value_or(0);
            joint.friction = in_.number(*dynamics, "friction").value_or(0);
            for (const auto& [value, name] :
                 {std::pair(joint.damping, "damping"), std::pair(joint.friction, "friction")})
                if (value < 0) in_.fail(*dynamics, name, "is negative; it must be 0 or more");
        }
        if (const Element* mimic = element.child("mimic")) {
            joint.mimic =
                UrdfMimic{in_.requiredName(*mimic, "joint"), in_.number(*mimic, "multiplier").value_or(1),
                          in_.number(*mimic, "offset").value_or(0), mimic->line};
        }
        leaveOthers(element, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});
        robot_.joints.push_back(std::move(joint));
    }

    void readLimits(const Element& element, UrdfJoint& joint)
    {
        const double lower = in_.number(element, "lower").value_or(0);
        const double upper = in_.number(element, "upper").value_or(0);
        // Zero is what is written where nobody knows.
        if (const double effort = in_.number(element, "effort").value_or(0); effort > 0)
            joint.effort = effort;
        if (element.find("velocity")) leaveOut(element, "limits of velocity are not taken");
        if (joint.type == UrdfJoint::Type::continuous || joint.type == UrdfJoint::Type::planar) return;
        if (lower > upper || (lower == 0 && upper == 0)) {
            leaveOut(element, lower > upper ? "limits with lower above upper are taken for none"
                                            : "limits from 0 to 0 are taken for none; a joint that shall "
                                              "not move is fixed");
            return;
        }
        joint.lower = lower;
        joint.upper = upper;
    }

    UrdfRobot& robot_;
    xml::Reader in_;
};

// Names, and that the joints make one tree of the links.
std::optional<Diagnostic> treeFault(UrdfRobot& robot)
{
    const auto at = [&](int line, std::string message) {
        return fileError(robot.file, std::move(message), line);
    };
    if (robot.links.empty()) return at(0, "the robot has no links");
    std::unordered_map<std::string, int> links, joints;
    for (const UrdfLink& link : robot.links)
        if (!links.emplace(link.name, static_cast<int>(links.size())).second)
            return at(link.line, "there is a link " + words::quoted(link.name) + " already");
    const int count = static_cast<int>(robot.links.size());
    robot.jointTo.assign(robot.links.size(), -1);
    std::vector<std::vector<int>> children(robot.links.size());
    for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) {
        const UrdfJoint& joint = robot.joints[j];
        if (!joints.emplace(joint.name, j).second)
            return at(joint.line, "there is a joint " + words::quoted(joint.name) + " already");
        for (const std::string* name : {&joint.parent, &joint.child})
            if (!links.contains(*name))
                return at(joint.line, "joint " + words::quoted(joint.name) + " names the link " +
                                          words::quoted(*name) + ", which is not there");
        const int child = links.at(joint.child);
        if (robot.jointTo[child] >= 0)
            return at(joint.line, "link " + words::quoted(joint.child) + " is the child of two joints, " +
                                      words::quoted(robot.joints[robot.jointTo[child]].name) + " and " +
                                      words::quoted(joint.name) + "; a URDF robot must be a tree");
        robot.jointTo[child] = j;
        children[links.at(joint.parent)].push_back(child);
    }
    int root = -1;
    for (int i = 0; i < count; ++i) {
        if (robot.jointTo[i] >= 0) continue;
        if (root >= 0)
            return at(robot.links[i].line, "links " + words::quoted(robot.links[root].name) + " and " +
                                               words::quoted(robot.links[i].name) +
                                               " are both no joint's child; a robot has one root");
        root = i;
    }
    if (root < 0) return at(robot.joints[0].line, "the joints go round in a circle; there is no root");
    robot.root = static_cast<std::size_t>(root);
    robot.order = {robot.root};
    for (std::size_t k = 0; k < robot.order.size(); ++k)
        for (int child : children[robot.order[k]]) robot.order.push_back(static_cast<std::size_t>(child));
    if (robot.order.size() < robot.links.size()) {
        std::vector<char> reached(robot.links.size(), 0);
        for (std::size_t i : robot.order) reached[i] = 1;
        for (int i = 0; i < count; ++i)
            if (!reached[i])
                return at(robot.joints[robot.jointTo[i]].line, "the joints above link " +
                                                                   words::quoted(robot.links[i].name) +
                                                                   " go round in a circle");
    }
    for (const UrdfJoint& joint : robot.joints) {
        if (!joint.mimic) continue;
        if (!joints.contains(joint.mimic->joint) || joint.mimic->joint == joint.name)
            return at(joint.mimic->line, "joint " + words::quoted(joint.name) + " mimics " +
                                             words::quoted(joint.mimic->joint) +
                                             ", which is not another joint");
    }
    return {};
}

}  // namespace

Result<UrdfRobot> parseUrdf(std::string_view text, const std::string& fileName)
{
    const Result<Element> root = xml::parse(text, fileName);
    if (!root) return root.error();
    UrdfRobot robot;
    robot.file = fileName;
    const Result<bool> read = RobotReader(robot).read(root.value());
    if (!read) return read.error();
    if (const auto fault = treeFault(robot)) return *fault;
    return robot;
}

}  // namespace sinew
