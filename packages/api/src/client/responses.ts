import type { z } from 'zod';
import type { SessionEvent } from '../events.ts';
import type { LimitOverviewSchema } from '../routes/limit-routes.ts';
import type { ChangePageSchema, InboxSchema } from '../schemas/change.ts';
import type { PolicySchema, PolicyTestSchema, VerdictSchema } from '../schemas/policy.ts';
import type { AuditEntrySchema, UsageRowSchema } from '../schemas/system.ts';

/** Types of the responses, derived from their schemas. */
export type { Change } from '../schemas/change.ts';
export type { FileDiff, StoredFile, TreeEntry, WorkspaceDiff } from '../schemas/file.ts';
export type { AccountQuota, BudgetStatus } from '../schemas/limit.ts';
export type { Browser, Health, Ready } from '../schemas/system.ts';
export type ChangePage = z.infer<typeof ChangePageSchema>;
export type LimitOverview = z.infer<typeof LimitOverviewSchema>;
export type Inbox = z.infer<typeof InboxSchema>;
export type Policy = z.infer<typeof PolicySchema>;
export type PolicyTestRequest = z.input<typeof PolicyTestSchema>;
export type PolicyVerdict = z.infer<typeof VerdictSchema>;
export type UsageRow = z.infer<typeof UsageRowSchema>;
export type AuditEntry = z.infer<typeof AuditEntrySchema>;

/** Events are typed by the SDK instead of a schema. */
export interface EventPage {
  events: SessionEvent[];
  /** Pass it as `after` to continue. */
  lastSeq: number;
  hasMore: boolean;
}

/** Agents and stored sessions, as the SDK returns them (`adapters.list()`, `sessions.list()`). */
export type JsonObject = Record<string, unknown>;
