// Links that fixed joints hold together become one body: it moves exactly as they would, costs less, and
// frames without mass (sensors, tool points) need no special case. Its name and frame are those of the link
// nearest to the root.
//
// World axes: URDF has z up, we y. The whole robot is turned by Q = −90° about x, (x, y, z) → (x, z, −y);
// axes of bodies stay those of their links, so that inertias and shapes need no turning.
#include "sinew/io/urdf/scene.h"

#include <algorithm>
#include <unordered_map>

#include "sinew/base/words.h"
#include "sinew/geometry/mass.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"
#include "sinew/io/urdf/parts.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using urdf::MeshShelf;

class SceneMaker {
public:
    SceneMaker(const UrdfRobot& robot, const UrdfOptions& options)
        : robot_(robot), options_(options), leftOut_(robot.leftOut), shelf_(robot.file, options.meshPaths)
    {
    }

    Result<Imported> make()
    {
        out_.scene.name = robot_.name;
        placeLinks();
        chooseBase();
        dropWithoutMass();
        for (std::size_t i : robot_.order) {
            if (head_[i] == i && !dropped_[i]) addBody(i);
            if (failed_) return fault_;
        }
        if (out_.scene.bodies.empty())
            return fileError(robot_.file,
                             "nothing in this robot has mass and can move; is there an <inertial>?");
        addMimics();
        if (failed_) return fault_;
        if (options_.holds) holdPose();
        out_.notes = leftOut_.notes(robot_.file);
        return std::move(out_);
    }

private:
    // ---- which links make which bodies ----------------------------------------------------------

    void placeLinks()
    {
        const std::size_t count = robot_.links.size();
        for (std::size_t i = 0; i < count; ++i) index_[robot_.links[i].name] = i;
        place_.resize(count);
        head_.resize(count);
        parent_.assign(count, robot_.root);
        for (std::size_t i : robot_.order) {
            head_[i] = i;
            if (i == robot_.root) {
                place_[i] = {Vec3::Zero(), expRotation(-pi / 2 * Vec3::UnitX())};
                continue;
            }
            const UrdfJoint& joint = jointTo(i);
            const std::size_t parent = index_.at(joint.parent);
            place_[i] = place_[parent] * joint.origin;
            place_[i].orientation.normalize();
            parent_[i] = head_[parent];
            // What is fixed to a link called world is bolted to the world, not a part of it.
            if (joint.type == UrdfJoint::Type::fixed && !(parent == robot_.root && rootIsWorld())) {
                head_[i] = head_[parent];
                leftOut_.add(robot_.links[i].inertial && robot_.links[i].inertial->mass > 0
                                 ? "links on fixed joints are part of the link that they are fixed to"
                                 : "links without mass on fixed joints are left out as bodies",
                             robot_.links[i].line);
            }
        }
        sum_.resize(count);
        for (std::size_t i : robot_.order) {
            const UrdfLink& link = robot_.links[i];
            const std::size_t head = head_[i];
            if (link.inertial) sum_[head] = sum_[head] + link.inertial->placed(between(head, i));
        }
    }

    const UrdfJoint& jointTo(std::size_t link) const { return robot_.joints[robot_.jointTo[link]]; }
    bool rootIsWorld() const { return robot_.links[robot_.root].name == "world"; }
    Pose between(std::size_t from, std::size_t to) const
    {
        return from == to ? Pose{} : place_[from].inverse() * place_[to];
    }

    void chooseBase()
    {
        const UrdfLink& root = robot_.links[robot_.root];
        const bool byItself = rootIsWorld() || !root.inertial || root.inertial->mass == 0;
        isFixed_ = options_.fixedBase.value_or(byItself);
        if (rootIsWorld()) {
            if (options_.fixedBase == false)
                leftOut_.add("a root called 'world' is the world and does not float", root.line);
            isFixed_ = true;
            if (root.inertial) leftOut_.add("the inertial of the world is not taken", root.line);
            return;
        }
        if (options_.fixedBase) return;
        leftOut_.add("the root " + words::quoted(root.name) +
                         (isFixed_ ? " has no <inertial>: it is bolted to the world"
                                   : " has an <inertial>: the robot floats"),
                     root.line);
    }

    // From the leaves inward: nothing says how a last link without mass moves.
    void dropWithoutMass()
    {
        dropped_.assign(robot_.links.size(), 0);
        std::vector<char> bearsOthers(robot_.links.size(), 0);
        for (auto i = robot_.order.rbegin(); i != robot_.order.rend(); ++i) {
            if (head_[*i] != *i || *i == robot_.root) continue;
            const bool bolted = isBolted(*i);
            if (sum_[*i].mass > 0 || bearsOthers[*i] || bolted) {
                bearsOthers[parent_[*i]] = 1;
                continue;
            }
            dropped_[*i] = 1;
            leftOut_.add("link " + words::quoted(robot_.links[*i].name) + " is left out with its joint " +
                             words::quoted(jointTo(*i).name) +
                             ": it moves and has no mass; give it an <inertial>",
                         robot_.links[*i].line);
        }
    }

