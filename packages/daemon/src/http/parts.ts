import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Ready } from '@agent-mux/api/schemas';
import type { PolicyStore } from '@agent-mux/core';
import type { NotificationService } from '../notify/notifier.ts';
import type { DaemonPaths } from '../paths.ts';
import type { ScheduleService } from '../schedules/schedules.ts';
import type { SessionService } from '../service.ts';
import type { SettingsService } from '../settings/open-settings.ts';
import type { Store } from '../store/store.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import type { ApiLimits } from './limits.ts';

/** Dependencies of the API. */
export interface ApiParts {
  service: SessionService;
  schedules: ScheduleService;
  notifications: NotificationService;
  store: Store;
  paths: Pick<DaemonPaths, 'root' | 'files' | 'blobs' | 'sessions' | 'scratch' | 'loginPages'>;
  /** Access to agents, models, logins and stored sessions. */
  client: Pick<ConfiguredClient, 'adapters' | 'auth' | 'models' | 'sessions' | 'planInstall' | 'install' | 'update'>;
  /** The policy rules; `env` locates the user's configuration file. */
  policy: { book: PolicyStore; env: NodeJS.ProcessEnv };
  /** Settings of the daemon. */
  settings: SettingsService;
  /** The token of programs, as in the token file. */
  auth: { token: string };
  clock: () => number;
  log: (message: string, detail?: unknown) => void;
  limits?: Partial<ApiLimits>;
  version: string;
  /** The web app, if it was built. */
  dashboard?: Dashboard;
  /** Whether the store is open and all keepers are adopted. Default: ready. */
  readiness?: () => Ready;
  /** Called after the response to a shutdown request is sent. */
  shutdown: () => void;
}
