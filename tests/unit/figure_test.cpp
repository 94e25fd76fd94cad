// Figures: segment tables, fitted capsules, frames of bones, and the other half of a symmetric body.
#include "sinew/figure/figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/geometry/mass.h"
#include "sinew/math/rotation.h"
#include "sinew/model/mirror.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/kinematics.h"
#include "support/random_tree.h"

namespace sinew::figure_test {
namespace {

using test::mustCompile;
using test::randomVector;

constexpr double rounding = 1e-14;  // of numbers of order one, after a few operations

// ---- tables -----------------------------------------------------------------------------------------

TEST(Segments, every_table_sums_to_a_whole_person_and_its_trunk_to_its_parts)
{
    // De Leva prints hundredths of a percent; his women sum to 99.99 %.
    constexpr double printed = 1.0001e-4;
    ASSERT_EQ(segmentTables().size(), 3u);
    for (const SegmentTable& t : segmentTables()) {
        double person = t[Segment::headNeck].mass + t[Segment::trunk].mass;
        for (Segment limb : {Segment::upperArm, Segment::forearm, Segment::hand, Segment::thigh,
                             Segment::shank, Segment::foot})
            person += 2 * t[limb].mass;
        EXPECT_NEAR(person, 1, printed) << t.name;
        EXPECT_LE(person, 1 + rounding) << t.name;
        EXPECT_NEAR(t[Segment::thorax].mass + t[Segment::abdomen].mass + t[Segment::pelvis].mass,
                    t[Segment::trunk].mass, rounding)
            << t.name;
        for (const SegmentTable::Row& row : t.rows) {
            EXPECT_GT(row.center, 0.1) << t.name;
            EXPECT_LT(row.center, 0.9) << t.name;
        }
    }
}

TEST(Segments, names_lead_to_their_segments_and_shin_is_shank)
{
    for (int i = 0; i < segmentCount; ++i)
        EXPECT_EQ(segmentFromName(segmentNames()[static_cast<std::size_t>(i)]), static_cast<Segment>(i));
    EXPECT_EQ(segmentFromName("shin"), Segment::shank);
    EXPECT_FALSE(segmentFromName("tail"));
    EXPECT_EQ(findSegmentTable("leva_male")->name, "leva_male");
    EXPECT_EQ(findSegmentTable("me"), nullptr);
}

// ---- capsules and frames ------------------------------------------------------------------------------

TEST(Bone, a_fitted_capsule_has_the_volume_asked_for)
{
    for (double length : {1e-6, 0.01, 0.3, 2.0, 1e3})
        for (double volume : {1e-9, 1e-3, 0.05, 10.0}) {
            const double r = capsuleRadius(length, volume);
            EXPECT_NEAR(unitDensityInertia(Capsule{r, length}).mass / volume, 1, 1e-13)
                << length << " " << volume;
        }
}

TEST(Bone, y_runs_along_the_bone_and_upright_bones_are_unturned)
{
    EXPECT_EQ(boneOrientation(Vec3::UnitY()).coeffs(), Quat::Identity().coeffs());
    EXPECT_EQ(boneOrientation(-Vec3::UnitY()).coeffs(), Quat(0, 1, 0, 0).coeffs());  // x stays x
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        const Vec3 d = randomVector(random).normalized();
        const Quat q = boneOrientation(d);
        EXPECT_NEAR((q * Vec3(0, 1, 0) - d).norm(), 0, rounding);
        const Vec3 x = q * Vec3(1, 0, 0), z = q * Vec3(0, 0, 1);
        if (std::abs(d.x()) > 0.9)
            EXPECT_GT(z.z(), 0.4);
        else
            EXPECT_GT(x.x(), 0.4);
        // The rule makes mirrored frames of mirrored bones; across y the frame's own y turns round.
        for (int axis : {0, 2}) {
            const Quat twin = boneOrientation(mirrored(d, axis));
            const Quat image = mirrored(Pose{Vec3::Zero(), q}, axis).orientation;
            EXPECT_LT((twin.toRotationMatrix() - image.toRotationMatrix()).norm(), 10 * rounding);
        }
    }
}

BoneDescription bone(const char* name, const Vec3& from, const Vec3& to)
{
    BoneDescription b;
    b.body.name = name;
    b.from = from;
    b.to = to;
    return b;
}

Figure mustExpand(const FigureDescription& description)
{
    Result<Figure> figure = expandFigure(description);
    EXPECT_TRUE(figure) << figure.error().text();
    return figure ? figure.value() : Figure{};
}

Model modelOf(const Figure& figure)
{
    Description d;
    d.bodies = figure.bodies;
    d.joints = figure.joints;
    return mustCompile(d);
}

TEST(Bone, a_segment_gives_mass_radius_and_centre)
{
    FigureDescription f;
    f.mass = 80;
    f.bones = {bone("thigh", Vec3(0, 1, 0), Vec3(0, 0.6, 0))};
    f.bones[0].segment = Segment::thigh;
    const Figure figure = mustExpand(f);
    const Body body = modelOf(figure).bodies[0];
    EXPECT_NEAR(body.mass, 8, rounding * 8);
    EXPECT_NEAR(body.rest.position.y(), 1 - 0.433 * 0.4, rounding);
    const auto& capsule = std::get<Capsule>(figure.bodies[0].shapes[0].shape);
    EXPECT_NEAR(capsule.length, 0.4, rounding);
    const Inertia unit = unitDensityInertia(figure.bodies[0].shapes[0].shape);
    EXPECT_NEAR(unit.mass * 1000, 8, 1e-12);
    EXPECT_LT((body.inertia - unit.rotational * 1000).norm(),
              1e-12);  // the capsule's, about the moved centre
}

TEST(Bone, a_share_of_a_segment_has_its_centre_in_the_middle_unless_told)
{
    FigureDescription f;
    f.mass = 100;
    f.bones = {bone("low", Vec3(0, 1, 0), Vec3(0, 1.2, 0)), bone("high", Vec3(0, 1.2, 0), Vec3(0, 1.4, 0))};
    for (BoneDescription& b : f.bones) {
        b.segment = Segment::thorax;
        b.share = 0.5;
    }
    f.bones[1].center = 0.25;
    const Model model = modelOf(mustExpand(f));
    EXPECT_NEAR(model.mass(), 21.6, 1e-12);
    EXPECT_NEAR(model.bodies[0].rest.position.y(), 1.1, rounding);
    EXPECT_NEAR(model.bodies[1].rest.position.y(), 1.25, rounding);
}

TEST(Bone, mass_may_come_from_density_or_be_given_with_a_radius)
{
    FigureDescription f;
    f.bones = {bone("a", Vec3(0, 0, 0), Vec3(1, 0, 0)), bone("b", Vec3(0, 0, 0), Vec3(1, 0, 0))};
    f.bones[0].radius = f.bones[1].radius = 0.1;
    f.bones[0].density = 500;
    f.bones[1].body.mass = 3;
    const Model model = modelOf(mustExpand(f));
    EXPECT_NEAR(model.bodies[0].mass, 500 * pi * 0.01 * (1 + 0.4 / 3), 1e-12);
    EXPECT_EQ(model.bodies[1].mass, 3);
}

struct Fault {
    void (*spoil)(FigureDescription&);
    const char* says;
};

TEST(Figure, faults_name_the_bone_and_its_key)
{
    const Fault faults[] = {
        {[](FigureDescription& f) { f.bones.clear(); }, "/bones: is empty"},
        {[](FigureDescription& f) { f.mass = -1; }, "/mass: is -1; it must be positive"},
        {[](FigureDescription& f) { f.mass.reset(); },
         "/bones/0/segment: needs the mass of the whole figure"},
        {[](FigureDescription& f) {
             f.mirror = {"l", "l"};
         },
         "/mirror: needs two beginnings of names"},
        {[](FigureDescription& f) { f.bones[0].to = f.bones[0].from; }, "/bones/0/to: is where from is"},
        {[](FigureDescription& f) { f.bones[0].to.x() = 1e300; }, "/bones/0/to: is 1e+300; at most 1e30"},
        {[](FigureDescription& f) { f.bones[0].share = 1.5; },
         "/bones/0/share: is 1.5; it must be above 0"},
        {[](FigureDescription& f) { f.bones[0].segment.reset(); },
         "/bones/0: bone 'left_leg' has no mass; give"},
        {[](FigureDescription& f) { f.bones[0].center = 2; }, "/bones/0/center: is 2; it must be from 0"},
        {[](FigureDescription& f) { f.bones[0].radius = 0; }, "/bones/0/radius: is 0; it must be positive"},
        {[](FigureDescription& f) { f.bones.resize(6, f.bones[0]); },
         "/bones/5/segment: with this bone the segments have 120 % of the figure's mass; at most 100 % are "
         "there"},
    };
    for (const Fault& fault : faults) {
        FigureDescription f;
        f.mass = 70;
        f.mirror = {"left_", "right_"};
        f.bones = {bone("left_leg", Vec3(0.1, 1, 0), Vec3(0.1, 0.5, 0))};
        f.bones[0].segment = Segment::thigh;
        fault.spoil(f);
        const Result<Figure> figure = expandFigure(f);
        ASSERT_FALSE(figure) << fault.says;
        EXPECT_TRUE(figure.error().text().starts_with(fault.says)) << figure.error().text();
    }
}

// ---- the mirror -----------------------------------------------------------------------------------------

// Two sides that hang from one body by every kind of joint, with everything that can be lopsided.
FigureDescription lopsided(Random& random, int mirrorAxis)
{
    FigureDescription f;
    f.mirror = {"left_", "right_"};
    f.mirrorAxis = mirrorAxis;
    Vec3 across = Vec3::Unit(mirrorAxis), up = Vec3::Unit((mirrorAxis + 1) % 3);
    f.bones = {bone("middle", Vec3::Zero(), 0.5 * up)};
    f.bones[0].body.mass = 3;
    const JointType types[] = {JointType::hinge, JointType::spherical, JointType::universal,
                               JointType::slide, JointType::weld,      JointType::spherical,
                               JointType::hinge};
    std::string parent = "middle";
    Vec3 place = 0.2 * across;
    for (int i = 0; i < 7; ++i) {
        BoneDescription b = bone("", place, place + 0.3 * randomVector(random) + 0.2 * across);
        b.body.name = "left_" + std::to_string(i);
        b.body.mass = 1;
        b.center = 0.3;
        b.parent = parent;
        JointDescription& j = b.joint;
        j.type = types[i];
        const bool moves = j.type != JointType::weld;
        const bool ball = j.type == JointType::spherical;
        if (moves) {
            j.axis = randomVector(random).normalized();
            j.stiffness = 20;
            j.damping = 0.1;
        }
        const std::size_t freedoms = ball ? 3 : j.type == JointType::universal ? 2 : moves ? 1 : 0;
        if (freedoms == 2) j.axis2 = j.axis->cross(randomVector(random)).normalized();
        for (std::vector<double>* list : {&j.rest, &j.motor, &j.coordinate, &j.velocity})
            for (std::size_t k = 0; k < freedoms; ++k) list->push_back(random.uniform(-0.3, 0.3));
        if (ball || freedoms == 1) {
            j.lower = {-0.1};
            j.upper = {0.25};
            j.limitStiffness = 300;
        }
        if (ball) {
            j.swingLimit = 0.2;
            j.twistStiffness = 5;
        }
        place = b.to;
        parent = b.body.name;
        f.bones.push_back(b);
    }
    // A mesh without symmetry, so that a wrong frame shows in the inertia.
    ShapeDescription mesh;
    const std::vector<Vec3> corners{Vec3(0, 0, 0), Vec3(0.3, 0, 0.1), Vec3(0, 0.4, 0), Vec3(0.1, 0, 0.2)};
    mesh.shape = ConvexMesh{corners, convexHull(corners).value()};
    mesh.pose = {Vec3(0.1, 0, 0.05), expRotation(Vec3(0.3, 0.2, 0.1))};
    f.bones.back().body.shapes = {mesh};
    return f;
}

TEST(Mirror, twins_move_as_mirror_images_for_every_kind_of_joint)
{
    // Two hundred steps let rounding grow; a wrong sign is off by a tenth within one.
    constexpr double grownRounding = 1e-12;
    for (int axis = 0; axis < 3; ++axis) {
        Random random(40 + static_cast<unsigned>(axis));
        const Figure figure = mustExpand(lopsided(random, axis));
        Description d;
        d.bodies = figure.bodies;
        d.joints = figure.joints;
        d.gravity = Vec3(3, -9, 4);
        d.gravity[axis] = 0;  // gravity lies in the mirror
        Settings settings;
        settings.integrator = "rk4";
        settings.step = 0.0005;
        Result<Simulation> made = Simulation::create(d, settings);
        ASSERT_TRUE(made) << made.error().text();
        Simulation& simulation = made.value();
        const auto expectSymmetry = [&](double tolerance) {
            const Model& model = simulation.model();
            int pairs = 0;
            for (int i = 0; i < model.size(); ++i) {
                if (!model.bodies[i].name.starts_with("left_")) continue;
                const int other = model.findBody("right_" + model.bodies[i].name.substr(5));
                ASSERT_GE(other, 0);
                const BodyState &left = simulation.state.bodies[i], &right = simulation.state.bodies[other];
                EXPECT_LT((mirrored(left.position, axis) - right.position).norm(), tolerance)
                    << i << " " << axis;
                EXPECT_LT((mirrored(left.velocity, axis) - right.velocity).norm(), 10 * tolerance) << i;
                const Quat image = mirrored(Pose{Vec3::Zero(), left.orientation}, axis).orientation;
                EXPECT_LT((image.toRotationMatrix() - right.orientation.toRotationMatrix()).norm(),
                          tolerance)
                    << i;
                ++pairs;
            }
            EXPECT_EQ(pairs, 7);
        };
        expectSymmetry(rounding * 10);
        const Vec3 before = simulation.state.bodies[simulation.model().findBody("left_6")].position;
        for (int step = 0; step < 200; ++step) ASSERT_TRUE(simulation.step().ok);
        const Vec3 after = simulation.state.bodies[simulation.model().findBody("left_6")].position;
        EXPECT_GT((after - before).norm(), 0.01) << "nothing moves, nothing is shown";
        expectSymmetry(grownRounding);
    }
}

TEST(Mirror, the_mirror_image_of_a_mirror_image_is_the_original)
{
    Random random(9);
    const Figure figure = mustExpand(lopsided(random, 0));
    for (int axis = 0; axis < 3; ++axis) {
        for (const BodyDescription& body : figure.bodies) {
            const BodyDescription again = mirrored(mirrored(body, axis), axis);
            EXPECT_EQ(again.pose.position, body.pose.position);
            EXPECT_EQ(again.pose.orientation.coeffs(), body.pose.orientation.coeffs());
        }
        for (const JointDescription& joint : figure.joints) {
            const JointDescription again = mirrored(mirrored(joint, axis), axis);
            EXPECT_EQ(again.axis, joint.axis);
            EXPECT_EQ(again.coordinate, joint.coordinate);
            EXPECT_EQ(again.rest, joint.rest);
        }
    }
}

}  // namespace
}  // namespace sinew::figure_test
