import { type AgentAdapter, expandPath, parseIfJson, type RateLimitWindow, readRegularFile } from '@agent-mux/core';

/** An answer holds for so long, and a failure for less. */
const KEEP_MS = 30 * 60_000;
const RETRY_MS = 5 * 60_000;
const ANSWER_LIMIT_MS = 10_000;
const LOGIN_FILE_BYTES = 1_000_000;
const ANSWER_CHARS = 100_000;

export type VendorAdapter = Pick<AgentAdapter, 'quotaQuery' | 'getAuthGuidance'>;
type Env = Readonly<Record<string, string | undefined>>;

/**
 * Asks a vendor for the windows of a login, with the user's own token. It is read when it is needed, sent to the vendor's address and
 * nowhere else (redirects are refused), and neither kept nor written anywhere.
 */
export class VendorQuestions {
  readonly #asked = new Map<string, { at: number; keptMs: number }>();
  readonly #base: string | undefined;
  readonly #log: (line: string) => void;

  /** `base`: the address of a stand-in on this machine, for tests. Another one is not taken. */
  constructor(log: (line: string) => void, base?: string) {
    this.#log = log;
    this.#base = base !== undefined && isLoopback(base) ? base : undefined;
  }

  /** Undefined: nothing new is known. Never rejects. */
  async ask(account: string, adapter: VendorAdapter, env: Env): Promise<RateLimitWindow[] | undefined> {
    const before = this.#asked.get(account);
    if (before && performance.now() - before.at < before.keptMs) return undefined;
    const windows = await this.#send(adapter, env).catch((error: unknown) => {
      // The text of an error may repeat what was sent; its name does not.
      this.#log(
        `${account}: the vendor was asked for its limits in vain (${error instanceof Error ? error.name : 'failed'})`,
      );
      return undefined;
    });
    this.#asked.set(account, { at: performance.now(), keptMs: windows ? KEEP_MS : RETRY_MS });
    return windows;
  }

  async #send({ quotaQuery, getAuthGuidance }: VendorAdapter, env: Env): Promise<RateLimitWindow[] | undefined> {
    const keys = getAuthGuidance().methods.flatMap(({ envVars = [] }) => envVars);
    // With a key of its own the agent does not use the login of the file.
    if (!quotaQuery || keys.some((name) => env[name])) return undefined;
    const file = expandPath(quotaQuery.credentials, { ...env });
    const text = await readRegularFile(file, { limit: LOGIN_FILE_BYTES }).then(String, () => '');
    const token = quotaQuery.tokenOf(text, Date.now());
    if (token === undefined) return undefined;
    const { url, headers } = quotaQuery.request(token, this.#base);
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const answer = await fetch(url, { headers, redirect: 'error', signal });
    const body = await answer.text();
    return answer.ok && body.length <= ANSWER_CHARS ? quotaQuery.parse(parseIfJson(body)) : undefined;
  }
}

function isLoopback(base: string): boolean {
  const { hostname } = URL.canParse(base) ? new URL(base) : { hostname: '' };
  return hostname === '127.0.0.1' || hostname === '[::1]';
}
