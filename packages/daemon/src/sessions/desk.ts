import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Session } from '@agent-mux/api';
import type { PolicyBook } from '@agent-mux/core';
import type { Projector } from '../activity/project.ts';
import type { Governor } from '../limits/governor.ts';
import type { Places } from '../places.ts';
import type { DaemonSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { Committer } from './committer.ts';
import type { KeeperLink } from './keeper-link.ts';
import type { Retries } from './keepers/retries.ts';
import type { Serial } from './serial.ts';
import type { Wakers } from './wakers.ts';

/** A session that a keeper holds. */
export interface LiveSession {
  id: string;
  agent: string;
  /** Undefined: it is about to be connected. */
  link: KeeperLink | undefined;
  /** As its row had it when it was taken up. */
  account: string | null;
  launch: number;
  projector: Projector;
  /** Of the last event that is in the store. */
  lastSeq: number;
  /** A message that was handed to the keeper, until its event has come. */
  inFlight: string | null;
  /** It was told to end: what is sent now waits for the next launch. */
  ending: 'park' | 'stop' | null;
  /** Its keeper cannot write at the moment. */
  trouble: string | null;
  /** By the clock that never jumps: since when nothing has come. */
  quietSince: number;
}

/** Values of variables, which are used and never written down. */
interface Environment {
  env: Readonly<Record<string, string>>;
  hostEnv: Readonly<Record<string, string>> | undefined;
}

/** What everybody in this room works with. */
export interface Desk {
  store: Store;
  places: Places;
  settings: DaemonSettings;
  committer: Committer;
  /** One change at a time for each session. */
  serial: Serial;
  wakers: Wakers;
  live: Map<string, LiveSession>;
  /** By their processes. */
  keepers: Map<string, KeeperLink>;
  /** Those that are being connected to. */
  connecting: Map<string, Promise<KeeperLink>>;
  /** Attempts to reach keepers that live and do not answer. */
  retries: Retries;
  environments: Map<string, Environment>;
  /** The rules that decide before a person is asked, and what was remembered. */
  policy: PolicyBook;
  /** Sessions whose next message waits until another one has made room. */
  waitingForRoom: Set<string>;
  /** Is asked before anything is sent. */
  governor: Governor;
  /** The daemon's own environment, for what nobody has given. */
  env: NodeJS.ProcessEnv;
  /** What is known of agents, as seen from a folder. */
  clientFor(session: Pick<Session, 'id' | 'cwd' | 'trustProject'>): ConfiguredClient;
  now(): number;
  log(line: string): void;
  /** Whatever waits for this session may be possible now. */
  kick(id: string): void;
  /** The connection to a keeper is lost. */
  keeperGone(link: KeeperLink): void;
  /** True from the moment that the daemon is told to end: nothing is launched any more. */
  isClosing(): boolean;
}

/** Its run has ended, and its keeper has not yet freed its folder: nothing can be sent to it, and nothing launched. */
export function isOver({ projector }: Pick<LiveSession, 'projector'>): boolean {
  return projector.state.parked || projector.state.isTerminated;
}

export const ANY_CHANGE = '*';

/** A message, a request or the session itself has changed without an event. */
export function tellChange(desk: Desk): void {
  desk.wakers.wake(ANY_CHANGE);
}
