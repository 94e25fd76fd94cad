#include "sinew/figure/figure.h"

#include <cmath>

#include "sinew/base/text.h"
#include "sinew/model/check.h"
#include "sinew/model/mirror.h"

namespace sinew {

using compiling::at;
using compiling::Checker;
using compiling::number;

namespace {

constexpr double usualDensity = 1000;  // kg/m³, as of shapes
// Shares such as 1/3 are typed as decimals.
constexpr double massTolerance = 1e-6;

void checkNumbers(const BoneDescription& bone, const std::string& pointer, Checker& check)
{
    check.finite(bone.from, pointer + "/from");
    check.finite(bone.to, pointer + "/to");
    const double length = (bone.to - bone.from).norm();
    check.require(length > 1e-9, pointer + "/to", "is where from is; a bone needs a length");
    for (const auto& [value, key] :
         {std::pair(bone.body.mass, "/mass"), std::pair(bone.density, "/density"),
          std::pair(bone.radius, "/radius")})
        if (value) check.positive(*value, pointer + key);
    check.require(bone.share > 0 && bone.share <= 1, pointer + "/share",
                  "is " + number(bone.share) + "; it must be above 0 and at most 1");
    check.require(bone.share == 1 || bone.segment, pointer + "/share",
                  "needs the segment that it is a share of");
    if (bone.center)
        check.require(*bone.center >= 0 && *bone.center <= 1, pointer + "/center",
                      "is " + number(*bone.center) + "; it must be from 0 (at from) to 1 (at to)");
    if (bone.body.shapes.empty()) return;
    check.require(!bone.radius, pointer + "/radius", "is the capsule's; the bone has shapes in its place");
    check.require(!bone.density, pointer + "/density", "is the capsule's; give the shapes theirs");
}

bool takesMassFromTable(const BoneDescription& bone)
{
    return bone.segment && !bone.body.mass;
}

// The part of a person that the bone is, by the table.
double partOfMass(const FigureDescription& figure, const BoneDescription& bone)
{
    return (*figure.table)[*bone.segment].mass * bone.share;
}

ShapeDescription capsuleOf(const BoneDescription& bone, double length, const std::optional<double>& mass)
{
    Capsule capsule;
    capsule.length = length;
    capsule.radius =
        bone.radius ? *bone.radius : capsuleRadius(length, *mass / bone.density.value_or(usualDensity));
    ShapeDescription shape;
    shape.shape = capsule;
    if (!mass) shape.density = bone.density;
    return shape;
}

// A bone that lets the table say where its centre is must be all of its segment.
std::optional<double> centerOf(const FigureDescription& figure, const BoneDescription& bone)
{
    if (bone.center) return bone.center;
    if (bone.segment && bone.share == 1) return (*figure.table)[*bone.segment].center;
    return std::nullopt;
}

BodyDescription bodyOf(const FigureDescription& figure, const BoneDescription& bone,
                       const std::string& pointer, Checker& check)
{
    BodyDescription body = bone.body;
    const Vec3 along = bone.to - bone.from;
    const double length = along.norm();
    body.pose = {0.5 * (bone.from + bone.to), boneOrientation(along / length)};
    if (takesMassFromTable(bone)) {
        check.require(figure.mass.has_value(), pointer + "/segment",
                      "needs the mass of the whole figure; give mass in figure, or the bone's own");
        if (figure.mass) body.mass = *figure.mass * partOfMass(figure, bone);
    }
    if (body.shapes.empty()) {
        check.require(
            body.mass || bone.radius, pointer,
            "bone " + quotedName(body.name) + " has no mass; give mass, segment, radius or shapes");
        if (check.failed()) return body;
        body.shapes.push_back(capsuleOf(bone, length, body.mass));
    }
    if (const std::optional<double> center = centerOf(figure, bone))
        body.center = Vec3(0, (*center - 0.5) * length, 0);
    return body;
}

JointDescription jointOf(const BoneDescription& bone)
{
    JointDescription joint = bone.joint;
    if (joint.name.empty()) joint.name = bone.body.name;
    joint.first = *bone.parent;
    joint.second = bone.body.name;
    if (bone.jointAtFrom) joint.position = bone.from;
    return joint;
}

bool hasTwin(const FigureDescription& figure, const std::string& name)
{
    return !figure.mirror[0].empty() && name.starts_with(figure.mirror[0]);
}

// The name of the twin; the name itself if there is none.
std::string twinName(const FigureDescription& figure, const std::string& name)
{
    return hasTwin(figure, name) ? figure.mirror[1] + name.substr(figure.mirror[0].size()) : name;
}

void checkFigure(const FigureDescription& figure, Checker& check)
{
    if (figure.mass) check.positive(*figure.mass, "/mass");
    check.require(figure.mirror[0].empty() == figure.mirror[1].empty() &&
                      (figure.mirror[0].empty() || figure.mirror[0] != figure.mirror[1]),
                  "/mirror", "needs two beginnings of names that differ, such as \"left_\" and \"right_\"");
    check.require(!figure.bones.empty(), "/bones", "is empty; a figure needs at least one bone");
    double sum = 0;
    for (std::size_t i = 0; i < figure.bones.size() && !check.failed(); ++i) {
        const BoneDescription& bone = figure.bones[i];
        const std::string pointer = at("bones", i);
        checkNumbers(bone, pointer, check);
        if (!takesMassFromTable(bone)) continue;
        sum += partOfMass(figure, bone) * (hasTwin(figure, bone.body.name) ? 2 : 1);
        check.require(sum <= 1 + massTolerance, pointer + "/segment",
                      "with this bone the segments have " + number(100 * sum) +
                          " % of the figure's mass; at most 100 % are there");
    }
}

}  // namespace

Result<Figure> expandFigure(const FigureDescription& figure)
{
    Checker check;
    Figure out;
    checkFigure(figure, check);
    for (std::size_t i = 0; i < figure.bones.size() && !check.failed(); ++i) {
        const BoneDescription& bone = figure.bones[i];
        const int index = static_cast<int>(i);
        const BodyDescription body = bodyOf(figure, bone, at("bones", i), check);
        const bool twin = hasTwin(figure, body.name);
        out.bodies.push_back(body);
        out.boneOfBody.push_back(index);
        if (twin) {
            out.bodies.push_back(mirrored(body, figure.mirrorAxis));
            out.bodies.back().name = twinName(figure, body.name);
            out.boneOfBody.push_back(index);
        }
        if (!bone.parent) continue;
        const JointDescription joint = jointOf(bone);
        out.joints.push_back(joint);
        out.boneOfJoint.push_back(index);
        if (twin) {
            JointDescription& other = out.joints.emplace_back(mirrored(joint, figure.mirrorAxis));
            for (std::string* name : {&other.name, &other.first, &other.second})
                *name = twinName(figure, *name);
            out.boneOfJoint.push_back(index);
        }
    }
    if (check.failed()) return check.diagnostic();
    return out;
}

Quat boneOrientation(const Vec3& direction)
{
    constexpr double nearX = 0.9;
    Mat3 R;
    R.col(1) = direction;
    // Either rule makes mirrored frames of mirrored bones.
    if (std::abs(direction.x()) > nearX) {
        R.col(0) = direction.cross(Vec3::UnitZ()).normalized();
        R.col(2) = R.col(0).cross(direction);
    } else {
        R.col(2) = Vec3::UnitX().cross(direction).normalized();
        R.col(0) = direction.cross(R.col(2));
    }
    Quat q(R);
    q.coeffs().array() += 0.0;  // no negative zeros in files
    return q;
}

double capsuleRadius(double length, double volume)
{
    // π L r² + 4/3 π r³ = V by Newton from above, where the cylinder alone would have the volume: the left
    // side is convex, so that every step stays above the root and goes down until rounding stops it.
    double r = std::sqrt(volume / (pi * length));
    for (int i = 0; i < 200; ++i) {
        const double f = pi * r * r * (length + 4.0 / 3 * r) - volume;
        const double next = r - f / (2 * pi * r * (length + 2 * r));
        if (!(next < r)) break;
        r = next;
    }
    return r;
}

}  // namespace sinew
