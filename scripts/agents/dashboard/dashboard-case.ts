import type { Stage } from './stage.ts';

/** One scenario with a real agent in a real browser. */
export interface DashboardCase {
  id: string;
  /** Whether the agent supports the case (default: always). */
  needs?(stage: Pick<Stage, 'can' | 'setup'>): boolean;
  run(stage: Stage): Promise<void>;
}
