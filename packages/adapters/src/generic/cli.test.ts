import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentAdapter, AgentEvent } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { define, eventsOf, script, typed, useEngine } from '../../test/engine.ts';
import { cliProfile } from './cli.ts';

/** Reads everything, then answers. */
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
    .on('line', (line) => line === 'die' ? process.exit(3) : console.log(process.pid + ' ' + line));`;
/** Prints something long after its answer has ended. */
const LATE = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    console.log(line);
    if (line === 'one') setTimeout(() => process.stdout.write('more of one\\n', () => require('node:fs').writeFileSync('said', '')), 800);
  });`;
const SLOWLY = `
  require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => setTimeout(() => console.log(line), 600));`;
const PROMPTS = `
  let count = 0;
  process.stdout.write('> ');
  require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => process.stdout.write(++count + ' ' + line + '\\n> '));`;
const SLOW = `process.stdin.resume().on('end', () => setTimeout(() => console.log('at last'), 3500));`;
const FAILS = `process.stdin.resume().on('end', () => { console.error('no way'); process.exit(7); });`;

/** Answers every line slowly, one after the other. */
const answersInTurn = (end: string) => `
  let last = Promise.resolve();
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    last = last.then(() => new Promise((done) => setTimeout(done, 300))).then(() => process.stdout.write('to ' + line + '${end}'));
  });`;

