import type { DaemonClient, Request } from '@agent-mux/api';
import { withWholeTexts } from './blobs.ts';

/** Events searched before an approval for its tool call. */
const LOOK_BACK = 200;

/** A request with full texts and the input of its tool call. */
export interface RequestDetails {
  request: Request;
  call: unknown;
}

export async function readRequestDetails(daemon: DaemonClient, request: Request): Promise<RequestDetails> {
  const [event, call] = await Promise.all([
    withWholeTexts(daemon, request.event),
    findCall(daemon, request).then((input) => withWholeTexts(daemon, input)),
  ]);
  return { request: { ...request, event }, call };
}

async function findCall(daemon: DaemonClient, { sessionId, event }: Request): Promise<unknown> {
  const { toolCallId, seq } = event;
  if (typeof toolCallId !== 'string' || typeof seq !== 'number') return undefined;
  const after = Math.max(-1, seq - LOOK_BACK - 1);
  const { events } = await daemon.sessions.events(sessionId, { after, limit: LOOK_BACK });
  const ready = events.findLast(
    (each) => each.seq < seq && 'toolCallId' in each && each.toolCallId === toolCallId && 'input' in each,
  );
  return ready && 'input' in ready ? ready.input : undefined;
}
