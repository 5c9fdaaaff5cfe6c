import { describe, expect, it } from 'vitest';
import { define, eventsOf, script, typed, useEngine } from '../../test/engine.ts';
import { jobProfile } from './job.ts';

const COUNTS = `
  let text = '';
  process.stdin.on('data', (d) => { text += d; }).on('end', () => {
    console.error('working');
    process.stdout.write(process.pid + ' ' + text.length);
    process.exitCode = text.includes('fail') ? 4 : 0;
  });`;

const engine = useEngine(() => [
  define(jobProfile, 'counts', script(COUNTS)),
  define(jobProfile, 'hangs', {
    ...script('console.log("started"); setInterval(() => {}, 1000)'),
    max_runtime: '700ms',
  }),
]);

describe('generic job', () => {
  it('gets the prompt on stdin and runs to its end, with stderr apart', async () => {
    const handle = engine.client.run({ agent: 'counts', prompt: 'x'.repeat(3_000_000) });
    const events = await eventsOf(handle);
    expect(await handle).toMatchObject({ exitReason: 'completed', exitCode: 0 });
    expect(handle.text).toMatch(/^\d+ 3000001\n$/);
    expect(typed(events, 'log')).toMatchObject([{ source: 'stderr', line: 'working' }]);
    expect(typed(events, 'debug')).toMatchObject([{ code: 'approvals_unsupported' }]);
  });

  it('fails with its exit code and keeps its output', async () => {
    const result = await engine.client.run({ agent: 'counts', prompt: 'fail' });
    expect(result).toMatchObject({
      exitReason: 'failed',
      exitCode: 4,
      error: { code: 'AGENT_ERROR', message: 'counts exited with code 4' },
    });
    expect(result.text).toMatch(/ 5\n$/);
  });

  it('is killed after its maximum run time', async () => {
    const handle = engine.client.run({ agent: 'hangs', prompt: 'x' });
    const events = await eventsOf(handle);
    expect(await handle).toMatchObject({ exitReason: 'timeout', error: { code: 'TIMEOUT' }, text: 'started\n' });
    expect(typed(events, 'timeout')).toMatchObject([{ kind: 'run', limitMs: 700 }]);
  });

  it('starts a process for every message', async () => {
    const handle = engine.client.run({ agent: 'counts', prompt: 'a' });
    const said: string[] = [];
    for await (const event of handle) {
      if (event.type === 'text_delta') said.push(event.delta);
      if (event.type === 'turn_end' && event.turnIndex === 0) await handle.send('bb');
    }
    expect(said.map((line) => line.split(' ')[1])).toEqual(['2\n', '3\n']);
    expect(new Set(said.map((line) => line.split(' ')[0])).size).toBe(2);
  });
});
