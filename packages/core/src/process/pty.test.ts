import { describe, expect, it } from 'vitest';
import { isAlive, until } from '../../test/engine.ts';
import type { ProcessExit } from './process-io.ts';
import { openPty, type PtyOptions, requirePty } from './pty.ts';

function open(script: string, options: PtyOptions & { cwd?: string; command?: string; cols?: number } = {}) {
  const seen = { text: '', bytes: 0, ended: 0, left: 0, exit: undefined as ProcessExit | undefined };
  const { cwd = '/', command = '/bin/bash', cols = 100, ...rest } = options;
  const env = { PATH: process.env.PATH ?? '', HOME: '/' };
  const spawn = { command, args: ['-c', script], env, cwd, usePty: true, terminal: { cols, rows: 30 } };
  const pty = openPty(
    spawn,
    {
      data: (_source, chunk) => {
        seen.bytes += chunk.length;
        if (seen.bytes < 1_000_000) seen.text += chunk.toString('utf8');
      },
      ended: () => {
        seen.ended += 1;
      },
      left: () => {
        seen.left += 1;
      },
      exited: (exit) => {
        seen.exit = exit;
      },
    },
    rest,
  );
  const gone = () => until(() => seen.exit !== undefined);
  return { pty, seen, gone };
}

describe('process on a terminal', () => {
  it('has a terminal of the given size on all streams and as controlling terminal', async () => {
    const { seen, gone } = open('test -t 0 && test -t 1 && test -t 2 && stty size < /dev/tty && echo $TERM');
    await gone();
    expect(seen.text).toBe('30 100\r\nxterm-256color\r\n');
    expect(seen).toMatchObject({ ended: 1, exit: { code: 0, signal: null } });
  });

  it('is notified of a new size', async () => {
    const { pty, seen, gone } = open("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done");
    await until(() => seen.text.includes('ready'));
    pty.resize({ cols: 66, rows: 11 });
    await gone();
    expect(seen.text).toContain('11 66');
    expect(() => pty.resize({ cols: 1, rows: 1 })).not.toThrow();
  });

  it('reads typed text, with and without echo', async () => {
    for (const echo of [true, false]) {
      const { pty, seen, gone } = open('read x; echo "got $x"', { echo });
      pty.write('hello\r');
      await gone();
      expect(seen.text).toBe(echo ? 'hello\r\ngot hello\r\n' : 'got hello\r\n');
    }
  });

  it('gets the end of input in any column', async () => {
    for (const typed of ['one\r', 'one']) {
      const { pty, seen, gone } = open('x=$(cat); echo "[$x]"', { echo: false });
      pty.write(typed);
      pty.closeInput();
      pty.closeInput();
      await gone();
      expect(seen.text).toBe('[one]\r\n');
    }
  });

  it('is interrupted together with its foreground process', async () => {
    const { pty, seen, gone } = open("trap 'echo caught; exit 3' INT; echo ready; sleep 60", { echo: false });
    await until(() => seen.text.includes('ready'));
    pty.interrupt();
    await gone();
    expect(seen).toMatchObject({ exit: { code: 3, signal: null } });
    expect(seen.text).toContain('caught');
  });

  it('reports the signal that ended it', async () => {
    const { gone, seen } = open('kill -KILL $$');
    await gone();
    expect(seen.exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('retains the end of its output for a paused reader after the exit', async () => {
    const { pty, seen, gone } = open('for i in 1 2 3; do echo begin; done; read x; echo the very end', { echo: false });
    await until(() => seen.text.includes('begin'));
    pty.pause();
    const before = seen.text;
    pty.write('go\r');
    await until(() => seen.left > 0 || !isAlive(pty.pid));
    // Longer than the package would wait.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(seen).toMatchObject({ text: before, exit: undefined });
    pty.resume();
    await gone();
    expect(seen.text).toContain('the very end');
  });

  it('is slowed by a paused reader without losing output', async () => {
    const { pty, seen, gone } = open('yes 0123456789 | head -n 200000; echo end of it');
    await until(() => seen.bytes > 10_000);
    for (let i = 0; i < 5; i += 1) {
      pty.pause();
      const at = seen.bytes;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(seen.bytes - at).toBeLessThan(200_000);
      pty.resume();
      await until(() => seen.bytes > at || seen.exit !== undefined);
    }
    await gone();
    expect(seen.bytes).toBe(200_000 * 12 + 'end of it\r\n'.length);
  });

  it('does not start without its command or folder', async () => {
    for (const wrong of [{ command: '/no/such/command' }, { cwd: '/no/such/folder' }]) {
      const { pty, seen, gone } = open('echo hi', wrong);
      await gone();
      expect(pty.pid).toBeUndefined();
      expect(seen.exit?.spawnError).toMatchObject({ code: 'ENOENT' });
    }
  });
});

describe('missing terminal package', () => {
  const failing = (error: Error) => () => {
    throw error;
  };

  it('reports how to install it', () => {
    const missing = Object.assign(new Error("Cannot find module '@lydell/node-pty'"), { code: 'MODULE_NOT_FOUND' });
    expect(() => requirePty('Acme', failing(missing))).toThrow(
      expect.objectContaining({
        code: 'SPAWN_ERROR',
        message: 'Acme needs a terminal, and the optional package @lydell/node-pty, which opens one, is not installed',
        hint: expect.stringContaining('npm install @lydell/node-pty'),
      }),
    );
  });

  it('distinguishes a missing binary from a missing package', () => {
    const broken = failing(new Error('The @lydell/node-pty package could not find the binary package'));
    expect(() => requirePty('Acme', broken)).toThrow(/does not work on this machine/);
    expect(() => requirePty('Acme', () => ({}))).toThrow(/is invalid/);
  });
});
