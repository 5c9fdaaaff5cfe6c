import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  amux,
  createTestHome,
  environment,
  hasScript,
  onTerminal,
  type Started,
  type TestHome,
  TIMEOUT_MS,
  userConfig,
  writeConfig,
  writeProgram,
} from './amux.ts';

const ADAPTER = fileURLToPath(new URL('../../daemon/test/terminal-adapter.ts', import.meta.url));
const options = { timeout: 2 * TIMEOUT_MS };
const poll = { timeout: TIMEOUT_MS };
/** Prints its size on SIGWINCH, and echoes typed lines. */
const SCREEN = `
[ "$1" = --version ] && { echo 1.0.0; exit 0; }
trap 'stty size' WINCH
echo "hello $1"
while :; do read -r line || continue; [ "$line" = bye ] && exit 3; echo "said $line"; done`;

let testHome: TestHome;
let env: Record<string, string>;
beforeEach(() => {
  testHome = createTestHome();
  const bin = join(testHome.home, 'bin');
  writeProgram(bin, 'screen-agent', SCREEN);
  writeConfig(userConfig(testHome), { adapters: [ADAPTER] });
  env = { AGENT_MUX_PORT: '0', NO_COLOR: '1', PATH: `${bin}:${environment(testHome, {}).PATH}` };
});
afterEach(async () => {
  await amux(testHome, ['down', '--stop-sessions'], { env });
}, TIMEOUT_MS);
afterAll(() => rmSync(join(tmpdir(), `agent-mux-${process.getuid?.()}`), { recursive: true, force: true }));

const run = (...args: string[]) => amux(testHome, args, { env });
const type = (started: Started, text: string) => started.child.stdin?.write(text);

async function begin(...words: string[]): Promise<string> {
  const { stdout, stderr } = await run('new', '-a', 'screen', '--terminal', ...words);
  expect(stdout, stderr).toMatch(/^s[a-z0-9]+\n$/);
  return stdout.trim();
}

describe.runIf(hasScript)("amux attach on the agent's own screen", () => {
  it(
    'passes keys through, detaches with Ctrl-], shows the screen again and exits with its program',
    options,
    async () => {
      const id = await begin('do it');
      const first = onTerminal(testHome, ['attach', id], env, { after: '; stty -a' });
      await first.until('hello --prompt=do it');
      type(first, 'one\r');
      await first.until('said one');
      type(first, '\x1d');
      const left = await first.finished;
      expect(left.stdout).toContain(`detached; the session keeps running: run "amux attach ${id.slice(0, 8)}"`);
      expect(left.stdout).toContain('\x1b[?1049l');

      const second = onTerminal(testHome, ['attach', id], env);
      await second.until('said one');
      // Ctrl-C goes to the agent, like every key.
      type(second, 'two\r');
      await second.until('said two');
      type(second, 'bye\r');
      await second.until('the program has exited with code 3');
      expect((await second.finished).code).toBe(0);
      await expect.poll(async () => (await run('show', id, '--json')).stdout, poll).toContain('"isTerminated": true');
      const after = await run('attach', id);
      expect(after.stdout).toContain('said two');
      expect(after.stderr).toContain('the program has exited with code 3');
    },
  );

  it('sends the size of the viewing terminal', options, async () => {
    const id = await begin();
    const looking = onTerminal(testHome, ['attach', id], env, { columns: 91 });
    await looking.until('40 91');
    type(looking, '\x1d');
    expect((await looking.finished).code).toBe(0);
  });

  it('rejects unsupported options without creating a session', options, async () => {
    const { code, stderr } = await run('new', '-a', 'screen', '--terminal', '--model', 'm1');
    expect(code, stderr).toBe(6);
    expect(JSON.parse((await run('ps', '--json')).stdout)).toMatchObject({ sessions: [] });
    const id = await begin();
    const piped = await run('attach', id);
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain('attach from a terminal');
  });
});
