// Scenes turned, mirrored, moved and scaled: one map for all four.
#include <type_traits>

#include "invariance/transform.h"
#include "sinew/base/random.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"
#include "sinew/model/fields.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/model/wish.h"

namespace sinew::invariance {
namespace {

constexpr double defaultDensity = 1000;  // kg/m³, as model/compile/compile.cpp has it

// A default that the scene does not give is the engine's affair: it must come out of the scene's own scale.
[[maybe_unused]] double scaledNumber(double value, double factor)
{
    return value * factor;
}
[[maybe_unused]] double scaledNumber(const std::optional<double>& value, double factor)
{
    return *value * factor;
}
template <class T>
void scaleGiven(T& value, const T& byDefault, double factor)
{
    if (value != byDefault) value = scaledNumber(value, factor);
}

// Lengths that not every version of the engine has.
[[maybe_unused]] void scaleLength(double& length, double factor)
{
    length *= factor;
}
[[maybe_unused]] void scaleLength(std::optional<double>& length, double factor)
{
    if (length) *length *= factor;
}
template <class T>
void scaleRolling(T& material, double factor)
{
    if constexpr (requires { material.rollingFriction; }) {
        scaleLength(material.rollingFriction, factor);
        scaleLength(material.spinningFriction, factor);
    }
}

struct Units {
    double coordinate, stiffness, torque;  // factors; dampers and armatures scale as stiffness
};

class Map {
public:
    Map(Description scene, const Similarity& by)
        : scene_(std::move(scene)), by_(by), D_(by.D()), s_(by.length), m_(by.mass)
    {
    }

    Result<Description> run()
    {
        scene_.gravity = by_.vector(scene_.gravity);
        for (BodyDescription& body : scene_.bodies) map(body);
        // Those that look joints up before the joints themselves change: they look at types and names only.
        for (CouplingDescription& coupling : scene_.couplings) map(coupling);
        for (ForceDescription& force : scene_.forces) map(force);
        for (MotorDescription& motor : scene_.motors) map(motor);
        for (TorqueDescription& torque : scene_.torques) map(torque);
        for (ControllerDescription& controller : scene_.controllers) map(controller);
        for (SupportDescription& support : scene_.supports) mapPoint(support.point);
        for (MotionDescription& motion : scene_.motions) map(motion);
        for (TrackDescription& track : scene_.tracks) {
            track.stiffness *= m_;
            track.damping *= m_;
            track.turnStiffness *= by_.torque();
            track.turnDamping *= by_.torque();
        }
        for (SwitchDescription& change : scene_.switches) map(change);
        for (BalanceDescription& balance : scene_.balances) map(balance);
        for (ActionDescription& action : scene_.actions) map(action);
        for (PrescribedDescription& prescribed : scene_.prescribed) map(prescribed);
        for (TargetDescription& target : scene_.targets) map(target);
        for (ObstacleDescription& obstacle : scene_.obstacles) map(obstacle);
        for (JointDescription& joint : scene_.joints) map(joint);
        for (SpringDescription& spring : scene_.springs) map(spring);
        for (FieldDescription& field : scene_.fields) map(field);
        for (WishDescription& wish : scene_.wishes) map(wish);
        if (scene_.plan) map(*scene_.plan);
        for (SpringMeshDescription& mesh : scene_.meshes) map(mesh);
        scene_.medium.viscosity *= m_ / s_;
        scene_.medium.density *= m_ / (s_ * s_ * s_);
        if (scene_.contact) {
            ContactDescription& contact = *scene_.contact;
            scaleGiven(contact.bounceSpeed, ContactDescription{}.bounceSpeed, s_);
            scaleGiven(contact.tolerance, ContactDescription{}.tolerance, s_);
            contact.stiffness *= m_;
            contact.damping *= m_;
            scaleRolling(contact, s_);
        }
        scene_.origins.clear();
        if (!fault_.empty()) {
            Diagnostic d;
            d.message = fault_;
            return d;
        }
        return scene_;
    }

private:
    void refuse(const std::string& why)
    {
        if (fault_.empty()) fault_ = why;
    }

    // ---- shapes and frames ------------------------------------------------------------------------

