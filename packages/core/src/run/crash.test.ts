import { assertEventOrder, FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, live, sessionStart, text, turnEnd, typed, useBench } from '../../test/engine.ts';
import type { SpawnArgs } from '../contract/adapter.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import { STDERR_TAIL_CHARS } from './turns/failure.ts';

const bench = useBench();

describe('crash', () => {
  it('is an event with exit code and stderr tail, after all open parts end', async () => {
    const line: Step = { do: 'line', text: 'cannot read the moon', to: 'stderr' };
    const handle = bench.fake([sessionStart, text('half'), line, { do: 'exit', code: 3 }]).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'crash')).toMatchObject([
      { exitCode: 3, signal: null, stderr: expect.stringContaining('cannot read the moon') },
    ]);
    expect(await handle).toMatchObject({
      text: 'half',
      exitReason: 'crashed',
      exitCode: 3,
      error: { code: 'AGENT_CRASH', message: expect.stringContaining('code 3') },
    });
  });

  it('quotes the last lines of stderr in its message, in event and result', async () => {
    const stderr: Step[] = ['one', 'two', '\u001b[31mcannot  read the moon\u001b[0m', '', '  at night.js:1'].map(
      (line) => ({
        do: 'line',
        text: line,
        to: 'stderr',
      }),
    );
    const handle = bench.fake([sessionStart, ...stderr, { do: 'exit', code: 3 }]).run();
    const [crash] = typed(await eventsOf(handle), 'crash');
    expect(crash?.message).toMatch(/code 3.*; stderr: two \| cannot read the moon \| at night\.js:1$/);
    expect((await handle).error?.message).toBe(crash?.message);
  });

  it('quotes a bounded part of stderr without secrets', async () => {
    const secret = 'ab12cd34ef56ab12cd34';
    const line: Step = { do: 'line', text: `${'x'.repeat(5000)} key ${secret} is wrong`, to: 'stderr' };
    const handle = bench.fake([sessionStart, line, { do: 'exit', code: 3 }]).run({ env: { SOMETHING: secret } });
    const { error } = await handle;
    expect(error?.message).toMatch(/; stderr: \.\.\.x+ key \[redacted\] is wrong$/);
    expect(error?.message.length).toBeLessThan(600);
  });

  it("and every other error are reported without the run's secrets", async () => {
    const secret = 'ab12cd34ef56ab12cd34';
    const steps: Step[] = [
      sessionStart,
      { do: 'line', text: `key ${secret}`, to: 'stderr' },
      { do: 'event', event: { type: 'error', code: 'AGENT_ERROR', message: `no ${secret}`, recoverable: false } },
      { do: 'exit', code: 3 },
    ];
    const handle = bench.fake(steps).run({ env: { SOMETHING: secret } });
    const events = await eventsOf(handle);
    expect(typed(events, 'error')).toMatchObject([{ message: 'no [redacted]' }]);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(JSON.stringify(await handle)).not.toContain(secret);
  });

  it('names the signal', async () => {
    const handle = bench.fake(live([text('half'), { do: 'kill-self', signal: 'SIGSEGV' }])).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'crash')).toMatchObject([{ exitCode: null, signal: 'SIGSEGV' }]);
    expect(await handle).toMatchObject({ exitReason: 'crashed', exitCode: null });
  });

  it('includes exit code 0 of a live agent in mid-turn', async () => {
    const handle = bench.fake(live([text('half'), { do: 'exit', code: 0 }])).run();
    expect(await handle).toMatchObject({ exitReason: 'crashed', exitCode: 0 });
  });

  it('is reported between the turns of an interactive run', async () => {
    const handle = bench.fake(live([text('one'), turnEnd, { do: 'exit', code: 9 }])).run({ interactive: true });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'crash')).toMatchObject([{ exitCode: 9 }]);
    expect(await handle).toMatchObject({ exitReason: 'crashed', text: 'one' });
  });

  it('has a bounded tail of stderr', async () => {
    const flood: Step = { do: 'flood', lines: 100_000, bytes: 100, to: 'stderr' };
    const noise: Step[] = [{ do: 'repeat', times: 3, steps: [{ do: 'line', text: 'last words {{i}}', to: 'stderr' }] }];
    class Deaf extends FakeAdapter {
      override parseEvent(line: string) {
        return line.startsWith('{"type":"text_delta"') ? null : super.parseEvent(line);
      }
    }
    const adapter = new Deaf({ steps: [sessionStart, flood, ...noise, { do: 'exit', code: 1 }] });
    const events = await eventsOf(bench.use(adapter).run());
    const [crash] = typed(events, 'crash');
    expect(crash?.stderr.length).toBeLessThanOrEqual(STDERR_TAIL_CHARS);
    expect(crash?.stderr).toMatch(/last words 0\nlast words 1\nlast words 2\n$/);
  });

  it('shows no secrets, neither passed nor detected ones', async () => {
    const lines = [
      'key from the caller: {{i}}hunter2-hunter2',
      'key from the host: swordfish-swordfish',
      'Authorization: Bearer abcdef0123456789',
    ];
    const steps: Step[] = lines.map((each) => ({ do: 'line', text: each, to: 'stderr' }));
    const client = { env: { ...process.env, ACME_API_KEY: 'swordfish-swordfish' } };
    const { run } = bench.fake([sessionStart, ...steps, { do: 'exit', code: 1 }], {}, client);
    const events = await eventsOf(run({ env: { MY_TOKEN: 'hunter2-hunter2' } }));
    const [crash] = typed(events, 'crash');
    expect(crash?.stderr).toContain('key from the caller');
    expect(crash?.stderr).not.toMatch(/hunter2|swordfish|abcdef0123456789/);
  });

  it('shows no partial secret where the tail starts', async () => {
    const secret = 'abcdefghij'.repeat(20);
    const padding: Step = { do: 'line', text: 'p'.repeat(STDERR_TAIL_CHARS - 100), to: 'stderr' };
    const { run } = bench.fake([
      sessionStart,
      { do: 'line', text: `the secret is ${secret}`, to: 'stderr' },
      padding,
      { do: 'exit', code: 1 },
    ]);
    const events = await eventsOf(run({ env: { MY_TOKEN: secret } }));
    expect(typed(events, 'crash')[0]?.stderr).not.toContain('ghij');
  });

  it('reports why the program cannot be executed', async () => {
    class Missing extends FakeAdapter {
      override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
        return { ...super.buildSpawnArgs(options), command: '/nonexistent/agent' };
      }
    }
    for (const mode of ['oneshot', 'live'] as const) {
      const handle = bench.use(new Missing({ steps: [], mode })).run();
      const events = await eventsOf(handle);
      assertEventOrder(events);
      expect(typed(events, 'crash')).toMatchObject([{ exitCode: -1, message: expect.stringContaining('ENOENT') }]);
      expect(await handle).toMatchObject({ exitReason: 'crashed', error: { code: 'SPAWN_ERROR' } });
    }
  });
});
