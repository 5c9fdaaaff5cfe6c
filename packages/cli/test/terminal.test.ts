import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasScript, newPlace, onTerminal, PATIENCE_MS } from './amux.ts';

const options = { timeout: PATIENCE_MS };

describe.runIf(hasScript)('on a terminal', () => {
  it('shows what is asked and does what is answered', options, async () => {
    const place = newPlace();
    const run = onTerminal(place, ['run', '-a', 'demo', 'write a.txt "hello you"'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    expect(run.output()).toContain('? Demo agent asks: Write agent-mux-demo/a.txt (write_file, edit)');
    expect(run.output()).toContain('    + hello you');
    expect(existsSync(join(place.cwd, 'agent-mux-demo'))).toBe(false);
    run.child.stdin?.write('y\n');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('Wrote agent-mux-demo/a.txt.');
    expect(stdout).not.toContain('\x1b[1m');
    expect(readFileSync(join(place.cwd, 'agent-mux-demo', 'a.txt'), 'utf8')).toBe('hello you\n');
  });

  it('asks again when it does not understand, and passes the reason of a no on', options, async () => {
    const place = newPlace();
    const run = onTerminal(place, ['run', '-a', 'demo', 'write a.txt'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    run.child.stdin?.write('perhaps\n');
    await run.until('one of the keys, please');
    run.child.stdin?.write('n not today\n');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('write_file ✗ not allowed: not today');
    expect(existsSync(join(place.cwd, 'agent-mux-demo'))).toBe(false);
  });

  it('asks questions, by number or by word', options, async () => {
    const run = onTerminal(newPlace(), ['run', '-a', 'demo', 'ask me a question'], { NO_COLOR: '1' });
    await run.until('empty to decline');
    expect(run.output()).toContain('[2] Ahoy');
    run.child.stdin?.write('2\n');
    expect((await run.finished).stdout).toContain('Ahoy it is!');
  });

  it('asks on the terminal while events go into a pipe', options, async () => {
    const place = newPlace();
    const run = onTerminal(place, ['run', '-a', 'demo', '--json', 'write a.txt "hello you"'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    expect(run.output()).toContain('    + hello you');
    run.child.stdin?.write('y\n');
    expect((await run.finished).stdout).toContain('"type":"run_result"');
    expect(existsSync(join(place.cwd, 'agent-mux-demo', 'a.txt'))).toBe(true);
  });

  it('shows thoughts dim and tools in colour', options, async () => {
    const run = onTerminal(newPlace(), ['run', '-a', 'demo', '--yolo', 'write a.txt']);
    const { stdout } = await run.finished;
    expect(stdout).toContain('\x1b[2m✻ A');
    expect(stdout).toContain('\x1b[36m●\x1b[39m \x1b[1mwrite_file\x1b[22m');
  });

  it('interrupts the turn at Ctrl-C, also while it asks', options, async () => {
    const place = newPlace();
    const run = onTerminal(place, ['run', '-a', 'demo', 'write a.txt'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    run.child.stdin?.write('\x03');
    const { code, stdout } = await run.finished;
    expect(code).toBe(13);
    expect(stdout).toContain('✗ interrupted');
    expect(existsSync(join(place.cwd, 'agent-mux-demo'))).toBe(false);
  });

  it('takes what nobody answered back', options, async () => {
    const run = onTerminal(newPlace(), ['run', '-a', 'demo', '--approval-timeout', '1s', 'write a.txt'], {
      NO_COLOR: '1',
    });
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('nobody answered in time');
    expect(stdout).toContain('Then I leave agent-mux-demo/a.txt alone.');
  });

  it('holds a conversation: turns, an interrupted one, Ctrl-D', options, async () => {
    const run = onTerminal(newPlace(), ['run', '-a', 'demo', '-i', 'hello'], { NO_COLOR: '1' });
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

  it('shows the demo with a real approval', options, async () => {
    const run = onTerminal(newPlace(), ['demo'], { NO_COLOR: '1' });
    await run.until('[y] Allow');
    run.child.stdin?.write('y\n');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('agent-mux-demo/hello.txt says hello');
    expect(stdout).toMatch(/Next\s+amux agents/);
  });
});
