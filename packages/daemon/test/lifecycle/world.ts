import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type DaemonClient, type Message, type Session } from '@agent-mux/api';
import { resolveHookPaths } from '../../src/hooks/report.ts';
import type { HookDelivery, HookPaths } from '../../src/hooks/spool.ts';
import { isKeeperAlive, readRecord } from '../../src/keeper/record.ts';
import type { Machine } from '../daemons.ts';
import { commandsIn } from './hints.ts';
import type { Kind } from './kinds.ts';

/** What an agent does with a message. */
export const VERBS = ['quick', 'hold', 'ask', 'fail'] as const;
export type Verb = (typeof VERBS)[number];

/** A line of the record that agents write; the oracle of the test. */
export interface Received {
  message: string;
  verb: Verb;
  conversation: string;
  /** Messages of that conversation before this one. */
  history: readonly string[];
  pid: number;
}

interface Sent {
  id: string;
  verb: Verb;
  /** Number of cuts of the session when it was acknowledged. */
  cuts: number;
}

/** A session, and what the daemon has acknowledged for it. */
export interface Slot {
  id: string;
  kind: Kind;
  parent: Slot | null;
  /** Minimum number of inherited messages of its parent. */
  inherits: number;
  /** Acknowledged, in order. */
  sent: Sent[];
  refused: Set<string>;
  /** Stops, interrupts and killed keepers: a message in flight may be lost by one. */
  cuts: number;
  isEnded: boolean;
  /** Something happened that may end the session. */
  mayEnd: boolean;
  /** Another process reported that it runs the session. */
  mayMove: boolean;
}

export class Violation extends Error {}

/** Observed commands, activities and refusals. The test fails if a required one is missing. */
export class Coverage {
  readonly seen = new Map<string, number>();

  add(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  missing(required: readonly string[]): string[] {
    return required.filter((what) => !this.seen.has(what));
  }

  toString(): string {
    return [...this.seen]
      .map(([what, times]) => `${what} ${times}`)
      .sort()
      .join('\n');
  }
}

/** One daemon for several worlds. No calls are made while it restarts. */
export class SharedDaemon {
  readonly machine: Machine;
  #asking = 0;
  #restart: Promise<void> | undefined;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  async ask<Value>(work: (client: DaemonClient) => Promise<Value>): Promise<Value> {
    while (this.#restart) await this.#restart;
    this.#asking += 1;
    try {
      return await work(this.machine.client);
    } finally {
      this.#asking -= 1;
    }
  }

  async killAndStart(): Promise<void> {
    while (this.#restart) await this.#restart;
    this.#restart = this.#killAndStart().finally(() => {
      this.#restart = undefined;
    });
    await this.#restart;
  }

  async #killAndStart(): Promise<void> {
    while (this.#asking > 0) await sleep(5);
    await this.machine.kill();
    await this.machine.start();
  }
}

type Outcome<Value> = { ok: true; value: Value } | { ok: false; error: ApiError };

/** One daemon with sessions of one kind of agent, and a trace of all calls. */
export class World {
  readonly daemon: SharedDaemon;
  readonly machine: Machine;
  readonly kind: Kind;
  readonly coverage: Coverage;
  readonly slots: Slot[] = [];
  readonly trace: string[] = [];
  readonly deliveries: HookDelivery[] = [];
  readonly #folder: string;
  readonly #paths: HookPaths;
  static #messages = 0;

