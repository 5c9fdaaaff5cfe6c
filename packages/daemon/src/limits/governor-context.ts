import type { Session } from '@agent-mux/api';
import type { AgentAdapter } from '@agent-mux/core';
import type { DaemonSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';

/** Dependencies of the governor. */
export interface GovernorContext {
  store: Store;
  settings: Pick<DaemonSettings, 'continuation' | 'budgets' | 'onLimit' | 'queryClaudeUsage'>;
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
  /** Serializes changes of one session. */
  mutex: { run<Result>(key: string, work: () => Promise<Result>): Promise<Result> };
  /** Re-evaluates the session's queue; call after anything that may unblock it. */
  scheduleDelivery(id: string): void;
  /** Call after a row changed without an event. */
  notify(): void;
  adapterOf(session: Pick<Session, 'id' | 'agent' | 'cwd' | 'trustProject'>): AgentAdapter | undefined;
  /** The environment that the agent would be started in. */
  environmentOf(session: Session): Readonly<Record<string, string | undefined>>;
}
