import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  amux,
  environment,
  hasScript,
  newPlace,
  onTerminal,
  PATIENCE_MS,
  type Place,
  type Started,
  userConfig,
  writeConfig,
  writeProgram,
} from './amux.ts';

const ADAPTER = fileURLToPath(new URL('../../daemon/test/terminal-adapter.ts', import.meta.url));
const options = { timeout: 2 * PATIENCE_MS };
const poll = { timeout: PATIENCE_MS };
/** Says how large it is when it is told to change, and whatever is typed. */
const SCREEN = `
[ "$1" = --version ] && { echo 1.0.0; exit 0; }
trap 'stty size' WINCH
echo "hello $1"
while :; do read -r line || continue; [ "$line" = bye ] && exit 3; echo "said $line"; done`;

let place: Place;
let env: Record<string, string>;
beforeEach(() => {
  place = newPlace();
  const bin = join(place.home, 'bin');
  writeProgram(bin, 'screen-agent', SCREEN);
  writeConfig(userConfig(place), { adapters: [ADAPTER] });
  env = { AGENT_MUX_PORT: '0', NO_COLOR: '1', PATH: `${bin}:${environment(place, {}).PATH}` };
});
afterEach(async () => {
  await amux(place, ['down', '--stop'], { env });
}, PATIENCE_MS);
afterAll(() => rmSync(join(tmpdir(), `agent-mux-${process.getuid?.()}`), { recursive: true, force: true }));

const run = (...args: string[]) => amux(place, args, { env });
const type = (started: Started, text: string) => started.child.stdin?.write(text);

async function begin(...words: string[]): Promise<string> {
  const { stdout, stderr } = await run('new', '-a', 'screen', '--terminal', ...words);
  expect(stdout, stderr).toMatch(/^s[a-z0-9]+\n$/);
  return stdout.trim();
}

describe.runIf(hasScript)("amux attach on the agent's own screen", () => {
  it('passes keys on, leaves with Ctrl-], shows the screen again, and ends with its program', options, async () => {
    const id = await begin('do it');
    const first = onTerminal(place, ['attach', id], env, { after: '; stty -a' });
    await first.until('hello --prompt=do it');
    type(first, 'one\r');
    await first.until('said one');
    type(first, '\x1d');
    const left = await first.finished;
    expect(left.stdout).toContain(`left; the session stays: amux attach ${id.slice(0, 8)}`);
    expect(left.stdout).toContain('\x1b[?1049l');

    const second = onTerminal(place, ['attach', id], env);
    await second.until('said one');
    // A Ctrl-C is the agent's, as every key.
    type(second, 'two\r');
    await second.until('said two');
    type(second, 'bye\r');
    await second.until('its program has ended with code 3');
    expect((await second.finished).code).toBe(0);
    await expect.poll(async () => (await run('show', id, '--json')).stdout, poll).toContain('"isTerminated": true');
    const after = await run('attach', id);
    expect(after.stdout).toContain('said two');
    expect(after.stderr).toContain('its program has ended with code 3');
  });

  it('tells the size of the terminal that it is shown on', options, async () => {
    const id = await begin();
    const looking = onTerminal(place, ['attach', id], env, { columns: 91 });
    await looking.until('40 91');
    type(looking, '\x1d');
    expect((await looking.finished).code).toBe(0);
  });

  it('refuses what the screen cannot be told, and leaves no session behind', options, async () => {
    const { code, stderr } = await run('new', '-a', 'screen', '--terminal', '--model', 'm1');
    expect(code, stderr).toBe(6);
    expect(JSON.parse((await run('ps', '--json')).stdout)).toMatchObject({ sessions: [] });
    const id = await begin();
    const piped = await run('attach', id);
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain('needs one to be shown');
  });
});