    bool isBolted(std::size_t i) const
    {
        return i != robot_.root && jointTo(i).type == UrdfJoint::Type::fixed;  // to a link called world
    }

    // ---- bodies and joints ----------------------------------------------------------------------

    void addBody(std::size_t i)
    {
        const UrdfLink& link = robot_.links[i];
        const bool isBase = i == robot_.root;
        BodyDescription body;
        body.name = isBase && rootIsWorld() ? "world_base" : link.name;
        body.pose = place_[i];
        addShapes(i, body);
        if (failed_) return;
        const bool still = (isBase && isFixed_) || isBolted(i);
        name_[i] = body.name;
        if (sum_[i].mass == 0 && still) {
            // It is the world itself. What it looks like stays, with any mass: it never moves.
            if (body.shapes.empty()) {
                name_[i] = "world";
                return;
            }
        } else if (sum_[i].mass == 0) {
            if (isBase)
                return fail(link.line,
                            "the root " + words::quoted(link.name) +
                                " has no mass and cannot float; give it an <inertial> or a fixed base");
            body.mass = 0;
        } else {
            setMass(i, body);
        }
        if (body.name == "world") return fail(link.line, "a link called 'world' must be the root");
        if (failed_) return;
        if (still)
            addWeld(body);
        else if (isBase)
            out_.scene.roots.push_back(body.name);
        out_.scene.bodies.push_back(std::move(body));
        if (!still && !isBase) addJoint(i);
    }

    void setMass(std::size_t i, BodyDescription& body)
    {
        const Inertia& sum = sum_[i];
        std::string change;
        const int line = robot_.links[i].line;
        body.mass = sum.mass;
        body.center = sum.center;
        body.inertia = urdf::solidInertia(sum.rotational, sum.mass, change);
        if (!change.empty())
            leftOut_.add("link " + words::quoted(robot_.links[i].name) + ": " + change, line);
        if (const std::string why = inertiaFault(*body.inertia); !why.empty())
            fail(line, "link " + words::quoted(robot_.links[i].name) + ": " + why);
    }

    // Collision shapes where there are any, otherwise the visual ones, which then touch nothing.
    void addShapes(std::size_t head, BodyDescription& body)
    {
        const std::vector<std::size_t>& links = members(head);
        bool collides = false, seen = false;
        for (std::size_t i : links) {
            collides = collides || !robot_.links[i].collisions.empty();
            seen = seen || !robot_.links[i].visuals.empty();
        }
        if (collides && seen)
            leftOut_.add("<visual> is not taken where there is a <collision>", robot_.links[head].line);
        for (std::size_t i : links)
            for (const UrdfGeometry& geometry :
                 collides ? robot_.links[i].collisions : robot_.links[i].visuals) {
                const Result<std::optional<Shape>> shape = shelf_.shapeOf(geometry, leftOut_);
                if (!shape) {
                    failed_ = true;
                    fault_ = shape.error();
                    return;
                }
                if (!shape.value()) continue;
                ShapeDescription part;
                part.shape = *shape.value();
                part.pose = between(head, i) * geometry.pose;
                part.pose.orientation.normalize();
                body.shapes.push_back(std::move(part));
            }
        body.collides = collides;
    }

    const std::vector<std::size_t>& members(std::size_t head)
    {
        if (members_.empty()) {
            members_.resize(robot_.links.size());
            for (std::size_t i : robot_.order) members_[head_[i]].push_back(i);
        }
        return members_[head];
    }

    void addWeld(const BodyDescription& body)
    {
        JointDescription weld;
        weld.name = body.name + "_base";
        while (std::any_of(robot_.joints.begin(), robot_.joints.end(),
                           [&](const UrdfJoint& joint) { return joint.name == weld.name; }))
            weld.name += "_";
        weld.type = JointType::weld;
        weld.first = "world";
        weld.second = body.name;
        weld.position = body.pose.position;
        out_.scene.joints.push_back(std::move(weld));
    }

    void addJoint(std::size_t i)
    {
        const UrdfJoint& source = jointTo(i);
        JointDescription joint;
        joint.name = source.name;
        joint.first = name_.at(parent_[i]);
        joint.second = name_.at(i);
        joint.position = place_[i].position;
        if (source.type == UrdfJoint::Type::floating) {
            joint.type = JointType::free;
            if (joint.first == "world")
                out_.scene.roots.push_back(joint.second);  // which it is without a joint
            else
                out_.scene.joints.push_back(std::move(joint));
            return;
        }
        joint.type = source.type == UrdfJoint::Type::prismatic ? JointType::slide : JointType::hinge;
        joint.axis = place_[i].orientation * source.axis;
        joint.damping = source.damping;
        joint.coulomb = source.friction;
        if (source.lower) {
            joint.lower = {*source.lower};
            joint.upper = {*source.upper};
            if (*source.lower > 0 || *source.upper < 0) {
                joint.coordinate = {*source.lower > 0 ? *source.lower : *source.upper};
                leftOut_.add("joint " + words::quoted(source.name) +
                                 " starts at the limit nearest to 0, which lies outside of its limits",
                             source.line);
            }
        }
        if (source.type == UrdfJoint::Type::planar) return addPlanar(i, joint);
        out_.scene.joints.push_back(std::move(joint));
    }

