import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import {
  eventsOf,
  nextReport,
  nothingLeftOf,
  reports,
  sessionStart,
  text,
  turnEnd,
  typed,
  until,
  useBench,
} from '../../../test/engine.ts';
import type { SpawnArgs } from '../../contract/adapter.ts';
import type { Invocation, ResolvedRunOptions } from '../../contract/options.ts';
import { BOOT } from '../../process/place/preamble.ts';

const bench = useBench();

/** Stand-ins for the clients of other places: they note their arguments, and run the command here. */
const CLIENTS = {
  docker: '[ "$1" = run ] || exit 0; while [ "$1" != the-image ]; do shift; done; shift; exec "$@"',
  kubectl: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
};
type ClientName = keyof typeof CLIENTS;

const steps: Step[] = [{ do: 'read-all' }, { do: 'describe' }, sessionStart, text('{{stdin}}'), turnEnd];
const places: Record<ClientName, Invocation> = {
  docker: { mode: 'docker', image: 'the-image', args: ['--network', 'none'] },
  kubectl: { mode: 'k8s', pod: 'the-pod', namespace: 'n' },
};

class MissingAgent extends FakeAdapter {
  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return { ...super.buildSpawnArgs(options), command: 'no-such-agent' };
  }
}

function standIn(name: ClientName, script = CLIENTS[name]) {
  const [bin, notes] = [bench.folder(), bench.folder()];
  const path = join(bin, name);
  // One file per call, written at once: a client that is killed has told all the same.
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s\\0' "$@" > "${notes}/$$.new"; mv "${notes}/$$.new" "${notes}/$$"\n${script}\n`,
  );
  chmodSync(path, 0o755);
  const calls = () =>
    readdirSync(notes)
      .filter((file) => !file.endsWith('.new'))
      .map((file) => readFileSync(join(notes, file), 'utf8').split('\0').slice(0, -1));
  return { env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, DOCKER_HOST: 'tcp://d', OTHER_KEY: 'x' }, calls };
}

