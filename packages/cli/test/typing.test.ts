import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestHome, hasScript, onTerminal, type Started, type TestHome, TIMEOUT_MS } from './amux.ts';
import { screenOf } from './screen-reader.ts';

const options = { timeout: TIMEOUT_MS };
const COLUMNS = 100;
const rowsOf = (run: Started) => screenOf(run.output(), COLUMNS);
const written = ({ cwd }: TestHome) => existsSync(join(cwd, 'agent-mux-demo', 'a.txt'));

/** Waits for rows on the current screen, not in past output. */
async function untilShown(run: Started, what: (rows: readonly string[]) => boolean): Promise<void> {
  const isOver = run.finished.then(() => true);
  while (!what(rowsOf(run))) {
    const over = await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, 25))]);
    if (over) throw new Error(`ended before it was shown:\n${rowsOf(run).join('\n')}`);
  }
}

describe.runIf(hasScript)('input typed before a question', () => {
  it('is not used as an answer, and is reported', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', 'write a.txt'], { NO_COLOR: '1' });
    run.child.stdin?.write('y\ny\n');
    await run.until('[y] Allow');
    expect(run.output()).toContain('typed before the question, so not used as an answer: y ⏎ y');
    expect(written(testHome)).toBe(false);
    run.child.stdin?.write('y\r');
    expect((await run.finished).code).toBe(0);
    expect(written(testHome)).toBe(true);
  });

  it('becomes the next message of a conversation', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', '-i', 'write a.txt'], { NO_COLOR: '1' });
    run.child.stdin?.write('hello\n');
    await run.until('[y] Allow');
    expect(written(testHome)).toBe(false);
    run.child.stdin?.write('n\r');
    await run.until('message 2 of our session');
    expect(written(testHome)).toBe(false);
    await untilShown(run, (rows) => rows.at(-1) === '›');
    run.child.stdin?.write('\x04');
    expect((await run.finished).code).toBe(0);
  });
});

describe.runIf(hasScript)('conversation', () => {
  it('takes a paste as one message, with and without bracketed paste, and has a history', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', '-i'], { NO_COLOR: '1' });
    await untilShown(run, (rows) => rows.at(-1) === '›');
    run.child.stdin?.write('\x1b[200~hello\nmarked\x1b[201~');
    await untilShown(run, (rows) => rows.at(-1) === '  marked');
    run.child.stdin?.write('\r');
    await untilShown(run, (rows) => rows.at(-1) === '›' && rows.some((row) => /^ {2}✓ .+ · \$0\.\d+ · /.test(row)));
    run.child.stdin?.write('hello\nin one burst\n');
    await run.until('message 2 of our session');
    await untilShown(run, (rows) => rows.at(-1) === '›');
    // From the second row to the first, then to the previous message.
    run.child.stdin?.write('\x1b[A\x1b[A\x1b[A');
    await untilShown(run, (rows) => rows.at(-2) === '› hello' && rows.at(-1) === '  marked');
    run.child.stdin?.write('\x1b\rand more\r');
    await run.until('message 3 of our session');
    await untilShown(run, (rows) => rows.at(-1) === '›');
    run.child.stdin?.write('\x03');
    await run.until('Ctrl-C again or Ctrl-D exits');
    run.child.stdin?.write('\x03');
    expect((await run.finished).code).toBe(0);
    expect(rowsOf(run).join('\n')).toContain('3 turns');
    const file = join(testHome.home, '.local', 'state', 'agent-mux', 'history.jsonl');
    expect(readFileSync(file, 'utf8')).toBe('"hello\\nmarked"\n"hello\\nin one burst"\n"hello\\nmarked\\nand more"\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the typed line intact, and says when it will be sent', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', '-i', 'slow'], { NO_COLOR: '1' });
    await run.until('3 ');
    run.child.stdin?.write('hello 漢字');
    await untilShown(run, (rows) => rows.at(-1) === '› hello 漢字' && /^1 2 3 .*\b6\b/.test(rows.at(-2) ?? ''));
    expect(rowsOf(run).filter((row) => row.includes('hello'))).toEqual(['› hello 漢字']);
    run.child.stdin?.write('\r');
    await run.until('queued until the turn ends: hello 漢字');
    run.child.stdin?.write('\x03');
    await run.until('✗ interrupted');
    // The message was meant for the interrupted turn: it needs another Enter.
    await untilShown(run, (rows) => rows.at(-1) === '› hello 漢字');
    run.child.stdin?.write('\r');
    await run.until('message 2 of our session');
    run.child.stdin?.write('\x04');
    expect((await run.finished).code).toBe(0);
  });
});

describe.runIf(hasScript)('status line', () => {
  it('shows the activity and its duration, and leaves nothing behind', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', 'hang'], { NO_COLOR: '1' }, { columns: 40 });
    await run.until(/Demo agent is thinking · [1-9] s/);
    expect(screenOf(run.output(), 40).at(-1)).toMatch(/^\S Demo agent is thinking · \d s$/);
    run.child.stdin?.write('\x03');
    expect((await run.finished).code).toBe(13);
    expect(screenOf(run.output(), 40).join('\n')).not.toContain('thinking ·');
  });

  it('is hidden if a program that reads the output may own the terminal', options, async () => {
    const slow = { NO_COLOR: '1', DEMO_SPEED: '1' };
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', 'hello'], slow, { after: '| cat' });
    const { stdout } = await run.finished;
    expect(stdout).toContain('Hello');
    expect(stdout).not.toMatch(/is (starting|thinking) ·/);
  });

  it('is hidden with --quiet', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', '-q', '--timeout', '1s', 'hang']);
    expect((await run.finished).code).toBe(11);
    expect(run.output()).not.toContain('Demo agent is');
  });
});

describe.runIf(hasScript)('question', () => {
  it('is asked again after an invalid answer', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', 'ask me a question'], { NO_COLOR: '1' });
    await run.until('empty to decline');
    run.child.stdin?.write('9\r');
    await run.until('no option 9: use 1 to 3');
    run.child.stdin?.write('Howdy\r');
    await run.until('no option Howdy: use 1 to 3');
    run.child.stdin?.write('2\r');
    expect((await run.finished).stdout).toContain('Ahoy it is!');
  });

  it('is asked on the terminal while the prompt comes through a pipe', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo'], { NO_COLOR: '1' }, { before: 'echo write a.txt |' });
    await run.until('[y] Allow');
    run.child.stdin?.write('y\r');
    expect((await run.finished).stdout).toContain('Wrote agent-mux-demo/a.txt.');
    expect(written(testHome)).toBe(true);
  });
});
