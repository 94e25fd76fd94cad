#include "sinew/apps/spring_bones.h"

#include <algorithm>

#include "sinew/io/gltf/vrm.h"

namespace sinew {

std::optional<Diagnostic> expandSpringBones(const CharacterFile& file, BakeOptions& options)
{
    const auto asked = std::find(options.dynamic.begin(), options.dynamic.end(), "vrm");
    if (asked == options.dynamic.end() || file.rig.find("vrm") >= 0) return {};
    Result<std::vector<SpringBone>> springs = std::vector<SpringBone>();
    if (file.gltf && file.character) springs = springBones(*file.gltf, *file.character);
    if (!springs) return springs.error();
    if (springs.value().empty())
        return Diagnostic{.message = "has no spring bones of VRM", .file = file.path, .setting = "dynamic"};
    std::vector<BoneRule> rules;
    options.dynamic.erase(asked);
    for (const SpringBone& spring : springs.value()) {
        BoneRule rule;
        rule.pattern = file.rig.bones[static_cast<std::size_t>(spring.bone)].name;
        rule.stiffness = spring.frequency;
        rule.damping = spring.damping;
        if (spring.radius > 0) rule.radius = spring.radius * options.body.unit;
        options.dynamic.push_back(rule.pattern);
        rules.push_back(std::move(rule));
    }
    options.body.rules.insert(options.body.rules.begin(), rules.begin(), rules.end());
    return {};
}

}  // namespace sinew
