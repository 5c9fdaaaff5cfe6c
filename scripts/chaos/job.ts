import type { KillKind } from '@agent-mux/testkit/chaos';

/** Input of a worker, on stdin: one round or one case. */
export type ChaosJob = RoundJob | CaseJob;

interface RoundJob extends Place {
  seed: number;
  costly?: string;
  cheap: readonly string[];
  kind?: KillKind;
}

interface CaseJob extends Place {
  case: string;
}

interface Place {
  folder: string;
  /** Shared by all rounds. */
  warm: string;
  /** PATH for the agents. */
  path: string;
  /** The daemon as it was built. */
  isBuilt: boolean;
}
