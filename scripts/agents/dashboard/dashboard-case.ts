import type { Stage } from './stage.ts';

/** One thing that is shown with a real agent, in a real browser. */
export interface DashboardCase {
  id: string;
  /** Absent: every agent can. */
  needs?(stage: Pick<Stage, 'can' | 'proof'>): boolean;
  run(stage: Stage): Promise<void>;
}
