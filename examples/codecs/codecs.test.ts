import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type AgentAdapter, createClient, type RunOptions } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import acp from './acp.ts';
import claudeStream from './claude-stream.ts';
import jsonrpc from './jsonrpc.ts';

const here = (path: string) => new URL(path, import.meta.url);

describe.each(['acp', 'claude-stream', 'jsonrpc'])('documentation page of codec %s', (name) => {
  it('shows the tested adapter verbatim', () => {
    const page = readFileSync(here(`../../docs/codecs/${name}.md`), 'utf8');
    expect(page).toContain(readFileSync(here(`./${name}.ts`), 'utf8'));
  });
});

describe('adapter built on a codec', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'codecs-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  async function run(adapter: AgentAdapter, options: Partial<RunOptions> = {}) {
    const PATH = [join(import.meta.dirname, 'bin'), dirname(process.execPath)].join(delimiter);
    await using client = createClient({ env: { PATH, HOME: home } });
    client.adapters.register(adapter);
    return await client.run({ agent: adapter.agent, prompt: 'say hello', cwd: home, ...options });
  }

  it.each([
    ['acp', acp],
    ['jsonrpc', jsonrpc],
  ])('%s: answers requests according to the approval mode', async (_, adapter) => {
    expect(await run(adapter, { approvalMode: 'yolo' })).toMatchObject({
      exitReason: 'completed',
      text: 'You said: say hello',
      sessionId: 's-1',
    });
    expect(await run(adapter, { approvalMode: 'deny' })).toMatchObject({ exitReason: 'completed' });
  });

  it.each(['live', 'print'])('claude-stream, %s: reports text, usage and failures of its dialect', async (mode) => {
    expect(await run(claudeStream, { mode, approvalMode: 'yolo' })).toMatchObject({
      exitReason: 'completed',
      text: 'You said: say hello',
      sessionId: 's-1',
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    const refused = await run(claudeStream, { mode, approvalMode: 'yolo', prompt: 'log out' });
    expect(refused).toMatchObject({ error: { code: 'AUTH_ERROR', message: 'no login' } });
  });
});
