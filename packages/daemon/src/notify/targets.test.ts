import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFamily } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import {
  fine,
  finishTurn,
  house,
  makeNotifier,
  now,
  outcomes,
  PATIENCE,
  receive,
  rule,
  session,
  startNotifier,
  useHouse,
  webhook,
} from '../../test/notifiers.ts';
import type { Target } from './notify-settings.ts';
import { desktopCommand } from './send.ts';

useHouse();

describe('a command', () => {
  it('gets JSON on stdin, its arguments as they are written, and no shell', async () => {
    const out = join(house.folder, 'out');
    const script = `let all = ''; process.stdin.on('data', (part) => (all += part)).on('end', () => require('fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify([process.argv.slice(1), JSON.parse(all)])))`;
    const command = [process.execPath, '-e', script, '$(touch /nowhere)', '; rm -rf x', '"'];
    const notifier = await startNotifier([{ name: 'log', type: 'command', command }], [rule({ to: ['log'] })]);
    await house.store.insertSession(session('one', { title: '$(touch pwned)`id`' }));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toEqual([['log', 'idle', 'sent']]);
    const [args, told] = JSON.parse(readFileSync(out, 'utf8'));
    expect(args).toEqual(command.slice(3));
    expect(told).toMatchObject({ state: 'idle', text: '$(touch pwned)`id`', session: { id: 'one' } });
  });

  it('that takes too long is ended with all that it has started', async () => {
    const pidFile = join(house.folder, 'pid');
    const script = `sleep 600 & echo $! > ${pidFile}; wait`;
    const target: Target = { name: 'slow', type: 'command', command: ['/bin/sh', '-c', script] };
    const [tested] = await makeNotifier([target], [], { programMs: 1_500 }).test('slow');
    expect(tested).toMatchObject({ outcome: 'failed', error: { code: 'TIMEOUT' } });
    const mark = `notify-${tested?.id}`;
    expect(existsSync(pidFile)).toBe(true);
    await expect.poll(() => listFamily(-1, mark), PATIENCE).toEqual([]);
  });
});

describe('the desktop', () => {
  it.runIf(process.platform === 'linux')('is told by a program, each text as one argument', async () => {
    const out = join(house.folder, 'args');
    const script = `#!/bin/sh\nfor arg in "$@"; do printf '%s\\0' "$arg"; done > ${out}\n`;
    writeFileSync(join(house.folder, 'notify-send'), script, { mode: 0o755 });
    const notifier = await startNotifier([{ name: 'desktop', type: 'desktop' }], [rule({ to: ['desktop'] })]);
    await house.store.insertSession(session('one', { agent: 'claude', title: '-x $(id) <b>&' }));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toEqual([['desktop', 'idle', 'sent']]);
    expect(readFileSync(out, 'utf8').split('\0').slice(0, -1)).toEqual([
      '--app-name=agent-mux',
      '--',
      'claude is done in nowhere',
      '-x $(id) &lt;b&gt;&amp;',
    ]);
  });

  it('without a program for it is told of once', async () => {
    const notifier = makeNotifier([], [], {}, { PATH: house.folder });
    for (let at = 0; at < 3; at += 1)
      expect(await notifier.test('desktop')).toMatchObject([{ outcome: 'failed', error: { code: 'NOT_FOUND' } }]);
    expect(house.logged).toHaveLength(1);
    await expect(notifier.test('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of a Mac gets the text behind the script, and never in it', () => {
    const command = desktopCommand({ title: '" & quit', text: '-e boom' }, 'darwin');
    expect(command.slice(-2)).toEqual(['agent-mux: " & quit', '-e boom']);
    expect(command.filter((_, at) => command[at - 1] === '-e').join(' ')).not.toContain('quit');
    expect(() => desktopCommand({ title: '', text: '' }, 'win32')).toThrow('use a command');
  });
});

describe('a daemon that dies', () => {
  it('leaves what was on its way: a webhook is sent again under its id, a command is not', async () => {
    const hanging = await receive((nth, response) => {
      if (nth > 1) response.end();
    });
    const started = join(house.folder, 'started');
    const command: Target = {
      name: 'log',
      type: 'command',
      command: ['/bin/sh', '-c', `echo x >> ${started}; sleep 600`],
    };
    const targets = [webhook('phone', hanging.url), command];
    const rules = [rule({ to: ['phone', 'log'] })];
    const first = await startNotifier(targets, rules);
    await house.store.insertSession(session('one'));
    await finishTurn('one');
    await expect.poll(() => hanging.got.length === 1 && existsSync(started), PATIENCE).toBe(true);
    await first.stop();
    const second = await startNotifier(targets, rules);
    await expect
      .poll(() => outcomes(second), PATIENCE)
      .toEqual([
        ['phone', 'idle', 'sent'],
        ['log', 'idle', 'unknown'],
      ]);
    expect(new Set(hanging.got.map(({ headers }) => headers['agent-mux-id'])).size).toBe(1);
    expect(readFileSync(started, 'utf8')).toBe('x\n');
  });

  it('and was off for days tells nothing of long ago, and what came while it was off', async () => {
    const { got, url } = await receive(fine);
    const targets = [webhook('phone', url)];
    const first = await startNotifier(targets, [rule({ to: ['phone'] })]);
    await first.stop();
    await house.store.insertSession(session('long'));
    await finishTurn('long', { activitySince: now() - 3 * 24 * 3_600_000 });
    await house.store.insertSession(session('now'));
    await finishTurn('now');
    const second = await startNotifier(targets, [rule({ to: ['phone'] })]);
    await expect.poll(() => outcomes(second), PATIENCE).toEqual([['phone', 'idle', 'sent']]);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ session: { id: 'now' } });
  });
});
