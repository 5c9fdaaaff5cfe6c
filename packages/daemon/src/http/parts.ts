import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Ready } from '@agent-mux/api/schemas';
import type { PolicyBook } from '@agent-mux/core';
import type { NotificationService } from '../notify/notifier.ts';
import type { Places } from '../places.ts';
import type { ScheduleService } from '../schedules/schedules.ts';
import type { SessionService } from '../service.ts';
import type { SettingsService } from '../settings/open-settings.ts';
import type { Store } from '../store/store.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import type { ApiLimits } from './limits.ts';

/** What the API stands on. */
export interface ApiParts {
  service: SessionService;
  schedules: ScheduleService;
  notifications: NotificationService;
  store: Store;
  places: Pick<Places, 'root' | 'files' | 'blobs' | 'sessions' | 'scratch' | 'loginPages'>;
  /** For agents, models, logins and stored sessions. */
  client: Pick<ConfiguredClient, 'adapters' | 'auth' | 'models' | 'sessions' | 'planInstall' | 'install' | 'update'>;
  /** The rules; `env` says where the user's configuration file is. */
  policy: { book: PolicyBook; env: NodeJS.ProcessEnv };
  /** How the daemon is set up. */
  settings: SettingsService;
  /** What programs show; the content of the token file. */
  auth: { token: string };
  clock: () => number;
  log: (message: string, detail?: unknown) => void;
  limits?: Partial<ApiLimits>;
  version: string;
  /** The web app; absent where it was not built. */
  dashboard?: Dashboard;
  /** Whether the store is open and all keepers were found again. Default: it is. */
  readiness?: () => Ready;
  /** Called after a shutdown was answered. */
  shutDown: () => void;
}
