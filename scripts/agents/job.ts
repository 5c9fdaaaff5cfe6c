import type { Carrier } from '@agent-mux/testkit';

/** Input of a worker, on stdin. */
export interface WorkerJob {
  agent: string;
  mode: string;
  carrier: Carrier;
  cases: string[];
  folder: string;
  /** Shared by all workers of the agent. */
  warm: string;
  /** PATH for the agent. */
  path: string;
}
