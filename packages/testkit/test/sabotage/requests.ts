import type { DecodeContext, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { codec, type LiveState } from '../sound/codec.ts';
import { type Sabotage, speaking } from './sabotage.ts';

const verdict = (word: (answer: RequestAnswer) => string) =>
  speaking({
    resolve: ({ requestId }: PendingRequest, answer: RequestAnswer) => [
      JSON.stringify({ answer: requestId, verdict: word(answer) }),
    ],
  });
const decisionOf = (answer: RequestAnswer) => (answer.kind === 'approval' ? answer.answer.decision : 'deny');

export const REQUESTS: readonly Sabotage[] = [
  {
    what: 'yes to everything',
    make: () => verdict(() => 'yes'),
    caughtBy: 'are denied by other words than they are allowed by',
    also: /are not allowed by being cancelled/,
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
    caughtBy: 'are denied by other words than they are allowed by',
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
    caughtBy: 'are denied by other words than they are allowed by',
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
    caughtBy: 'are not allowed by being cancelled',
  },
  {
    what: 'requests that nobody answers',
    make: () => speaking({ resolve: () => [] }),
    caughtBy: 'are answered so that the agent hears it',
    also: /are denied by other words|are not allowed by being cancelled/,
  },
  {
    what: 'a request that is answered before anybody was asked',
    make: () =>
      speaking({
        decode(line: string, state: LiveState, context: DecodeContext) {
          const { events } = codec.decode(line, state, context);
          const asks = events.some(({ type }) => type === 'approval_request');
          return { events, replies: asks ? ['{"answer":"a1","verdict":"yes"}'] : [] };
        },
      }),
    caughtBy: 'are answered by the one who is asked, and not before',
  },
  {
    what: 'an answer that only fits approvals',
    make: () =>
      speaking({
        resolve: ({ requestId }: PendingRequest, answer: { answer: { decision: string } }) => [
          JSON.stringify({ answer: requestId, verdict: answer.answer.decision }),
        ],
      }),
    caughtBy: 'are answered without a fault, whatever is asked and answered',
    also: /are not allowed by being cancelled|are denied by other words/,
  },
];
