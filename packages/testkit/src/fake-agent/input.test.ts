import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startFakeAgent } from './running.ts';

describe('stdin', () => {
  it('is read line by line, echoed on request, and kept for later texts', async () => {
    const agent = startFakeAgent([
      { do: 'read-line', echo: true },
      { do: 'read-line' },
      { do: 'line', text: 'got {{line}}' },
    ]);
    agent.write('first é\nsec');
    await agent.report('stdin');
    agent.write('ond\n');
    await agent.ended;
    expect(agent.lines()).toEqual(['{"type":"stdin","line":"first é"}', 'got second']);
  });

  it('is read until a line matches', async () => {
    const agent = startFakeAgent([{ do: 'read-line', match: '^go \\d', echo: true }]);
    agent.write('no\ngo\ngo 1\n');
    await agent.ended;
    expect(agent.objects()).toEqual([{ type: 'stdin', line: 'go 1' }]);
  });

  it('gives null at its end, and its last line needs no newline', async () => {
    const agent = startFakeAgent([{ do: 'repeat', times: 2, steps: [{ do: 'read-line', echo: true }] }]);
    agent.child.stdin?.end('last');
    await agent.ended;
    expect(agent.objects().map((report) => report.line)).toEqual(['last', null]);
  });

  it('is read to its end, with byte count and hash, also after single lines', async () => {
    const prompt = Buffer.from('ä'.repeat(5 * 1024 * 1024));
    const agent = startFakeAgent([{ do: 'read-line', echo: true }, { do: 'read-all' }]);
    agent.write('line\n');
    agent.child.stdin?.end(prompt);
    await agent.ended;
    const sha256 = createHash('sha256').update(prompt).digest('hex');
    expect(agent.objects()).toEqual([
      { type: 'stdin', line: 'line' },
      { type: 'stdin_end', bytes: 10 * 1024 * 1024, sha256 },
    ]);
  });

  it('is kept for later texts when it is short', async () => {
    const agent = startFakeAgent([
      { do: 'read-all' },
      { do: 'event', event: { type: 'text_delta', delta: '{{stdin}}' } },
    ]);
    agent.child.stdin?.end('two\nlines');
    await agent.ended;
    expect(agent.objects()[1]).toEqual({ type: 'text_delta', delta: 'two\nlines' });
  });

  it.each([false, true])(
    'can be closed by the agent, so that the writer gets EPIPE (read before: %s)',
    async (read) => {
      const agent = startFakeAgent([
        ...(read ? [{ do: 'read-line' } as const] : []),
        { do: 'close-stdin' },
        { do: 'hang' },
      ]);
      agent.write('line\n');
      await agent.report('stdin_closed');
      const failed = once(agent.child.stdin!, 'error');
      agent.child.stdin?.write('more');
      const [error] = await failed;
      expect(['EPIPE', 'ECONNRESET']).toContain(error.code);
      expect(agent.child.exitCode).toBeNull();
      agent.child.kill('SIGKILL');
      await agent.ended;
    },
  );
});
