/** What a worker is told, on stdin. */
export interface WorkerJob {
  agent: string;
  mode: string;
  cases: string[];
  folder: string;
  /** Shared by all workers of the agent. */
  warm: string;
  /** PATH for the agent. */
  path: string;
}
