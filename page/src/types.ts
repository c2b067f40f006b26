// SPDX-License-Identifier: Apache-2.0
// The reports of the engine and the data of a page: made by tests/cli/reports.py of the tables of fields in src.
// After an error a report has its diagnostics, and other keys may be absent.

/** Settings by their names, and `param`, `state` and `input` by names of the model (pfaff/request.h). */
export type Options = Record<string, string | number | boolean | null | undefined | number[] | string[] | Record<string, string | number>>;

export interface CheckReport {
  /** the name of the model, or of its file */ model: string;
  /** the title of the model */ title: string;
  /** names of the coordinates */ coordinates: string[];
  /** pseudo-velocities of the model and of its joints */ speeds: string[];
  /** names of the parameters */ parameters: string[];
  /** the constraints */ constraints: Constraint[];
  /** the events */ events: CheckEvent[];
  /** the bodies with their joints */ bodies: Body[];
  /** of the constraints, the norms of quaternions included */ rank: number;
  /** constraints that depend on the others */ redundant: string[];
  /** coordinates minus the rank of the constraints */ degrees_of_freedom: number;
  /** at a generic configuration */ mass_matrix: MassMatrix;
  /** the start as it is given */ start: Start;
  /** how the start was made consistent; null when numbers or conditions leave no start */ start_change: StartChange | null;
  /** length of a run in s; null without a start */ horizon: number | null;
  /** the panels that the model plots; null without a start */ plots: Panel[] | null;
  /** the numbers that can be changed: parameters and the start; null without a start */ values: Value[] | null;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface DeriveReport {
  /** name of the model, or of its file */ model: string;
  /** the form of the equations */ form: string;
  /** the accelerations, rates and multipliers that the equations determine */ unknowns: string[];
  /** the equations of motion, then those of other sections, in order */ equations: DeriveEquation[];
  /** abbreviations in the equations, each after those it uses */ where?: Abbreviation[];
  /** the derivation step by step, when requested */ steps?: Step[];
  /** the same equations in vectors, where they exist */ vector_equations?: FormulaLine[];
  /** the same equations in matrices, when requested */ matrix_equations?: FormulaLine[];
  /** the matrices of these by name: rows of formulas, or a list for a vector */ matrices?: Record<string, string[] | string[][]>;
  /** divisors of the equations: the form holds where none vanishes */ holds_where_nonzero?: string[];
  /** M by rows; left out when the equations have abbreviations */ mass_matrix?: string[][];
  /** F of M q'' = F + A' lambda, one for each coordinate */ forces?: string[];
  /** A of the constraints A q'' = b, by rows */ constraint_matrix?: string[][];
  /** b of the constraints, one for each */ constraint_right_side?: string[];
  /** operations that evaluate M, F, A and b */ operations: number;
  /** the same by kind */ operation_counts?: OperationCounts;
  /** time from the text of the model to M, F, A and b; null in a page */ seconds: number | null;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface EvalReport {
  /** the name of the model, or of its file */ model: string;
  /** the formulation that gave the accelerations */ formulation: string;
  /** the time, in s */ t: number;
  /** names of the coordinates */ coordinates: string[];
  /** units of the coordinates */ units: string[];
  /** coordinates, in their units */ q: number[];
  /** velocities, in the units of the coordinates per s */ v: number[];
  /** in the units of the coordinates per s^2 */ acceleration: number[];
  /** by the names of the constraints */ multipliers: Record<string, number>;
  /** M q'' - F of each coordinate, in SI */ constraint_force: number[];
  /** the multipliers of each contact and joint, by its name */ contact_force: Record<string, Record<string, number>>;
  /** at this state */ energy: EvalEnergy;
  /** of the constraints at this state */ violation: EvalViolation;
  /** how the start was made consistent */ start_change: StartChange;
  /** forces of the actuators: inputs in their units, forces on coordinates in SI */ actuators?: Record<string, number>;
  /** actuators whose force is the least of several that would do */ undetermined?: string[];
  /** the difference between the wanted acceleration and the one that is reached */ missed?: Record<string, number>;
  /** of the operators: inertial or body */ axes?: string;
  /** constraints that give motions of joints: they are obeyed inside the recursion */ inside?: string[];
  /** the other constraints, whose forces are among the forces of the joints */ on_top?: string[];
  /** operators of the recursion, body by body */ spatial?: SpatialBody[];
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface CompareReport {
  /** name of the model, or of its file */ model: string;
  /** how the start was made consistent */ start_change: StartChange;
  /** one for each formulation */ rows: FormulationRow[];
  /** exact algebra shows that all formulations agree; null: no proof was requested */ proved: boolean | null;
  /** the result of the proof in words */ proof: string | null;
  /** with a proof: one for each form of derive that is compared with others */ forms?: Form[];
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface RunReport {
  /** name of the model, or of its file */ model: string;
  /** the integrator at the start */ method: string;
  /** the motion was found to be stiff and an implicit method took over; left out: it was not */ stiff?: Stiff;
  /** the formulations that gave accelerations, with commas */ formulation: string;
  /** why the run ended, in words */ end: string;
  /** the time at which it ended, in s */ t_end: number;
  /** accepted steps */ steps: number;
  /** steps that were repeated with a smaller size */ rejected: number;
  /** evaluations of the accelerations */ evaluations: number;
  /** zero crossings at which forces change their branch */ switches: number;
  /** transitions to sticking */ sticks: number;
  /** computing time */ wall_seconds: number;
  /** compiled machine code */ native: NativeCode;
  /** of the constraints */ violation: RunViolation;
  /** balance of energy */ energy: RunEnergy;
  /** how the start was made consistent */ start_change: StartChange;
  /** events that happened, in the order of time */ events: RunEvent[];
  /** total momentum of a floating system; left out when the system is fixed to the ground */ momentum?: Momentum;
  /** conserved quantities, with --invariants */ invariants?: RunInvariant[];
  /** how the deadlines of --real-time were kept; left out without it */ real_time?: RealTime;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
  /** names of the columns of the trajectory */ columns: string[];
  /** their units; empty: SI */ units: string[];
  /** the trajectory; null with --no-rows, and for numbers that are not known */ rows: (number | null)[][];
}

export interface DrawReport {
  /** name of the model, or of its file */ model?: string;
  /** title of the model */ title: string;
  /** size of the whole, in m */ size: number;
  /** direction against gravity; z without gravity */ up: number[];
  /** everything moves in the plane z = const */ flat: boolean;
  /** a plane that stands still belongs to the picture */ ground: boolean;
  /** a point of that plane, in m */ ground_at?: number[];
  /** its rotation, nine entries by rows */ ground_turn?: number[];
  /** names of the moving frames; the first is the ground */ poses: string[];
  /** names of points, and of forces at contacts */ points: string[];
  /** 'm' for a point, 'N' for a force */ point_units: string[];
  /** the shapes */ shapes: Shape[];
  /** instants of the motion, in s */ times: number[];
  /** a row for each instant: the numbers of all poses and points */ motion: (number | null)[][];
  /** errors, warnings and notes, in the order of the text */ diagnostics?: Diagnostic[];
}

export interface TextReport {
  /** the model that was made */ text: string;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface SteadyReport {
  /** the name of the model, or of its file */ model: string;
  /** 'equilibria' or 'steady' motions */ kind: string;
  /** names of the components of the state, in the order of x */ states: string[];
  /** their units, in which x is given; empty: none is declared */ units: string[];
  /** components on which nothing else depends; they may grow steadily */ cyclic: string[];
  /** names of all coordinates, in the order of q */ coordinates: string[];
  /** their units; empty: none is declared */ coordinate_units: string[];
  /** Newton iterations begun, from places in the box that was searched */ starts: number;
  /** iterations that ended without a solution */ failed: number;
  /** further iterations around the start, up to the nearest solution */ near_starts: number;
  /** the distance from the start up to which these were begun */ radius: number;
  /** evaluations of the equations of motion */ evaluations: number;
  /** the search ended before its time, as its budget of evaluations was used up */ spent: boolean;
  /** under constraints of velocities, 'speed' lines may show more steady motions */ may_be_widened: boolean;
  /** the equilibria or steady motions, the nearest to the start first */ points: SteadyPoint[];
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface ContinueReport {
  /** the name of the model, or of its file */ model: string;
  /** 'equilibria' or 'steady' motions */ kind: string;
  /** name of the parameter that changes */ parameter: string;
  /** its unit; empty: none is declared */ parameter_unit: string;
  /** names of the components of the state, in the order of x */ states: string[];
  /** their units, in which x is given; empty: none is declared */ units: string[];
  /** components on which nothing else depends; they may grow steadily */ cyclic: string[];
  /** solutions at the first value that were not followed: their coordinates are singular */ skipped: number;
  /** folds, branch points and Hopf points */ special: SpecialPoint[];
  /** curves of solutions against the parameter */ branches: Branch[];
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface LinearizeReport {
  /** the name of the model, or of its file */ model: string;
  /** the quantity that differs from point to point: 't' or the name of a parameter */ along: string;
  /** its unit */ along_unit: string;
  /** names of the components of the state x */ states: string[];
  /** names of the inputs u */ inputs: string[];
  /** names of the outputs y */ outputs: string[];
  /** units of the states; empty: none is declared */ state_units: string[];
  /** units of the inputs */ input_units: string[];
  /** units of the outputs */ output_units: string[];
  /** the linear models, one for each time or value of the parameter */ points: LinearizePoint[];
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface PortraitReport {
  /** the name of the model, or of its file */ model: string;
  /** the two quantities of the plane: those of a and b */ show: string[];
  /** their units; empty: none is declared */ units: string[];
  /** quantities that have the same value on all curves */ keep: string[];
  /** places where a curve should begin and these quantities cannot have that value */ failed: number;
  /** the motions, the first one from the start of the model */ curves: Curve[];
  /** points where lines of steady motions cross the plane */ steady: PortraitSteady;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface PoincareReport {
  /** the name of the model, or of its file */ model: string;
  /** the section: a quantity and its value, or t and the time between two points */ section: string;
  /** the two quantities of the plane: those of a and b */ show: string[];
  /** their units; empty: none is declared */ units: string[];
  /** largest Lyapunov exponent of the first motion, in 1/s; null where events or forces that switch leave none */ lyapunov: number | null;
  /** the same after half of the time: both are near each other when it has converged */ lyapunov_half: number | null;
  /** why the first motion ended before its time; else null */ ended_early: string | null;
  /** times of the points, in s */ t: number[];
  /** the first quantity at the points */ a: number[];
  /** the second quantity at the points */ b: number[];
  /** index of the motion to which each point belongs */ motion: number[];
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface IntegrabilityReport {
  /** the name of the model, or of its file */ model: string;
  /** names of the coordinates, with 't' when constraints contain time or have free terms */ space: string[];
  /** rank of the constraints at a generic configuration */ rank: number;
  /** vector fields that span the admissible velocities: lists of expressions, one for each name in 'space' */ fields: string[][];
  /** growth at a generic configuration */ generic: Generic;
  /** the brackets span the whole space, but for lengths of quaternions; null: not decided */ fills_space: boolean | null;
  /** number of independent combinations of constraints that are holonomic */ holonomic: number;
  /** those of them whose integrals were found */ integrals: Integral[];
  /** the configuration that was given, exactly where possible; null without one */ configuration: string[] | null;
  /** growth at that configuration; null without one */ given: Generic | null;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface InvariantsReport {
  /** the name of the model, or of its file */ model: string;
  /** the conserved quantities */ invariants: InvariantsInvariant[];
  /** number of functions whose combinations were tried */ tried: number;
  /** why there was no search; else null */ why_not: string | null;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface MeasureReport {
  /** the name of the model, or of its file */ model: string;
  /** there is a density of the kind that is searched */ found: boolean;
  /** the density; else null */ density: string | null;
  /** with two pseudo-velocities that are velocities: Chaplygin's reducing multiplier N, dtau = N dt; else null */ multiplier: string | null;
  /** the variables of the volume: coordinates of the reduced equations, and pseudo-velocities */ volume: string[];
  /** attitudes of bodies too, by the volume of rotations */ attitudes: boolean;
  /** the density is positive and smooth wherever the equations determine the accelerations */ smooth: boolean;
  /** for all values of the parameters; else for these */ for_all_parameters: boolean;
  /** proven by the normal form too; else at random states, in exact arithmetic */ normal_form: boolean;
  /** the factors of the density */ factors: Factor[];
  /** the functions whose powers were tried, and exponentials of those of position */ tried: string[];
  /** a steady motion near which no density is continuous and positive; else null */ obstacle: Obstacle | null;
  /** why there was no search; else null */ why_not: string | null;
  /** errors, warnings and notes, in the order of the text */ diagnostics: Diagnostic[];
}

export interface PageData {
  /** 1 */ format: number;
  /** of the program that made it */ version: string;
  /** of the page */ title: string;
  /** name of the model's file */ file: string;
  /** the model */ text: string;
  /** settings of the run, by their names */ run: Options;
  /** trajectories next to the computed one */ tracks: PageDataTrack[];
  /** the equations, by the names of their forms */ derived: Record<string, DeriveReport>;
}

export interface Constraint {
  /** the name of the constraint */ name: string;
  /** 'holonomic', 'pfaffian', 'affine', 'nonlinear', 'acceleration', or 'norm' for the length of a quaternion */ kind: string;
  /** its equation contains the time */ time_dependent: boolean;
}

export interface CheckEvent {
  /** the condition, as it is written */ when: string;
  /** the actions, as they are written */ actions: string[];
}

export interface Body {
  /** the name of the body */ name: string;
  /** the body before it, or 'ground' */ parent: string;
  /** the kind of the joint between them */ joint: string;
  /** the coordinates of the joint */ coordinates: string[];
}

export interface MassMatrix {
  /** of the mass matrix at a generic configuration */ rank: number;
  /** its rank is less than the number of coordinates */ singular: boolean;
}

export interface Start {
  /** the start as given satisfies the constraints */ consistent: boolean;
  /** the largest residual of a constraint there */ violation: number | null;
  /** the constraint with that residual */ worst: string | null;
  /** a constraint that depends on the others there and not nearby */ singular: string | null;
}

export interface StartChange {
  /** the start was not corrected */ as_given: boolean;
  /** the largest change of a coordinate */ position: number;
  /** the largest change of a velocity */ velocity: number;
  /** the largest changes, 12 at most */ moved: StartCorrection[];
}

export interface Panel {
  /** names of the curves in one panel */ quantities: string[];
  /** their units */ units: string[];
  /** the quantity of the horizontal axis; null: time */ against: string | null;
}

export interface Value {
  /** of a parameter, a coordinate, a velocity or a speed */ name: string;
  /** 'parameter' or 'start' */ kind: string;
  /** in its unit */ value: number;
  /** the declared unit, else that of its dimension */ unit: string;
  /** the text has a value for it */ given: boolean;
}

export interface Diagnostic {
  /** 'error', 'warning' or 'note' */ severity: string;
  /** the kind of the error, as 'syntax', 'unit' or 'number' */ code: string;
  /** the message */ message: string;
  /** how to fix it; null: no advice */ hint: string | null;
  /** the setting that it is about; null: it is about none */ setting: string | null;
  /** the text in which the place is; null without a place */ file: string | null;
  /** counted from 1; 0: without a place */ line: number;
  /** counted from 1, in characters */ column: number;
  /** of the place, in characters */ length: number;
}

export interface DeriveEquation {
  /** the coordinate, speed or constraint that the equation belongs to */ name: string;
  /** the title under which the equation is printed */ section: string;
  /** left side, in the language of models */ lhs: string;
  /** right side */ rhs: string;
  /** the whole equation in LaTeX */ latex: string;
}

export interface Abbreviation {
  /** the symbol that the equations use */ name: string;
  /** the formula it stands for */ value: string;
}

export interface Step {
  /** the purpose of the step */ title: string;
  /** the formulas found in this step; very long ones are left out */ equations: StepEquation[];
}

export interface FormulaLine {
  /** the equation as plain text */ text: string;
  /** the equation in LaTeX */ latex: string;
}

export interface OperationCounts {
  /** additions and subtractions */ additions: number;
  /** multiplications */ multiplications: number;
  /** divisions */ divisions: number;
  /** calls of functions, as sin and sqrt */ functions: number;
}

export interface EvalEnergy {
  /** kinetic energy, in J */ kinetic: number;
  /** potential energy, in J */ potential: number;
}

export interface EvalViolation {
  /** the largest residual of a holonomic constraint */ position: number;
  /** the largest residual of a constraint in the velocities */ velocity: number;
}

export interface SpatialBody {
  /** its name; null: a frame without mass */ body: string | null;
  /** number of the body before it; -1: the ground */ parent: number;
  /** the kind of its joint */ joint: string;
  /** columns of H, from 0, whose accelerations are given, not the forces */ given: number[];
  /** direction cosines, inertial to body axes */ C: number[] | number[][];
  /** transfer from the parent */ Phi: number[] | number[][];
  /** axes of the joint */ H: number[] | number[][];
  /** rates of its coordinates from those of the joint */ B: number[] | number[][];
  /** spatial inertia */ M: number[] | number[][];
  /** bias force */ b: number[] | number[][];
  /** bias acceleration */ a: number[] | number[][];
  /** articulated inertia */ P: number[] | number[][];
  /** articulated bias force */ z: number[] | number[][];
  /** inertia of the joint */ D: number[] | number[][];
  /** Kalman gain */ G: number[] | number[][];
  /** 1 - G H^T, over the columns of H that are not given */ tau_bar: number[] | number[][];
  /** tau_bar P: articulated inertia after the joint is eliminated */ P_plus: number[] | number[][];
  /** Phi^T G */ K: number[] | number[][];
  /** Phi^T tau_bar */ Psi: number[] | number[][];
  /** T - H^T z */ eps: number[] | number[][];
  /** D^-1 eps */ nu: number[] | number[][];
  /** rates of the joint */ beta: number[] | number[][];
  /** their accelerations */ betadot: number[] | number[][];
  /** forces of the joint, H^T f: drives, springs and dampers */ T: number[] | number[][];
  /** spatial velocity */ V: number[] | number[][];
  /** spatial acceleration */ Vdot: number[] | number[][];
  /** force of the joint */ f: number[] | number[][];
}

export interface FormulationRow {
  /** name of the formulation, as --form takes it */ formulation: string;
  /** where the formulation is published */ source: string;
  /** accelerations were found in this state */ applicable: boolean;
  /** not tried, because one evaluation costs too much */ skipped: boolean;
  /** why there are no accelerations; null: there are */ why_not: string | null;
  /** unknowns of its linear system; 0 without accelerations */ unknowns: number;
  /** largest difference of an acceleration to the first formulation that applies, in SI */ max_difference: number | null;
  /** time of one evaluation of the accelerations */ nanoseconds: number | null;
  /** operations that give M, F, A and b; the same for all */ operations: number;
  /** time of the run; null: there is none, or it ended early */ run_seconds: number | null;
  /** largest difference of a coordinate along the run to the first formulation that reached its end, in SI */ run_difference: number | null;
  /** not run, because the run costs too much */ run_skipped: boolean;
  /** why the run ended early or was skipped */ run_why_not: string | null;
}

export interface Form {
  /** name of the form, as 'pfaff derive' takes it */ form: string;
  /** its equations are those of Maggi for the same pseudo-velocities (hamilton: those of Lagrange), by prime fields; null: it does not exist, or it cannot be decided */ equal: boolean | null;
  /** why the form does not exist for the model; null: it does */ why_not: string | null;
}

export interface Stiff {
  /** the implicit method that went on */ method: string;
  /** the time of the change, in s */ from: number;
}

export interface NativeCode {
  /** functions that were compiled */ compiled: number;
  /** functions that earlier runs had compiled */ cached: number;
  /** functions that could not be compiled and are interpreted */ failed: number;
  /** time of the compiler */ seconds: number;
  /** why one could not be compiled; null: all could */ trouble: string | null;
}

export interface RunViolation {
  /** largest residual of a holonomic constraint, in SI */ position: number;
  /** largest residual of a constraint on velocities, in SI */ velocity: number;
}

export interface RunEnergy {
  /** kinetic and potential energy at the start, in J */ start: number;
  /** the same at the end */ end: number;
  /** largest difference between gained energy and work done, summed over phases between events, in J */ drift: number;
}

export interface RunEvent {
  /** the time, in s */ t: number;
  /** the actions, as they are written */ actions: string[];
  /** kinetic energy before the impact, in J */ kinetic_before: number;
  /** kinetic energy after it, in J */ kinetic_after: number;
  /** their difference; negative: a gain */ energy_loss: number;
  /** momentum before the impact */ momentum_before: MomentumBefore;
  /** momentum after it */ momentum_after: MomentumBefore;
  /** impulses in joints and constraints by name, in SI; those that are zero are left out */ impulse: Record<string, number>;
}

export interface Momentum {
  /** momentum at the start */ start: MomentumBefore;
  /** momentum at the end */ end: MomentumBefore;
  /** largest changes along the run */ change: Change;
}

export interface RunInvariant {
  /** the kind of quantity, as 'energy' */ kind: string;
  /** its name in mechanics; null: it has none */ name: string | null;
  /** its formula */ value: string;
  /** it is constant only between zero crossings of forces */ between_switches: boolean;
  /** its value at the start, in SI */ start: number;
  /** its largest change along the run, in SI */ drift: number;
}

export interface RealTime {
  /** steps per second */ rate: number;
  /** steps that were handed on */ steps: number;
  /** steps that were not ready at their deadline */ missed: number;
  /** mean computing time of a step */ mean_seconds: number;
  /** longest computing time of a step */ longest_seconds: number;
  /** delays after the deadline, in s */ jitter: Jitter;
}

export interface Shape {
  /** 'box', 'sphere', 'cylinder', 'wheel', 'spring' and so on */ kind: string;
  /** its meaning, as 'body', 'wheel' or 'spring' */ role: string;
  /** name of the body or element */ name: string;
  /** '#rrggbb' */ color: string;
  /** number of the body that it belongs to */ body?: number;
  /** lengths, radius or width in m, as the kind needs them; else 0 */ size: number[];
  /** number of the pose that moves it */ pose?: number;
  /** its place in the frame of the pose, in m */ at?: number[];
  /** its rotation there, nine entries by rows */ turn?: number[];
  /** instead of a pose: numbers of the points that it is drawn at or between */ points?: number[];
  /** of a surface: columns of its grid */ columns?: number;
  /** rows of its grid */ rows?: number;
  /** heights on the grid, row by row, in m */ heights?: number[];
}

export interface SteadyPoint {
  /** components of the state, in the order and units of 'states' */ x: number[];
  /** all coordinates, in their units */ q: number[];
  /** all velocities, in the units of the coordinates per s */ v: number[];
  /** from the start, in SI units, over the coordinates that are not cyclic; for steady motions also over the independent velocities */ distance: number;
  /** dimension of the continuous family to which it belongs; 0: it is isolated */ family: number;
  /** quantities that differ among the members of the family, one for each dimension */ free: string[];
  /** change of x along the family: a row for each free quantity, which changes by 1 */ directions: number[][];
  /** 'stable', 'neutral' (linear terms do not decide) or 'unstable' */ stability: string;
  /** number of eigenvalues with a positive real part */ unstable: number;
  /** expression that is zero here, where the equations have no derivative and eigenvalues; else null */ kink: string | null;
  /** pairs of real and imaginary part, in 1/s, without those of cyclic coordinates */ eigenvalues: number[][];
}

export interface SpecialPoint {
  /** 'fold' (the branch turns back), 'branch point' (branches cross) or 'Hopf' (periodic motions begin) */ kind: string;
  /** value of the parameter there, in its unit */ parameter: number;
  /** components of the state, in the order and units of 'states' */ x: number[];
  /** index of the branch on which it was found */ branch: number;
  /** Hopf: frequency of the periodic motion, in rad/s; else null */ frequency: number | null;
  /** Hopf: first Lyapunov coefficient, negative when stable cycles are born; else null */ lyapunov: number | null;
}

export interface Branch {
  /** index in 'special' of the branch point at which it was found; -1: found by the search */ from: number;
  /** why it ends at its first and at its last point */ ends: string[];
  /** the points in their order along the branch */ points: BranchPoint[];
}

export interface LinearizePoint {
  /** the time, or the value of the parameter, as 'along' says */ at: number;
  /** the state about which the model is linear, in its units */ x: number[];
  /** its rate of change, in these units per s */ rate: number[];
  /** 'rest', 'steady' (only coordinates on which nothing depends change), or 'changing': the linear model is that of an instant */ motion: string;
  /** matrix of x' = A x + B u: states by states */ A: number[][];
  /** states by inputs */ B: number[][];
  /** matrix of y = C x + D u: outputs by states; null in the row of an output without a value or a derivative */ C: (number | null)[][];
  /** outputs by inputs */ D: (number | null)[][];
  /** eigenvalues of A, the one with the largest real part first */ eigenvalues: Eigenvalue[];
  /** dimension of the states that the inputs can reach */ controllable: number;
  /** dimension of the states that differ in their outputs */ observable: number;
}

export interface Curve {
  /** the two quantities where the curve begins */ start: number[];
  /** period of a closed curve, in s; null when it does not close */ period: number | null;
  /** why the curve ends */ end: string;
  /** the first quantity along the curve */ a: number[];
  /** the second quantity along the curve */ b: number[];
}

export interface PortraitSteady {
  /** the first quantity at these points */ a: number[];
  /** the second quantity at these points */ b: number[];
}

export interface Generic {
  /** dimension of the span of all Lie brackets up to the length 1, 2, … */ growth_vector: number[];
  /** longer brackets add nothing */ complete: boolean;
  /** decided in exact arithmetic; else by singular values */ exact: boolean;
  /** why there is no growth vector; else null */ why_not: string | null;
}

export interface Integral {
  /** function of the coordinates that is constant along every motion; '?': not found */ integral: string;
  /** the combination of the constraints from which it follows, by their names */ combination: string;
  /** factor of each constraint in the combination */ weights: string[];
  /** coefficient of the rate of each coordinate of 'space' in the combination */ form: string[];
  /** the model has it as a holonomic constraint */ declared: boolean;
  /** it holds for these values of the parameters; else for all */ for_values: boolean;
}

export interface InvariantsInvariant {
  /** 'energy', 'generalized energy', 'momentum', 'linear', 'quadratic' or 'holonomic' */ kind: string;
  /** a name for it; null without one */ name: string | null;
  /** the expression that is constant along every motion */ value: string;
  /** for all values of the parameters; else for these */ for_all_parameters: boolean;
  /** constant between events and switches of forces, not across them */ between_switches: boolean;
  /** it follows from the others */ dependent: boolean;
  /** proven by the normal form too; else at random states, in exact arithmetic */ normal_form: boolean;
}

export interface Factor {
  /** the function f */ function: string;
  /** its power p: the density has the factor |f|^p or exp(p*f) */ power: number;
  /** exp(p*f) */ exponential: boolean;
  /** the factor is positive and smooth wherever the equations determine the accelerations */ positive: boolean;
}

export interface Obstacle {
  /** the rate at which the volume of states grows near a steady motion, in 1/s */ rate: number;
  /** the coordinates of this motion, in SI units */ q: number[];
  /** the velocities of this motion, in SI units */ v: number[];
}

export interface PageDataTrack {
  /** name of its file */ name: string;
  /** names of the columns, t first */ columns: string[];
  /** their units */ units: string[];
  /** rows that are here */ rows: number;
  /** rows of the file */ of: number;
  /** base64 of the numbers, row by row, 8 bytes each */ data: string;
  /** there are poses of the rows 0, stride, 2 stride … */ stride?: number;
  /** base64 of the poses, as 'motion' of 'draw' has them, 4 bytes each; null: they are not known */ poses: string | null;
  /** why there are no poses; null: there are */ diagnostic: string | null;
}

export interface StartCorrection {
  /** of a coordinate, a velocity or a speed */ name: string;
  /** unit of both numbers */ unit: string;
  /** the number before */ from: number;
  /** the number after */ to: number;
  /** the model or the request has a value for it */ given: boolean;
  /** the change has a warning of its own */ warning: boolean;
}

export interface StepEquation {
  /** the left side */ name: string;
  /** the right side, in the language of models */ value: string;
  /** the whole equation in LaTeX */ latex: string;
}

export interface MomentumBefore {
  /** linear momentum, in kg m/s */ linear: number[];
  /** angular momentum about the origin, in kg m^2/s */ angular: number[];
}

export interface Change {
  /** largest change of the linear momentum */ linear: number;
  /** largest change of the angular momentum */ angular: number;
}

export interface Jitter {
  /** half of the steps were handed on no later than this */ p50: number;
  /** 99 percent of them */ p99: number;
  /** 99.9 percent of them */ p99_9: number;
  /** all of them */ max: number;
}

export interface BranchPoint {
  /** value of the parameter, in its unit */ parameter: number;
  /** components of the state, in the order and units of 'states' */ x: number[];
  /** number of eigenvalues with a positive real part */ unstable: number;
  /** 'stable', 'neutral' (linear terms do not decide) or 'unstable' */ stability: string;
}

export interface Eigenvalue {
  /** real part, in 1/s */ re: number;
  /** imaginary part, in rad/s */ im: number;
  /** absolute value, in rad/s: the natural frequency of a pair */ frequency: number;
  /** damping ratio -re/frequency; null for the eigenvalue 0 */ damping: number | null;
  /** real part of the eigenvector, in the units of the states */ mode_re: number[];
  /** imaginary part of the eigenvector, in the units of the states */ mode_im: number[];
}
