// A figure: bones from place to place with joints between them, made into bodies and joints. What it saves
// to write are the frames, the masses (from tables of body segments), the radii and the other half of a
// symmetric body.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/figure/segments.h"
#include "sinew/model/description.h"

namespace sinew {

struct BoneDescription {
    // World, in the rest pose: the centres of the capsule's two caps.
    Vec3 from = Vec3::Zero();
    Vec3 to = Vec3::Zero();

    // Name, mass, inertia, shapes and velocities as given; what is left out is made from the bone.
    BodyDescription body;
    std::optional<Segment> segment;  // where the mass comes from if the body has none, and its centre
    double share = 1;                // of the segment; with less than all of it the centre is in the middle
    std::optional<double> density;   // kg/m³
    std::optional<double> radius;    // m; where not given the one that fits mass and density
    std::optional<double> center;    // of mass, as a part of the way from `from` to `to`

    std::optional<std::string> parent;  // a bone, a body or "world"; none: the bone floats
    JointDescription joint;             // to the parent; its bodies, and its name if empty, are filled in
    bool jointAtFrom = true;            // or at joint.position
};

struct FigureDescription {
    std::optional<double> mass;  // kg, of the whole figure
    const SegmentTable* table = &segmentTables().front();
    // A bone whose name begins with the first gets a twin with the second, mirrored across the axis. Empty:
    // none.
    std::array<std::string, 2> mirror;
    int mirrorAxis = 0;
    std::vector<BoneDescription> bones;
};

struct Figure {
    std::vector<BodyDescription> bodies;
    std::vector<JointDescription> joints;
    std::vector<int> boneOfBody;  // which bone each was made from
    std::vector<int> boneOfJoint;
};

// Twins follow their originals. A fault's pointer starts at the figure, such as /bones/3/to.
Result<Figure> expandFigure(const FigureDescription& figure);

// The turn of a bone's frame: y along the bone, x as near to the world's x as can be. A bone that is
// within 25.8° of the world's x (|cos| > 0.9) has z as near to the world's z as can be. A bone straight up
// is unturned.
Quat boneOrientation(const Vec3& direction);

// Of a capsule with that length between its caps' centres and that volume.
double capsuleRadius(double length, double volume);

}  // namespace sinew
