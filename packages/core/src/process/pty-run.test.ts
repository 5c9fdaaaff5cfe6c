import {
  type AgentMode,
  BaseAgentAdapter,
  type EventBody,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { eventsOf, next, nothingLeftOf, typed, until, useBench } from '../../test/engine.ts';

const bench = useBench();

/** A bash script on a terminal; each line that it prints is part of the answer. */
class TerminalAdapter extends BaseAgentAdapter {
  readonly agent = 'terminal';
  readonly displayName = 'Terminal agent';
  readonly cliCommand = '/bin/bash';
  override readonly needsNoInstall = true;
  override readonly modes: readonly AgentMode[];
  readonly #script: string;

  constructor(script: string) {
    super();
    this.#script = script;
    const capabilities = {
      ...NO_CAPABILITIES,
      requiresPty: true,
      supportsInterrupt: true,
      approvalModes: ['prompt'] as const,
    };
    this.modes = [{ name: 'oneshot', driver: 'oneshot', summary: '', capabilities }];
  }

  buildSpawnArgs({ cwd, prompt }: ResolvedRunOptions): SpawnArgs {
    const args = ['-c', this.#script];
    return { command: this.cliCommand, args, env: {}, cwd, usePty: true, stdin: `${prompt}\n` };
  }

  parseEvent(line: string): EventBody {
    return { type: 'text_delta', delta: `${line}\n` };
  }
}

const run = (script: string, more = {}) => bench.use(new TerminalAdapter(script)).run({ cwd: '/', ...more });

describe('run on a terminal', () => {
  it('has a terminal and gets its prompt without an echo', async () => {
    const result = await run('test -t 0 -a -t 1 && stty size; read x; echo "got: $x"', { prompt: 'hello' });
    expect(result).toMatchObject({ exitReason: 'completed', exitCode: 0, text: '40 120\ngot: hello\n' });
  });

  it('returns plain text with colors and redrawn lines resolved', async () => {
    const script = String.raw`printf '\e]0;a title\a\e[32mgreen\e[0m\n'; for i in 10 50 100; do printf '\r%3d%%' $i; done; echo`;
    expect((await run(script)).text).toBe('green\n100%\n');
  });

  it('types control characters of a prompt as text', async () => {
    const { text } = await run('cat -v', { prompt: 'a\x03b\x04c\td' });
    expect(text).toBe('a^Cb^Dc\td\n');
  });

  it('rejects a prompt that the terminal would cut', async () => {
    const handle = run('cat', { prompt: 'x'.repeat(5000) });
    await expect(handle.result).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('loses no output before the exit, with many runs at once', async () => {
    const runs = Array.from({ length: 12 }, () => run('seq 1 3000; printf "no newline"'));
    for (const { text } of await Promise.all(runs)) {
      expect(text.split('\n')).toHaveLength(3002);
      expect(text.endsWith('3000\nno newline\n')).toBe(true);
    }
  });

  it('waits for a stalled reader and loses no output', async () => {
    const handle = run('yes "$(printf %0200d 7)" | head -n 60000; echo the end');
    let lines = 0;
    let last = '';
    for await (const event of handle) {
      if (event.type !== 'text_delta') continue;
      if (lines === 0) await new Promise((resolve) => setTimeout(resolve, 1500));
      lines += 1;
      last = event.delta;
    }
    expect([lines, last]).toEqual([60_001, 'the end\n']);
  });

  it('ends its whole process tree on abort, including an interactive shell with jobs', async () => {
    const handle = run(`trap '' TERM; sleep 300 & setsid sleep 300 & bash --norc -i -c 'sleep 300 & echo up; wait'`);
    await until(() => handle.text.includes('up'));
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('is interrupted as by Ctrl-C', async () => {
    const handle = run(`trap 'echo stopped; exit 130' INT; echo up; while :; do sleep 0.1; done`);
    await next(handle, 'text_delta');
    await handle.interrupt();
    expect(await handle).toMatchObject({ exitReason: 'interrupted' });
    expect(handle.text).toContain('stopped');
  });

  it('is ended when it is silent, but not while it redraws a line', async () => {
    expect(await run('sleep 300', { inactivityTimeout: 400 })).toMatchObject({ exitReason: 'inactivity' });
    const busy = String.raw`for i in 1 2 3 4 5 6 7 8; do printf '\rstep %d' $i; sleep 0.2; done; echo`;
    expect(await run(busy, { inactivityTimeout: 1200 })).toMatchObject({ exitReason: 'completed', text: 'step 8\n' });
  });

  it('ends processes that hold the terminal after the exit', async () => {
    const handle = run(`trap '' HUP; sleep 300 & echo done`);
    expect(await handle).toMatchObject({ exitReason: 'completed', exitCode: 0, text: 'done\n' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('reports the end of the output when it fails', async () => {
    const handle = run(String.raw`printf '\e[31mno such luck\e[0m\n'; exit 9`);
    const [crash] = typed(await eventsOf(handle), 'crash');
    expect(crash).toMatchObject({ exitCode: 9, stderr: expect.stringContaining('no such luck') });
    expect(crash?.stderr).not.toContain('\x1b');
  });

  it('limits the length of lines', async () => {
    const handle = run(`head -c 20000000 /dev/zero | tr '\\0' x; echo; echo after`);
    const cut = typed(await eventsOf(handle), 'debug').find(({ code }) => code === 'line_truncated');
    expect(cut?.data).toMatchObject({ totalBytes: 20_000_000 + 1 });
    expect(handle.text.endsWith('x\nafter\n')).toBe(true);
  });

  it('is rejected for a remote invocation', async () => {
    const handle = run('true', { invocation: { mode: 'ssh', host: 'somewhere' } });
    await expect(handle.result).rejects.toThrow(/needs a terminal, which "ssh" does not provide/);
  });
});
