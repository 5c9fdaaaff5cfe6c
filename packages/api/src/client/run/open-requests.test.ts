import type { RunOptions } from '@agent-mux/core';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { useDaemons } from '../../../test/fake-daemon.ts';
import { Rejection } from '../../../test/fake-sessions.ts';
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

describe('requests through the daemon', () => {
  it("are answered by the caller's functions", async () => {
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

  it('are denied if the function fails, and readers are notified', async () => {
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

  it('are pending until answered once, with an offered option', async () => {
    const daemon = await bench.daemon(live([ask, question, turnEnd]));
    const handle = bench.client(daemon).run(options);
    const { requestId } = await next(handle, 'approval_request');
    expect(handle.pending()).toMatchObject([{ requestId, type: 'approval_request' }]);
    const rejected = expect.objectContaining({ code: 'VALIDATION_ERROR' });
    expect(() => handle.approve('r-9')).toThrow(rejected);
    expect(() => handle.answer(requestId, 'decline')).toThrow(rejected);
    expect(() => handle.approve(requestId, { optionId: 'no' })).toThrow(rejected);
    const nextQuestion = next(handle, 'input_required');
    handle.deny(requestId, { optionId: 'no', message: 'not today' });
    expect(handle.pending()).toEqual([]);
    expect(() => handle.deny(requestId)).toThrow(rejected);
    const { requestId: questionId } = await nextQuestion;
    expect(() => handle.answer(questionId, { q: ['green'] })).toThrow(rejected);
    handle.answer(questionId, { q: ['red'] });
    expect((await handle).text).toContain('red');
  });

  it('reopen if the daemon rejects the answer, and readers are notified', async () => {
    const daemon = await bench.daemon(live([ask, turnEnd]));
    daemon.rejections = [{ call: /answer$/, rejection: new Rejection(422, 'NOT_OFFERED', 'never offered'), times: 1 }];
    const handle = bench.client(daemon).run(options);
    const { requestId } = await next(handle, 'approval_request');
    const reported = next(handle, 'error');
    handle.approve(requestId);
    expect(await reported).toMatchObject({ code: 'VALIDATION_ERROR', message: 'never offered', recoverable: true });
    handle.approve(requestId);
    expect((await handle).text).toBe('allowed');
  });

  it('may be answered by another client meanwhile', async () => {
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