describe.each(['docker', 'kubectl'] as const)('an agent that runs by %s', (name) => {
  const start = (agent: Step[], options: object = {}, script?: string) => {
    const { env, calls } = standIn(name, script);
    const { run } = bench.fake(agent, {}, { env });
    const cwd = bench.folder();
    const handle = run({ cwd, invocation: places[name], prompt: "it's a 'prompt' $HOME", ...options });
    return { handle, cwd, calls, first: () => calls().find(([word]) => word === 'run' || word === 'exec') ?? [] };
  };
  const cleanUps = (calls: string[][]) => calls.filter(([word]) => word === 'rm');

  it('is started by exactly this command, and its container is removed at the end', async () => {
    const { handle, cwd, calls, first } = start(steps);
    expect(await handle).toMatchObject({ text: "it's a 'prompt' $HOME", exitReason: 'completed', exitCode: 0 });
    const container = first()[first().indexOf('--name') + 1];
    const wanted = {
      docker: [
        ...['run', '--rm', '-i', '--init', '--name', container, '-w', cwd],
        ...['--mount', `type=bind,source=${cwd},target=${cwd}`, '--network', 'none', 'the-image', 'sh', '-c', BOOT],
      ],
      kubectl: ['exec', '-i', '--namespace=n', 'the-pod', '--', 'sh', '-c', BOOT],
    };
    expect(first()).toEqual(wanted[name]);
    // What ended in order in a pod has left nothing there.
    expect(calls()).toHaveLength(name === 'docker' ? 2 : 1);
    if (name === 'docker') expect(cleanUps(calls())).toEqual([['rm', '--force', container]]);
  });

  it('gets its variables and its files, and no command line shows them', async () => {
    const agent: Step[] = [...steps, { do: 'line', text: ' '.repeat(200_000) }];
    const { handle, calls } = start(agent, { env: { COLOUR: 'red and blue', MY_API_KEY: 'swordfish-1' } });
    const events = await eventsOf(handle);
    const [{ env: seen, argv } = { env: {}, argv: [] }] = reports(events, 'process');
    expect(seen).toMatchObject({ COLOUR: 'red and blue', MY_API_KEY: 'swordfish-1' });
    expect(JSON.stringify(calls())).not.toContain('swordfish-1');
    const [, script = ''] = /"(\/tmp\/agent-mux-[^"]*script\.json)"/.exec(JSON.stringify(argv)) ?? [];
    expect(script).toMatch(/^\/tmp\/agent-mux-[0-9a-f]{32}\/script\.json$/);
    expect(existsSync(script)).toBe(false);
  });

  it('is ended with the run', async () => {
    const { handle, calls } = start([{ do: 'describe' }, sessionStart, text('working'), { do: 'hang' }]);
    const { pid } = await nextReport(handle, 'process');
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(nothingLeftOf(handle)).toBe(true);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    if (name === 'docker') expect(cleanUps(calls())).toHaveLength(1);
  });

  it('that crashes is a crash, with its own exit code', async () => {
    const { handle, calls } = start([
      sessionStart,
      { do: 'line', text: 'ouch', to: 'stderr' },
      { do: 'exit', code: 9 },
    ]);
    const [crash] = typed(await eventsOf(handle), 'crash');
    expect(crash).toMatchObject({ exitCode: 9, stderr: expect.stringContaining('ouch') });
    expect(crash?.stderr).not.toMatch(/[0-9a-f]{32}/);
    expect(await handle).toMatchObject({ exitReason: 'crashed', exitCode: 9, error: { code: 'AGENT_CRASH' } });
    if (name === 'docker') expect(cleanUps(calls())).toHaveLength(1);
  });

  it('whose client is killed is ended there, and cleaned up after', async () => {
    // The client and what it runs are two processes, as in reality.
    const split = CLIENTS[name].replace('exec "$@"', 'cat | "$@"; exit $?');
    const { handle, calls } = start([{ do: 'describe' }, sessionStart, text('working'), { do: 'hang' }], {}, split);
    const { pid, ppid } = await nextReport(handle, 'process');
    const client = clientAbove(Number(ppid));
    process.kill(client, 'SIGKILL');
    const result = await handle;
    expect(result.error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('was lost') });
    expect(result.sessionId).toMatch(/^fake-/);
    await until(() => !existsSync(`/proc/${pid}`));
    expect(calls()).toHaveLength(2);
  });

  it('may have its folder there alone', async () => {
    if (name !== 'kubectl') return;
    expect(await start(steps, { cwd: '/only/there' }).handle).toMatchObject({ exitReason: 'completed' });
  });

  it('that is not there is an agent that is not installed', async () => {
    const { env } = standIn(name);
    const { run } = bench.use(new MissingAgent({ steps }), { env });
    const result = await run({ invocation: places[name] });
    expect(result.error).toMatchObject({
      code: 'AGENT_NOT_INSTALLED',
      message: expect.stringContaining('no-such-agent'),
    });
  });

  it('is not reached at all: that is said as what it is', async () => {
    const { handle } = start(steps, {}, 'echo "no such host" >&2; exit 1');
    const result = await handle;
    expect(result.error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('no such host') });
    expect(result.exitReason).toBe('crashed');
  });
});

describe('the client of another place', () => {
  it('gets the variables that it needs itself, and none of the agent', async () => {
    const { env } = standIn('docker', '[ "$1" = run ] && env > "$PWD/seen"; exit 1');
    const { run } = bench.fake(steps, { envAllowList: ['OTHER_KEY'] }, { env });
    const cwd = bench.folder();
    await run({ cwd, invocation: { mode: 'docker', image: 'the-image' }, env: { MY_API_KEY: 'swordfish-1' } });
    const seen = readFileSync(join(cwd, 'seen'), 'utf8');
    expect(seen).toContain('DOCKER_HOST=tcp://d');
    expect(seen).not.toMatch(/OTHER_KEY|swordfish/);
  });
});

/** The stand-in that has started this process, some steps above it. */
function clientAbove(pid: number): number {
  for (let at = pid; at > 1; ) {
    const command = readFileSync(`/proc/${at}/cmdline`, 'utf8').split('\0');
    if (command.some((word) => /\/(docker|kubectl)$/.test(word))) return at;
    at = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${at}/stat`, 'utf8'))?.[1]);
  }
  throw new Error('no client found');
}
