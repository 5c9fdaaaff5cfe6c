import type { RateLimitWindow } from './events.ts';

/**
 * How a vendor is asked for the windows of a login, where it answers that. Pure: whoever asks reads the file, sends the request to that
 * address alone, and keeps nothing of the token. Only where the user has turned it on.
 */
export interface QuotaQuery {
  /** The file with the agent's login, as adapters write paths (`{VAR:-~/.agent}/login.json`). */
  credentials: string;
  /** The token in the text of that file; undefined: there is none that could be used. */
  tokenOf(text: string, now: number): string | undefined;
  /** `base` takes the place of the vendor's own address. */
  request(token: string, base?: string): { url: string; headers: Readonly<Record<string, string>> };
  /** Undefined: it is no answer of that kind. */
  parse(body: unknown): RateLimitWindow[] | undefined;
}

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
