import type { z } from 'zod';
import type { SessionEvent } from '../events.ts';
import type { LimitOverviewSchema } from '../routes/limit-routes.ts';
import type { ChangePageSchema, InboxSchema } from '../schemas/change.ts';
import type { PolicySchema, TrialSchema, VerdictSchema } from '../schemas/policy.ts';
import type { AuditEntrySchema, UsageRowSchema } from '../schemas/system.ts';

/** What the routes answer, by the schemas that their answers are checked with. */
export type { Change } from '../schemas/change.ts';
export type { FileDiff, StoredFile, TreeEntry, WorkspaceDiff } from '../schemas/file.ts';
export type { AccountQuota, BudgetStatus } from '../schemas/limit.ts';
export type { Browser, Health, Ready } from '../schemas/system.ts';
export type ChangePage = z.infer<typeof ChangePageSchema>;
export type LimitOverview = z.infer<typeof LimitOverviewSchema>;
export type Inbox = z.infer<typeof InboxSchema>;
export type Policy = z.infer<typeof PolicySchema>;
export type PolicyTrial = z.input<typeof TrialSchema>;
export type PolicyVerdict = z.infer<typeof VerdictSchema>;
export type UsageRow = z.infer<typeof UsageRowSchema>;
export type AuditEntry = z.infer<typeof AuditEntrySchema>;

/** With the types of the events, which a schema would have to repeat. */
export interface EventPage {
  events: SessionEvent[];
  /** To go on from. */
  last: number;
  more: boolean;
}

/** Of agents and stored sessions: as the SDK has them (`adapters.list()`, `sessions.list()`). */
export type Facts = Record<string, unknown>;
