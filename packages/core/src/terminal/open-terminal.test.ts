import { describe, expect, it } from 'vitest';
import { isAlive, until } from '../../test/engine.ts';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { useScratch } from '../../test/scratch.ts';
import { createClient } from '../client/client.ts';
import type { HookSpec } from '../contract/hooks.ts';
import type { TerminalRequest, TerminalSpec } from '../contract/terminal.ts';

const scratch = useScratch();

/** A program that prints its arguments and environment, then echoes what is typed. */
const SCREEN = `
echo "args:$*"; stty size; echo "key:$ACME_KEY other:$OTHER_KEY run:\${AGENT_MUX_RUN_ID:+set}"
trap 'stty size' WINCH
while :; do
  read -r line || continue
  case $line in bye) exit 3;; child) sleep 1000 & echo "child $!";; esac
  echo "said $line"
done`;

async function open(terminal: TerminalSpec, request: Partial<TerminalRequest> = {}, hooks?: HookSpec) {
  const { home, env, command } = scratch();
  command('acme', SCREEN);
  const client = createClient({
    env: { ...env, ACME_KEY: 'k1', OTHER_KEY: 'secret' },
    adapters: [plainAdapter('acme', { terminal, envAllowList: ['ACME_KEY'], ...(hooks && { hooks }) })],
  });
  let text = '';
  const options = { agent: 'acme', cwd: home, size: { cols: 80, rows: 24 }, ...request };
  const opened = await client.openTerminal(options, (bytes) => {
    text += bytes.toString('utf8');
  });
  return { opened, text: () => text, shows: (what: string) => until(() => text.includes(what)) };
}

describe('agent terminal', () => {
  it('opens with the environment of a run and accepts input', async () => {
    const { opened, text, shows } = await open({});
    await shows('run:set');
    expect(text()).toContain('24 80');
    expect(text()).toContain('key:k1 other: run:set');
    opened.write('hello\r');
    await shows('said hello');
    opened.resize({ cols: 100, rows: 40 });
    await shows('40 100');
    opened.write('bye\r');
    expect(await opened.exited).toEqual({ code: 3, signal: null });
  });

  it('passes the arguments of its table in order', async () => {
    const table: TerminalSpec = {
      args: ['tui'],
      resume: (id) => ['resume', id],
      model: (model) => [`--model=${model}`],
      approvalModes: { plan: ['--plan'] },
      prompt: (prompt) => ['--', prompt],
    };
    const request = { sessionId: 'abc', model: 'm1', approvalMode: 'plan', prompt: '-x' } as const;
    const { opened, shows } = await open(table, request);
    await shows('args:tui resume abc --model=m1 --plan -- -x');
    await opened.end();
  });

  it('rejects unsupported options before starting anything', async () => {
    await expect(open({}, { model: 'm1' })).rejects.toMatchObject({ code: 'CAPABILITY_ERROR', option: 'model' });
    await expect(open({ model: (id) => [id] }, { model: '--yolo' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(open({}, { size: { cols: 0, rows: 3 } })).rejects.toThrow('size');
    const odd: TerminalSpec = JSON.parse('{}');
    Reflect.set(odd, 'model', () => [1]);
    await expect(open(odd, { model: 'm1' })).rejects.toMatchObject({ code: 'ADAPTER_ERROR' });
    const mute: TerminalSpec = { resume: (id) => [id], prompt: (prompt) => [prompt], resumesWithPrompt: false };
    const both = open(mute, { sessionId: 'abc', prompt: 'continue' });
    await expect(both).rejects.toMatchObject({ code: 'CAPABILITY_ERROR', option: 'prompt' });
    await expect(open({}, { hooks: true })).rejects.toThrow('hooks of ACME need a file');
  });

  it('has hooks that call amux or the passed command', async () => {
    const hooks: HookSpec = {
      events: [{ name: 'Stop' }],
      file: { shape: 'toml-groups', path: 'hooks.toml', under: ['hooks'] },
      read: () => ({}),
      forRun: (commandOf) => ({ args: [`--on-stop=${commandOf('Stop')}`] }),
    };
    const plain = await open({}, { hooks: true }, hooks);
    await plain.shows('args:--on-stop=amux hooks acme Stop');
    await plain.opened.end();
    const other = await open({}, { hooks: (event) => `/opt/report ${event}` }, hooks);
    await other.shows('args:--on-stop=/opt/report Stop');
    await other.opened.end();
  });

  it('ends all processes it started', async () => {
    const { opened, text, shows } = await open({});
    opened.write('child\r');
    await shows('said child');
    const child = Number(/child (\d+)/.exec(text())?.[1]);
    expect(isAlive(child)).toBe(true);
    await opened.end();
    await until(() => !isAlive(child));
  });
});
