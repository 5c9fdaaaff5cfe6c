import type { Route } from './route.ts';
import { DAEMON_ROUTES } from './routes/daemon-routes.ts';
import { JOB_ROUTES } from './routes/job-routes.ts';
import { LIMIT_ROUTES } from './routes/limit-routes.ts';
import { NOTIFICATION_ROUTES } from './routes/notification-routes.ts';
import { POLICY_ROUTES } from './routes/policy-routes.ts';
import { SCHEDULE_ROUTES } from './routes/schedule-routes.ts';
import { SESSION_ROUTES } from './routes/session-routes.ts';
import { TERMINAL_ROUTES } from './routes/terminal-routes.ts';
import { WORKSPACE_ROUTES } from './routes/workspace-routes.ts';
import { WORKTREE_ROUTES } from './routes/worktree-routes.ts';

/** Every route of the daemon, by operation id. Apart from a few pages for browsers, nothing else is served. */
export const ROUTES = {
  ...SESSION_ROUTES,
  ...WORKSPACE_ROUTES,
  ...WORKTREE_ROUTES,
  ...TERMINAL_ROUTES,
  ...LIMIT_ROUTES,
  ...SCHEDULE_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...POLICY_ROUTES,
  ...JOB_ROUTES,
  ...DAEMON_ROUTES,
} satisfies Record<string, Route>;

export type Routes = typeof ROUTES;
export type OperationId = keyof Routes;
