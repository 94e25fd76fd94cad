// <worldbody>: bodies, their joints and inertias.
//
// A body with several joints is a chain here: each joint but the last leads to a link without mass, in the
// place of the body, and the last one to the body itself. MuJoCo applies them in the same order.
#include <algorithm>
#include <cmath>

#include "sinew/io/mjcf/composition.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/math/rotation.h"
#include "sinew/math/symmetric_eigen.h"

namespace sinew::mjcf {
namespace {

// MuJoCo's world in ours: z up → y up.
Pose turned()
{
    return {Vec3::Zero(), expRotation(Vec3(-pi / 2, 0, 0))};
}

// What is known of a body while its children are read.
struct Parent {
    std::string name = "world";
    Pose pose;  // in MuJoCo's world, at rest
    std::string childClass;
    int cluster = -1;  // bodies welded together; −1: those welded to the world
};

// Bodies that are welded together. MuJoCo lets no two bodies of a cluster touch, nor of one and its parent.
struct Cluster {
    int parent = -1;
    std::vector<std::string> bodies;
};

class Bodies {
public:
    explicit Bodies(Context& context) : context_(context), reader_(context.reader) {}

    void world(const Element& element)
    {
        Parent parent;
        parent.pose = turned();
        children(element, parent);
    }

    // Once all bodies are there.
    void finish()
    {
        scaleToTotal();
        if (context_.hasContact) ignorePairs();
    }

private:
    // Whatever a body, the world or a <frame> holds but for joints and inertial.
    void children(const Element& element, const Parent& parent)
    {
        for (const Element& child : element.children) {
            if (reader_.failed()) return;
            if (child.name == "body")
                body(child, parent);
            else if (child.name == "frame")
                frame(child, parent);
            else if (child.name == "site")
                site(child, parent);
            else if (child.name == "flexcomp")
                readFlexcomp(context_, child, parent.name, parent.pose);
            else if (child.name == "geom" && parent.name == "world")
                worldGeom(child, parent);
            else if (child.name != "geom" && child.name != "joint" && child.name != "freejoint" &&
                     child.name != "inertial" && child.name != "light" && child.name != "camera")
                context_.notes.add(child, "is not read");
        }
    }

    void frame(const Element& element, Parent parent)
    {
        const Pose pose = readPose(context_, element);
        const InModelOf model(context_, element);
        if (element.find(modelMark)) parent.childClass.clear();
        parent.pose = parent.pose * pose;
        if (const auto name = reader_.name(element, "childclass")) parent.childClass = *name;
        children(element, parent);
    }

    void site(const Element& element, const Parent& parent)
    {
        const std::optional<std::string> name = reader_.name(element, "name");
        if (!name) return;
        const Element full = context_.model->defaults.complete(element, parent.childClass, reader_);
        if (reader_.failed()) return;
        context_.sites[*name] = {parent.name, parent.pose * readPose(context_, full).position};
    }

    // Geoms and joints of a body, those in frames too, with what is around them.
    struct Part {
        Element element;  // with what its class says
        Pose frame;       // in that of the body
        ModelSettings* model = nullptr;
    };
    void parts(const Element& element, const Pose& frame, const std::string& childClass,
               std::vector<Part>& geoms, std::vector<Part>& joints)
    {
        for (const Element& child : element.children) {
            if (reader_.failed()) return;
            const bool isGeom = child.name == "geom";
            if (isGeom || child.name == "joint" || child.name == "freejoint") {
                Element full = child.name == "freejoint"
                                   ? child
                                   : context_.model->defaults.complete(child, childClass, reader_);
                (isGeom ? geoms : joints).push_back({std::move(full), frame, context_.model});
            }
            if (child.name != "frame") continue;
            const Pose inner = frame * readPose(context_, child);
            const InModelOf model(context_, child);
            const std::string outer = child.find(modelMark) ? std::string() : childClass;
            parts(child, inner, reader_.name(child, "childclass").value_or(outer), geoms, joints);
        }
    }

