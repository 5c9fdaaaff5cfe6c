import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { hasScript, inShell, newPlace, PATIENCE_MS, type Started } from './amux.ts';
import { screenOf } from './screen-reader.ts';

const options = { timeout: PATIENCE_MS };
const COLUMNS = 80;
const hasTools = hasScript && ['ps', 'stty'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const rowsOf = (shell: Started) => screenOf(shell.output(), COLUMNS);
const isThinking = (row: string | undefined) => row?.includes('Demo agent is thinking') ?? false;
const secondsOf = (row: string | undefined) => Number(/ · (\d+) s/.exec(row ?? '')?.[1] ?? Number.NaN);

/** On the screen as it stands, not in what was written on the way. */
async function until(shell: Started, what: (rows: readonly string[]) => boolean, rows = rowsOf): Promise<void> {
  const isOver = shell.finished.then(() => true);
  while (!what(rows(shell))) {
    const over = await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, 25))]);
    if (over) throw new Error(`ended before it was shown:\n${rows(shell).join('\n')}`);
  }
}

const opened: Started[] = [];
afterEach(() => {
  // Nothing is left to stop where all went well.
  for (const { child } of opened.splice(0)) child.kill('SIGKILL');
});

function open(): { shell: Started; type: (text: string) => void } {
  const shell = inShell(newPlace(), COLUMNS);
  opened.push(shell);
  return { shell, type: (text) => void shell.child.stdin?.write(text) };
}

describe.runIf(hasTools)('a run that is started from a shell', () => {
  it.each([['run -a demo hang'], ['run -a demo -i hang']])(
    'stops at Ctrl-Z, goes on, and is not torn by keys: %s',
    options,
    async (words) => {
      const { shell, type } = open();
      await until(shell, (rows) => rows.at(-1) === '$');
      type(`amux ${words}\r`);
      const isShown = (rows: readonly string[]) => isThinking(rows.findLast((row) => row !== '›'));
      await until(shell, (rows) => rows.includes('I am silent until you stop me.') && isShown(rows));
      type('\x1a');
      await until(shell, (rows) => rows.at(-1) === '$' && rows.some((row) => row.includes('Stopped')));
      // A shell that has the terminal back already is not written over.
      const left = rowsOf(shell).filter(isThinking).length;
      expect(left).toBeLessThanOrEqual(words.includes('-i') ? 0 : 1);
      // What stands behind a shell of its own stops a moment after it.
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

  it('draws what is typed and told anew when the terminal becomes narrower', options, async () => {
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
      // Two rows of the terminal for each that was drawn: the row that tells what goes on, and the one that is typed.
      const at = shell.output().indexOf('\x1b[3A\r');
      if (at === -1) return [];
      // What a terminal makes by itself of what stood there.
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