    void mapPoint(std::optional<Vec3>& point) const
    {
        if (point) point = by_.place(*point);
    }
    template <class Mesh>
    void mapMesh(Mesh& mesh) const
    {
        for (Vec3& vertex : mesh.vertices) vertex = s_ * (D_ * vertex);
        if (by_.mirrors())
            for (auto& face : mesh.faces) std::swap(face[1], face[2]);  // counter-clockwise again
    }
    void map(Shape& shape) const
    {
        std::visit(
            [&](auto& of) {
                using T = std::decay_t<decltype(of)>;
                if constexpr (std::is_same_v<T, Sphere>) {
                    of.radius *= s_;
                } else if constexpr (std::is_same_v<T, Box>) {
                    of.size *= s_;
                } else if constexpr (std::is_same_v<T, Ellipsoid>) {
                    of.radii *= s_;
                } else if constexpr (std::is_same_v<T, ConvexMesh>) {
                    mapMesh(of);
                } else {
                    of.radius *= s_;
                    of.length *= s_;
                }
            },
            shape);
    }
    // Of a frame in the body's.
    Pose inBody(const Pose& pose) const
    {
        if (!by_.mirrors()) return {s_ * pose.position, pose.orientation};  // to the last digit
        return {s_ * (D_ * pose.position), Quat(Mat3(D_ * pose.orientation.toRotationMatrix() * D_))};
    }
    void map(BodyDescription& body)
    {
        body.pose = {by_.place(body.pose.position), by_.orientation(body.pose.orientation)};
        if (body.mass) *body.mass *= m_;
        if (body.inertia) body.inertia = Mat3(by_.torque() * (D_ * *body.inertia * D_));
        if (body.center) body.center = Vec3(s_ * (D_ * *body.center));
        if (body.velocity) body.velocity = by_.vector(*body.velocity);
        if (body.angularVelocity) body.angularVelocity = Vec3(by_.axial() * *body.angularVelocity);
        scaleRolling(body, s_);
        if (body.drag.radius) *body.drag.radius *= s_;
        if (body.drag.area) *body.drag.area *= s_ * s_;
        for (ShapeDescription& part : body.shapes) {
            map(part.shape);
            part.pose = inBody(part.pose);
            if (part.mass)
                *part.mass *= m_;
            else if (m_ != s_ * s_ * s_)
                part.density = part.density.value_or(defaultDensity) * m_ / (s_ * s_ * s_);
        }
    }
    void map(ObstacleDescription& obstacle)
    {
        obstacle.position = by_.place(obstacle.position);
        obstacle.normal = by_.A * obstacle.normal;
        obstacle.radius *= s_;
        map(obstacle.shape);
        if (obstacle.stiffness) *obstacle.stiffness *= m_;
        if (obstacle.damping) *obstacle.damping *= m_;
        scaleRolling(obstacle, s_);
        if (auto* field = std::get_if<HeightField>(&obstacle.terrain)) {
            field->spacing *= s_;
            for (double& height : field->heights) height *= s_;
            if (by_.mirrors()) {
                // Mirrored by exchanging x and z, which keeps the diagonals of its squares.
                HeightField other = *field;
                std::swap(other.columns, other.rows);
                for (int i = 0; i < field->columns; ++i)
                    for (int k = 0; k < field->rows; ++k)
                        other.heights[i * field->rows + k] = field->heights[k * field->columns + i];
                *field = other;
                Mat3 exchange;
                exchange << 0, 0, 1, 0, 1, 0, 1, 0, 0;
                obstacle.orientation =
                    Quat(Mat3(by_.A * obstacle.orientation.toRotationMatrix() * exchange));
                return;
            }
        }
        if (auto* mesh = std::get_if<TriangleMesh>(&obstacle.terrain)) mapMesh(*mesh);
        obstacle.orientation = by_.orientation(obstacle.orientation);
    }

    // ---- joints and what drives them --------------------------------------------------------------

    Units unitsOf(const JointDescription& joint) const
    {
        if (joint.type == JointType::slide) return {s_, m_, by_.force()};
        return {1, by_.torque(), by_.torque()};
    }
    // Of a ball joint's vectors, which are in the axes of the second body; the world has its own.
    Mat3 turnsOf(const JointDescription& joint) const
    {
        return joint.second == "world" ? by_.axial() : by_.bodyAxial();
    }
    template <class Numbers>
    void mapCoordinates(const JointDescription& joint, Numbers& numbers, double factor) const
    {
        const double other = joint.type == JointType::spherical && numbers.size() == 3 ? 1 : factor;
        if (joint.type == JointType::spherical && numbers.size() == 3)
            numbers = times(Mat3(factor * turnsOf(joint)), numbers);
        for (auto& number : numbers) number = times_(number, other);
    }
    static double times_(double x, double factor) { return x * factor; }
    static Signal times_(const Signal& x, double factor) { return times(x, factor); }

