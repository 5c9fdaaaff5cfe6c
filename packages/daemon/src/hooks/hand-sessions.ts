import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { activityBy, type HookMemory } from '../activity/hook-memory.ts';
import { type Desk, tellChange } from '../sessions/desk.ts';
import { endByHand, isByHand } from './by-hand.ts';
import type { ByHand, Known } from './find-session.ts';
import { lookAtProcess, readMemory } from './hook-records.ts';

const LOOK_EVERY_MS = 5000;

/** Sessions that live in terminals. Their end is told by a hook, or seen by the end of their process. */
export class HandSessions {
  readonly #desk: Desk;
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  get known(): ByHand {
    return this.#known;
  }

  /** Takes up what a daemon before this one has followed. */
  async start(): Promise<void> {
    for (const session of await this.#desk.store.listUnfinished())
      if (isByHand(session)) this.note(session, await readMemory(this.#desk, session.id));
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.look());
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  note({ id, agent, nativeId, cwd }: Pick<Session, 'id' | 'agent' | 'nativeId' | 'cwd'>, memory: HookMemory): void {
    if (memory.state?.value === 'exited' && memory.aliveAt <= memory.state.at) this.#known.delete(id);
    else this.#known.set(id, { agent, nativeId, cwd, memory });
  }

  async look(): Promise<void> {
    for (const id of [...this.#known.keys()]) {
      try {
        await this.#desk.serial.run(id, () => this.#lookAt(id));
      } catch (error) {
        this.#desk.log(`${id}: cannot be looked at: ${messageOf(error)}`);
      }
    }
  }

  async #lookAt(id: string): Promise<void> {
    const desk = this.#desk;
    const session = await desk.store.getSession(id);
    const memory = this.#known.get(id)?.memory;
    if (!session || !memory || !isByHand(session)) {
      this.#known.delete(id);
      return;
    }
    const process = lookAtProcess(memory);
    if (process === 'gone') {
      this.#known.delete(id);
      await endByHand(desk, session);
      return;
    }
    const { activity, since } = activityBy(memory, { now: desk.now(), isSeen: process === 'lives' });
    if (activity === session.activity) return;
    await desk.store.updateSession(id, { activity, activitySince: Math.floor(since), updatedAt: desk.now() });
    tellChange(desk);
  }
}
