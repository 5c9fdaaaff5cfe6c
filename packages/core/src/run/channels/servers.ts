import { randomBytes } from 'node:crypto';
import type { SpawnArgs } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import type { HttpServerSpec } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { HANDSHAKE_LIMIT_MS, heardOnStderr, serverLimit } from '../handshake.ts';
import { AgentProcess, type ProcessExit } from '../process.ts';
import { fetchFrom } from './http-fetch.ts';

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
  /** Known once the server has said where it listens. */
  address: Promise<ServerAddress>;
  /** At any time. Resolves when the server is gone, if this was its last user. */
  release(): Promise<void>;
}

interface Server {
  process: AgentProcess;
  password: string;
  url: Promise<string>;
  members: Set<ServerMember>;
  health: NodeJS.Timeout | undefined;
}

/** The servers that the engine has started: one per share key, ended with their last run. */
export class AgentServers {
  readonly #byKey = new Map<string, Server>();
  readonly #startMs: number;

  constructor(handshakeMs: number = HANDSHAKE_LIMIT_MS) {
    this.#startMs = serverLimit(handshakeMs);
  }

  join(
    spec: HttpServerSpec,
    options: ResolvedRunOptions,
    env: NodeJS.ProcessEnv,
    plan: () => SpawnArgs,
    member: ServerMember,
  ): ServerLease {
    const key = `${options.agent}\n${spec.shareKey?.(options) ?? options.runId}`;
    const known = this.#byKey.get(key);
    const server = known && !known.process.exited ? known : this.#start(key, spec, options, env, plan());
    server.members.add(member);
    const address = server.url.then((url) => ({ url, headers: spec.headers?.(options, server.password, env) ?? {} }));
    address.catch(() => {});
    return { address, release: () => this.#release(key, server, member) };
  }

  async close(): Promise<void> {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    await Promise.all(all.map((server) => this.#end(server)));
  }

  #start(
    key: string,
    spec: HttpServerSpec,
    options: ResolvedRunOptions,
    hostEnv: NodeJS.ProcessEnv,
    plan: SpawnArgs,
  ): Server {
    const password = randomBytes(24).toString('base64url');
    const env = spec.passwordEnv ? { ...plan.env, [spec.passwordEnv]: password } : plan.env;
    const members = new Set<ServerMember>();
    let found: (url: string) => void = () => {};
    let failed: (error: Error) => void = () => {};
    const url = new Promise<string>((resolve, reject) => {
      found = resolve;
      failed = reject;
    });
    url.catch(() => {});
    const process = new AgentProcess({ ...plan, env }, options.runId, {
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
            data: { stderr: process.stderrTail },
          }),
        );
        if (this.#byKey.get(key)?.process === process) this.#byKey.delete(key);
        clearInterval(server.health);
        for (const member of [...members]) member.died(exit, process.stderrTail);
      },
    });
    const server: Server = { process, password, url, members, health: undefined };
    process.closeStdin();
    this.#byKey.set(key, server);
    const timer = setTimeout(() => {
      const late = `the server has not said within ${this.#startMs / 1000} s where it listens`;
      const stderr = process.stderrTail;
      failed(new AgentMuxError('TIMEOUT', `${late}; ${heardOnStderr(stderr)}`, { data: { stderr } }));
    }, this.#startMs);
    void url.then(
      (address) => {
        clearTimeout(timer);
        server.health = this.#watch(address, () => spec.headers?.(options, password, hostEnv), spec.healthPath, server);
      },
      () => {
        clearTimeout(timer);
        void process.terminate();
      },
    );
    return server;
  }

  #watch(
    url: string,
    headersOf: () => Record<string, string> | undefined,
    path: string | undefined,
    server: Server,
  ): NodeJS.Timeout | undefined {
    if (!path) return undefined;
    let failures = 0;
    const timer = setInterval(async () => {
      try {
        const answer = await fetchFrom(`${url}${path}`, {
          headers: headersOf(),
          signal: AbortSignal.timeout(HEALTH_EVERY_MS),
        });
        await answer.body?.cancel();
        failures = answer.ok ? 0 : failures + 1;
      } catch {
        failures += 1;
      }
      if (failures >= HEALTH_FAILURES) void server.process.terminate();
    }, HEALTH_EVERY_MS);
    timer.unref();
    return timer;
  }

  async #release(key: string, server: Server, member: ServerMember): Promise<void> {
    if (!server.members.delete(member) || server.members.size > 0) return;
    if (this.#byKey.get(key) === server) this.#byKey.delete(key);
    await this.#end(server);
  }

  async #end(server: Server): Promise<void> {
    clearInterval(server.health);
    await server.process.terminate();
  }
}
