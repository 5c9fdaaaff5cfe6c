import { type AgentAdapter, expandPath, parseIfJson, type RateLimitWindow, readRegularFile } from '@agent-mux/core';

/** How long an answer or a failure is cached. */
const KEEP_MS = 30 * 60_000;
const RETRY_MS = 5 * 60_000;
const ANSWER_TIMEOUT_MS = 10_000;
const LOGIN_FILE_BYTES = 1_000_000;
const ANSWER_CHARS = 100_000;

export type VendorAdapter = Pick<AgentAdapter, 'quotaQuery' | 'getAuthGuidance'>;
type Env = Readonly<Record<string, string | undefined>>;

/**
 * Queries a provider for the limits of a login with the user's token. The token is read on demand, sent only to the
 * provider (redirects are refused), and never stored.
 */
export class VendorQueries {
  readonly #cache = new Map<string, { at: number; maxAgeMs: number }>();
  readonly #base: string | undefined;
  readonly #log: (line: string) => void;

  /** `base`: URL of a fake server for tests; only loopback addresses are accepted. */
  constructor(log: (line: string) => void, base?: string) {
    this.#log = log;
    this.#base = base !== undefined && isLoopback(base) ? base : undefined;
  }

  /** Undefined if nothing new is known. Never rejects. */
  async query(account: string, adapter: VendorAdapter, env: Env): Promise<RateLimitWindow[] | undefined> {
    const before = this.#cache.get(account);
    if (before && performance.now() - before.at < before.maxAgeMs) return undefined;
    const windows = await this.#send(adapter, env).catch((error: unknown) => {
      // The message of an error may repeat what was sent; its name does not.
      this.#log(`${account}: the usage query failed (${error instanceof Error ? error.name : 'unknown error'})`);
      return undefined;
    });
    this.#cache.set(account, { at: performance.now(), maxAgeMs: windows ? KEEP_MS : RETRY_MS });
    return windows;
  }

  async #send({ quotaQuery, getAuthGuidance }: VendorAdapter, env: Env): Promise<RateLimitWindow[] | undefined> {
    const keys = getAuthGuidance().methods.flatMap(({ envVars = [] }) => envVars);
    // With an API key the agent does not use the login file.
    if (!quotaQuery || keys.some((name) => env[name])) return undefined;
    const file = expandPath(quotaQuery.credentials, { ...env });
    const text = await readRegularFile(file, { limit: LOGIN_FILE_BYTES }).then(String, () => '');
    const token = quotaQuery.tokenOf(text, Date.now());
    if (token === undefined) return undefined;
    const { url, headers } = quotaQuery.request(token, this.#base);
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const answer = await fetch(url, { headers, redirect: 'error', signal });
    const body = await answer.text();
    return answer.ok && body.length <= ANSWER_CHARS ? quotaQuery.parse(parseIfJson(body)) : undefined;
  }
}

function isLoopback(base: string): boolean {
  const { hostname } = URL.canParse(base) ? new URL(base) : { hostname: '' };
  return hostname === '127.0.0.1' || hostname === '[::1]';
}
