// The folder of a run while it is written: by one program at a time, and what an earlier run left there
// stays until the new one is whole.
//
// Where nothing can be lost, the files grow in their places. Elsewhere they grow in a hidden folder inside
// and take their places together at the end: the hidden folder gets another name, and from that moment the
// new run is there; then it is emptied file by file. Who finds one that is not empty yet, because a program
// was killed just then, goes on emptying it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/apps/folder_lock.h"
#include "sinew/apps/run_files.h"
#include "sinew/io/temporary_file.h"

namespace sinew {

class RunFolder {
public:
    // Files that may lie in the folder and then stay as they are.
    struct Sources {
        std::string scene, recording;
    };
    // For a new run. Makes the folder; a page, a scene, a table or a recording in it that is somebody's own
    // is an error.
    static Result<RunFolder> create(const std::string& directory, Sources sources,
                                    std::optional<FolderLock> lock = {});
    // To go on with a run that was not finished, at the place that newestRun() told.
    static RunFolder reopen(const std::string& directory, const std::string& place, Sources sources,
                            FolderLock lock);
    ~RunFolder();
    RunFolder(RunFolder&& other) noexcept;
    RunFolder& operator=(RunFolder&&) = delete;

    const RunFiles& files() const { return files_; }  // where they are until finish()
    bool hasOwnScene() const;                         // scene.json is the scene's own file
    bool hasOwnRecording() const;
    void keep();           // a checkpoint is there: without finish() the files stay, to be resumed
    std::string finish();  // all into their places; an empty string, or why not

private:
    RunFolder(const std::string& directory, const std::string& place, Sources sources, FolderLock lock);
    bool staysInPlace(std::string RunFiles::*file) const;
    std::string prepareMove() const;

    std::string directory_, place_;  // the same where files grow in their places
    RunFiles files_;
    Sources sources_;
    std::optional<FolderLock> lock_;
    std::vector<TemporaryName> names_;  // until there is something to keep
    bool isLost_ = false;               // without finish()
};

// A lock on the folder of a run that is there, in which no move is left half done.
Result<FolderLock> lockRun(const std::string& directory, FolderLock::Kind kind = FolderLock::Kind::alone);
// The same for those who only look, whether or not somebody writes there.
std::optional<Diagnostic> settleRun(const std::string& directory);

// Where the newest checkpoint of the folder is: in the hidden folder of a run that was not finished, or in
// the folder itself.
std::string newestRun(const std::string& directory);

}  // namespace sinew
