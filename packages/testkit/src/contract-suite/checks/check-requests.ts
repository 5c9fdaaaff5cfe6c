import { deepStrictEqual, notDeepStrictEqual, ok } from 'node:assert/strict';
import type { AgentMode, ApprovalOption, EventBody, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { createResolvedOptions } from '../../replay/resolved-options.ts';
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
/** A request of the agent, and the state of the conversation at that time. */
interface Asked {
  request: Extract<PendingRequest, { kind: 'approval' }>;
  state: object;
  /** What the codec sent with it on its own. */
  replies: readonly unknown[];
}

/** Answers that an agent gets to its requests. */
export function requestChecks(subject: Subject): ContractCheck[] {
  return subject.modes.flatMap((mode) => {
    const codec = codecOf(mode);
    if (!codec) return [];
    return aboutTopic(`the requests in mode "${mode.name}"`, (show) => {
      show('are answered without an error, whatever the request and the answer', () => {
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
      show('are denied by another message than they are allowed by', () => areDistinguished(codec, asked), skip);
      show(
        'are not allowed by a cancellation',
        () => {
          for (const each of asked) {
            notDeepStrictEqual(
              answerRequest(codec, each, CANCELLED),
              answerRequest(codec, each, ALLOW),
              'cancelled is said like allowed',
            );
          }
        },
        skip,
      );
      show(
        'are answered only by the caller',
        () => {
          for (const each of asked) {
            for (const answer of [ALLOW, DENY]) {
              const said: string[] = answerRequest(codec, each, answer).said.map((message) => JSON.stringify(message));
              const before: unknown[] = each.replies.filter((reply) => said.includes(JSON.stringify(reply)));
              deepStrictEqual(before, [], 'decode has answered the request already that it hands on');
            }
          }
        },
        skip,
      );
      show(
        'are answered with a message to the agent',
        () => {
          for (const each of asked) {
            for (const answer of [ALLOW, DENY]) {
              ok(
                answerRequest(codec, each, answer).said.length > 0,
                `resolve says nothing to ${JSON.stringify(answer)}`,
              );
            }
          }
        },
        skip,
      );
    });
  });
}

/** The options of an agent are answered by their kind; a denial never looks like an approval. */
function areDistinguished(codec: AnyCodec, asked: readonly Asked[]): void {
  for (const each of asked) {
    const allowed = answerRequest(codec, each, ALLOW);
    const denied = answerRequest(codec, each, DENY);
    notDeepStrictEqual(denied, allowed, `deny is said like allow: ${JSON.stringify(allowed.said)}`);
    for (const { id, kind } of each.request.options) {
      const decision = kind.startsWith('allow') ? 'allow' : 'deny';
      const chosen = answerRequest(codec, each, { kind: 'approval', answer: { decision, optionId: id } });
      const other = decision === 'allow' ? denied : allowed;
      notDeepStrictEqual(chosen, other, `option "${id}" of kind ${kind} is answered like the opposite decision`);
    }
  }
}

function answerRequest(
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
    // Other checks report a codec that fails on its own recording.
  }
  return asked;
}

function optionsIn({ adapter }: Subject, mode: AgentMode) {
  return createResolvedOptions({ agent: adapter.agent, mode: mode.name, approvalMode: plainApproval(mode) });
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
