import type { AgentEvent } from '@agent-mux/core';
import { findEventOrderViolations } from '../../event-order.ts';
import type { ReaderRecord, StoredEvent } from './evidence.ts';

const NOTES: ReadonlySet<string> = new Set(['user_message', 'keeper_lost', 'run_result']);

/** Every event once and in order: seq without a gap from 0 to the last one of the session. */
export function findSeqViolations(events: readonly StoredEvent[], lastSeq: number): string[] {
  const faults = events.flatMap(({ seq, type }, at) =>
    seq === at ? [] : [`event ${at} of the store has seq ${seq} (${type})`],
  );
  if (events.length !== lastSeq + 1)
    faults.push(`the store has ${events.length} events, and the session says that ${lastSeq} is the last`);
  return faults.slice(0, 5);
}

/** The events of one process of the session, in order. */
export interface LaunchEvents {
  runId: string;
  events: readonly StoredEvent[];
  /** Its end was emitted. */
  hasEnded: boolean;
  isLast: boolean;
}

export function launchesOf(events: readonly StoredEvent[]): LaunchEvents[] {
  const blocks: { runId: string; events: StoredEvent[] }[] = [];
  for (const event of events) {
    if (blocks.at(-1)?.runId !== event.runId) blocks.push({ runId: event.runId, events: [] });
    blocks.at(-1)!.events.push(event);
  }
  return blocks.map((block, at) => ({
    ...block,
    hasEnded: block.events.some(({ type }) => type === 'run_result'),
    isLast: at === blocks.length - 1,
  }));
}

/** The event order of the contract holds for the stored events of a run, up to where it was cut off. */
export function findOrderViolations(launches: readonly LaunchEvents[]): string[] {
  const doubled = launches.filter(({ runId }, at) => launches.findIndex((other) => other.runId === runId) !== at);
  const mixed = doubled.map(({ runId }) => `the events of ${runId} are mixed with those of another process`);
  return [...mixed, ...launches.flatMap(findLaunchFaults)].slice(0, 5);
}

function findLaunchFaults({ runId, events, hasEnded }: LaunchEvents): string[] {
  const own = events.filter(({ type }) => !NOTES.has(type)).map((event, seq) => ({ ...event, seq }));
  if (own.length === 0) return [];
  // The store has the events of the engine; their format is tested there.
  const faults = findEventOrderViolations(own as unknown as AgentEvent[]);
  return faults.filter((fault) => hasEnded || !fault.startsWith('at the end')).map((fault) => `${runId}: ${fault}`);
}

/** Each reader has seen the stored events, once and in order, over all its connections. */
export function findReaderViolations(readers: readonly ReaderRecord[], events: readonly StoredEvent[]): string[] {
  return readers.flatMap(({ name, events: seen, connections }) => {
    const at = seen.findIndex(({ id, data }, index) => id !== index || !isSame(data, events[index]));
    if (at >= 0)
      return [
        `reader ${name} (${connections} connections) saw ${seen[at]!.id} in the place of ${at}: ${seen[at]!.data.slice(0, 120)}`,
      ];
    if (seen.length !== events.length)
      return [`reader ${name} (${connections} connections) saw ${seen.length} of ${events.length} events`];
    return [];
  });
}

function isSame(data: string, event: StoredEvent | undefined): boolean {
  if (event === undefined) return false;
  try {
    return JSON.stringify(JSON.parse(data)) === JSON.stringify(event);
  } catch {
    return false;
  }
}