    void map(JointDescription& joint)
    {
        const Units units = unitsOf(joint);
        joint.position = by_.place(joint.position);
        const bool slides = joint.type == JointType::slide;
        if (joint.axis) joint.axis = Vec3((slides ? by_.A : by_.axial()) * *joint.axis);
        if (joint.axis2) joint.axis2 = Vec3(by_.axial() * *joint.axis2);
        if (joint.swingCone) {
            SwingConeDescription& cone = *joint.swingCone;
            if (cone.center) cone.center = Vec3(by_.axial() * *cone.center);
            cone.toward = by_.axial() * cone.toward;
        }
        joint.stiffness *= units.stiffness;
        joint.damping *= units.stiffness;
        joint.armature *= units.stiffness;
        joint.coulomb *= units.torque;
        if (joint.twistStiffness) *joint.twistStiffness *= units.stiffness;
        if (joint.limitStiffness) *joint.limitStiffness *= units.stiffness;
        for (auto* list : {&joint.rest, &joint.coordinate, &joint.velocity})
            mapCoordinates(joint, *list, units.coordinate);
        // Limits of a ball joint are of its twist alone.
        for (auto* list : {&joint.lower, &joint.upper}) *list = times(*list, units.coordinate);
        mapCoordinates(joint, joint.motor, units.torque);
    }
    void map(SwitchDescription& change)
    {
        JointSettings& set = change.settings;
        const JointDescription* joint = set.isAny() ? find(change.joint) : nullptr;
        if (!joint) return;
        const Units units = unitsOf(*joint);
        for (auto* number : {&set.stiffness, &set.damping, &set.limitStiffness})
            if (*number) **number *= units.stiffness;
        mapCoordinates(*joint, set.rest, units.coordinate);
        for (auto* list : {&set.lower, &set.upper}) *list = times(*list, units.coordinate);
        mapCoordinates(*joint, set.motor, units.torque);
    }
    const JointDescription* find(const std::string& name)
    {
        const int index = findJoint(scene_, name);
        if (index < 0) refuse("there is no joint '" + name + "'");
        return index < 0 ? nullptr : &scene_.joints[static_cast<std::size_t>(index)];
    }
    void map(CouplingDescription& coupling)
    {
        const JointDescription *follower = find(coupling.follower), *leader = find(coupling.leader);
        if (!follower || !leader) return;
        coupling.ratio *= unitsOf(*follower).coordinate / unitsOf(*leader).coordinate;
        coupling.offset *= unitsOf(*follower).coordinate;
    }
    void map(std::optional<ConditionDescription>& condition)
    {
        if (!condition) return;
        using Quantity = ConditionDescription::Quantity;
        double factor = 1, offset = 0;
        switch (condition->quantity) {
            case Quantity::height:
                if (!by_.A.row(1).isApprox(Vec3::UnitY().transpose(), 1e-12))
                    refuse("a trigger on the height of '" + condition->of +
                           "' knows y alone; the scene is turned");
                factor = s_;
                offset = by_.shift.y();
                break;
            case Quantity::speed:
                factor = s_;
                break;
            case Quantity::angle: {
                const JointDescription* joint = find(condition->of);
                if (!joint) return;
                factor = unitsOf(*joint).coordinate;
                if (joint->type != JointType::spherical) break;
                const Mat3 M = turnsOf(*joint);
                factor = M(condition->freedom, condition->freedom);
                if (std::abs(std::abs(factor) - 1) > 1e-12)
                    refuse("a trigger on one coordinate of the ball joint '" + condition->of +
                           "' would need the others too");
                break;
            }
            case Quantity::touch:
                break;
        }
        for (auto* bound : {&condition->above, &condition->below})
            if (*bound) **bound = **bound * factor + offset;
        if (factor < 0) std::swap(condition->above, condition->below);
    }
    void map(ForceDescription& force)
    {
        force.force = by_.force() * (by_.A * force.force);
        force.torque = by_.torque() * (by_.axial() * force.torque);
        mapPoint(force.point);
        map(force.when);
        map(force.during);
    }
    void map(MotorDescription& motor)
    {
        if (const JointDescription* joint = find(motor.joint))
            mapCoordinates(*joint, motor.torque, unitsOf(*joint).torque);
        map(motor.when);
        map(motor.during);
    }
    void map(TorqueDescription& torque)
    {
        const JointDescription* joint = find(torque.joint);
        if (!joint) return;
        const Units units = unitsOf(*joint);
        for (int k = 0; k < 2; ++k) {
            if (torque.free) (*torque.free)[k] *= units.coordinate;
            if (torque.slope) (*torque.slope)[k] *= units.stiffness;
            if (torque.most) (*torque.most)[k] *= units.torque;
        }
        for (TorqueDescription::Point& point : torque.curve) {
            point.angle *= units.coordinate;
            point.torque *= units.torque;
        }
        torque.freeDamping *= units.stiffness;
        mapCoordinates(*joint, torque.center, units.coordinate);
    }
    void map(ControllerDescription& controller)
    {
        const JointDescription* joint = find(controller.joint);
        if (!joint) return;
        const Units units = unitsOf(*joint);
        controller.stiffness *= units.stiffness;
        controller.damping *= units.stiffness;
        if (controller.limit) *controller.limit *= units.torque;
        mapCoordinates(*joint, controller.target, units.coordinate);
    }
    void map(StrengthDescription& strength)
    {
        strength.stiffness *= by_.torque();
        strength.damping *= by_.torque();
        if (strength.limit) *strength.limit *= by_.torque();
        const JointDescription* joint = find(strength.joint);
        for (std::size_t i = 0; i < strength.limits.size() && joint; ++i) {
            for (double& limit : strength.limits[i]) limit *= by_.torque();
            if (joint->type != JointType::spherical) continue;
            const double sign = turnsOf(*joint)(static_cast<int>(i), static_cast<int>(i));
            if (std::abs(std::abs(sign) - 1) > 1e-12)
                refuse("what the ball joint '" + strength.joint +
                       "' gives to each side is of other axes then");
            if (sign < 0) std::swap(strength.limits[i][0], strength.limits[i][1]);
        }
    }
    void map(std::vector<JointPoseDescription>& poses)
    {
        for (JointPoseDescription& pose : poses)
            if (const JointDescription* joint = find(pose.joint))
                mapCoordinates(*joint, pose.coordinate, unitsOf(*joint).coordinate);
    }
    void map(ActionDescription& action)
    {
        for (StrengthDescription& strength : action.joints) map(strength);
        for (ActionDescription::Key& key : action.keys) map(key.pose);
    }
    void map(BalanceDescription& balance)
    {
        balance.forward = by_.A * balance.forward;
        balance.stiffness *= m_;
        balance.damping *= m_;
        for (StrengthDescription& strength : balance.joints) map(strength);
        if (!balance.gait) return;
        if (balance.gait->heading) *balance.gait->heading = times(*balance.gait->heading, by_.det());
        for (GaitStateDescription& state : balance.gait->states) {
            map(state.pose);
            for (auto* pair : {&state.distance, &state.speed})
                for (double& turn : *pair) turn /= s_;
        }
    }
    void map(std::vector<TargetDescription::Key>& path) const
    {
        for (TargetDescription::Key& key : path) {
            mapPoint(key.position);
            if (key.orientation) key.orientation = by_.orientation(*key.orientation);
        }
    }
    void map(MotionDescription& motion)
    {
        for (MotionDescription::JointCurve& curve : motion.joints)
            if (const JointDescription* joint = find(curve.joint))
                mapCoordinates(*joint, curve.coordinate, unitsOf(*joint).coordinate);
        for (MotionDescription::RootPath& root : motion.roots) map(root.path);
    }
    void map(PrescribedDescription& prescribed)
    {
        map(prescribed.path);
        mapPoint(prescribed.point);
        if (prescribed.joint.empty()) return;
        if (const JointDescription* joint = find(prescribed.joint))
            mapCoordinates(*joint, prescribed.motion, unitsOf(*joint).coordinate);
    }
    void map(TargetDescription& target)
    {
        mapPoint(target.point);
        map(target.path);
        target.stiffness *= m_;
        target.damping *= m_;
        target.turnStiffness *= by_.torque();
        target.turnDamping *= by_.torque();
        if (target.limit) *target.limit *= by_.force();
    }

