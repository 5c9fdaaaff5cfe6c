export { type CaseOutcome, chaosCases, loadCases, runCase } from './cases/index.ts';
export type { DaemonCommand } from './drive/daemon-process.ts';
export { runRound } from './drive/run-round.ts';
export { chooseRounds, planRound, type RoundChoice } from './plan/plan-round.ts';
export { KILL_KINDS, type KillKind, type RoundPlan } from './plan/round-plan.ts';
export { hasPassed, type RoundOutcome, roundTable } from './report.ts';
