#include "sinew/simulation/settings.h"

#include "sinew/base/text.h"

namespace sinew {

namespace {

constexpr Coordinates allCoordinates[] = {Coordinates::joint, Coordinates::body};

// The row of a name, or which there are.
template <class Id, class Table>
Result<Id> rowNamed(const char* setting, const Table& table, std::string_view name)
{
    std::string known;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].name == name) return static_cast<Id>(i);
        known += (known.empty() ? "" : ", ") + std::string(table[i].name);
    }
    return settingFault(setting, std::string("there is no ") + setting + " " +
                                     quotedName(std::string(name)) + "; known are " + known);
}

}  // namespace

const char* settingName(SolverId id)
{
    return methodOf(id).name;
}

const char* settingName(IntegratorId id)
{
    return integratorOf(id).name;
}

const char* settingName(Coordinates coordinates)
{
    return coordinates == Coordinates::body ? "maximal" : "joint";
}

Result<SolverId> solverNamed(std::string_view name)
{
    return rowNamed<SolverId>("solver", methods(), name);
}

Result<IntegratorId> integratorNamed(std::string_view name)
{
    return rowNamed<IntegratorId>("integrator", integrators(), name);
}

Result<Coordinates> coordinatesNamed(std::string_view name)
{
    for (const Coordinates coordinates : allCoordinates)
        if (settingName(coordinates) == name) return coordinates;
    return settingFault("coordinates", "there are no coordinates " + quotedName(std::string(name)) +
                                           "; there are joint and maximal");
}

const Method& methodOf(SolverId id)
{
    return methods()[static_cast<std::size_t>(id)];
}

const Integrator& integratorOf(IntegratorId id)
{
    return integrators()[static_cast<std::size_t>(id)];
}

}  // namespace sinew
