import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Session } from '@agent-mux/api';
import type { PolicyStore } from '@agent-mux/core';
import type { Projector } from '../activity/project.ts';
import type { Governor } from '../limits/governor.ts';
import type { DaemonPaths } from '../paths.ts';
import type { DaemonSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { Committer } from './committer.ts';
import type { KeeperLink } from './keeper-link.ts';
import type { Retries } from './keepers/retries.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import type { KeyedSignal } from './keyed-signal.ts';

/** A session held by a keeper. */
export interface LiveSession {
  id: string;
  agent: string;
  /** Undefined while connecting. */
  link: KeeperLink | undefined;
  /** From the row when the session became live. */
  account: string | null;
  launch: number;
  projector: Projector;
  /** Sequence number of the last stored event. */
  lastSeq: number;
  /** Id of a message sent to the keeper whose event has not arrived yet. */
  inFlight: string | null;
  /** The session was asked to end: new messages wait for the next launch. */
  ending: 'park' | 'stop' | null;
  /** Set while the keeper cannot write. */
  storageError: string | null;
  /** Monotonic time of the last received event. */
  quietSince: number;
}

/** Values of environment variables, which are used but never stored. */
interface Environment {
  env: Readonly<Record<string, string>>;
  hostEnv: Readonly<Record<string, string>> | undefined;
}

/** Shared dependencies and state of the session manager. */
export interface DaemonContext {
  store: Store;
  paths: DaemonPaths;
  settings: DaemonSettings;
  committer: Committer;
  /** Serializes changes of one session. */
  mutex: KeyedMutex;
  signals: KeyedSignal;
  live: Map<string, LiveSession>;
  /** By process. */
  keepers: Map<string, KeeperLink>;
  /** Connections being opened. */
  connecting: Map<string, Promise<KeeperLink>>;
  /** Retries for live keepers that do not answer. */
  retries: Retries;
  environments: Map<string, Environment>;
  /** Rules and remembered answers that decide before a person is asked. */
  policy: PolicyStore;
  /** Sessions whose next message waits for a free slot. */
  waitingForSlot: Set<string>;
  /** Consulted before anything is sent. */
  governor: Governor;
  /** The daemon's environment, used for variables that the client did not send. */
  env: NodeJS.ProcessEnv;
  /** Agents as configured in a folder. */
  clientFor(session: Pick<Session, 'id' | 'cwd' | 'trustProject'>): ConfiguredClient;
  now(): number;
  log(line: string): void;
  /** Re-evaluates the session's queue; call after anything that may unblock it. */
  scheduleDelivery(id: string): void;
  /** Called when the connection to a keeper is lost. */
  onKeeperLost(link: KeeperLink): void;
  /** True once the daemon is shutting down: nothing is launched any more. */
  isClosing(): boolean;
}

/** The run has ended, but its keeper has not released the folder yet: nothing can be sent or launched. */
export function isOver({ projector }: Pick<LiveSession, 'projector'>): boolean {
  return projector.state.parked || projector.state.isTerminated;
}

export const ANY_CHANGE = '*';

/** Notifies waiters that a message, a request or the session itself changed without an event. */
export function notifyChange(ctx: DaemonContext): void {
  ctx.signals.notify(ANY_CHANGE);
}