  constructor(daemon: SharedDaemon, kind: Kind, coverage: Coverage) {
    const { machine } = daemon;
    this.daemon = daemon;
    this.machine = machine;
    this.kind = kind;
    this.coverage = coverage;
    this.#folder = join(machine.env.HOME ?? '', '.lifecycle');
    this.#paths = resolveHookPaths(machine.env);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** A refusal is a valid outcome; a failure or a timeout of the daemon is not. */
  async call<Value>(what: string, work: (client: DaemonClient) => Promise<Value>): Promise<Outcome<Value>> {
    try {
      const value = await this.daemon.ask(work);
      this.trace.push(`${what}: ok`);
      this.coverage.add(`${what.split(' ')[0]}: ok`);
      return { ok: true, value };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.trace.push(`${what}: ${error.problem}: ${error.message} (${error.hint ?? 'no hint'})`);
      this.coverage.add(`${what.split(' ')[0]}: ${error.problem}`);
      if (error.status === undefined || error.status >= 500) this.fail(`${what} failed: ${error.message}`);
      return { ok: false, error };
    }
  }

  fail(why: string): never {
    const log = this.machine.log().split('\n').slice(-25).join('\n');
    throw new Violation(`${this.kind.agent}: ${why}\n\ncalls:\n${this.trace.join('\n')}\n\ndaemon:\n${log}`);
  }

  async create(verb: Verb): Promise<void> {
    const message = this.nextMessage(verb);
    const { agent } = this.kind;
    const options = { agent, cwd: this.machine.work, prompt: message.text, messageId: message.id };
    const created = await this.call(`new ${message.text}`, (client) => client.sessions.create(options));
    if (!created.ok) return this.fail('a new session was refused');
    this.noteSent(this.addSlot(created.value), message, verb);
  }

  addSlot(session: Session, parent: Slot | null = null, inherits = 0): Slot {
    const rest = { cuts: 0, isEnded: false, mayEnd: false, mayMove: false, sent: [], refused: new Set<string>() };
    const slot: Slot = { id: session.id, kind: this.kind, parent, inherits, ...rest };
    this.slots.push(slot);
    return slot;
  }

  nextMessage(verb: Verb): { id: string; text: string } {
    World.#messages += 1;
    const id = `m${World.#messages}`;
    return { id, text: `${id} ${verb}` };
  }

  noteSent(slot: Slot, { id }: { id: string }, verb: Verb): void {
    slot.sent.push({ id, verb, cuts: slot.cuts });
  }

  /** What the agents received for this session, in order. */
  received({ sent, refused }: Slot): Received[] {
    const path = join(this.#folder, 'record.jsonl');
    if (!existsSync(path)) return [];
    const ids = new Set([...sent.map(({ id }) => id), ...refused]);
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line): Received => JSON.parse(line)).filter(({ message }) => ids.has(message));
  }