    // ---- springs and fields -----------------------------------------------------------------------

    void map(SpringForm& form) const
    {
        std::visit(
            [&](auto& of) {
                using T = std::decay_t<decltype(of)>;
                if constexpr (std::is_same_v<T, SpringPoint>) {
                    mapPoint(of.point);
                } else if constexpr (std::is_same_v<T, SpringCurve>) {
                    for (Vec3& point : of.points) point = by_.place(point);
                } else if constexpr (std::is_same_v<T, SpringSphere>) {
                    of.center = by_.place(of.center);
                    of.radius *= s_;
                } else if constexpr (std::is_same_v<T, SpringPlane>) {
                    of.point = by_.place(of.point);
                    of.normal = by_.A * of.normal;
                } else {
                    of.point = by_.place(of.point);
                    of.axis = by_.A * of.axis;
                    of.radius *= s_;
                }
            },
            form);
    }
    void map(SpringDescription& spring) const
    {
        map(spring.first.form);
        map(spring.second.form);
        if (spring.length) *spring.length *= s_;
        spring.stiffness *= m_;
        spring.damping *= m_;
        spring.turnStiffness *= by_.torque();
        spring.turnDamping *= by_.torque();
    }
    void map(WishDescription& wish)
    {
        for (WishDescription::JointPose& pose : wish.joints)
            if (const JointDescription* joint = find(pose.joint)) {
                if (wish.acts && joint->type == JointType::slide)
                    refuse("the stiffness of '" + wish.name + "' is of angles and of lengths");
                mapCoordinates(*joint, pose.coordinate, unitsOf(*joint).coordinate);
            }
        mapPoint(wish.of.point);
        if (wish.to) mapPoint(wish.to->point);
        map(wish.on);
        for (WishPlace& place : wish.points) mapPoint(place.point);
        for (std::optional<Vec3>* direction : {&wish.axis, &wish.direction})
            if (*direction) *direction = by_.A * **direction;
        if (wish.orientation) wish.orientation = by_.orientation(*wish.orientation);
        if (wish.velocity) wish.velocity = by_.vector(*wish.velocity);
        if (wish.length) *wish.length *= s_;
        const WishTypeInfo* type = findWishType(wish.type);
        const double factor = type && type->isOfAngles ? by_.torque() : m_;
        wish.weight *= factor;
        wish.damping *= factor;
    }
    void map(PlanDescription& plan)
    {
        for (PlanDescription::Drive& drive : plan.drives) {
            if (!drive.limit) continue;
            if (drive.joint.empty())
                *drive.limit *= by_.force();
            else if (const JointDescription* joint = find(drive.joint))
                *drive.limit *= unitsOf(*joint).torque;
        }
        for (PlanDescription::Contact& contact : plan.contacts) {
            for (Vec3& point : contact.points) point = by_.place(point);
            mapPlane(contact.normal, contact.height);
        }
        for (PlanDescription::Clearance& clearance : plan.clearances) {
            mapPoint(clearance.point);
            mapPlane(clearance.normal, clearance.height);
        }
        for (PlanDescription::Guess& guess : plan.guess) {
            for (PlanDescription::Guess::Pose& pose : guess.joints)
                if (const JointDescription* joint = find(pose.joint))
                    mapCoordinates(*joint, pose.coordinate, unitsOf(*joint).coordinate);
            for (PlanDescription::Guess::Place& place : guess.bodies) {
                mapPoint(place.position);
                if (place.orientation) place.orientation = by_.orientation(*place.orientation);
            }
        }
    }
    // normal · place = height
    void mapPlane(Vec3& normal, double& height) const
    {
        normal = by_.A * normal;
        height = s_ * height + normal.dot(by_.shift);
    }
    void map(FieldDescription& field) const
    {
        field.velocity = by_.vector(field.velocity);
        field.position = by_.place(field.position);
        field.orientation = by_.orientation(field.orientation);
        field.mirrored = field.mirrored != by_.mirrors();
        field.axis = by_.axial() * field.axis;
        for (double* length : {&field.speed, &field.size, &field.radius, &field.softening}) *length *= s_;
        for (int i = 0; i <= field.exponent; ++i) field.strength *= s_;
        if (!field.byMass) field.strength *= m_;
    }

