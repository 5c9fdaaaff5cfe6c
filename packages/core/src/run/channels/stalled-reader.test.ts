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

describe('stalled reader', () => {
  it('blocks no other run, uses bounded memory and loses no output', async () => {
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
    // The backlog of the stalled run is 30 MB of lines.
    expect(usedHeap() - before).toBeLessThan(15 * 1024 * 1024);
    const received: string[] = [];
    for (let at = await reader.next(); !at.done; at = await reader.next()) {
      if (at.value.type === 'text_delta') received.push(at.value.delta.trim());
      if (at.value.type === 'turn_end') void stalled.end();
    }
    expect(received.slice(0, FLOOD)).toEqual(Array.from({ length: FLOOD }, (_, i) => String(i)));
    await other.end();
  });

  it('can be aborted if it never reads again', async () => {
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