  release({ sent }: Slot): void {
    for (const { id, verb } of sent) if (verb === 'hold') writeFileSync(this.#releasePath(id), '');
  }

  isReleased(messageId: string): boolean {
    return existsSync(this.#releasePath(messageId));
  }

  #releasePath(messageId: string): string {
    return join(this.#folder, `release-${messageId}`);
  }

  keeperPid({ id }: Slot): number | undefined {
    const record = readRecord(join(this.machine.paths.sessions, id));
    return record && isKeeperAlive(record) ? record.pid : undefined;
  }

  /** Writes a delivery to the spool, as the reporter does; may repeat an earlier one. */
  deliver(delivery: HookDelivery): void {
    this.deliveries.push(delivery);
    const name = `${delivery.id}-${this.deliveries.length}.json`;
    const { spool, unfinished } = this.#paths;
    for (const folder of [spool, unfinished]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(unfinished, name), JSON.stringify(delivery), { mode: 0o600 });
    renameSync(join(unfinished, name), join(spool, name));
  }

  get isSpoolEmpty(): boolean {
    return !existsSync(this.#paths.spool) || readdirSync(this.#paths.spool).length === 0;
  }

  /** Checks that no session ends, or is revived, without a reason. */
  async observe(): Promise<void> {
    for (const slot of this.slots) this.check(slot, await this.row(slot));
  }

  messages({ id }: Slot): Promise<readonly Message[]> {
    return this.daemon.ask((client) => client.sessions.messages(id));
  }

  async row(slot: Slot): Promise<Session> {
    const row = await this.daemon
      .ask((client) => client.sessions.get(slot.id))
      .catch((error: unknown) => this.fail(`${slot.id}: ${error}`));
    const where = row.origin === 'daemon' ? '' : `${row.origin} `;
    this.coverage.add(`state: ${where}${row.isTerminated ? 'ended' : row.parked ? 'parked' : row.activity}`);
    return row;
  }

  check(slot: Slot, row: Session): void {
    const { isTerminated, origin, activity } = row;
    if (isTerminated !== (activity === 'exited')) this.fail(`${slot.id} is ${activity}, isTerminated ${isTerminated}`);
    if (slot.isEnded && !isTerminated && !(slot.mayMove && origin !== 'daemon'))
      this.fail(`${slot.id} had ended and was not restored, but is ${activity}`);
    const canContinue = slot.kind.hasId || slot.kind.isJob;
    if (isTerminated && canContinue && !slot.mayEnd)
      this.fail(`${slot.id} has ended without a reason: ${JSON.stringify(row.error)}`);
    slot.isEnded = isTerminated;
  }

  /** Runs what the hint recommends. Returns true if it recommended a command that was accepted. */
  async followHint(slot: Slot, source: string, hint: string | undefined): Promise<boolean> {
    const commands = commandsIn(hint ?? '');
    for (const command of commands) {
      this.coverage.add(`hint: ${command.verb}`);
      const outcome = await command.run(this, slot);
      if (!outcome.ok)
        this.fail(`${source} recommends "${hint}", but ${command.verb} is refused: ${outcome.error.message}`);
    }
    return commands.length > 0;
  }

  async restore(slot: Slot): Promise<Outcome<Session>> {
    const outcome = await this.call(`restore ${slot.id}`, (client) => client.sessions.restore(slot.id));
    if (outcome.ok) slot.isEnded = false;
    return outcome;
  }

  async stop(slot: Slot): Promise<Outcome<Session>> {
    slot.cuts += 1;
    slot.mayEnd = true;
    const outcome = await this.call(`stop ${slot.id}`, (client) => client.sessions.stop(slot.id));
    if (outcome.ok && !outcome.value.isTerminated) this.fail(`${slot.id} was stopped and has not ended`);
    return outcome;
  }

  async send(slot: Slot, verb: Verb): Promise<Outcome<Message>> {
    const message = this.nextMessage(verb);
    const outcome = await this.call(`send ${slot.id} ${message.text}`, (client) =>
      client.sessions.send(slot.id, { ...message }),
    );
    if (outcome.ok) this.noteSent(slot, message, verb);
    else slot.refused.add(message.id);
    return outcome;
  }

  async answerAll(slot: Slot, decision: 'allow' | 'deny'): Promise<void> {
    const { requests } = await this.daemon.ask((client) => client.inbox());
    for (const { id, sessionId } of requests)
      if (sessionId === slot.id)
        await this.call(`answer ${slot.id} ${decision}`, (client) => client.requests.answer(id, { decision }));
  }

  async removeSlot(slot: Slot): Promise<void> {
    slot.cuts += 1;
    slot.mayEnd = true;
    const outcome = await this.call(`rm ${slot.id}`, (client) => client.sessions.remove(slot.id));
    if (!outcome.ok) {
      if (await this.followHint(slot, 'rm', outcome.error.hint)) return this.removeSlot(slot);
      this.fail(`rm ${slot.id} was refused: ${outcome.error.message}`);
    }
    this.slots.splice(this.slots.indexOf(slot), 1);
    const left = () => [
      ...(existsSync(join(this.machine.paths.sessions, slot.id)) ? ['its folder'] : []),
      ...this.agentPids(slot.id, 9),
    ];
    for (let tries = 0; left().length > 0; tries++) {
      if (tries > 200) this.fail(`${slot.id} was removed, but left ${left().join(', ')}`);
      await sleep(50);
    }
  }

  agentPids(id: string, launches: number): number[] {
    const numbers = Array.from({ length: launches }, (_, index) => index + 1);
    return numbers.flatMap((launch) => this.machine.agentsOf({ id, launch }));
  }
}
