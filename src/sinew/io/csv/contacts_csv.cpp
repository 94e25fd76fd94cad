#include "sinew/io/csv/contacts_csv.h"

#include <algorithm>

#include "sinew/io/csv/csv.h"

namespace sinew {
namespace {

constexpr int numberCount = 10;  // x … gap

std::int64_t partyOf(const Collider& collider, const Description& description)
{
    if (collider.body >= 0) return collider.body;
    return description.obstacles[collider.source].name.empty() ? -1 : -2 - collider.source;
}

const std::string& nameOf(std::int64_t party, const Model& model, const Description& description)
{
    static const std::string world = "world";
    if (party >= 0) return model.bodies[party].name;
    return party == -1 ? world : description.obstacles[-2 - party].name;
}

}  // namespace

std::string contactsHeader()
{
    return "time,event,first,second,x,y,z,nx,ny,nz,fx,fy,fz,gap\n";
}

void appendContactRows(double time, const Model& model, const Description& description, const State& state,
                       double h, std::vector<TouchingPair>& touching, std::string& text)
{
    const auto begin = [&](const char* event, const TouchingPair& pair) {
        appendNumber(text, time);
        text += ',';
        text += event;
        for (std::int64_t party : pair) {
            text += ',';
            text += csvField(nameOf(party, model, description));
        }
    };
    const auto isIn = [](const std::vector<TouchingPair>& pairs, const TouchingPair& pair) {
        return std::binary_search(pairs.begin(), pairs.end(), pair);
    };
    std::vector<TouchingPair> now;
    for (const Contact& contact : state.contacts) {
        if (!bearsForce(contact)) continue;
        const ContactReading reading = readContact(contact, state, h);
        const TouchingPair pair{partyOf(model.colliders[reading.first], description),
                                partyOf(model.colliders[reading.second], description)};
        begin(isIn(touching, pair) ? "hold" : "begin", pair);
        for (const Vec3* v : {&reading.place, &reading.normal, &reading.force}) {
            for (double x : *v) {
                text += ',';
                appendNumber(text, x);
            }
        }
        text += ',';
        appendNumber(text, reading.gap);
        text += '\n';
        now.push_back(pair);
    }
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
    for (const TouchingPair& pair : touching) {
        if (isIn(now, pair)) continue;
        begin("end", pair);
        text.append(numberCount, ',');
        text += '\n';
    }
    touching = std::move(now);
}

}  // namespace sinew
