import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { next, useBench } from '../../../test/engine.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import { FLOOD, SERVICE, SHARED } from '../../../test/shared-service.ts';

const bench = useBench();
const service = () => bench.use(new ScriptAdapter(SERVICE, SHARED));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function usedHeap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

describe('a reader that stalls', () => {
  it('freezes no other run of the process, costs no memory, and misses nothing', async () => {
    const { run } = service();
    const before = usedHeap();
    const stalled = run({ prompt: 'flood', interactive: true });
    const reader = stalled[Symbol.asyncIterator]();
    await reader.next();
    const other = run({ prompt: 'wait', interactive: true });
    await next(other, 'turn_end');
    for (let i = 0; i < 2; i += 1) {
      await other.send('flood');
      await next(other, 'turn_end');
      expect(other.text.startsWith('0 1 2 ')).toBe(true);
    }
    // What was put aside for the stalled one are 30 MB of lines.
    expect(usedHeap() - before).toBeLessThan(15 * 1024 * 1024);
    const heard: string[] = [];
    for (let at = await reader.next(); !at.done; at = await reader.next()) {
      if (at.value.type === 'text_delta') heard.push(at.value.delta.trim());
      if (at.value.type === 'turn_end') void stalled.end();
    }
    expect(heard.slice(0, FLOOD)).toEqual(Array.from({ length: FLOOD }, (_, i) => String(i)));
    await other.end();
  });

  it('that never reads on still lets its run be aborted, and the process die', async () => {
    const { run, client } = service();
    const [first, second] = [run({ prompt: 'flood' }), run({ prompt: 'flood' })];
    for (const handle of [first, second]) await handle[Symbol.asyncIterator]().next();
    const third = run({ prompt: 'x' });
    expect(await third).toMatchObject({ exitReason: 'completed' });
    expect(await first.abort()).toMatchObject({ exitReason: 'aborted' });
    await client.close();
    expect(await second).toMatchObject({ exitReason: 'aborted' });
  });
});