    // ---- spring meshes ----------------------------------------------------------------------------

    void map(VertexChoice& at) const
    {
        if (at.near) at.near = s_ * (D_ * *at.near);
        if (at.radius) *at.radius *= s_;
        if (at.box)
            for (Vec3& corner : *at.box) corner = s_ * (D_ * corner);
    }
    void map(SpringMeshDescription& mesh)
    {
        // What is made by a word has its vertices and diagonals in an order that a mirror changes.
        if (by_.mirrors() && mesh.form != SpringMeshDescription::Form::given)
            refuse("mesh " + mesh.name + " is made by a word, which says nothing of mirrors");
        mapMesh(mesh);
        mesh.file.clear();
        for (double& size : mesh.size) size *= s_;
        mesh.pose = {by_.place(mesh.pose.position), by_.orientation(mesh.pose.orientation)};
        mesh.velocity = by_.vector(mesh.velocity);
        for (double* stiffness : {&mesh.mass, &mesh.stiffness, &mesh.damping, &mesh.bend, &mesh.bendDamping,
                                  &mesh.strutDamping})
            *stiffness *= m_;
        for (std::optional<double>* stiffness : {&mesh.shear, &mesh.struts})
            if (*stiffness) **stiffness *= m_;
        mesh.fold *= by_.torque();
        mesh.foldDamping *= by_.torque();
        mesh.pressure *= m_ / s_;
        mesh.bulk *= m_ / s_;
        mesh.thickness *= s_;
        for (PinDescription& pin : mesh.pins) {
            map(pin.at);
            if (pin.stiffness) *pin.stiffness *= m_;
            pin.damping *= m_;
        }
        for (VertexForceDescription& force : mesh.forces) {
            map(force.at);
            force.force = m_ * by_.vector(force.force);
        }
    }

