// The page of a run: one HTML file that plays it, made from the files of the run's folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinew/apps/run_files.h"
#include "sinew/base/result.h"
#include "sinew/io/json/json.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/description.h"
#include "sinew/model/model.h"

namespace sinew {

struct Page {
    std::string path;         // DIR/index.html
    std::uintmax_t size = 0;  // in bytes
    std::string left;         // what was left out to keep it small, as a line, or empty
};

// A character with a skin of its own, for a page.
struct PageCharacter {
    std::string_view glb;      // the bytes of the file, which must hold all that it speaks of
    std::string name;          // for people; of a page without a run
    std::string clip;          // the one to begin with; empty: the first
    double metresPerUnit = 1;  // of the file, where it stands beside a run, which is in metres
};

// Writes the page of a run from its tables, which are read back, so that it makes no difference how they
// came to be, and its summary. Takes little memory, however long the run.
// With a character the page shows its skin, moved by its clips on the run's clock, and the bodies through
// it.
Result<Page> writePage(const RunFiles& files, const Description& description, const Model& model,
                       const std::string& summary, const PageCharacter* character = nullptr);

// The same for the folder of any finished run, which holds its scene too (scene.json); the page goes to
// `path`.
Result<Page> writePage(const std::string& directory, const std::string& path);

// For the page: mass properties as compiled, which a scene may leave to its shapes, in the scene's order
// and frames.
json::Value massesOf(const Model& model);

// Parts of a page that has a character: its key of the data, and its bytes as text.
std::string characterEntry(const PageCharacter& character);
void writeCharacterBytes(WholeFile& page, const PageCharacter& character);

// Where it is, how large, and what was left out: for people, with line ends.
std::string pageLines(const Page& page);

}  // namespace sinew
