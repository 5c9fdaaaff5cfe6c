import type { ActivityReport, Session } from '@agent-mux/api';
import { redactSecrets, secretsOf } from '@agent-mux/core';
import { changeFromHook, type HookWeight, SUMMARY_CHARS } from '../activity/hook-change.ts';
import {
  addHookFact,
  dropFutureFacts,
  EMPTY_HOOK_RECORD,
  type HookFact,
  type HookRecord,
} from '../activity/hook-record.ts';
import { titleOf } from '../activity/status-text.ts';
import { DaemonError } from '../daemon-error.ts';
import { type DaemonContext, notifyChange } from '../sessions/daemon-context.ts';
import { findSession } from '../sessions/find.ts';
import { createMessageId } from '../sessions/ids.ts';
import { checkProcess, HOOKS, readHookRecord } from './hook-records.ts';

/** The rest of a title or summary is neither scanned for secrets nor used. */
const READ_CHARS = 4000;

/** Called with every unmanaged session and its hook record. */
type Follow = (session: Session, memory: HookRecord) => void;

/**
 * Applies a hook report that came over HTTP. It names its session; everything else works as for a report from the
 * spool.
 */
export async function reportActivity(
  ctx: DaemonContext,
  id: string,
  report: ActivityReport,
  follow: Follow = () => {},
): Promise<Session> {
  const found = await findSession(ctx, id);
  return ctx.mutex.run(found.id, async () => {
    const session = await findSession(ctx, found.id);
    const { agentSessionId, deliveryId = createMessageId() } = report;
    if (session.agentSessionId !== null && agentSessionId !== undefined && agentSessionId !== session.agentSessionId)
      throw new DaemonError(
        'VALIDATION_ERROR',
        `the report is about agent session "${agentSessionId}", but session ${session.id} is "${session.agentSessionId}"`,
        { hint: 'report it to the session with that agent session id, or leave "agentSessionId" out' },
      );
    await applyReport(
      ctx,
      session,
      {
        fact: factOf(ctx, deliveryId, report),
        agentSessionId,
        prompts: 0,
        key: `${session.id}/${deliveryId}`,
        // It names no process, so it cannot show that an ended session is running again.
        mayMove: session.origin !== 'daemon' && !session.isTerminated,
      },
      follow,
    );
    return findSession(ctx, session.id);
  });
}

function factOf(
  ctx: DaemonContext,
  id: string,
  { state, timestamp = ctx.now(), ...content }: ActivityReport,
): HookFact {
  const report: Partial<ActivityReport> = ctx.settings.storeContent ? content : {};
  const secrets = secretsOf(ctx.env);
  const clean = (text = '') => redactSecrets(text.slice(0, READ_CHARS), secrets).trim();
  const title = titleOf(clean(report.title));
  const summary = clean(report.summary).slice(0, SUMMARY_CHARS);
  return {
    id,
    at: Math.min(timestamp, ctx.now()),
    ...(state === undefined ? {} : { state }),
    ...(title === null ? {} : { title }),
    ...(summary === '' ? {} : { summary }),
  };
}

interface DeliveryInfo {
  agentSessionId: string | undefined;
  /** Number of prompts in this report. */
  prompts: number;
  /** Identifies the delivery; applying the same key again changes nothing. */
  key: string;
}

interface Report extends DeliveryInfo {
  fact: HookFact;
  /** The report may come from a process that agent-mux did not start. */
  mayMove: boolean;
}

/** Applies a report to the rows of its session. Call it while holding the session's mutex. */
export async function applyReport(ctx: DaemonContext, session: Session, report: Report, follow: Follow): Promise<void> {
  const { fact, agentSessionId, prompts, key } = report;
  const weight = weightOf(ctx, session, report);
  const delivery = { weight, agentSessionId, prompts, key };
  const memory = await applyHookFact(ctx, session, weight === 'add' ? withoutState(fact) : fact, delivery);
  if (weight === 'unmanaged')
    follow({ ...session, agentSessionId: session.agentSessionId ?? agentSessionId ?? null }, memory);
}

/** A daemon session becomes unmanaged when another process resumes it: after its last change, and still running. */
function weightOf(ctx: DaemonContext, session: Session, { mayMove, fact }: Report): HookWeight {
  if (ctx.live.has(session.id) || !mayMove) return 'add';
  if (session.origin !== 'daemon') return 'unmanaged';
  return fact.state !== 'exited' && fact.at > session.activitySince ? 'unmanaged' : 'add';
}

function withoutState({ state: _, ...fact }: HookFact): HookFact {
  return fact;
}

/**
 * Makes one commit, or none for a known delivery. Call it while holding the session's mutex. Returns the new record.
 */
export async function applyHookFact(
  ctx: DaemonContext,
  session: Session,
  fact: HookFact,
  delivery: DeliveryInfo & { weight: HookWeight },
): Promise<HookRecord> {
  const { weight, key } = delivery;
  const now = ctx.now();
  const memory = addHookFact(await recordFor(ctx, session, weight), fact);
  const isSeen = checkProcess(memory) === 'lives';
  const isNew = await ctx.store.recordDelivery({
    key,
    now,
    update: { id: session.id, change: changeFromHook(session, memory, { ...delivery, now, isSeen }) },
    ...(weight === 'add' ? {} : { record: { kind: HOOKS, key: session.id, value: memory } }),
  });
  if (isNew) notifyChange(ctx);
  return memory;
}

/** Reports from before the daemon ran the session say nothing about the current process. */
async function recordFor(ctx: DaemonContext, session: Session, weight: HookWeight): Promise<HookRecord> {
  if (weight === 'add') return EMPTY_HOOK_RECORD;
  const known = dropFutureFacts(await readHookRecord(ctx, session.id), ctx.now());
  return session.origin === 'daemon' ? { ...EMPTY_HOOK_RECORD, title: known.title } : known;
}