    Description scene_;
    const Similarity& by_;
    const Mat3 D_;
    const double s_, m_;
    std::string fault_;
};

Quat randomRotation(Random& random)
{
    return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}

void multiply(SignalPart& part, double factor)
{
    std::visit(
        [&](auto& of) {
            using T = std::decay_t<decltype(of)>;
            if constexpr (std::is_same_v<T, ConstantSignal>) {
                of.value *= factor;
            } else if constexpr (std::is_same_v<T, SineSignal>) {
                of.amplitude *= factor;
                of.offset *= factor;
            } else if constexpr (std::is_same_v<T, PulseSignal>) {
                of.height *= factor;
            } else if constexpr (std::is_same_v<T, StepSignal>) {
                of.from *= factor;
                of.to *= factor;
            } else if constexpr (std::is_same_v<T, NoiseSignal>) {
                of.amplitude *= factor;
            } else {
                for (auto& key : of.keys) key.value *= factor;
            }
        },
        part);
}

}  // namespace

Quat Similarity::orientation(const Quat& R) const
{
    if (A == Mat3::Identity()) return R;  // to the last digit
    return Quat(Mat3(A * R.toRotationMatrix() * D())).normalized();
}

Similarity turned(std::uint64_t seed)
{
    Random random(seed);
    Similarity by;
    by.A = randomRotation(random).toRotationMatrix();
    return by;
}

Similarity mirrored(std::uint64_t seed)
{
    Random random(seed);
    Similarity by;
    const Vec3 n = (randomRotation(random) * Vec3::UnitX()).normalized();
    by.A = Mat3::Identity() - 2 * n * n.transpose();
    by.shift = 2 * random.uniform(-1, 1) * n;
    return by;
}

Similarity moved(std::uint64_t seed, double distance)
{
    Random random(seed);
    Similarity by;
    by.shift = distance * (randomRotation(random) * Vec3::UnitX());
    return by;
}

Similarity scaled(double length, double mass)
{
    Similarity by;
    by.length = length;
    by.mass = mass;
    return by;
}

Result<Description> transformed(const Description& scene, const Similarity& by)
{
    return Map(scene, by).run();
}

int findJoint(const Description& scene, const std::string& name)
{
    for (std::size_t j = 0; j < scene.joints.size(); ++j)
        if (scene.joints[j].name == name) return static_cast<int>(j);
    return -1;
}

Signal times(Signal signal, double factor)
{
    for (SignalPart& part : signal.parts) multiply(part, factor);
    return signal;
}

std::vector<Signal> times(const Mat3& M, const std::vector<Signal>& signals)
{
    std::vector<Signal> out(3);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (M(i, j) == 0) continue;
            const Signal part = times(signals[static_cast<std::size_t>(j)], M(i, j));
            out[static_cast<std::size_t>(i)].parts.insert(out[static_cast<std::size_t>(i)].parts.end(),
                                                          part.parts.begin(), part.parts.end());
        }
    return out;
}

std::vector<double> times(const Mat3& M, const std::vector<double>& numbers)
{
    const Vec3 out = M * Vec3(numbers[0], numbers[1], numbers[2]);
    return {out.x(), out.y(), out.z()};
}

std::vector<double> times(std::vector<double> numbers, double factor)
{
    for (double& x : numbers) x *= factor;
    return numbers;
}

}  // namespace sinew::invariance
