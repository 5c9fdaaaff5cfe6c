import type { AgentAdapter } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { define, eventsOf, script, typed, useEngine } from '../../test/engine.ts';
import { cliProfile } from './cli.ts';

/** Reads all, then answers. */
const READS_ALL = `
  let text = '';
  process.stdin.on('data', (d) => { text += d; }).on('end', () => {
    console.error('a note');
    console.log('got ' + JSON.stringify(text));
    console.log('bye');
  });`;
/** Answers every line, with its pid. */
const CHATS = `
  require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => console.log(process.pid + ' ' + line));`;
const SLOW = `process.stdin.resume().on('end', () => setTimeout(() => console.log('at last'), 3500));`;
const FAILS = `process.stdin.resume().on('end', () => { console.error('no way'); process.exit(7); });`;

const engine = useEngine(() => [
  define(cliProfile, 'reads-all', script(READS_ALL)),
  define(cliProfile, 'chats', script(CHATS)),
  define(cliProfile, 'keeps', { ...script(CHATS), spawn_policy: 'persistent' }),
  define(cliProfile, 'slow', script(SLOW)),
  define(cliProfile, 'fails', script(FAILS)),
  define(cliProfile, 'env', {
    command: process.execPath,
    args: ['-e', 'console.log(process.env.A, process.cwd())'],
    work_dir: '/',
    env: { A: 'from $' + '{env:PATH}' },
  }),
  define(cliProfile, 'mapped', {
    command: process.execPath,
    args: ['-p', '[process.env.A, process.env.OTHER_TOKEN].join()'],
    env: { A: '$' + '{env:OTHER_TOKEN}' },
  }),
  define(cliProfile, 'lacks', { ...script(''), env: { A: '$' + '{env:NO_SUCH_VARIABLE_HERE}' } }),
  define(cliProfile, 'absent', { command: 'no-such-command-anywhere' }),
]);

const run = (agent: string, more = {}) => engine.client.run({ agent, prompt: 'hello\nthere', ...more });

describe('a generic CLI with a process per session', () => {
  it('gets the prompt and the end of its input, and ends its turn with its process', async () => {
    const handle = run('reads-all');
    const events = await eventsOf(handle);
    const result = await handle;
    expect(result).toMatchObject({ exitReason: 'completed', exitCode: 0, text: 'got "hello\\nthere\\n"\nbye\n' });
    expect(typed(events, 'text_delta').map(({ delta }) => delta)).toEqual(['got "hello\\nthere\\n"\n', 'bye\n']);
    expect(typed(events, 'log')).toMatchObject([{ source: 'stderr', line: 'a note' }]);
  });

  it('says once that it cannot ask, unless all is allowed anyway', async () => {
    const warnings = async (more: object) => typed(await eventsOf(run('reads-all', more)), 'debug');
    expect(await warnings({})).toMatchObject([{ level: 'warn', code: 'cannot_ask' }]);
    expect(await warnings({ approvalMode: 'yolo' })).toEqual([]);
  });

  it('may be silent for long before it answers', async () => {
    expect(await run('slow')).toMatchObject({ exitReason: 'completed', text: 'at last\n' });
  });

  it('fails with the exit code of its process', async () => {
    const result = await run('fails');
    expect(result).toMatchObject({ exitReason: 'crashed', exitCode: 7, error: { code: 'AGENT_CRASH' } });
  });

  it('keeps its process for the turns of an interactive run, each ended by silence', async () => {
    const handle = run('chats', { prompt: 'one', interactive: true });
    const pids: string[] = [];
    for await (const event of handle) {
      if (event.type === 'text_delta') pids.push(event.delta);
      if (event.type === 'turn_end' && event.turnIndex === 0) await handle.send('two');
      if (event.type === 'turn_end' && event.turnIndex === 1) void handle.end();
    }
    expect(pids.map((line) => line.split(' ')[1])).toEqual(['one\n', 'two\n']);
    expect(new Set(pids.map((line) => line.split(' ')[0])).size).toBe(1);
    expect((await handle).exitReason).toBe('completed');
  });

  it('starts in its folder and with its variables', async () => {
    expect(await run('env')).toMatchObject({ text: `from ${process.env.PATH} /\n` });
  });

  it('has a secret of the host under the name that its definition gives it, and under no other', async () => {
    process.env.OTHER_TOKEN = 'token-of-the-host';
    try {
      expect(await run('mapped')).toMatchObject({ text: 'token-of-the-host,\n' });
    } finally {
      delete process.env.OTHER_TOKEN;
    }
  });

  it('is refused before anything starts when a variable, the command or a permission mode is missing', async () => {
    await expect(run('lacks').result).rejects.toThrow(/cli\.env\.A: .*NO_SUCH_VARIABLE_HERE is not set/);
    await expect(run('absent').result).rejects.toMatchObject({ code: 'AGENT_NOT_INSTALLED' });
    await expect(run('chats', { nativePermissionMode: 'x' }).result).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
    });
    expect(() => run('chats', { approvalMode: 'plan' })).toThrow(/approvalMode/);
    expect(() => run('chats', { model: 'm' })).toThrow(/takes no model/);
  });
});

describe('a persistent generic CLI', () => {
  it('serves several runs with one process', async () => {
    const first = run('keeps', { prompt: 'one', interactive: true });
    await new Promise<void>((resolve) => first.once('turn_end', () => resolve()));
    const [pid] = first.text.split(' ');
    const second = await run('keeps', { prompt: 'two' });
    expect(second.text).toBe(`${pid} two\n`);
    await first.end();
  });
});

describe('a generic CLI on a terminal', () => {
  const bash = (code: string, pty: unknown) => define(cliProfile, 'term', { command: 'bash', args: ['-c', code], pty });
  const on = (adapter: AgentAdapter) => {
    engine.client.adapters.register(adapter);
    return (more: object) => engine.client.run({ agent: 'term', prompt: 'hello', ...more });
  };

  it('has a terminal of the size that the definition gives', async () => {
    const size = 'test -t 0 && test -t 1 && stty size';
    expect((await on(bash(size, true))({})).text).toBe('40 120\n');
    expect((await on(bash(size, { cols: 77, rows: 9 }))({})).text).toBe('9 77\n');
    expect(bash(size, true).capabilities.requiresPty).toBe(true);
    expect(() => bash(size, { cols: 0, rows: 9 })).toThrow();
  });

  it('answers what is typed, asks without a newline, and leaves at the end of the input', async () => {
    const code = 'while read -p "name? " x; do echo "hi $x"; done; echo bye';
    const handle = on(bash(code, true))({ prompt: 'Ann', interactive: true });
    let text = '';
    for await (const event of handle) {
      if (event.type === 'text_delta') text += event.delta;
      if (event.type === 'turn_end' && event.turnIndex === 0) await handle.send('Bob');
      if (event.type === 'turn_end' && event.turnIndex === 1) void handle.end();
    }
    expect(text).toBe('name? hi Ann\nname? \nhi Bob\nname? \n');
    expect((await handle).exitReason).toBe('completed');
  });
});
