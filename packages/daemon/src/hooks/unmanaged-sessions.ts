import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { activityFromHooks, type HookRecord } from '../activity/hook-record.ts';
import { type DaemonContext, notifyChange } from '../sessions/daemon-context.ts';
import type { KnownSessions, UnmanagedSession } from './find-session.ts';
import { checkProcess, readHookRecord } from './hook-records.ts';
import { endUnmanaged, isUnmanaged } from './unmanaged.ts';

const CHECK_EVERY_MS = 5000;

/** Follows unmanaged sessions. Their end is reported by a hook, or detected by the exit of their process. */
export class UnmanagedSessions {
  readonly #ctx: DaemonContext;
  readonly #known = new Map<string, UnmanagedSession>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor(ctx: DaemonContext) {
    this.#ctx = ctx;
  }

  get known(): KnownSessions {
    return this.#known;
  }

  /** Continues to follow the sessions of the previous daemon. */
  async start(): Promise<void> {
    for (const session of await this.#ctx.store.listUnfinished())
      if (isUnmanaged(session)) this.note(session, await readHookRecord(this.#ctx, session.id));
    this.#timer = setInterval(() => {
      this.#checking = this.#checking.then(() => this.checkAll());
    }, CHECK_EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
  }

  note(
    { id, agent, agentSessionId, cwd }: Pick<Session, 'id' | 'agent' | 'agentSessionId' | 'cwd'>,
    memory: HookRecord,
  ): void {
    if (memory.state?.value === 'exited' && memory.aliveAt <= memory.state.at) this.#known.delete(id);
    else this.#known.set(id, { agent, agentSessionId, cwd, memory });
  }

  async checkAll(): Promise<void> {
    for (const id of [...this.#known.keys()]) {
      try {
        await this.#ctx.mutex.run(id, () => this.#checkSession(id));
      } catch (error) {
        this.#ctx.log(`${id}: cannot check the session: ${messageOf(error)}`);
      }
    }
  }

  async #checkSession(id: string): Promise<void> {
    const ctx = this.#ctx;
    const session = await ctx.store.getSession(id);
    const memory = this.#known.get(id)?.memory;
    if (!session || !memory || !isUnmanaged(session)) {
      this.#known.delete(id);
      return;
    }
    const process = checkProcess(memory);
    if (process === 'gone') {
      this.#known.delete(id);
      await endUnmanaged(ctx, session);
      return;
    }
    const { activity, since } = activityFromHooks(memory, { now: ctx.now(), isSeen: process === 'lives' });
    if (activity === session.activity) return;
    await ctx.store.updateSession(id, { activity, activitySince: Math.floor(since), updatedAt: ctx.now() });
    notifyChange(ctx);
  }
}
