import { mkdir } from 'node:fs/promises';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { withFileLock } from '@agent-mux/core';
import { serveApi } from './http/serve-api.ts';
import { openLog } from './log.ts';
import { findPlaces } from './places.ts';
import { openSessions } from './sessions/sessions.ts';
import { type DaemonSettings, DEFAULT_SETTINGS } from './settings.ts';
import { forgetDaemon, readDaemonRecord, writeDaemonRecord } from './start/daemon-record.ts';
import { ensureToken } from './start/token.ts';
import { openStore } from './store/sqlite/open-store.ts';

export interface DaemonOptions {
  env?: NodeJS.ProcessEnv;
  settings?: Partial<DaemonSettings>;
  version: string;
  /** Ends it; keepers go on, unless `endSessions`. */
  signal: AbortSignal;
  endSessions?: boolean;
  onReady?(at: { url: string; pid: number }): void | Promise<void>;
}
