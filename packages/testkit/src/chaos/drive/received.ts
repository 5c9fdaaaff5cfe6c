import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest, Outcome } from '../../model/index.ts';
import type { Received } from '../oracle/evidence.ts';
import { isDemoAnswer } from '../plan/demo-script.ts';
import { MARKER } from '../plan/plan-round.ts';
import type { SessionPlan } from '../plan/round-plan.ts';
import { runsFile, type ScriptedReply } from '../plan/script.ts';

/** Requests to and replies of the scripted model for the messages of one session. */
export function receivedByModel(
  plan: SessionPlan,
  requests: readonly ModelRequest[],
  said: readonly ScriptedReply[],
  outcomes: ReadonlyMap<number, Outcome>,
): Received {
  const own = said.filter(({ marker }) => plan.messages.some(({ id }) => id === marker));
  return {
    conversations: own.flatMap(({ index }) => (requests[index] ? [markersOf(requests[index])] : [])),
    started: (marker) => own.filter((one) => one.marker === marker && one.step === 0).length,
    isAnswer(marker, text) {
      const sent = own.filter((one) => one.marker === marker);
      const isWhole = sent.every(({ index }) => outcomes.get(index) === 'answered');
      return isWhole && sent.map((one) => one.text).join('') === text;
    },
  };
}

function markersOf({ messages }: ModelRequest): string[] {
  return messages.flatMap(({ role, text }) => (role === 'user' ? (text.match(MARKER) ?? []) : []));
}

/** The demo agent has no model: the file of its session has the messages it received. */
export function receivedByDemo(plan: SessionPlan, state: string, agentSessionId: string | null): Received {
  const conversation = agentSessionId === null ? [] : readDemoSession(state, agentSessionId);
  return {
    conversations: [conversation],
    started: (marker) => conversation.filter((one) => one === marker).length,
    isAnswer: (marker, text) => {
      const message = plan.messages.find(({ id }) => id === marker);
      return message !== undefined && isDemoAnswer(message, text);
    },
  };
}

function readDemoSession(state: string, id: string): string[] {
  const session: unknown = JSON.parse(readFileSync(join(state, 'agent-mux', 'demo', `${id}.json`), 'utf8'));
  const messages = typeof session === 'object' && session !== null && 'messages' in session ? session.messages : [];
  return (Array.isArray(messages) ? messages : []).flatMap(({ role, text }: { role: string; text: string }) =>
    role === 'user' ? (text.match(MARKER) ?? []) : [],
  );
}

/** How often the command of a message has run in this folder: a line each time, or the one file of the demo agent. */
export function countRuns(folder: string, marker: string): number {
  const read = (path: string) => {
    try {
      return readFileSync(join(folder, path), 'utf8').split('\n').filter(Boolean).length;
    } catch {
      return 0;
    }
  };
  const demo = readdirSync(folder, { recursive: true }).some(
    (name) => String(name).endsWith(`${marker}.txt`) && String(name).includes('agent-mux-demo'),
  );
  return read(runsFile(marker)) + (demo ? 1 : 0);
}
