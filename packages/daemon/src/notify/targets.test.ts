import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProcessTree } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import {
  createNotifier,
  fine,
  finishTurn,
  home,
  now,
  outcomes,
  receive,
  rule,
  session,
  startNotifier,
  TIMEOUT,
  useTestHome,
  webhook,
} from '../../test/notifiers.ts';
import type { Target } from './notify-settings.ts';
import { desktopCommand } from './send.ts';

useTestHome();

describe('command target', () => {
  it('receives JSON on stdin and unmodified arguments without a shell', async () => {
    const out = join(home.folder, 'out');
    const script = `let all = ''; process.stdin.on('data', (part) => (all += part)).on('end', () => require('fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify([process.argv.slice(1), JSON.parse(all)])))`;
    const command = [process.execPath, '-e', script, '$(touch /nowhere)', '; rm -rf x', '"'];
    const notifier = await startNotifier([{ name: 'log', type: 'command', command }], [rule({ to: ['log'] })]);
    await home.store.insertSession(session('one', { title: '$(touch pwned)`id`' }));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), TIMEOUT).toEqual([['log', 'idle', 'sent']]);
    const [args, payload] = JSON.parse(readFileSync(out, 'utf8'));
    expect(args).toEqual(command.slice(3));
    expect(payload).toMatchObject({ state: 'idle', text: '$(touch pwned)`id`', session: { id: 'one' } });
  });

  it('is terminated with its process tree after the timeout', async () => {
    const pidFile = join(home.folder, 'pid');
    const script = `sleep 600 & echo $! > ${pidFile}; wait`;
    const target: Target = { name: 'slow', type: 'command', command: ['/bin/sh', '-c', script] };
    const [tested] = await createNotifier([target], [], { programMs: 1_500 }).test('slow');
    expect(tested).toMatchObject({ outcome: 'failed', error: { code: 'TIMEOUT' } });
    const mark = `notify-${tested?.id}`;
    expect(existsSync(pidFile)).toBe(true);
    await expect.poll(() => listProcessTree(-1, mark), TIMEOUT).toEqual([]);
  });
});

describe('desktop target', () => {
  it.runIf(process.platform === 'linux')('passes each text as one argument', async () => {
    const out = join(home.folder, 'args');
    const script = `#!/bin/sh\nfor arg in "$@"; do printf '%s\\0' "$arg"; done > ${out}\n`;
    writeFileSync(join(home.folder, 'notify-send'), script, { mode: 0o755 });
    const notifier = await startNotifier([{ name: 'desktop', type: 'desktop' }], [rule({ to: ['desktop'] })]);
    await home.store.insertSession(session('one', { agent: 'claude', title: '-x $(id) <b>&' }));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), TIMEOUT).toEqual([['desktop', 'idle', 'sent']]);
    expect(readFileSync(out, 'utf8').split('\0').slice(0, -1)).toEqual([
      '--app-name=agent-mux',
      '--',
      'claude is done in nowhere',
      '-x $(id) &lt;b&gt;&amp;',
    ]);
  });

  it('logs a missing program once', async () => {
    const notifier = createNotifier([], [], {}, { PATH: home.folder });
    for (let at = 0; at < 3; at += 1)
      expect(await notifier.test('desktop')).toMatchObject([{ outcome: 'failed', error: { code: 'NOT_FOUND' } }]);
    expect(home.logged).toHaveLength(1);
    await expect(notifier.test('missing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('passes the text after the script on macOS', () => {
    const command = desktopCommand({ title: '" & quit', text: '-e boom' }, 'darwin');
    expect(command.slice(-2)).toEqual(['agent-mux: " & quit', '-e boom']);
    expect(command.filter((_, at) => command[at - 1] === '-e').join(' ')).not.toContain('quit');
    expect(() => desktopCommand({ title: '', text: '' }, 'win32')).toThrow('use a command');
  });
});

describe('notifier after a restart', () => {
  it('resends a pending webhook with the same id but not a command', async () => {
    const hanging = await receive((nth, response) => {
      if (nth > 1) response.end();
    });
    const started = join(home.folder, 'started');
    const command: Target = {
      name: 'log',
      type: 'command',
      command: ['/bin/sh', '-c', `echo x >> ${started}; sleep 600`],
    };
    const targets = [webhook('phone', hanging.url), command];
    const rules = [rule({ to: ['phone', 'log'] })];
    const first = await startNotifier(targets, rules);
    await home.store.insertSession(session('one'));
    await finishTurn('one');
    await expect.poll(() => hanging.got.length === 1 && existsSync(started), TIMEOUT).toBe(true);
    await first.stop();
    const second = await startNotifier(targets, rules);
    await expect
      .poll(() => outcomes(second), TIMEOUT)
      .toEqual([
        ['phone', 'idle', 'sent'],
        ['log', 'idle', 'unknown'],
      ]);
    expect(new Set(hanging.got.map(({ headers }) => headers['agent-mux-id'])).size).toBe(1);
    expect(readFileSync(started, 'utf8')).toBe('x\n');
  });

  it('sends what happened while it was off, but nothing older than a day', async () => {
    const { got, url } = await receive(fine);
    const targets = [webhook('phone', url)];
    const first = await startNotifier(targets, [rule({ to: ['phone'] })]);
    await first.stop();
    await home.store.insertSession(session('long'));
    await finishTurn('long', { activitySince: now() - 3 * 24 * 3_600_000 });
    await home.store.insertSession(session('now'));
    await finishTurn('now');
    const second = await startNotifier(targets, [rule({ to: ['phone'] })]);
    await expect.poll(() => outcomes(second), TIMEOUT).toEqual([['phone', 'idle', 'sent']]);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ session: { id: 'now' } });
  });
});
