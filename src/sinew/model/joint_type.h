// The joints Sinew knows. Everything that depends on a joint's type is in this folder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace sinew {

enum class JointType : std::uint8_t { hinge, spherical, slide, universal, weld, free };
inline constexpr int jointTypeCount = 6;

struct JointTypeInfo {
    JointType type;
    const char* name;
    int coordinates;  // numbers in q: a rotation counts four (x, y, z, w)
    int freedoms;     // numbers in u
    int rows;         // constraint rows in body coordinates: 6 − freedoms
};

const JointTypeInfo& jointTypeInfo(JointType type);
inline const char* jointTypeName(JointType type)
{
    return jointTypeInfo(type).name;
}
std::optional<JointType> jointTypeFromName(std::string_view name);

// A set of joint types, for saying what a method supports.
class JointSet {
public:
    constexpr JointSet() = default;
    constexpr JointSet(std::initializer_list<JointType> types)
    {
        for (JointType type : types) bits_ |= bit(type);
    }
    static constexpr JointSet all()
    {
        return {JointType::hinge,     JointType::spherical, JointType::slide,
                JointType::universal, JointType::weld,      JointType::free};
    }
    constexpr bool contains(JointType type) const { return (bits_ & bit(type)) != 0; }

private:
    static constexpr std::uint8_t bit(JointType type)
    {
        return static_cast<std::uint8_t>(1u << static_cast<unsigned>(type));
    }
    std::uint8_t bits_ = 0;
};

}  // namespace sinew
