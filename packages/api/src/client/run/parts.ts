import type { Attachment } from '@agent-mux/core';
import type { Session } from '../../schemas/session.ts';
import type { DaemonClient } from '../daemon-client.ts';
import type { Callbacks } from './open-requests.ts';

export interface RunHost {
  client: DaemonClient;
  patienceMs: number | undefined;
  /** Aborted when the client is closed. */
  closed: AbortSignal;
}

export interface OpenedSession {
  session: Session;
  /** The seq of the last event before the run. */
  from: number;
}

export interface RunStart {
  runId: string;
  agent: string | undefined;
  mode: string | undefined;
  tags: readonly string[];
  /** Attached runs: events up to this seq are not emitted again. Undefined for a new run. */
  after: number | undefined;
  interactive: boolean;
  callbacks: Callbacks;
  signal: AbortSignal | undefined;
  /** Creates or finds the session. The signal stops retries. */
  open(signal: AbortSignal): Promise<OpenedSession>;
  upload(attachments: readonly Attachment[]): Promise<string[]>;
}
