import type { RateLimitWindow } from './events.ts';

/**
 * How to query a provider for the limit windows of a login, if supported. Pure: the caller reads the file, sends the
 * request only to that address, and does not store the token. Used only if the user enabled it.
 */
export interface QuotaQuery {
  /** The file with the agent's login, in adapter path syntax (`{VAR:-~/.agent}/login.json`). */
  credentials: string;
  /** Extracts the token from the file content; undefined: no usable token. */
  tokenOf(text: string, now: number): string | undefined;
  /** `base` replaces the provider's address. */
  request(token: string, base?: string): { url: string; headers: Readonly<Record<string, string>> };
  /** Undefined: unrecognized answer. */
  parse(body: unknown): RateLimitWindow[] | undefined;
}

/**
 * What an agent reported about the limits of its login in the stream of a run. No request is sent and no login is read.
 */
export interface QuotaStatus {
  agent: string;
  /** The next request would be rejected. */
  limited: boolean;
  windows: RateLimitWindow[];
  /** Epoch milliseconds of the first reset, of the exhausted windows or else of all. Null: unknown. */
  earliestResetAt: number | null;
  /** Epoch milliseconds at which the agent reported it. */
  asOf: number;
}
