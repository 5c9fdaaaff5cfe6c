import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

type Message = Record<string, unknown>;

let cwd: string;
let agent: ReturnType<typeof startAgent>;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agent-mux-python-'));
  agent = startAgent();
});
afterEach(async () => {
  agent.process.stdin.end();
  await agent.exited;
  rmSync(cwd, { recursive: true, force: true });
});

function startAgent() {
  const file = fileURLToPath(new URL('./agent.py', import.meta.url));
  const process: ChildProcessWithoutNullStreams = spawn('python3', [file], { cwd });
  const exited = new Promise((resolve) => process.on('close', resolve));
  const heard: Message[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: process.stdout }).on('line', (line) => {
    heard.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const hears = (wanted: Message) =>
    new Promise<Message>((resolve) => {
      const look = () => {
        const found = heard.findIndex((m) => Object.entries(wanted).every(([key, value]) => m[key] === value));
        if (found < 0) return;
        waiting.delete(look);
        resolve(heard.splice(found, 1)[0] ?? {});
      };
      waiting.add(look);
      look();
    });
  const send = (message: Message) => process.stdin.write(`${JSON.stringify(message)}\n`);
  const text = (session_id: string) =>
    heard
      .filter((m) => m.type === 'output' && m.session_id === session_id)
      .map(({ content }) => content)
      .join('');
  return { process, exited, send, hears, text, heard };
}

function start(session_id: string) {
  agent.send({ type: 'session.start', session_id, cwd });
}
function say(session_id: string, content: string) {
  agent.send({ type: 'user.input', session_id, content });
}
const turnEnds = (session_id: string) => agent.hears({ type: 'turn.complete', session_id });

describe('Python example agent', () => {
  it('streams its text and completes its turn', async () => {
    start('a');
    say('a', 'good morning');
    await turnEnds('a');
    expect(agent.text('a')).toBe('You said: good morning ');
  });

  it('separates two sessions of one process', async () => {
    start('a');
    start('b');
    say('a', 'add milk');
    say('b', 'add bread');
    await Promise.all([turnEnds('a'), turnEnds('b')]);
    agent.heard.length = 0;
    say('a', 'list');
    say('b', 'list');
    await Promise.all([turnEnds('a'), turnEnds('b')]);
    expect([agent.text('a'), agent.text('b')]).toEqual(['- milk ', '- bread ']);
  });

  it('writes only after approval and returns the file', async () => {
    start('a');
    say('a', 'add milk');
    await turnEnds('a');
    for (const approved of [false, true]) {
      say('a', 'save');
      const request = await agent.hears({ type: 'permission.request' });
      expect(request).toMatchObject({ tool: 'write_file', resource: join(cwd, 'todo.md') });
      agent.send({ type: 'permission.response', session_id: 'a', request_id: request.request_id, approved });
      await turnEnds('a');
    }
    const [file, ...others] = agent.heard.filter(({ type }) => type === 'file.output');
    expect(file).toMatchObject({ file_name: 'todo.md', file_path: join(cwd, 'todo.md') });
    expect(others).toEqual([]);
    expect(readFileSync(join(cwd, 'todo.md'), 'utf8')).toBe('- milk\n');
  });

  it('reads attached files', async () => {
    const file_path = join(cwd, 'more.txt');
    writeFileSync(file_path, 'eggs\nflour\n');
    start('a');
    agent.send({ type: 'file.input', session_id: 'a', file_name: 'more.txt', file_mime_type: 'text/plain', file_path });
    say('a', 'list');
    await turnEnds('a');
    expect(agent.text('a')).toBe('- eggs\n- flour ');
  });

  it('stops a turn and continues afterwards', async () => {
    start('a');
    say('a', 'count 100000');
    await agent.hears({ type: 'output', content: '3 ' });
    agent.send({ type: 'stop', session_id: 'a' });
    expect(await turnEnds('a')).toMatchObject({ status: 'interrupted' });
    say('a', 'list');
    expect(await turnEnds('a')).toMatchObject({ status: 'completed' });
  });

  it('ignores invalid lines, unknown sessions and unknown types', async () => {
    agent.process.stdin.write('garbage\n[]\n');
    say('unknown', 'hello');
    start('a');
    agent.send({ type: 'from.the.future', session_id: 'a' });
    say('a', 'still there?');
    expect(await turnEnds('a')).toMatchObject({ status: 'completed' });
  });
});
