import type { DecodeContext, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { codec, type LiveState } from '../valid-adapter/codec.ts';
import { type Mutant, speaking } from './mutant.ts';

const verdict = (word: (answer: RequestAnswer) => string) =>
  speaking({
    resolve: ({ requestId }: PendingRequest, answer: RequestAnswer) => [
      JSON.stringify({ answer: requestId, verdict: word(answer) }),
    ],
  });
const decisionOf = (answer: RequestAnswer) => (answer.kind === 'approval' ? answer.answer.decision : 'deny');

export const REQUESTS: readonly Mutant[] = [
  {
    what: 'yes to everything',
    make: () => verdict(() => 'yes'),
    caughtBy: 'are denied by another message than they are allowed by',
    also: /are not allowed by a cancellation/,
  },
  {
    what: 'no said as the option that allows',
    make: () =>
      verdict((answer) =>
        answer.kind === 'approval' && answer.answer.optionId
          ? answer.answer.optionId
          : decisionOf(answer) === 'deny'
            ? 'always'
            : 'yes',
      ),
    caughtBy: 'are denied by another message than they are allowed by',
  },
  {
    what: 'an option that is answered like the opposite',
    make: () =>
      verdict((answer) =>
        answer.kind === 'approval' && answer.answer.optionId === 'no'
          ? 'yes'
          : decisionOf(answer) === 'deny'
            ? 'no'
            : 'yes',
      ),
    caughtBy: 'are denied by another message than they are allowed by',
  },
  {
    what: 'yes for what was cancelled',
    make: () =>
      speaking({
        resolve: (request: PendingRequest, answer: RequestAnswer, state: LiveState) =>
          codec.resolve(
            request,
            answer.kind === 'cancelled' ? { kind: 'approval', answer: { decision: 'allow' } } : answer,
            state,
          ),
      }),
    caughtBy: 'are not allowed by a cancellation',
  },
  {
    what: 'requests that are never answered',
    make: () => speaking({ resolve: () => [] }),
    caughtBy: 'are answered with a message to the agent',
    also: /are denied by another message|are not allowed by a cancellation/,
  },
  {
    what: 'a request that is answered before the caller was asked',
    make: () =>
      speaking({
        decode(line: string, state: LiveState, context: DecodeContext) {
          const { events } = codec.decode(line, state, context);
          const asks = events.some(({ type }) => type === 'approval_request');
          return { events, replies: asks ? ['{"answer":"a1","verdict":"yes"}'] : [] };
        },
      }),
    caughtBy: 'are answered only by the caller',
  },
  {
    what: 'an answer that only fits approvals',
    make: () =>
      speaking({
        resolve: ({ requestId }: PendingRequest, answer: { answer: { decision: string } }) => [
          JSON.stringify({ answer: requestId, verdict: answer.answer.decision }),
        ],
      }),
    caughtBy: 'are answered without an error, whatever the request and the answer',
    also: /are not allowed by a cancellation|are denied by another message/,
  },
];
