import { randomBytes } from 'node:crypto';
import { AgentMuxError } from '../../contract/errors.ts';
import type { HttpServerSpec } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { durationInWords } from '../../duration.ts';
import { quoteStderr } from '../../process/command.ts';
import type { ProcessExit } from '../../process/process.ts';
import { HANDSHAKE_LIMIT_MS, serverLimit } from './handshake.ts';
import { fetchFrom } from './http-fetch.ts';
import { DEFAULT_IDLE_MS, type KeptLaunch, KeptProcess } from './kept-process.ts';

/** How often a started server is asked whether it lives, and how many unanswered questions make it dead. */
const HEALTH_EVERY_MS = 15_000;
const HEALTH_FAILURES = 4;

export interface ServerMember {
  stderr(lines: string[], bytes: number): void;
  died(exit: ProcessExit, stderr: string): void;
}

export interface ServerAddress {
  url: string;
  headers: Record<string, string>;
}

export interface ServerLease {
  /** It was there before. */
  used: boolean;
  /** Known once the server has said where it listens. */
  address: Promise<ServerAddress>;
  /** It does not answer any more: nobody else is sent to it. */
  giveUp(): void;
  /** At any time. Resolves when the server is gone, if nobody else could use it. */
  release(): Promise<void>;
}

/** How a server is started, and by which other runs it may be used: those with the same `sharedBy`; undefined: by none. */
export interface ServerLaunch {
  launch: KeptLaunch;
  sharedBy: string | undefined;
}

export interface ServerRequest extends ServerLaunch {
  spec: HttpServerSpec;
  options: ResolvedRunOptions;
  env: NodeJS.ProcessEnv;
}

interface Server {
  kept: KeptProcess;
  password: string;
  url: Promise<string>;
  members: Set<ServerMember>;
  health: NodeJS.Timeout | undefined;
}

/** The servers that the engine has started: one per share key, kept between the runs of a client. */
export class AgentServers {
  readonly #byKey = new Map<string, Server>();
  /** Also those that are leaving. */
  readonly #all = new Set<KeptProcess>();
  readonly #idleMs: number;
  readonly #startMs: number;

  constructor(idleMs: number = DEFAULT_IDLE_MS, handshakeMs: number = HANDSHAKE_LIMIT_MS) {
    this.#idleMs = idleMs;
    this.#startMs = serverLimit(handshakeMs);
  }

  join(request: ServerRequest, member: ServerMember): ServerLease {
    const { spec, options, env, launch, sharedBy } = request;
    const key = sharedBy ?? `of one run\n${options.runId}`;
    const known = this.#byKey.get(key);
    const serves = known?.kept.serves(launch.config()) === true;
    if (known && !serves) {
      this.#forget(key, known);
      void known.kept.end();
    }
    const server = known && serves ? known : this.#start(key, request);
    server.members.add(member);
    server.kept.use();
    const address = server.url.then((url) => ({ url, headers: spec.headers?.(options, server.password, env) ?? {} }));
    address.catch(() => {});
    const idleMs = sharedBy === undefined ? 0 : this.#idleMs;
    return {
      used: serves,
      address,
      giveUp: () => this.#forget(key, server),
      release: async () => {
        if (!server.members.delete(member) || server.members.size > 0) return;
        await this.#rest(key, server, { idleMs, launch });
      },
    };
  }

  async close(): Promise<void> {
    for (const [key, server] of this.#byKey) this.#forget(key, server);
    await Promise.all([...this.#all].map((kept) => kept.end()));
  }

  #start(key: string, { spec, options, env, launch, sharedBy }: ServerRequest): Server {
    const ofRun = sharedBy === undefined ? options.runId : undefined;
    const password = randomBytes(24).toString('base64url');
    const withPassword = (scratchDir: string) => {
      const plan = launch.plan(scratchDir);
      return spec.passwordEnv ? { ...plan, env: { ...plan.env, [spec.passwordEnv]: password } } : plan;
    };
    const members = new Set<ServerMember>();
    let found: (url: string) => void = () => {};
    let failed: (error: Error) => void = () => {};
    const url = new Promise<string>((resolve, reject) => {
      found = resolve;
      failed = reject;
    });
    url.catch(() => {});
    const kept = new KeptProcess(
      { plan: withPassword },
      { leavesAtEof: false, runId: ofRun },
      {
        lines: (source, lines, bytes) => {
          if (source === 'stdout') {
            const address = lines.map((line) => spec.readUrl?.(line)).find((line) => line !== undefined);
            if (address) found(address.replace(/\/$/, ''));
          } else for (const member of members) member.stderr(lines, bytes);
        },
        lineCut: () => {},
        closed: (exit) => {
          const why = exit.spawnError?.message ?? `it ended with ${exit.signal ?? `code ${exit.code}`}`;
          failed(
            new AgentMuxError('SPAWN_ERROR', `the server did not start: ${why}`, {
              data: { stderr: kept.process.stderrTail },
            }),
          );
          this.#forget(key, server);
          for (const member of [...members]) member.died(exit, kept.process.stderrTail);
        },
      },
    );
    const server: Server = { kept, password, url, members, health: undefined };
    this.#all.add(kept);
    void kept.gone.then(() => this.#all.delete(kept));
    kept.process.closeStdin();
    this.#byKey.set(key, server);
    const timer = setTimeout(() => {
      const late = `the server has not said within ${durationInWords(this.#startMs)} where it listens`;
      const stderr = kept.process.stderrTail;
      failed(new AgentMuxError('TIMEOUT', `${late}; ${quoteStderr(stderr)}`, { data: { stderr } }));
    }, this.#startMs).unref();
    void url.then(
      (address) => {
        clearTimeout(timer);
        const headers = () => spec.headers?.(options, password, env);
        if (spec.healthPath)
          server.health = watchHealth(`${address}${spec.healthPath}`, headers, () => void kept.end());
      },
      () => {
        clearTimeout(timer);
        this.#forget(key, server);
        void kept.end();
      },
    );
    return server;
  }

  /** Nobody uses it: it waits for the next run, or goes. */
  async #rest(key: string, server: Server, { idleMs, launch }: { idleMs: number; launch: KeptLaunch }): Promise<void> {
    const { kept } = server;
    if (idleMs > 0 && this.#byKey.get(key) === server && kept.process.living) {
      kept.rest(idleMs, launch.config(), () => this.#forget(key, server));
      return;
    }
    this.#forget(key, server);
    await kept.end();
  }

  #forget(key: string, server: Server): void {
    clearInterval(server.health);
    if (this.#byKey.get(key) === server) this.#byKey.delete(key);
  }
}

/** Calls `giveUp` when too many questions in a row were not answered well. */
function watchHealth(
  url: string,
  headersOf: () => Record<string, string> | undefined,
  giveUp: () => void,
): NodeJS.Timeout {
  let failures = 0;
  const timer = setInterval(async () => {
    try {
      const answer = await fetchFrom(url, { headers: headersOf(), signal: AbortSignal.timeout(HEALTH_EVERY_MS) });
      await answer.body?.cancel();
      failures = answer.ok ? 0 : failures + 1;
    } catch {
      failures += 1;
    }
    if (failures >= HEALTH_FAILURES) giveUp();
  }, HEALTH_EVERY_MS);
  return timer.unref();
}
