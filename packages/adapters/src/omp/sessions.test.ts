import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ompAdapter } from './index.ts';

const sessionStore = ompAdapter.sessionStore!;
const recording = (name: string) => fileURLToPath(new URL(`./recordings/sessions/${name}.jsonl`, import.meta.url));
const read = (name: string) => sessionStore.read({ path: recording(name), stamp: '' });
const NAME = '2026-11-16T05-54-10-714Z_01a1e2eb-8e9a-7762-9534-4d9fdc8d16be';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'omp-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('stored sessions of omp', () => {
  it('are files that start with a title, and trees', async () => {
    const session = await read('tree');
    expect(session).toMatchObject({
      agent: 'omp',
      sessionId: '01a1e2eb-8e9a-7762-9534-4d9fdc8d16be',
      title: 'A tree',
      cwd: '/workspace',
      model: 'lab/scripted',
      usage: { totalTokens: 4 * 2284 },
    });
    expect(session.branches?.map(({ active, messages }) => [active, messages.at(-1)?.text])).toEqual([
      [false, 'PONG: second'],
      [true, 'PONG: after compaction'],
    ]);
  });

  it('name the original session of a fork and count only what was added', async () => {
    const session = await read('fork');
    expect(session).toMatchObject({
      parentSessionId: '01a1e2e3-d61c-7676-a27c-c5f3f74d1c67',
      usage: { totalTokens: 2284 },
      costUsd: 0.0045975,
    });
    expect(session.title).toBeUndefined();
    const calls = session.messages.flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls.map(({ toolName, isError = false }) => [toolName, isError])).toEqual([
      ['bash', false],
      ['read', true],
    ]);
    expect(session.messages[1]?.thinking).toBe('I wonder');
  });

  it('are deleted with the folder of their name, and nothing else', async () => {
    const folder = join(home, '.omp/agent/sessions/--workspace--');
    mkdirSync(join(folder, NAME), { recursive: true });
    const file = join(folder, `${NAME}.jsonl`);
    const other = join(folder, '2026-11-16T06-00-00-000Z_other.jsonl');
    copyFileSync(recording('tree'), file);
    copyFileSync(recording('fork'), other);
    writeFileSync(join(folder, NAME, '0-Task.jsonl'), '{}');
    const refs = await sessionStore.find({ HOME: home });
    expect(refs.map(({ path }) => path).sort()).toEqual([file, other]);
    await sessionStore.remove?.({ path: file, stamp: '' });
    expect(readdirSync(folder)).toEqual(['2026-11-16T06-00-00-000Z_other.jsonl']);
    expect(existsSync(other)).toBe(true);
  });
});
