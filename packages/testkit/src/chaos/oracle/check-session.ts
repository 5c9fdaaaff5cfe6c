import { findOrderViolations, findReaderViolations, findSeqViolations, launchesOf } from './check-events.ts';
import { findLifecycleViolations } from './check-life.ts';
import { findMessageViolations } from './check-messages.ts';
import type { SessionEvidence } from './evidence.ts';
import { turnsOf } from './turns.ts';

/** All violations of a session after a round; empty: nothing was lost, doubled or hidden. */
export function findViolations(evidence: SessionEvidence): string[] {
  const { events, session, readers, plan } = evidence;
  const launches = launchesOf(events);
  const faults = [
    ...findSeqViolations(events, session.lastSeq),
    ...findOrderViolations(launches),
    ...findReaderViolations(readers, events),
    ...findMessageViolations(evidence, turnsOf(events)),
    ...findLifecycleViolations(evidence, launches),
  ];
  return faults.map((fault) => `${plan.name} (${plan.agent}): ${fault}`);
}
