import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestHome, hasScript, onTerminal, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

describe.runIf(hasScript)('amux run on a terminal', () => {
  it('shows a request and applies the answer', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', 'write a.txt "hello you"'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    expect(run.output()).toContain('? Demo agent asks: Write agent-mux-demo/a.txt (write_file, edit)');
    expect(run.output()).toContain('    + hello you');
    expect(existsSync(join(testHome.cwd, 'agent-mux-demo'))).toBe(false);
    run.child.stdin?.write('y\n');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('Wrote agent-mux-demo/a.txt.');
    expect(stdout).not.toContain('\x1b[1m');
    expect(readFileSync(join(testHome.cwd, 'agent-mux-demo', 'a.txt'), 'utf8')).toBe('hello you\n');
  });

  it('asks again after an invalid answer, and passes on the reason of a denial', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', 'write a.txt'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    run.child.stdin?.write('perhaps\n');
    await run.until('press one of the keys');
    run.child.stdin?.write('n not today\n');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('write_file ✗ not allowed: not today');
    expect(existsSync(join(testHome.cwd, 'agent-mux-demo'))).toBe(false);
  });

  it('asks questions, by number or label', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', 'ask me a question'], { NO_COLOR: '1' });
    await run.until('empty to decline');
    expect(run.output()).toContain('[2] Ahoy');
    run.child.stdin?.write('2\n');
    expect((await run.finished).stdout).toContain('Ahoy it is!');
  });

  it('asks on the terminal while events go to a pipe', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', '--json', 'write a.txt "hello you"'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    expect(run.output()).toContain('    + hello you');
    run.child.stdin?.write('y\n');
    expect((await run.finished).stdout).toContain('"type":"run_result"');
    expect(existsSync(join(testHome.cwd, 'agent-mux-demo', 'a.txt'))).toBe(true);
  });

  it('dims thoughts and colors tools', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', '--yolo', 'write a.txt']);
    const { stdout } = await run.finished;
    expect(stdout).toContain('\x1b[2m✻ A');
    expect(stdout).toContain('\x1b[36m●\x1b[39m \x1b[1mwrite_file\x1b[22m');
  });

  it('interrupts the turn on Ctrl-C, also during a request', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', 'write a.txt'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    run.child.stdin?.write('\x03');
    const { code, stdout } = await run.finished;
    expect(code).toBe(13);
    expect(stdout).toContain('✗ interrupted');
    expect(existsSync(join(testHome.cwd, 'agent-mux-demo'))).toBe(false);
  });

  it('withdraws a request that was not answered in time', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', '--approval-timeout', '1s', 'write a.txt'], {
      NO_COLOR: '1',
    });
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('not answered in time');
    expect(stdout).toContain('Then I leave agent-mux-demo/a.txt alone.');
  });

  it('supports a conversation: turns, an interrupted one, Ctrl-D', options, async () => {
    const run = onTerminal(createTestHome(), ['run', '-a', 'demo', '-i', 'hello'], { NO_COLOR: '1' });
    await run.until(/ask you a question\.[^›]*› /);
    run.child.stdin?.write('hang\n');
    await run.until('silent until you stop me');
    run.child.stdin?.write('\x03');
    await run.until(/interrupted[^›]*› /);
    run.child.stdin?.write('what did I say before?\n');
    await run.until(/"hang"\.[^›]*› /);
    run.child.stdin?.write('\x04');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('3 turns');
  });

  it('runs the demo with a real approval', options, async () => {
    const run = onTerminal(createTestHome(), ['demo'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    run.child.stdin?.write('y\n');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('agent-mux-demo/hello.txt says hello');
    expect(stdout).toMatch(/Next\s+amux agents/);
  });
});
