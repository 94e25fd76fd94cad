// The writer of scenes: Description → syntax tree, a file for each kind of thing, as the reader has them.
// What says nothing but the default is left out. Not a public header.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/springs.h"

namespace sinew {
struct WishPlace;
}

namespace sinew::writing {

using json::Value;

Value list(const double* numbers, std::size_t size);
Value list(const Vec3& v);
Value matrix(const Mat3& m);  // its diagonal alone where there is nothing else
Value names(const std::vector<std::string>& words);
Value signalValue(const Signal& signal);
Value pathValue(const std::vector<TargetDescription::Key>& keys);

// Members that are left out when they say nothing but the default.
void addPosition(Value& out, const Vec3& position);
void addOrientation(Value& out, const Quat& q);
void addNumber(Value& out, const char* key, const std::optional<double>& number);
void addNumber(Value& out, const char* key, double number, double byDefault = 0);
void addVector(Value& out, const char* key, const std::optional<Vec3>& v);
void addText(Value& out, const char* key, const std::string& text);
void addFreedoms(Value& out, const char* key, const std::vector<double>& numbers);
void addSignal(Value& out, const char* key, const std::optional<Signal>& signal);
void addSignals(Value& out, const char* key, const std::vector<Signal>& signals);
void addConditions(Value& out, const std::optional<ConditionDescription>& when,
                   const std::optional<ConditionDescription>& during);
void addTriangles(Value& out, const std::vector<Vec3>& vertices,
                  const std::vector<std::array<int, 3>>& faces);
void addShapeSizes(Value& out, const Shape& shape);
void addForm(Value& out, const SpringForm& form);

template <class T>
void addList(Value& out, const char* key, const std::vector<T>& items, Value (*valueOf)(const T&))
{
    if (items.empty()) return;
    Value all = Value::array();
    for (const T& item : items) all.add(valueOf(item));
    out.add(key, std::move(all));
}

Value bodyValue(const BodyDescription& body);
Value jointValue(const JointDescription& joint);
Value couplingValue(const CouplingDescription& coupling);
Value switchValue(const SwitchDescription& change);
Value obstacleValue(const ObstacleDescription& obstacle);
Value contactValue(const ContactDescription& contact);
Value forceValue(const ForceDescription& force);
Value targetValue(const TargetDescription& target);
Value motorValue(const MotorDescription& motor);
Value torqueValue(const TorqueDescription& torque);
Value controllerValue(const ControllerDescription& controller);
Value supportValue(const SupportDescription& support);
Value motionValue(const MotionDescription& motion);
Value trackValue(const TrackDescription& track);
Value prescribedValue(const PrescribedDescription& given);
Value meshValue(const SpringMeshDescription& mesh);
Value springValue(const SpringDescription& spring);
Value mediumValue(const MediumDescription& medium);
Value fieldValue(const FieldDescription& field);
Value particlesValue(const ParticlesDescription& particles);
Value wishValue(const WishDescription& wish);
Value balanceValue(const BalanceDescription& balance);
Value actionValue(const ActionDescription& action);
Value planValue(const PlanDescription& plan);

}  // namespace sinew::writing
