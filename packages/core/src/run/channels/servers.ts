import { randomBytes } from 'node:crypto';
import { AgentMuxError } from '../../contract/errors.ts';
import type { HttpServerSpec } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { formatDuration } from '../../duration.ts';
import { quoteStderr } from '../../process/command.ts';
import type { ProcessExit } from '../../process/process.ts';
import { HANDSHAKE_LIMIT_MS, serverLimit } from './handshake.ts';
import { fetchFrom } from './http-fetch.ts';
import { DEFAULT_IDLE_MS, type PooledLaunch, PooledProcess } from './pooled-process.ts';

/** Interval of health checks of a started server, and how many failed checks in a row mean that it is dead. */
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
  /** It already existed. */
  used: boolean;
  /** Resolves once the server has printed its address. */
  address: Promise<ServerAddress>;
  /** The server no longer answers: no other run is sent to it. */
  giveUp(): void;
  /** May be called at any time. Resolves when the server is gone, if no other run can use it. */
  release(): Promise<void>;
}

/** How to start a server, and which other runs may use it: those with the same `sharedBy`; none if undefined. */
export interface ServerLaunch {
  launch: PooledLaunch;
  sharedBy: string | undefined;
}

export interface ServerRequest extends ServerLaunch {
  spec: HttpServerSpec;
  options: ResolvedRunOptions;
  env: NodeJS.ProcessEnv;
}

interface Server {
  pooled: PooledProcess;
  password: string;
  url: Promise<string>;
  members: Set<ServerMember>;
  health: NodeJS.Timeout | undefined;
}

/** The servers started by the engine: one per share key, pooled between the runs of a client. */
export class AgentServers {
  readonly #byKey = new Map<string, Server>();
  /** Includes those that are exiting. */
  readonly #all = new Set<PooledProcess>();
  readonly #idleMs: number;
  readonly #startMs: number;

  constructor(idleMs: number = DEFAULT_IDLE_MS, handshakeMs: number = HANDSHAKE_LIMIT_MS) {
    this.#idleMs = idleMs;
    this.#startMs = serverLimit(handshakeMs);
  }

  join(request: ServerRequest, member: ServerMember): ServerLease {
    const { spec, options, env, launch, sharedBy } = request;
    const key = sharedBy ?? `single run\n${options.runId}`;
    const known = this.#byKey.get(key);
    const serves = known?.pooled.serves(launch.config()) === true;
    if (known && !serves) {
      this.#forget(key, known);
      void known.pooled.end();
    }
    const server = known && serves ? known : this.#start(key, request);
    server.members.add(member);
    server.pooled.use();
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
    await Promise.all([...this.#all].map((pooled) => pooled.end()));
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
    const pooled = new PooledProcess(
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
              data: { stderr: pooled.process.stderrTail },
            }),
          );
          this.#forget(key, server);
          for (const member of [...members]) member.died(exit, pooled.process.stderrTail);
        },
      },
    );
    const server: Server = { pooled, password, url, members, health: undefined };
    this.#all.add(pooled);
    void pooled.gone.then(() => this.#all.delete(pooled));
    pooled.process.closeStdin();
    this.#byKey.set(key, server);
    const timer = setTimeout(() => {
      const late = `the server did not print its address within ${formatDuration(this.#startMs)}`;
      const stderr = pooled.process.stderrTail;
      failed(new AgentMuxError('TIMEOUT', `${late}; ${quoteStderr(stderr)}`, { data: { stderr } }));
    }, this.#startMs).unref();
    void url.then(
      (address) => {
        clearTimeout(timer);
        const headers = () => spec.headers?.(options, password, env);
        if (spec.healthPath)
          server.health = watchHealth(`${address}${spec.healthPath}`, headers, () => void pooled.end());
      },
      () => {
        clearTimeout(timer);
        this.#forget(key, server);
        void pooled.end();
      },
    );
    return server;
  }

  /** No run uses the server: pools it for the next run, or ends it. */
  async #rest(
    key: string,
    server: Server,
    { idleMs, launch }: { idleMs: number; launch: PooledLaunch },
  ): Promise<void> {
    const { pooled } = server;
    if (idleMs > 0 && this.#byKey.get(key) === server && pooled.process.living) {
      pooled.rest(idleMs, launch.config(), () => this.#forget(key, server));
      return;
    }
    this.#forget(key, server);
    await pooled.end();
  }

  #forget(key: string, server: Server): void {
    clearInterval(server.health);
    if (this.#byKey.get(key) === server) this.#byKey.delete(key);
  }
}

/** Calls `giveUp` after too many failed checks in a row. */
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
