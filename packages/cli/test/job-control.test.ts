import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, hasScript, inShell, type Started, TIMEOUT_MS } from './amux.ts';
import { screenOf } from './screen-reader.ts';

const options = { timeout: TIMEOUT_MS };
const COLUMNS = 80;
const hasTools = hasScript && ['ps', 'stty'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const rowsOf = (shell: Started) => screenOf(shell.output(), COLUMNS);
const isThinking = (row: string | undefined) => row?.includes('Demo agent is thinking') ?? false;
const secondsOf = (row: string | undefined) => Number(/ · (\d+) s/.exec(row ?? '')?.[1] ?? Number.NaN);

/** Waits for rows on the current screen, not in past output. */
async function until(shell: Started, what: (rows: readonly string[]) => boolean, rows = rowsOf): Promise<void> {
  const isOver = shell.finished.then(() => true);
  while (!what(rows(shell))) {
    const over = await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, 25))]);
    if (over) throw new Error(`ended before it was shown:\n${rows(shell).join('\n')}`);
  }
}

const opened: Started[] = [];
afterEach(() => {
  // After a success, nothing is left to stop.
  for (const { child } of opened.splice(0)) child.kill('SIGKILL');
});

function open(): { shell: Started; type: (text: string) => void } {
  const shell = inShell(createTestHome(), COLUMNS);
  opened.push(shell);
  return { shell, type: (text) => void shell.child.stdin?.write(text) };
}

describe.runIf(hasTools)('run started from a shell', () => {
  it.each([['run -a demo hang'], ['run -a demo -i hang']])(
    'stops on Ctrl-Z, resumes, and keeps its rows intact while typing: %s',
    options,
    async (words) => {
      const { shell, type } = open();
      await until(shell, (rows) => rows.at(-1) === '$');
      type(`amux ${words}\r`);
      const isShown = (rows: readonly string[]) => isThinking(rows.findLast((row) => row !== '›'));
      await until(shell, (rows) => rows.includes('I am silent until you stop me.') && isShown(rows));
      type('\x1a');
      await until(shell, (rows) => rows.at(-1) === '$' && rows.some((row) => row.includes('Stopped')));
      // Does not overwrite the prompt of a shell that already has the terminal back.
      const left = rowsOf(shell).filter(isThinking).length;
      expect(left).toBeLessThanOrEqual(words.includes('-i') ? 0 : 1);
      // A process started through another shell stops a moment later.
      type('while pgrep -g $(jobs -p) -r S,R,D >/dev/null; do sleep 0.1; done\r');
      type('stty -a | grep -o " echo "; fg\r');
      await until(shell, (rows) => rows.includes(' echo') && isShown(rows));
      const before = secondsOf(rowsOf(shell).findLast(isThinking));
      type('\r');
      await until(shell, (rows) => secondsOf(rows.findLast(isThinking)) > before);
      expect(rowsOf(shell).filter(isThinking)).toHaveLength(left + 1);
      expect(rowsOf(shell).join('\n')).not.toMatch(/abc|def/);
      type('\x03');
      if (words.includes('-i')) {
        await until(shell, (rows) => rows.at(-1) === '›');
        type('\x04');
      }
      await until(shell, (rows) => rows.at(-1) === '$');
      type('exit\r');
      await shell.finished;
    },
  );

  it('redraws input and status when the terminal becomes narrower', options, async () => {
    const { shell, type } = open();
    await until(shell, (rows) => rows.at(-1) === '$');
    type('tty\r');
    await shell.until(/\/dev\/\S+\r\n/);
    const terminal = /\/dev\/\S+/.exec(shell.output())?.[0] ?? '';
    type('amux run -a demo -i hang\r');
    await until(shell, (rows) => rows.at(-1) === '›' && isThinking(rows.at(-2)));
    type('a line that is longer than forty columns are wide');
    await until(shell, (rows) => rows.at(-1)?.endsWith('are wide') ?? false);
    spawnSync('stty', ['-F', terminal, 'cols', '40']);
    const narrow = () => {
      // Each drawn row wraps to two terminal rows: the status row and the input row.
      const at = shell.output().indexOf('\x1b[3A\r');
      if (at === -1) return [];
      // The terminal rewraps its lines.
      const broken = screenOf(shell.output().slice(0, at), COLUMNS).join('\r\n');
      return screenOf(`${broken}${shell.output().slice(at)}`, 40);
    };
    await until(shell, (rows) => isThinking(rows.at(-3)), narrow);
    const rows = narrow();
    expect(rows.slice(-2)).toEqual(['› a line that is longer than forty colu', '  mns are wide']);
    expect(rows.at(-4)).toBe('I am silent until you stop me.');
    type('\x03');
    await shell.until('✗ interrupted');
    type('\x03');
    await until(shell, (now) => now.at(-1) === '›', narrow);
    type('\x04');
    await until(shell, (now) => now.at(-1) === '$', narrow);
    type('exit\r');
    await shell.finished;
  });
});
