import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clineAdapter } from './index.ts';
import { parseManifest, parseMessages, SESSION_STORE } from './sessions.ts';

const adapter = clineAdapter;
const ID = '1794807844066_bzf0z';
let data: string;
let folder: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'cline-data-'));
  vi.stubEnv('CLINE_DATA_DIR', data);
  folder = join(data, 'sessions', ID);
  mkdirSync(folder, { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(data, { recursive: true, force: true });
});

function recording(name: string): URL {
  return new URL(`./recordings/${name}`, import.meta.url);
}

function put(): string {
  const path = join(folder, `${ID}.messages.json`);
  copyFileSync(recording('session-file.messages.json'), path);
  copyFileSync(recording('session-file.json'), join(folder, `${ID}.json`));
  return path;
}

describe('stored sessions of Cline', () => {
  it('lists them for one folder or for all, without the files of their teams', async () => {
    const path = put();
    writeFileSync(join(folder, 'teammate.messages.json'), '{}');
    expect(await adapter.listSessionFiles()).toEqual([path]);
    expect(await adapter.listSessionFiles('/workspace')).toEqual([path]);
    expect(await adapter.listSessionFiles('/other')).toEqual([]);
  });

  it('reads thinking, calls, results and tokens', async () => {
    const session = await adapter.parseSessionFile(put());
    expect(session).toMatchObject({
      agent: 'cline',
      sessionId: ID,
      title: expect.stringMatching(/^first /),
      cwd: '/workspace',
      model: 'scripted-model',
      createdAt: Date.parse('2026-11-16T05:44:04.079Z'),
      updatedAt: Date.parse('2026-11-16T05:44:05.976Z'),
      usage: { inputTokens: 2400, outputTokens: 68, cacheReadTokens: 2000, totalTokens: 2468 },
      costUsd: 0,
      messages: [
        { role: 'user', text: expect.stringMatching(/^first .*\]\]$/) },
        {
          role: 'assistant',
          text: 'Calling a tool. ',
          thinking: 'Let me ponder.',
          usage: { inputTokens: 1200, totalTokens: 1234 },
          toolCalls: [{ toolName: 'run_commands', input: { commands: ['echo hi'] }, output: 'hi\n' }],
        },
        { role: 'assistant', text: expect.stringMatching(/^TOOL RESULT/) },
      ],
    });
    expect(session.messages[1]?.toolCalls?.[0]?.isError).toBeUndefined();
  });

  it('hides the vendor prompt and its tags', () => {
    const content = readFileSync(recording('session-file.messages.json'), 'utf8');
    expect(content).toMatch(/You are Cline/);
    expect(content).toMatch(/<user_input/);
    expect(JSON.stringify(parseMessages(content))).not.toMatch(/You are Cline|user_input/);
  });

  it('reads them without their companion file', async () => {
    const path = put();
    rmSync(join(folder, `${ID}.json`));
    expect(await adapter.parseSessionFile(path)).toMatchObject({ sessionId: ID, usage: { totalTokens: 2468 } });
  });

  it.each([
    [{ content: '{"error":"no"}', is_error: true }, '{"error":"no"}'],
    [{ content: [{ query: 'a', result: 'bad\n', error: 'code 3', success: false }] }, 'bad\n'],
  ])('reports a failed call', (result, output) => {
    const session = parseMessages(
      JSON.stringify({
        sessionId: ID,
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'run_commands', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', ...result }] },
        ],
      }),
    );
    expect(session?.messages).toMatchObject([{ toolCalls: [{ output, isError: true }] }]);
    expect(session?.messages).toHaveLength(1);
  });

  it('has the price that Cline knows', () => {
    const manifest = JSON.parse(readFileSync(recording('session-file.json'), 'utf8'));
    manifest.metadata.aggregatedAgentsCost = 0.25;
    expect(parseManifest(JSON.stringify(manifest))?.costUsd).toBe(0.25);
    expect(SESSION_STORE.remove).toBeUndefined();
  });
});
