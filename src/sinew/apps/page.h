// The page of a run: one HTML file that plays it, made from the files of the run's folder.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/base/result.h"
#include "sinew/model/description.h"
#include "sinew/model/model.h"

namespace sinew {

struct Page {
    std::string path;         // DIR/index.html
    std::uintmax_t size = 0;  // in bytes
    std::string left;         // what was left out to keep it small, as a line, or empty
};

// Writes DIR/index.html from DIR/trajectory.csv, series.csv, summary.json and, where there is contact,
// contacts.csv, which are read back, so that
// it makes no difference how they came to be. Takes little memory, however long the run.
Result<Page> writePage(const std::string& directory, const Description& description, const Model& model);

// The same for the folder of any finished run, which holds its scene too (scene.json).
Result<Page> writePage(const std::string& directory);

// Where it is, how large, and what was left out: for people, with line ends.
std::string pageLines(const Page& page);

}  // namespace sinew