    void body(const Element& element, const Parent& parent)
    {
        noteUnread(context_, element,
                   {"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "childclass", "mocap"});
        if (reader_.boolean(element, "mocap").value_or(false))
            context_.notes.add(element, "with mocap is fixed to the world here");
        if (context_.out.scene.bodies.size() >= maxMjcfBodies)
            return reader_.fail(element, "more than 100000 bodies; the limit is reached");
        Parent here;
        here.childClass = reader_.name(element, "childclass").value_or(parent.childClass);
        here.pose = parent.pose * readPose(context_, element);
        here.pose.orientation.normalize();
        const std::optional<std::string> name = reader_.name(element, "name");
        if (name && !name->empty()) {
            if (*name == "world") return reader_.fail(element, "name", "is taken by the world itself");
            if (!context_.bodyNames.insert(*name).second)
                return reader_.fail(element, "name", "is the name of another body; names must differ");
            here.name = *name;
        } else {
            here.name = uniqueName(context_.bodyNames, "body_" + std::to_string(++unnamed_));
        }
        if (reader_.failed()) return;

        ModelSettings* const own = context_.model;
        BodyDescription body;
        body.name = here.name;
        body.pose = here.pose;
        context_.poses[here.name] = here.pose;
        std::vector<Part> ownGeoms, ownJoints;
        parts(element, Pose(), here.childClass, ownGeoms, ownJoints);
        if (reader_.failed()) return;
        std::vector<Geom> geoms;
        for (const Part& part : ownGeoms) {
            context_.model = part.model;
            geoms.push_back(readGeom(context_, part.element, part.frame));
        }
        context_.model = own;
        if (reader_.failed()) return;
        inertia(element, geoms, body);
        shapes(element, geoms, body);
        const bool moves = joints(element, ownJoints, parent, here);
        context_.model = own;
        if (reader_.failed()) return;
        here.cluster = clusterOf(parent, here.name, moves);
        context_.out.scene.bodies.push_back(std::move(body));
        children(element, here);
    }

    int clusterOf(const Parent& parent, const std::string& name, bool moves)
    {
        if (!moves && parent.cluster < 0) return -1;
        if (moves) clusters_.push_back({parent.cluster, {}});
        const int cluster = moves ? static_cast<int>(clusters_.size()) - 1 : parent.cluster;
        clusters_[cluster].bodies.push_back(name);
        return cluster;
    }

    // ---- joints -------------------------------------------------------------------------------------

    // Returns whether the body moves against its parent.
    bool joints(const Element& element, const std::vector<Part>& own, const Parent& parent,
                const Parent& here)
    {
        bool isFree = false;
        for (const Part& part : own)
            isFree = isFree || part.element.name == "freejoint" ||
                     reader_.name(part.element, "type").value_or("") == "free";
        if (reader_.failed()) return false;
        if (isFree) {
            if (own.size() > 1 || parent.name != "world")
                reader_.fail(element, "has a free joint, which must be its only one and at the top level");
            freeJoint(own.front().element);
            context_.coordinates.push_back({JointType::free, here.name, 0, 0});
            return true;
        }
        if (own.empty()) {
            JointDescription weld;
            weld.name = uniqueName(context_.jointNames, here.name + "_weld");
            weld.type = JointType::weld;
            weld.first = parent.name;
            weld.second = here.name;
            weld.position = here.pose.position;
            context_.out.scene.joints.push_back(std::move(weld));
            return false;
        }
        std::string first = parent.name;
        for (std::size_t i = 0; i < own.size() && !reader_.failed(); ++i) {
            context_.model = own[i].model;
            JointDescription made = joint(own[i].element, own[i].frame, here);
            made.first = first;
            made.second = here.name;
            if (i + 1 < own.size()) {
                BodyDescription link;
                link.name = uniqueName(context_.bodyNames, here.name + "." + made.name);
                link.pose = here.pose;
                link.mass = 0;
                made.second = first = link.name;
                context_.out.scene.bodies.push_back(std::move(link));
            }
            context_.out.scene.joints.push_back(std::move(made));
        }
        return true;
    }

    void freeJoint(const Element& element)
    {
        if (element.name == "joint")
            for (const char* key : {"stiffness", "damping", "armature", "frictionloss"})
                if (reader_.number(element, key).value_or(0) != 0)
                    context_.notes.add(element, std::string("of type free: its ") + key + " is left out");
        if (const auto name = reader_.name(element, "name"))
            context_.joints[*name] = {JointType::free, 0, 0};
    }

    std::string jointName(const Element& element, const Parent& here)
    {
        const std::optional<std::string> name = reader_.name(element, "name");
        if (!name || name->empty()) return uniqueName(context_.jointNames, here.name + "_joint");
        if (!context_.jointNames.insert(*name).second)
            reader_.fail(element, "name", "is the name of another joint; names must differ");
        return *name;
    }

    JointDescription joint(const Element& element, const Pose& frame, const Parent& here)
    {
        noteUnread(context_, element,
                   {"type", "pos", "axis", "range", "limited", "stiffness", "springref", "ref", "damping",
                    "armature", "frictionloss", "springdamper"});
        JointDescription made;
        made.name = jointName(element, here);
        const std::string type = reader_.name(element, "type").value_or("hinge");
        if (type != "hinge" && type != "slide" && type != "ball")
            reader_.fail(element, "type", "is unknown; the types are hinge, slide, ball and free");
        made.type = type == "ball"    ? JointType::spherical
                    : type == "slide" ? JointType::slide
                                      : JointType::hinge;
        made.position = here.pose * (frame * reader_.vector(element, "pos").value_or(Vec3::Zero()));
        if (type != "ball") {
            const Vec3 axis = reader_.vector(element, "axis").value_or(Vec3::UnitZ());
            if (!(axis.norm() > 1e-10))
                reader_.fail(element, "axis", "has no direction; it must not be zero");
            made.axis = here.pose.orientation * (frame.orientation * axis);
        } else if (element.find(twistMark)) {
            made.axis = here.pose.orientation * (frame.orientation * Vec3::UnitX());
            made.twistStiffness = reader_.number(element, twistMark);
        }
        const auto notNegative = [&](const char* key) {
            const double value = reader_.number(element, key).value_or(0);
            if (value < 0) reader_.fail(element, key, "is negative; it must be zero or more");
            return value;
        };
        made.stiffness = notNegative("stiffness");
        made.damping = notNegative("damping");
        made.armature = notNegative("armature");
        made.coulomb = notNegative("frictionloss");
        const auto inRadians = [&](double x) {
            return type == "slide" ? x : context_.model->compiler.angle(x);
        };
        const double ref = inRadians(reader_.number(element, "ref").value_or(0));
        const double slack = inRadians(reader_.number(element, "springref").value_or(0));
        if (type != "ball" && made.stiffness > 0 && slack != ref) made.rest = {slack - ref};
        const std::vector<double> law = reader_.numbers(element, "springdamper", 2, 2);
        if (!law.empty() && law[0] > 0 && law[1] > 0) {
            context_.springDampers.push_back({context_.out.scene.joints.size(), law[0], law[1]});
            if (type != "ball" && slack != ref) made.rest = {slack - ref};
        }
        limits(element, type, ref, inRadians, made);
        const std::size_t index = context_.out.scene.joints.size();
        context_.joints[made.name] = {made.type, ref, index};
        context_.coordinates.push_back({made.type, {}, index, ref});
        return made;
    }

    template <class Function>
    void limits(const Element& element, const std::string& type, double ref, Function inRadians,
                JointDescription& made)
    {
        const std::vector<double> range = reader_.numbers(element, "range", 2, 2);
        const std::string word = reader_.name(element, "limited").value_or("auto");
        if (word != "true" && word != "false" && word != "auto")
            return reader_.fail(element, "limited", "is none of true, false and auto");
        const bool isLimited =
            word == "true" || (word == "auto" && context_.model->compiler.autolimits && !range.empty());
        if (!isLimited || reader_.failed()) return;
        if (range.empty())
            return context_.notes.add(element, "is limited but has no range; it moves freely here");
        if (type == "ball") return context_.notes.add(element, "of type ball: its range is left out");
        if (!(range[0] < range[1])) return reader_.fail(element, "range", "must rise");
        made.lower = {inRadians(range[0]) - ref};
        made.upper = {inRadians(range[1]) - ref};
    }

    // ---- mass ---------------------------------------------------------------------------------------

    void inertia(const Element& element, const std::vector<Geom>& geoms, BodyDescription& body)
    {
        using FromGeoms = Compiler::FromGeoms;
        const Element* given = element.child("inertial");
        const FromGeoms rule = context_.model->compiler.inertiaFromGeoms;
        Inertia inertia;
        if (given && rule != FromGeoms::yes)
            inertia = readInertial(*given);
        else if (rule != FromGeoms::no)
            for (const Geom& geom : geoms) inertia = inertia + geom.inertia;
        const bool isChanged = bound(inertia, given ? *given : element);
        body.mass = inertia.mass;
        body.center = inertia.center;
        if (inertia.mass > 0) body.inertia = 0.5 * (inertia.rotational + inertia.rotational.transpose());
        if (isChanged) context_.notes.add(element, "its inertia was changed as <compiler> asks");
    }

    Inertia readInertial(const Element& element)
    {
        Inertia inertia;
        noteUnread(
            context_, element,
            {"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"});
        inertia.mass = reader_.number(element, "mass").value_or(0);
        if (inertia.mass < 0) reader_.fail(element, "mass", "is negative");
        if (!element.find("mass")) reader_.fail(element, "mass", "is missing; it is required");
        inertia.center = reader_.vector(element, "pos").value_or(Vec3::Zero());
        const Mat3 R = readOrientation(context_, element).toRotationMatrix();
        if (const auto diagonal = reader_.vector(element, "diaginertia"))
            inertia.rotational = R * diagonal->asDiagonal() * R.transpose();
        if (const auto m = reader_.numbers(element, "fullinertia", 6, 6); !m.empty()) {
            if (element.find("diaginertia")) reader_.fail(element, "has both diaginertia and fullinertia");
            inertia.rotational << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
        }
        if (reader_.failed() || (inertia.mass == 0 && inertia.rotational.isZero(0))) return inertia;
        const Vec3 moments = SymmetricEigen3(inertia.rotational).eigenvalues();
        if (!(inertia.mass > 0) || !(moments[0] > 0))
            reader_.fail(element, "needs a positive mass and positive moments of inertia");
        return inertia;
    }

    // boundmass, boundinertia and balanceinertia of <compiler>.
    bool bound(Inertia& inertia, const Element& element)
    {
        const Compiler& compiler = context_.model->compiler;
        const double mass = std::max(inertia.mass, compiler.leastMass);
        const SymmetricEigen3 principal(inertia.rotational);
        Vec3 moments = principal.eigenvalues().cwiseMax(compiler.leastInertia);
        const bool isOdd = moments[0] + moments[1] < moments[2] * (1 - 1e-12);
        if (isOdd && compiler.balancesInertia) moments.setConstant(moments.mean());
        if (isOdd && !compiler.balancesInertia)
            reader_.fail(element,
                         "has an inertia that no solid body has: one moment exceeds the sum of the others");
        if (mass == inertia.mass && moments == principal.eigenvalues()) return false;
        inertia.mass = mass;
        inertia.rotational =
            principal.eigenvectors() * moments.asDiagonal() * principal.eigenvectors().transpose();
        return true;
    }

    void scaleToTotal()
    {
        const double total = context_.model->compiler.totalMass;
        double sum = 0;
        for (const BodyDescription& body : context_.out.scene.bodies) sum += *body.mass;
        if (!(total > 0) || !(sum > 0)) return;
        for (BodyDescription& body : context_.out.scene.bodies) {
            *body.mass *= total / sum;
            if (body.inertia) *body.inertia *= total / sum;
        }
    }

    // ---- shapes and contact ---------------------------------------------------------------------------

    std::string layerOf(const Geom& geom)
    {
        return context_.layers
            .try_emplace({geom.contype, geom.conaffinity}, "contype_" + std::to_string(geom.contype) +
                                                               "_conaffinity_" +
                                                               std::to_string(geom.conaffinity))
            .first->second;
    }

    // Contact is a matter of whole bodies here: what merely looks stays only where nothing collides.
    void shapes(const Element& element, const std::vector<Geom>& geoms, BodyDescription& body)
    {
        const Geom* first = nullptr;
        for (const Geom& geom : geoms)
            if (geom.shape && geom.collides() && !first) first = &geom;
        body.collides = first != nullptr;
        if (first) {
            context_.hasContact = true;
            body.layer = layerOf(*first);
            body.friction = first->friction;
        }
        for (const Geom& geom : geoms) {
            if (geom.ground)
                context_.notes.add(element,
                                   "has a height field, which is left out; those belong to the world");
            if (geom.isPlane)
                context_.notes.add(element, "has a plane, which is left out; planes belong to the world");
            if (!geom.shape) continue;
            if (first && !geom.collides()) {
                context_.notes.add(element,
                                   "has geoms that collide and others that do not; these are left out");
                continue;
            }
            if (first && (geom.contype != first->contype || geom.conaffinity != first->conaffinity))
                context_.notes.add(element,
                                   "has geoms with different contype or conaffinity; the first one's hold");
            if (first && geom.friction != *body.friction) {
                context_.notes.add(element, "has geoms with different friction; the largest holds");
                body.friction = std::max(*body.friction, geom.friction);
            }
            for (const Shape& piece : piecesOf(geom)) {
                ShapeDescription shape;
                shape.shape = piece;
                shape.pose = geom.pose;
                body.shapes.push_back(std::move(shape));
            }
        }
    }

    static std::vector<Shape> piecesOf(const Geom& geom)
    {
        return geom.pieces.empty() ? std::vector<Shape>{*geom.shape} : geom.pieces;
    }

    void worldGeom(const Element& child, const Parent& parent)
    {
        const Geom geom = readGeom(
            context_, context_.model->defaults.complete(child, parent.childClass, reader_), Pose());
        if (reader_.failed() || (!geom.shape && !geom.isPlane && !geom.ground)) return;
        if (!geom.collides())
            return context_.notes.add(child, "of the world touches nothing and is left out");
        const Pose pose = parent.pose * geom.pose;
        ObstacleDescription obstacle;
        obstacle.name = reader_.name(child, "name").value_or(std::string());
        obstacle.position = pose.position;
        obstacle.friction = geom.friction;
        obstacle.layer = layerOf(geom);
        if (geom.isPlane) {
            obstacle.normal = pose.orientation * Vec3::UnitZ();
        } else if (geom.ground) {
            obstacle.type = ObstacleDescription::Type::terrain;
            obstacle.orientation = pose.orientation;
            obstacle.terrain = *geom.ground;
        } else if (const Sphere* sphere = std::get_if<Sphere>(&*geom.shape)) {
            obstacle.type = ObstacleDescription::Type::sphere;
            obstacle.radius = sphere->radius;
        } else {
            obstacle.type = ObstacleDescription::Type::shape;
            obstacle.orientation = pose.orientation;
            const std::vector<Shape> pieces = piecesOf(geom);
            for (std::size_t i = 1; i < pieces.size(); ++i) {
                obstacle.shape = pieces[i];
                context_.out.scene.obstacles.push_back(obstacle);
                obstacle.name.clear();  // no two may have one
            }
            obstacle.shape = pieces[0];
        }
        context_.hasContact = true;
        context_.out.scene.obstacles.push_back(std::move(obstacle));
    }

    void ignorePairs()
    {
        constexpr std::size_t most = 100'000;
        auto& ignore = context_.out.scene.contact->ignore;
        std::set<std::string> shaped;
        for (const BodyDescription& body : context_.out.scene.bodies)
            if (body.collides && !body.shapes.empty()) shaped.insert(body.name);
        for (Cluster& cluster : clusters_)
            std::erase_if(cluster.bodies, [&](const std::string& name) { return !shaped.contains(name); });
        for (const Cluster& cluster : clusters_)
            for (std::size_t i = 0; i < cluster.bodies.size() && ignore.size() < most; ++i) {
                for (std::size_t k = i + 1; k < cluster.bodies.size() && ignore.size() < most; ++k)
                    ignore.push_back({cluster.bodies[i], cluster.bodies[k]});
                if (cluster.parent < 0) continue;
                for (const std::string& other : clusters_[cluster.parent].bodies)
                    if (ignore.size() < most) ignore.push_back({other, cluster.bodies[i]});
            }
    }

    Context& context_;
    xml::Reader& reader_;
    std::vector<Cluster> clusters_;
    int unnamed_ = 0;
};

}  // namespace

void readBodies(Context& context, const Element& root)
{
    Bodies bodies(context);
    for (const Element& child : root.children)
        if (child.name == "worldbody" && !context.reader.failed()) bodies.world(child);
    if (context.reader.failed()) return;
    context.hasContact = context.hasContact && !context.isContactOff;
    if (context.hasContact) context.out.scene.contact.emplace();
    bodies.finish();
}

}  // namespace sinew::mjcf
