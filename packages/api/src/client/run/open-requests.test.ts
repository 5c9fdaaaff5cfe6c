import type { RunOptions } from '@agent-mux/core';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { useDaemons } from '../../../test/stand-in-daemon.ts';
import { Refusal } from '../../../test/stand-in-sessions.ts';
import { eventsOf, live, next, say, turnEnd } from '../../../test/steps.ts';

const bench = useDaemons();
const options: RunOptions = { agent: 'fake', prompt: 'go' };
const ask: Step = {
  do: 'ask',
  event: {
    type: 'approval_request',
    requestId: 'r-{{n}}',
    toolName: 'Bash',
    title: 'Run it?',
    options: [
      { id: 'yes', label: 'Yes', kind: 'allow_once' },
      { id: 'no', label: 'No', kind: 'deny_once' },
    ],
  },
  allowed: [say('allowed')],
  denied: [say('denied')],
};
const question: Step = {
  do: 'ask',
  event: {
    type: 'input_required',
    requestId: 'q-{{n}}',
    questions: [{ id: 'q', question: 'Which?', options: [{ label: 'blue' }, { label: 'red' }], multiple: false }],
  },
  allowed: [say('{{answer}}')],
  denied: [say('declined')],
};

describe('what the agent asks, through the daemon', () => {
  it('is answered by the functions of the caller', async () => {
    const daemon = await bench.daemon(live([ask, question, turnEnd]));
    const seen: string[] = [];
    const handle = bench.client(daemon).run({
      ...options,
      onApprovalRequest: ({ requestId }) => {
        seen.push(requestId);
        return { decision: 'allow', optionId: 'yes' };
      },
      onInputRequired: async ({ questions }) => ({ answers: { [questions[0]!.id]: ['blue'] } }),
    });
    const events = await eventsOf(handle);
    expect(seen).toEqual(['r-0']);
    expect((await handle).text).toContain('allowed');
    expect((await handle).text).toContain('blue');
    const resolved = events.filter(({ type }) => type === 'approval_resolved' || type === 'input_resolved');
    expect(resolved).toMatchObject([{ outcome: 'allowed', by: 'caller', optionId: 'yes' }, { outcome: 'answered' }]);
  });

  it('is denied where the function fails, and readers are told', async () => {
    const daemon = await bench.daemon(live([ask, turnEnd]));
    const handle = bench.client(daemon).run({
      ...options,
      onApprovalRequest: () => {
        throw new Error('not at home');
      },
    });
    const events = await eventsOf(handle);
    expect(events).toContainEqual(
      expect.objectContaining({ code: 'handler_failed', message: expect.stringContaining('not at home') }),
    );
    expect((await handle).text).toBe('denied');
  });

  it('is pending until it is answered, once, by what was offered', async () => {
    const daemon = await bench.daemon(live([ask, question, turnEnd]));
    const handle = bench.client(daemon).run(options);
    const { requestId } = await next(handle, 'approval_request');
    expect(handle.pending()).toMatchObject([{ requestId, type: 'approval_request' }]);
    const refused = expect.objectContaining({ code: 'VALIDATION_ERROR' });
    expect(() => handle.approve('r-9')).toThrow(refused);
    expect(() => handle.answer(requestId, 'decline')).toThrow(refused);
    expect(() => handle.approve(requestId, { optionId: 'no' })).toThrow(refused);
    const asked = next(handle, 'input_required');
    handle.deny(requestId, { optionId: 'no', message: 'not today' });
    expect(handle.pending()).toEqual([]);
    expect(() => handle.deny(requestId)).toThrow(refused);
    const { requestId: questionId } = await asked;
    expect(() => handle.answer(questionId, { q: ['green'] })).toThrow(refused);
    handle.answer(questionId, { q: ['red'] });
    expect((await handle).text).toContain('red');
  });

  it('is open again where the daemon refuses the answer, and readers are told', async () => {
    const daemon = await bench.daemon(live([ask, turnEnd]));
    daemon.refusals = [{ call: /answer$/, refusal: new Refusal(422, 'NOT_OFFERED', 'never offered'), times: 1 }];
    const handle = bench.client(daemon).run(options);
    const { requestId } = await next(handle, 'approval_request');
    const told = next(handle, 'error');
    handle.approve(requestId);
    expect(await told).toMatchObject({ code: 'VALIDATION_ERROR', message: 'never offered', recoverable: true });
    handle.approve(requestId);
    expect((await handle).text).toBe('allowed');
  });

  it('may be answered by somebody else meanwhile', async () => {
    const daemon = await bench.daemon(live([ask, turnEnd]));
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const handle = bench.client(daemon).run({ ...options, onApprovalRequest: () => promise });
    await next(handle, 'approval_request');
    const resolved = next(handle, 'approval_resolved');
    daemon.session.handle?.approve('r-0');
    await resolved;
    expect(handle.pending()).toEqual([]);
    resolve(undefined);
    expect((await handle).text).toBe('allowed');
  });
});
