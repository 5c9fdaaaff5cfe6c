import type { RunOptions } from '@agent-mux/core';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { useDaemons } from '../../../test/fake-daemon.ts';
import { eventsOf, live, next, say, turnEnd } from '../../../test/steps.ts';

const bench = useDaemons();
const options: RunOptions = { agent: 'fake', prompt: 'go' };
const hang: Step = { do: 'hang' };

describe('end of a run through the daemon', () => {
  it("stops the session on abort, with the caller's reason", async () => {
    const daemon = await bench.daemon(live([say('working'), hang]));
    const handle = bench.client(daemon).run(options);
    await next(handle, 'text_delta');
    expect(await handle.abort('enough')).toMatchObject({
      exitReason: 'aborted',
      text: 'working',
      error: { code: 'ABORTED', message: 'enough' },
    });
    expect(daemon.session.row.isTerminated).toBe(true);
    expect(await handle.abort()).toBe(await handle.result);
  });

  it("follows the caller's signal", async () => {
    const daemon = await bench.daemon(live([say('working'), hang]));
    const controller = new AbortController();
    const handle = bench.client(daemon).run({ ...options, signal: controller.signal });
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    controller.abort(new Error('the user left'));
    expect(await handle).toMatchObject({ exitReason: 'aborted' });
    expect((await reading).at(-1)).toMatchObject({ type: 'session_end', reason: 'aborted' });
  });

  it('is immediate for an aborted signal, without a request to the daemon', async () => {
    const daemon = await bench.daemon(live([turnEnd]));
    const handle = bench.client(daemon).run({ ...options, signal: AbortSignal.abort('early') });
    expect(await handle).toMatchObject({ exitReason: 'aborted', error: { code: 'ABORTED', message: 'early' } });
    expect(await eventsOf(handle)).toEqual([]);
    expect(daemon.calls).toEqual([]);
  });

  it('rejects for all consumers if the session could not be created', async () => {
    const daemon = await bench.daemon(live([turnEnd]));
    const handle = bench.client(daemon).run({ ...options, agent: 'unknown' });
    const error = { code: 'UNKNOWN_AGENT', problem: 'UNKNOWN_AGENT', status: 422, hint: 'a hint' };
    await expect(eventsOf(handle)).rejects.toMatchObject(error);
    await expect(handle.result).rejects.toMatchObject(error);
    await expect(handle.opened).rejects.toMatchObject(error);
    await expect(handle.send('x')).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('is a crash if the keeper is gone', async () => {
    const daemon = await bench.daemon(live([say('so far'), hang]));
    const handle = bench.client(daemon).run(options);
    await next(handle, 'text_delta');
    daemon.session.append({ type: 'keeper_lost', message: 'the keeper is gone', unknownMessages: [] });
    const error = { code: 'AGENT_CRASH', message: 'the keeper is gone' };
    expect(await handle).toMatchObject({ exitReason: 'crashed', text: 'so far', error });
  });

  it('is an abort if the session was removed', async () => {
    const daemon = await bench.daemon(live([say('so far'), hang]));
    const handle = bench.client(daemon).run(options);
    await next(handle, 'text_delta');
    await bench.client(daemon).sessions.remove('s1');
    expect(await handle).toMatchObject({ exitReason: 'aborted' });
  });

  it('is unknown if the client is closed: the session keeps running', async () => {
    const daemon = await bench.daemon(live([say('so far'), hang]));
    const client = bench.client(daemon);
    const handle = client.run(options);
    await next(handle, 'text_delta');
    await client.close();
    await expect(handle.result).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(() => client.run(options)).toThrow(expect.objectContaining({ code: 'RUN_ENDED' }));
    expect(daemon.session.handle).toBeDefined();
    await expect.poll(() => daemon.connections).toBe(0);
  });
});