    // Two slides across the normal and a hinge about it, with links without mass between them.
    void addPlanar(std::size_t i, const JointDescription& hinge)
    {
        const Directors across = directorsAcross(jointTo(i).axis);
        std::string first = hinge.first;
        for (const auto& [direction, ending] :
             {std::pair(across.first, "_x"), std::pair(across.second, "_y")}) {
            BodyDescription between;
            between.name = robot_.links[i].name + ending;
            between.pose = place_[i];
            between.mass = 0;
            JointDescription slide = hinge;
            slide.name = hinge.name + ending;
            slide.type = JointType::slide;
            slide.first = first;
            slide.second = first = between.name;
            slide.axis = place_[i].orientation * direction;
            out_.scene.bodies.push_back(std::move(between));
            out_.scene.joints.push_back(std::move(slide));
        }
        JointDescription last = hinge;
        last.first = first;
        out_.scene.joints.push_back(std::move(last));
        leftOut_.add("a planar joint becomes two slides and a hinge, with links without mass between them",
                     jointTo(i).line);
    }

    // Mimic joints become couplings, and start where their leaders want them.
    void addMimics()
    {
        std::unordered_map<std::string, JointDescription*> made;
        for (JointDescription& joint : out_.scene.joints)
            if (joint.type == JointType::hinge || joint.type == JointType::slide) made[joint.name] = &joint;
        std::unordered_map<std::string, const UrdfMimic*> follows;
        for (const UrdfJoint& joint : robot_.joints) {
            if (!joint.mimic) continue;
            if (!made.contains(joint.name) || !made.contains(joint.mimic->joint)) {
                leftOut_.add("that joint " + words::quoted(joint.name) + " mimics " +
                                 words::quoted(joint.mimic->joint) +
                                 " is not taken: both must be revolute, continuous or prismatic",
                             joint.mimic->line);
                continue;
            }
            follows[joint.name] = &*joint.mimic;
            out_.scene.couplings.push_back(
                {joint.name, joint.mimic->joint, joint.mimic->multiplier, joint.mimic->offset});
        }
        // Leaders before followers: up the chain, and back down.
        std::unordered_map<std::string, bool> placed;
        for (const CouplingDescription& coupling : out_.scene.couplings) {
            std::vector<std::string> chain;
            for (std::string name = coupling.follower; follows.contains(name) && !placed[name];
                 name = follows[name]->joint) {
                if (chain.size() > follows.size())
                    return fail(follows[chain[0]]->line,
                                "joint " + words::quoted(chain[0]) + " mimics itself by others");
                chain.push_back(name);
            }
            for (auto name = chain.rbegin(); name != chain.rend(); ++name) {
                const UrdfMimic& mimic = *follows[*name];
                const std::vector<double>& leader = made[mimic.joint]->coordinate;
                const double start = mimic.multiplier * (leader.empty() ? 0 : leader[0]) + mimic.offset;
                made[*name]->coordinate.assign(start == 0 ? 0 : 1, start);
                placed[*name] = true;
            }
        }
    }

    // All but those that follow others.
    void holdPose()
    {
        std::unordered_map<std::string, std::optional<double>> efforts;
        for (const UrdfJoint& joint : robot_.joints)
            if (!joint.mimic) efforts[joint.name] = joint.effort;
        const std::size_t held = urdf::holdPose(efforts, out_.scene);
        if (held > 0)
            leftOut_.add("joints hold the pose that they start in", robot_.links[robot_.root].line);
    }

    void fail(int line, std::string message)
    {
        if (!failed_) fault_ = fileError(robot_.file, std::move(message), line);
        failed_ = true;
    }

    const UrdfRobot& robot_;
    const UrdfOptions& options_;
    LeftOut leftOut_;
    MeshShelf shelf_;
    Imported out_;
    std::unordered_map<std::string, std::size_t> index_;
    std::vector<Pose> place_;                        // of links, in the world, at rest
    std::vector<std::size_t> head_;                  // per link: the one whose body it is part of
    std::vector<std::size_t> parent_;                // per head: the head that its joint hangs from
    std::vector<Inertia> sum_;                       // per head, in its frame
    std::vector<std::vector<std::size_t>> members_;  // per head
    std::vector<char> dropped_;
    std::unordered_map<std::size_t, std::string> name_;  // of heads, as bodies
    bool isFixed_ = false;
    bool failed_ = false;
    Diagnostic fault_;
};

}  // namespace

Result<Imported> urdfScene(const UrdfRobot& robot, const UrdfOptions& options)
{
    return SceneMaker(robot, options).make();
}

Result<Imported> readUrdf(const std::string& path, const UrdfOptions& options)
{
    const Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    const Result<UrdfRobot> robot = parseUrdf(text.value(), path);
    if (!robot) return robot.error();
    return urdfScene(robot.value(), options);
}

}  // namespace sinew
