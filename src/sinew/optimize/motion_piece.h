// One piece of a motion under a problem: the forces that it takes, and all rows (motion_problem.h) of the
// piece and of the moments between pieces, with their slopes.
#pragma once

#include "sinew/dynamics/work.h"
#include "sinew/optimize/motion_problem.h"

namespace sinew {

struct MotionPiece {
    double start = 0, length = 0;  // s
    VecX y;                        // freedoms × points of Gauss (optimize/collocation.h)
    VecX contact;  // per point: of each place (optimize/motion_contact.h) three parts of its unit
    // Of the last evaluation: joint forces at the points, freedoms × points.
    VecX forces;
    // Of the solver, where a search was; and of the moment where the piece begins.
    std::vector<double> multipliers, momentMultipliers;
};

// Places in contact during a piece.
int contactPlaces(const MotionProblem& problem, const MotionPiece& piece);

// Forces at places in contact that are not inside their cones of friction are made to press more.
void keepInCones(const MotionProblem& problem, int stages, MotionPiece& piece);
// Whether they are after this part of a way.
bool areInCones(const MotionProblem& problem, int stages, const MotionPiece& piece, const VecX& way,
                double part);

// The variables of a piece: δq and δu at its start, y, contact.
struct PieceLayout {
    int freedoms = 0, stages = 0, places = 0;

    int state() const { return 2 * freedoms; }
    int y(int stage) const { return state() + stage * freedoms; }
    int contact(int stage) const { return y(stages) + stage * 3 * places; }
    int width() const { return contact(stages); }
};

class PieceEvaluator {
public:
    PieceEvaluator(const MotionProblem& problem, const GaussPoints& points)
        : problem_(problem), model_(*problem.model), points_(points)
    {
    }

    // Rows of the piece, and where it ends.
    void evaluate(const PieceStart& start, MotionPiece& piece, bool derivatives, MotionRows& rows,
                  PieceStart& end);
    // How (δq, δu) at the end follow from the variables; width × 2 freedoms, column by column.
    void endSlopes(const PieceStart& start, const MotionPiece& piece, std::vector<double>& slopes);
    // Second derivatives of Σ weight · row over the rows of the last evaluate(), with derivatives, by the
    // variables: width², both halves, added. Of the forces of bodies and contacts they are
    // differences of exact slopes, central ones of small figures; what charts of rotations bend by is left
    // out.
    void addCurvature(const PieceStart& start, MotionPiece& piece, const std::vector<double>& weights,
                      std::vector<double>& curvature);
    // Likewise of the rows of a moment, by (δq, δu) there.
    void addMomentCurvature(const PieceStart& at, double time, const std::vector<double>& weights,
                            std::vector<double>& curvature);

    // Rows of a moment: of conditions at that time, and of contacts that begin.
    void evaluateMoment(const PieceStart& at, double time, bool derivatives, MotionRows& rows);

private:
    // A row as a sum of forces and stage rows, each at a stage.
    struct Source {
        int row, stage, index;
        bool isForce;
        double factor;
    };

    void setStage(const PieceStart& start, MotionPiece& piece, int stage, bool derivatives);
    void evaluateStage(MotionPiece& piece, int stage, bool derivatives);
    void stageGradient(MotionPiece& piece, const PieceLayout& layout, int stage, const VecX& forceWeights,
                       const std::vector<double>& rowWeights, VecX& gradient);
    void fillStageRows(const MotionPiece& piece, int stage, bool derivatives, RowSum* sum = nullptr);
    void addContactForces(const MotionPiece& piece, int stage, bool derivatives);
    void addForceRows(const MotionPiece& piece, const PieceLayout& layout, MotionRows& rows);
    void addLimitRows(const PieceLayout& layout, double length, MotionRows& rows);
    void addStageRows(const MotionPiece& piece, const PieceLayout& layout, int stage, MotionRows& rows);
    bool isTouching(const Clearance& clearance, double time) const;
    void pull(const double* stageSlope, int stage, const PieceLayout& layout, double* slope) const;

    const MotionProblem& problem_;
    const Model& model_;
    const GaussPoints& points_;
    // Of the stages of the piece.
    PieceMotion motion_[mostStages];
    State state_[mostStages];
    VecX force_[mostStages];
    std::vector<double> forceSlopes_[mostStages];  // width × freedoms
    DynamicsDerivatives at_;
    Forces forces_;
    ForceTangents tangents_;
    Work work_;
    MotionRows stageRows_;
    LargeVector<Motion> accelerations_;
    std::vector<Source> sources_;
};

}  // namespace sinew
