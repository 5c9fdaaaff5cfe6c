import type { LaunchEvents } from './check-events.ts';
import type { Beyond, SessionEvidence, StoredEvent } from './evidence.ts';

/** The reported lifecycle of processes matches what happened to them. */
export function findLifecycleViolations(
  { session, events, struck, unrecoverable }: SessionEvidence,
  launches: readonly LaunchEvents[],
): string[] {
  const faults: string[] = [];
  const has = (type: string) => events.some((event) => event.type === type);
  if (unrecoverable) faults.push(...findBeyondFaults(session, events, unrecoverable));
  else if (session.isTerminated || session.activity !== 'idle')
    faults.push(`it is ${session.activity} in the end (${session.error?.code ?? 'no error'})`);
  if (session.openRequests > 0) faults.push(`${session.openRequests} requests are open in the end`);
  if (!struck.has('keeper') && has('keeper_lost')) faults.push('its keeper is reported as lost, but was not killed');
  if (struck.size === 0 && has('crash')) faults.push('its agent is reported as crashed, but was not killed');
  if (struck.size === 0 && launches.length !== 1)
    faults.push(`it has had ${launches.length} processes, and none was killed`);
  const natives = [...new Set(events.flatMap(({ sessionId }) => (typeof sessionId === 'string' ? [sessionId] : [])))];
  if (natives.length > 1) faults.push(`it has become another session of its agent: ${natives.join(', ')}`);
  if (natives.length === 1 && session.agentSessionId !== natives[0])
    faults.push(`its native id is ${session.agentSessionId}, and its events say ${natives[0]}`);
  for (const launch of launches) faults.push(...findEndFaults(launch), ...findRequestFaults(launch));
  return faults;
}

/** There was never anything to restore, and it is shown as ended. */
function findBeyondFaults(
  { isTerminated, activity }: SessionEvidence['session'],
  events: readonly StoredEvent[],
  unrecoverable: Beyond,
): string[] {
  const identified = events.find(({ sessionId }) => typeof sessionId === 'string');
  const answered = events.find(({ type, status }) => type === 'turn_end' && status === 'completed');
  return [
    ...(identified && unrecoverable === 'NO_AGENT_SESSION'
      ? [`it says that it cannot come back, and event ${identified.seq} has the id of its conversation`]
      : []),
    ...(answered ? [`it cannot come back, and has answered before (event ${answered.seq})`] : []),
    ...(isTerminated ? [] : [`it cannot come back, and is ${activity}`]),
  ];
}

/** A process that vanished in mid-turn is reported as lost; an idle one is not. */
function findEndFaults({ runId, events, hasEnded, isLast }: LaunchEvents): string[] {
  const lost = events.findIndex(({ type }) => type === 'keeper_lost');
  const before = lost < 0 ? events : events.slice(0, lost);
  const isOpen = hasOpenTurn(before);
  if (lost >= 0 && lost !== events.length - 1) return [`${runId}: something comes after its keeper was lost`];
  if (lost >= 0 && hasEnded) return [`${runId}: it has ended, but its keeper is reported as lost`];
  if (lost >= 0 && !isOpen && events.some(({ sessionId }) => typeof sessionId === 'string'))
    return [`${runId}: its keeper is reported as lost, but no turn was running`];
  if (lost < 0 && !hasEnded && !isLast && isOpen)
    return [`${runId}: a turn was running when it ended, which is not reported`];
  return [];
}

function hasOpenTurn(events: readonly StoredEvent[]): boolean {
  let isOpen = false;
  for (const { type } of events) {
    if (type === 'user_message' || type === 'turn_start') isOpen = true;
    if (type === 'turn_end') isOpen = false;
  }
  return isOpen;
}

/** Every request is resolved once, unless the process ended before. */
function findRequestFaults({ runId, events, hasEnded, isLast }: LaunchEvents): string[] {
  const idsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ requestId }) => String(requestId));
  const [asked, resolved] = [idsOf('approval_request'), idsOf('approval_resolved')];
  const doubled = resolved.filter((id, at) => resolved.indexOf(id) !== at);
  const open = asked.filter((id) => !resolved.includes(id));
  return [
    ...doubled.map((id) => `${runId}: request ${id} was resolved twice`),
    ...(hasEnded || isLast ? open.map((id) => `${runId}: request ${id} was never resolved`) : []),
  ];
}
