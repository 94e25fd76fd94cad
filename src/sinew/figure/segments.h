// Tables of body segments: which part of a person's mass a segment has, and where along it its centre of
// mass is. From the literature; each table says where from.
//
// How to draw the bones that the fractions speak of: limbs away from the trunk, trunk and head upward.
//
//     segment     from → to                        winter                         leva
//     head_neck   7th cervical vertebra → crown    centre at the ear canal (a)    CERV → VERT
//     trunk       hips → shoulders, neck           trochanters → shoulders        hip centres → CERV
//     thorax      → 7th cervical vertebra          T12/L1 → C7/T1                 XYPH → CERV
//     abdomen                                      L4/L5 → T12/L1                 navel → XYPH
//     pelvis      hips →                           trochanters → L4/L5            hip centres → navel
//     upper_arm   shoulder → elbow                 joint centres                  joint centres
//     forearm     elbow → wrist                    elbow → ulnar styloid          joint centres
//     hand        wrist →                          wrist → 2nd knuckle, middle finger   wrist → tip of it
//     thigh       hip → knee                       trochanter → condyles          joint centres
//     shank       knee → ankle                     condyles → medial malleolus    joint centres
//     foot                                         lateral malleolus → 2nd metatarsal's head   heel → toes
//
// The trunk is the sum of thorax, abdomen and pelvis: a figure has either it or these three. Winter cuts
// between vertebrae, de Leva at the end of the breastbone (XYPH) and the navel.
//
// (a) Winter gives it from the vertebra to the ear canal as 1.0. De Leva has the same centre halfway
// between vertebra and crown (0.4998 of the way), which is what a bone up to the crown needs.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace sinew {

enum class Segment {
    headNeck,
    trunk,
    thorax,
    abdomen,
    pelvis,
    upperArm,
    forearm,
    hand,
    thigh,
    shank,
    foot,
};
inline constexpr int segmentCount = 11;

struct SegmentTable {
    struct Row {
        double mass;    // part of the whole person's
        double center;  // of the way from the bone's start to its end
    };
    std::string_view name;
    std::string_view source;
    std::array<Row, segmentCount> rows;

    const Row& operator[](Segment segment) const { return rows[static_cast<std::size_t>(segment)]; }
};

// "winter" first, which is the one that counts where none is named.
std::span<const SegmentTable> segmentTables();
const SegmentTable* findSegmentTable(std::string_view name);

// The words of scene files: in the order of Segment, then "shin", another word for shank.
std::span<const std::string_view> segmentNames();
std::optional<Segment> segmentFromName(std::string_view name);

}  // namespace sinew
