import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stillAlive } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { PATIENT, useKeepers } from '../../test/keepers.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import { connectTerminal, startTerminal } from './connect-terminal.ts';
import type { FromTerminal, TerminalLaunch } from './protocol.ts';
import { LAST_SCREEN } from './run-terminal.ts';
import { isTerminalReply } from './screen.ts';

const keepers = useKeepers();
const ADAPTER = fileURLToPath(new URL('../../test/terminal-adapter.ts', import.meta.url));

const SCREEN = `#!/bin/sh
printf '\\033[31mhello\\033[0m %s session:%s\\r\\n' "$1" "$AGENT_MUX_SESSION_ID"
trap 'stty size' WINCH
while :; do
  read -r line || continue
  case $line in
    bye) exit 3;;
    flood) seq 1 200000;;
    ask) stty raw -echo; printf '\\033[6n'; dd bs=1 count=4 2>/dev/null | od -An -c | head -1; stty sane;;
  esac
  echo "said $line"
done
`;

async function openTerminal(start: Partial<TerminalLaunch['start']> = {}) {
  const { root, work, hostEnv, folder } = keepers.home();
  const bin = join(root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'screen-agent'), SCREEN);
  chmodSync(join(bin, 'screen-agent'), 0o755);
  writeFileSync(join(root, 'config/agent-mux/config.json'), JSON.stringify({ adapters: [ADAPTER] }));
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  await startTerminal({
    sessionId: 's1',
    folder: folder(),
    agent: 'screen',
    trustProject: false,
    env: {},
    hostEnv: { ...hostEnv, PATH: `${bin}:${hostEnv.PATH}` },
    start: { cwd: work, size: { cols: 80, rows: 24 }, hooks: false, ...start },
  });
  return folder();
}

async function view(folder: string, name: string) {
  const received: FromTerminal[] = [];
  let isGone = false;
  const link = await connectTerminal(folder, name, {
    receive: (message) => received.push(message),
    gone: () => {
      isGone = true;
    },
  });
  /** Everything this viewer shows since its last screen. */
  const shown = () => {
    const at = received.findLastIndex(({ type }) => type === 'screen');
    return received
      .slice(Math.max(at, 0))
      .flatMap((one) => ('data' in one ? [one.data] : []))
      .join('');
  };
  const shows = (text: string) => expect.poll(shown, PATIENT).toContain(text);
  return { link, received, shown, shows, isGone: () => isGone };
}

describe('terminal keeper', () => {
  it('shows every viewer the screen with its earlier content', async () => {
    const folder = await openTerminal({ prompt: 'do it' });
    const first = await view(folder, 'one');
    await first.shows('session:s1');
    expect(first.shown()).toContain('--prompt=do it');
    first.link.send({ type: 'input', data: 'hi there\r' });
    await first.shows('said hi there');
    first.link.close();
    const second = await view(folder, 'two');
    await second.shows('said hi there');
    expect(second.shown()).toContain('\u001b[31mhello');
    expect(readRecord(folder)).toBeDefined();
  });

  it('accepts one writer at a time until another claims the keyboard', async () => {
    const folder = await openTerminal();
    const [one, two] = [await view(folder, 'one'), await view(folder, 'two')];
    one.link.send({ type: 'input', data: 'first\r' });
    await one.shows('said first');
    two.link.send({ type: 'input', data: 'second\r' });
    await expect.poll(() => two.received.some(({ type }) => type === 'rejected'), PATIENT).toBe(true);
    two.link.send({ type: 'claim' });
    await expect
      .poll(() => one.received.some((each) => each.type === 'writer' && each.writer === 'two'), PATIENT)
      .toBe(true);
    two.link.send({ type: 'input', data: 'third\r' });
    await one.shows('said third');
    expect(one.shown()).not.toContain('said second');
    two.link.close();
    await expect
      .poll(() => one.received.some((each) => each.type === 'writer' && each.writer === null), PATIENT)
      .toBe(true);
    one.link.send({ type: 'input', data: 'fourth\r' });
    await one.shows('said fourth');
  });

  it('uses the size of its writer and sends it to all viewers', async () => {
    const folder = await openTerminal();
    const [one, two] = [await view(folder, 'one'), await view(folder, 'two')];
    one.link.send({ type: 'input', data: 'mine\r' });
    await one.shows('said mine');
    one.link.send({ type: 'size', cols: 100, rows: 40 });
    await two.shows('40 100');
    two.link.send({ type: 'size', cols: 50, rows: 10 });
    one.link.send({ type: 'input', data: 'still\r' });
    await one.shows('said still');
    expect(one.shown()).not.toContain('10 50');
    two.link.send({ type: 'claim' });
    await one.shows('10 50');
    expect(one.received).toContainEqual({ type: 'size', cols: 50, rows: 10 });
  });

  it('replies once to terminal queries of the program', async () => {
    const folder = await openTerminal();
    const one = await view(folder, 'one');
    await one.shows('hello');
    one.link.send({ type: 'input', data: 'ask\r' });
    await one.shows('033');
    // The reply of the viewer's terminal to the same query is not passed on.
    one.link.send({ type: 'input', data: '\u001b[1;1R' });
    await one.shows('said ask');
  });

  it('sends the current screen to a viewer that stalled during a flood', async () => {
    const folder = await openTerminal();
    const [one, slow] = [await view(folder, 'one'), await view(folder, 'slow')];
    await slow.shows('hello');
    slow.link.pause();
    one.link.send({ type: 'input', data: 'flood\r' });
    await one.shows('said flood');
    slow.link.resume();
    await slow.shows('said flood');
    expect(slow.shown()).toContain('200000');
  });

  it('ends with its program, reports the exit, and saves the last screen', async () => {
    const folder = await openTerminal();
    const one = await view(folder, 'one');
    one.link.send({ type: 'input', data: 'bye\r' });
    await expect.poll(() => one.received.at(-1), PATIENT).toEqual({ type: 'ended', exit: { code: 3, signal: null } });
    await expect.poll(one.isGone, PATIENT).toBe(true);
    await expect.poll(() => readRecord(folder), PATIENT).toBeUndefined();
    const last = JSON.parse(readFileSync(join(folder, LAST_SCREEN), 'utf8'));
    expect(last).toMatchObject({ cols: 80, rows: 24, exit: { code: 3 } });
    expect(last.data).toContain('hello');
  });

  it('ends on request', async () => {
    const folder = await openTerminal();
    const one = await view(folder, 'one');
    await one.shows('hello');
    const keeper = readRecord(folder);
    expect(keeper && isKeeperAlive(keeper)).toBe(true);
    one.link.send({ type: 'end' });
    await expect.poll(() => keeper && stillAlive([keeper]), PATIENT).toEqual([]);
  });

  it('fails with the error of the engine', async () => {
    await expect(openTerminal({ model: 'm1' })).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
  });
});

describe('isTerminalReply', () => {
  it.each(['\u001b[1;5R', '\u001b[?62;22c', '\u001b]11;rgb:0000/0000/0000\u0007', '\u001b[?2026;2$y', '\u001b[0n'])(
    'recognizes %j',
    (data) => expect(isTerminalReply(data)).toBe(true),
  );
  it.each(['a', '\u001b[A', '\u001b', '\r', '\u001b[200~x\u001b[201~', 'x\u001b[1;5R'])(
    'rejects typed input %j',
    (data) => expect(isTerminalReply(data)).toBe(false),
  );
});