const engine = useEngine(() => [
  define(cliProfile, 'lines-marked', {
    ...script(answersInTurn('\\nEND\\n')),
    spawn_policy: 'persistent',
    end_marker: 'END',
  }),
  define(cliProfile, 'lines-prompted', {
    ...script(`process.stdout.write('> ');${answersInTurn('\\n> ')}`),
    spawn_policy: 'persistent',
    prompt_pattern: '> ',
  }),
  define(cliProfile, 'reads-all', script(READS_ALL)),
  define(cliProfile, 'chats', { ...script(CHATS), silence: '300ms' }),
  define(cliProfile, 'keeps', { ...script(CHATS), spawn_policy: 'persistent', silence: '300ms' }),
  define(cliProfile, 'keeps-slow', { ...script(SLOWLY), spawn_policy: 'persistent', silence: '300ms' }),
  define(cliProfile, 'keeps-late', { ...script(LATE), spawn_policy: 'persistent', silence: '200ms' }),
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

const textIn = (events: readonly AgentEvent[]) =>
  typed(events, 'text_delta')
    .map(({ delta }) => delta)
    .join('');
async function waitFor(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
const run = (agent: string, more = {}) => engine.client.run({ agent, prompt: 'hello\nthere', ...more });

describe('generic CLI with a process per session', () => {
  it('gets the prompt and the end of its input, and ends its turn with its process', async () => {
    const handle = run('reads-all');
    const events = await eventsOf(handle);
    const result = await handle;
    expect(result).toMatchObject({ exitReason: 'completed', exitCode: 0, text: 'got "hello\\nthere\\n"\nbye\n' });
    expect(textIn(events)).toBe('got "hello\\nthere\\n"\nbye\n');
    expect(typed(events, 'log')).toMatchObject([{ source: 'stderr', line: 'a note' }]);
  });

  it('warns once that it cannot ask, unless everything is allowed', async () => {
    const warnings = async (more: object) => typed(await eventsOf(run('reads-all', more)), 'debug');
    expect(await warnings({})).toMatchObject([{ level: 'warn', code: 'approvals_unsupported' }]);
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

  it('gets a secret of the host only under the name in its definition', async () => {
    process.env.OTHER_TOKEN = 'token-of-the-host';
    try {
      expect(await run('mapped')).toMatchObject({ text: 'token-of-the-host,\n' });
    } finally {
      delete process.env.OTHER_TOKEN;
    }
  });

  it('is refused before the start if a variable, the command or a permission mode is missing', async () => {
    await expect(run('lacks').result).rejects.toThrow(/cli\.env\.A: .*NO_SUCH_VARIABLE_HERE is not set/);
    await expect(run('absent').result).rejects.toMatchObject({ code: 'AGENT_NOT_INSTALLED' });
    await expect(run('chats', { nativePermissionMode: 'x' }).result).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
    });
    expect(() => run('chats', { approvalMode: 'plan' })).toThrow(/approvalMode/);
    expect(() => run('chats', { model: 'm' })).toThrow(/takes no model/);
  });
});

describe('end of an answer', () => {
  /** Continues reading when the answer to a turn has ended. */
  const talk = async (config: object, prompts: string[], more = {}) => {
    engine.client.adapters.register(define(cliProfile, 'talks', config));
    const [prompt, ...others] = prompts;
    const handle = run('talks', { prompt, interactive: true, approvalMode: 'yolo', ...more });
    const turns: string[] = [];
    const events: AgentEvent[] = [];
    for await (const event of handle) {
      events.push(event);
      if (event.type === 'turn_start') turns[event.turnIndex] = '';
      if (event.type === 'text_delta') turns[event.turnIndex] += event.delta;
      if (event.type !== 'turn_end') continue;
      const next = others.shift();
      if (next === undefined) void handle.end();
      else if (next !== '') await handle.send(next);
    }
    return { turns, events, result: await handle };
  };
  /** Waits for the first word's time, then prints the others: each a piece, `,` a pause, `/` a newline. */
  const speaker = (start = '') =>
    script(`
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    let work = Promise.resolve();
    ${start};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      work = work.then(async () => {
        const [think, ...words] = line.split(' ');
        await pause(Number(think));
        for (const word of words) word === ',' ? await pause(700) : process.stdout.write(word.replaceAll('/', '\\n').replaceAll('_', ' '));
      });
    });`);

  it('is silence after its last output, never before its first', async () => {
    const { turns, events, result } = await talk({ ...speaker(), silence: '400ms' }, ['1500 late/', '0 soon/']);
    expect(turns).toEqual(['late\n', 'soon\n']);
    expect(typed(events, 'turn_end').map(({ stopReason }) => stopReason)).toEqual(['quiet', 'quiet']);
    expect(result.exitReason).toBe('completed');
  });

  it('times out instead of completing if a program prints nothing', async () => {
    const silent = { ...script('process.stdin.resume()'), silence: '100ms' };
    const { result, events } = await talk(silent, ['x'], { inactivityTimeout: 700 });
    expect(result).toMatchObject({ exitReason: 'inactivity', text: '' });
    expect(typed(events, 'timeout')).toMatchObject([{ kind: 'inactivity', limitMs: 700 }]);
  });

  it('leaves a late rest to a separate turn, and the next question to its own answer', async () => {
    const config = { ...speaker(), silence: '300ms' };
    const { turns, events } = await talk(config, ['0 part , rest/', '', '0 mine/']);
    expect(turns).toEqual(['part', 'rest\n', 'mine\n']);
    expect(typed(events, 'turn_start').map(({ origin }) => origin)).toEqual(['user', 'agent', 'user']);
  });

  it('may be a marker, which is hidden and must be a separate line', async () => {
    const config = { ...speaker("process.stdout.write('welcome\\n')"), end_marker: '<end>' };
    const { turns, events } = await talk(config, [
      '0 a , b/say_<end>/<en d>/late/',
      '0 < end> not/ <e nd>',
      '0 <end>/',
    ]);
    expect(turns).toEqual(['welcome\nab\nsay <end>\n', '<end>not\n', '']);
    expect(typed(events, 'turn_end').map(({ stopReason }) => stopReason)).toEqual(Array(3).fill('end_marker'));
    expect(typed(events, 'log').map(({ line }) => line)).toEqual(['late']);
  });

  it('may be its prompt, for which the first question waits, too', async () => {
    const config = {
      ...speaker("process.stdout.write('banner\\n'); work = pause(700).then(() => process.stdout.write('In [1]: '))"),
      prompt_pattern: 'In [*]:',
    };
    const { turns, events } = await talk(config, ['0 In_ , [x/ In_[2]:_', '0 In_[3]:_ quoted/ , more/In_[4]:_']);
    expect(turns).toEqual(['In [x\n', 'In [3]: quoted\nmore\n']);
    expect(typed(events, 'log').map(({ line }) => line)).toEqual(['banner']);
  });

  it('emits output without a newline while the answer continues', async () => {
    const config = { ...speaker(), silence: '60s' };
    engine.client.adapters.register(define(cliProfile, 'talks', config));
    const handle = run('talks', { prompt: '0 50%', interactive: true });
    const { delta } = await new Promise<{ delta: string }>((resolve) => handle.once('text_delta', resolve));
    expect(delta).toBe('50%');
    await handle.abort();
  });

  it('is defined in exactly one way that can be met', () => {
    const refused = (fields: object) => cliProfile.schema.safeParse({ command: 'x', ...fields }).error?.issues ?? [];
    expect(refused({ silence: '1s', end_marker: 'END' })).toMatchObject([{ path: ['end_marker'] }]);
    expect(refused({ end_marker: 'END', prompt_pattern: '>' })).toMatchObject([{ path: ['prompt_pattern'] }]);
    for (const field of [
      { silence: '0s' },
      { end_marker: ' ' },
      { end_marker: 'a\nb' },
      { prompt_pattern: '* *' },
      { silence: '1s', pty: true },
    ])
      expect(refused(field)).toHaveLength(1);
  });
});

describe('persistent generic CLI', () => {
  const pidOf = (text: string) => Number(text.split(' ')[0]);

  it('serves one run after another with one process, which ends with the client', async () => {
    const [first, second] = [await run('keeps', { prompt: 'one' }), await run('keeps', { prompt: 'two' })];
    expect(second.text).toBe(`${pidOf(first.text)} two\n`);
    await engine.client.close();
    expect(() => process.kill(pidOf(first.text), 0)).toThrow(/ESRCH/);
  });

  it('serves one run at a time: the others queue, report it, and get their own answers', async () => {
    const handles = ['a', 'b', 'c'].map((prompt) => run('keeps', { prompt }));
    const [, , waits] = handles;
    const queued = new Promise<string>((resolve) =>
      waits?.on('debug', ({ code, message }) => code === 'queued' && resolve(message)),
    );
    expect(await queued).toBe('keeps serves one run at a time; 2 are ahead of this one');
    const texts = (await Promise.all(handles)).map(({ text }) => text);
    expect(texts.map((text) => text.split(' ')[1])).toEqual(['a\n', 'b\n', 'c\n']);
    expect(new Set(texts.map(pidOf)).size).toBe(1);
  });

  it('does not block a run that is aborted', async () => {
    const first = run('keeps', { prompt: 'a', interactive: true });
    const [second, third] = [run('keeps', { prompt: 'b' }), run('keeps', { prompt: 'c' })];
    await new Promise((resolve) => third.once('debug', resolve));
    expect(await second.abort()).toMatchObject({ exitReason: 'aborted', text: '' });
    await first.end();
    expect((await third).text).toMatch(/^\d+ c\n$/);
  });

  it('starts another process after a run that was ended in mid-answer', async () => {
    const first = run('keeps-slow', { prompt: 'first' });
    await new Promise((resolve) => first.once('turn_start', resolve));
    const second = run('keeps-slow', { prompt: 'second' });
    await first.abort();
    expect((await second).text).toBe('second\n');
  });

  it('replaces a process that has crashed', async () => {
    expect(await run('keeps', { prompt: 'die' })).toMatchObject({ exitReason: 'crashed', exitCode: 3 });
    expect((await run('keeps', { prompt: 'again' })).text).toMatch(/^\d+ again\n$/);
  });

  it('treats late output of a run as an answer to no one, but keeps it', async () => {
    const first = await run('keeps-late', { prompt: 'one' });
    await waitFor(() => existsSync(join(engine.cwd, 'said')));
    const second = run('keeps-late', { prompt: 'two' });
    const events = await eventsOf(second);
    expect(textIn(events)).toBe('two\n');
    const late = typed(events, 'debug').filter(({ code }) => code === 'late_output');
    expect(late).toMatchObject([{ data: { runId: first.runId, text: 'more of one\n' } }]);
  });

  it.each(['lines-marked', 'lines-prompted'])(
    'does not mix up the rest of a multi-line message when each line is answered (%s)',
    async (agent) => {
      const { client } = engine;
      const first = client.run({ agent, prompt: 'one\ntwo', approvalMode: 'yolo' });
      expect((await first).text.trim()).toBe('to one');
      expect(typed(await eventsOf(first), 'debug').map(({ code }) => code)).toContain('multiline_input');
      for (const prompt of ['three', 'four'])
        expect((await client.run({ agent, prompt, approvalMode: 'yolo' })).text.trim()).toBe(`to ${prompt}`);
    },
  );

  it('stays at its prompt between two runs', async () => {
    const prompts = { ...script(PROMPTS), spawn_policy: 'persistent', prompt_pattern: '>' };
    engine.client.adapters.register(define(cliProfile, 'prompts', prompts));
    const texts = [await run('prompts', { prompt: 'a' }), await run('prompts', { prompt: 'b' })].map(
      ({ text }) => text,
    );
    expect(texts).toEqual(['1 a\n', '2 b\n']);
  });
});

describe('generic CLI on a terminal', () => {
  const bash = (code: string, pty: unknown) =>
    define(cliProfile, 'term', { command: 'bash', args: ['-c', code], pty, silence: '1500ms' });
  const on = (adapter: AgentAdapter) => {
    engine.client.adapters.register(adapter);
    return (more: object) => engine.client.run({ agent: 'term', prompt: 'hello', ...more });
  };

  it('has a terminal of the size in the definition', async () => {
    const size = 'test -t 0 && test -t 1 && stty size';
    expect((await on(bash(size, true))({})).text).toBe('40 120\n');
    expect((await on(bash(size, { cols: 77, rows: 9 }))({})).text).toBe('9 77\n');
    expect(bash(size, true).capabilities.requiresPty).toBe(true);
    expect(() => bash(size, { cols: 0, rows: 9 })).toThrow();
  });

  it('answers typed input, asks without a newline, and exits at the end of the input', async () => {
    const code = 'while read -p "name? " x; do echo "hi $x"; done; echo bye';
    const handle = on(bash(code, true))({ prompt: 'Ann', interactive: true });
    let text = '';
    for await (const event of handle) {
      if (event.type === 'text_delta') text += event.delta;
      if (event.type === 'turn_end' && event.turnIndex === 0) await handle.send('Bob');
      if (event.type === 'turn_end' && event.turnIndex === 1) void handle.end();
    }
    expect(text).toBe('name? hi Ann\nname? hi Bob\nname? ');
    expect((await handle).exitReason).toBe('completed');
  });
});
