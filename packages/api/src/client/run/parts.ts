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

export interface RunBeginning {
  runId: string;
  agent: string | undefined;
  mode: string | undefined;
  tags: readonly string[];
  /** It was begun elsewhere: what came up to here is not told again. Undefined: it begins here. */
  after: number | undefined;
  interactive: boolean;
  callbacks: Callbacks;
  signal: AbortSignal | undefined;
  /** Makes or finds the session. The signal: no further tries. */
  open(signal: AbortSignal): Promise<OpenedSession>;
  upload(attachments: readonly Attachment[]): Promise<string[]>;
}
