import type { KillKind } from '@agent-mux/testkit/chaos';

/** What a worker is told, on stdin: one round, and where. */
export interface RoundJob {
  seed: number;
  costly?: string;
  cheap: string[];
  kind?: KillKind;
  folder: string;
  /** Shared by all rounds. */
  warm: string;
  /** PATH for the agents. */
  path: string;
  /** The daemon as it was built. */
  isBuilt: boolean;
}
