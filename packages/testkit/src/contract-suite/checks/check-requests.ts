import { deepStrictEqual, notDeepStrictEqual, ok } from 'node:assert/strict';
import type { AgentMode, ApprovalOption, EventBody, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { makeResolvedOptions } from '../../replay/resolved-options.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { Conversation } from '../conversation.ts';
import { heardIn } from '../recorded-lines.ts';
import { type AnyCodec, codecOf, plainApproval, type Subject } from '../subject.ts';

const ALLOW: RequestAnswer = { kind: 'approval', answer: { decision: 'allow' } };
const DENY: RequestAnswer = { kind: 'approval', answer: { decision: 'deny' } };
const CANCELLED: RequestAnswer = { kind: 'cancelled' };
const ANSWERS: readonly RequestAnswer[] = [
  ALLOW,
  DENY,
  { kind: 'approval', answer: { decision: 'deny', message: 'not now' } },
  { kind: 'input', answer: { declined: true } },
  { kind: 'input', answer: { answers: {} } },
  CANCELLED,
];
/** A request of the agent, and how the conversation stood when it was made. */
interface Asked {
  request: Extract<PendingRequest, { kind: 'approval' }>;
  state: object;
  /** What the codec said of itself in the same breath. */
  replies: readonly unknown[];
}

/** What an agent is told when it has asked. */
export function requestChecks(subject: Subject): ContractCheck[] {
  return subject.modes.flatMap((mode) => {
    const codec = codecOf(mode);
    if (!codec) return [];
    return aboutTopic(`the requests in mode "${mode.name}"`, (show) => {
      show('are answered without a fault, whatever is asked and answered', () => {
        const options = [option('a', 'allow_once'), option('d', 'deny_once')];
        for (const answer of ANSWERS) {
          const state = codec.open(optionsIn(subject, mode));
          codec.resolve({ kind: 'approval', requestId: 'contract-unknown', toolName: 'tool', options }, answer, state);
          codec.resolve({ kind: 'input', requestId: 'contract-unknown' }, answer, state);
        }
      });
      if (!mode.capabilities.approvalModes.includes('prompt')) return;
      const asked = requestsOf(subject, mode, codec);
      const skip = asked.length === 0 ? 'no recording of this mode has the agent ask for anything' : undefined;
      show('are denied by other words than they are allowed by', () => isToldApart(codec, asked), skip);
      show(
        'are not allowed by being cancelled',
        () => {
          for (const each of asked) {
            notDeepStrictEqual(
              tellAnswer(codec, each, CANCELLED),
              tellAnswer(codec, each, ALLOW),
              'cancelled is said like allowed',
            );
          }
        },
        skip,
      );
      show(
        'are answered by the one who is asked, and not before',
        () => {
          for (const each of asked) {
            for (const answer of [ALLOW, DENY]) {
              const said: string[] = tellAnswer(codec, each, answer).said.map((message) => JSON.stringify(message));
              const before: unknown[] = each.replies.filter((reply) => said.includes(JSON.stringify(reply)));
              deepStrictEqual(before, [], 'decode has answered the request already that it hands on');
            }
          }
        },
        skip,
      );
      show(
        'are answered so that the agent hears it',
        () => {
          for (const each of asked) {
            for (const answer of [ALLOW, DENY]) {
              ok(tellAnswer(codec, each, answer).said.length > 0, `resolve says nothing to ${JSON.stringify(answer)}`);
            }
          }
        },
        skip,
      );
    });
  });
}

/** The options that an agent offers are answered by their kind; a deny is like none that lets something pass. */
function isToldApart(codec: AnyCodec, asked: readonly Asked[]): void {
  for (const each of asked) {
    const allowed = tellAnswer(codec, each, ALLOW);
    const denied = tellAnswer(codec, each, DENY);
    notDeepStrictEqual(denied, allowed, `deny is said like allow: ${JSON.stringify(allowed.said)}`);
    for (const { id, kind } of each.request.options) {
      const decision = kind.startsWith('allow') ? 'allow' : 'deny';
      const chosen = tellAnswer(codec, each, { kind: 'approval', answer: { decision, optionId: id } });
      const other = decision === 'allow' ? denied : allowed;
      notDeepStrictEqual(chosen, other, `option "${id}" of kind ${kind} is answered like the opposite decision`);
    }
  }
}

function tellAnswer(
  codec: AnyCodec,
  { request, state }: Asked,
  answer: RequestAnswer,
): { said: unknown[]; state: object } {
  const own = structuredClone(state);
  return { said: codec.resolve(request, answer, own), state: own };
}

function requestsOf(subject: Subject, mode: AgentMode, codec: AnyCodec): Asked[] {
  const asked: Asked[] = [];
  let replies: readonly unknown[] = [];
  const listening: AnyCodec = {
    ...codec,
    decode(message, state, context) {
      const decoded = codec.decode(message, state, context);
      replies = decoded.replies ?? [];
      for (const event of decoded.events) {
        if (event.type === 'approval_request')
          asked.push({ request: pendingOf(event), state: structuredClone(state), replies });
      }
      return decoded;
    },
  };
  const http = mode.live?.transport === 'http';
  const messages = heardIn(subject, mode.name).map((line) => (http ? { kind: 'event', data: line } : line));
  try {
    new Conversation(listening, optionsIn(subject, mode), {
      inputs: [{ text: 'say hello', attachments: [] }],
      messages,
    });
  } catch {
    // A codec that fails on its own recording is told by other checks.
  }
  return asked;
}

function optionsIn({ adapter }: Subject, mode: AgentMode) {
  return makeResolvedOptions({ agent: adapter.agent, mode: mode.name, approvalMode: plainApproval(mode) });
}

function pendingOf({
  requestId,
  toolName,
  options,
}: Extract<EventBody, { type: 'approval_request' }>): Asked['request'] {
  return { kind: 'approval', requestId, toolName, options };
}

function option(id: string, kind: ApprovalOption['kind']): ApprovalOption {
  return { id, label: id, kind };
}
