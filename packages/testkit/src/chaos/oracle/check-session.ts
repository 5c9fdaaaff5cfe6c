import { findOrderFaults, findReaderFaults, findSeqFaults, launchesOf } from './check-events.ts';
import { findLifeFaults } from './check-life.ts';
import { findMessageFaults } from './check-messages.ts';
import type { SessionEvidence } from './evidence.ts';
import { turnsOf } from './turns.ts';

/** All that is wrong with a session after a round; empty: nothing was lost, nothing doubled, nothing glossed over. */
export function findFaults(evidence: SessionEvidence): string[] {
  const { events, session, readers, plan } = evidence;
  const launches = launchesOf(events);
  const faults = [
    ...findSeqFaults(events, session.lastSeq),
    ...findOrderFaults(launches),
    ...findReaderFaults(readers, events),
    ...findMessageFaults(evidence, turnsOf(events)),
    ...findLifeFaults(evidence, launches),
  ];
  return faults.map((fault) => `${plan.name} (${plan.agent}): ${fault}`);
}
