import type { RateLimitWindow } from './events.ts';

/** What an agent has told of the limits of its login, in the stream of a run: nobody is asked for it, and no login is read. */
export interface QuotaStatus {
  agent: string;
  /** The next request would be refused. */
  limited: boolean;
  windows: RateLimitWindow[];
  /** Epoch milliseconds: of the windows that are used up, or else of all, the first that begins anew. Null: unknown. */
  earliestResetAt: number | null;
  /** Epoch milliseconds at which the agent told it. */
  asOf: number;
}
