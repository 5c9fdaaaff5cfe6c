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
import { BOOT } from '../../process/remote/preamble.ts';

const bench = useBench();

/** Fake remote clients: they record their arguments and run the command locally. */
const CLIENTS = {
  docker: '[ "$1" = run ] || exit 0; while [ "$1" != the-image ]; do shift; done; shift; exec "$@"',
  kubectl: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
};
type ClientName = keyof typeof CLIENTS;

const steps: Step[] = [{ do: 'read-all' }, { do: 'describe' }, sessionStart, text('{{stdin}}'), turnEnd];
const invocations: Record<ClientName, Invocation> = {
  docker: { mode: 'docker', image: 'the-image', args: ['--network', 'none'] },
  kubectl: { mode: 'k8s', pod: 'the-pod', namespace: 'n' },
};

class MissingAgent extends FakeAdapter {
  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return { ...super.buildSpawnArgs(options), command: 'no-such-agent' };
  }
}

function fakeClient(name: ClientName, script = CLIENTS[name]) {
  const [bin, records] = [bench.folder(), bench.folder()];
  const path = join(bin, name);
  // One file per call, moved into position atomically, so that a killed client has recorded its call.
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s\\0' "$@" > "${records}/$$.new"; mv "${records}/$$.new" "${records}/$$"\n${script}\n`,
  );
  chmodSync(path, 0o755);
  const calls = () =>
    readdirSync(records)
      .filter((file) => !file.endsWith('.new'))
      .map((file) => readFileSync(join(records, file), 'utf8').split('\0').slice(0, -1));
  return { env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, DOCKER_HOST: 'tcp://d', OTHER_KEY: 'x' }, calls };
}

describe.each(['docker', 'kubectl'] as const)('agent run by %s', (name) => {
  const start = (agent: Step[], options: object = {}, script?: string) => {
    const { env, calls } = fakeClient(name, script);
    const { run } = bench.fake(agent, {}, { env });
    const cwd = bench.folder();
    const handle = run({ cwd, invocation: invocations[name], prompt: "it's a 'prompt' $HOME", ...options });
    return { handle, cwd, calls, first: () => calls().find(([word]) => word === 'run' || word === 'exec') ?? [] };
  };
  const cleanUps = (calls: string[][]) => calls.filter(([word]) => word === 'rm');

  it('is started by exactly this command; its container is removed at the end', async () => {
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
    // An agent that exited normally has left nothing in the pod.
    expect(calls()).toHaveLength(name === 'docker' ? 2 : 1);
    if (name === 'docker') expect(cleanUps(calls())).toEqual([['rm', '--force', container]]);
  });

  it('gets its variables and files without showing them on a command line', async () => {
    const agent: Step[] = [...steps, { do: 'line', text: ' '.repeat(200_000) }];
    const { handle, calls } = start(agent, { env: { COLOR: 'red and blue', MY_API_KEY: 'swordfish-1' } });
    const events = await eventsOf(handle);
    const [{ env: seen, argv } = { env: {}, argv: [] }] = reports(events, 'process');
    expect(seen).toMatchObject({ COLOR: 'red and blue', MY_API_KEY: 'swordfish-1' });
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

  it('reports a crash with its own exit code', async () => {
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

  it('is ended and cleaned up if its client is killed', async () => {
    // The client and its command are two processes, as in reality.
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

  it('may have a working directory that exists only remotely', async () => {
    if (name !== 'kubectl') return;
    expect(await start(steps, { cwd: '/only/there' }).handle).toMatchObject({ exitReason: 'completed' });
  });

  it('is reported as not installed if it is missing', async () => {
    const { env } = fakeClient(name);
    const { run } = bench.use(new MissingAgent({ steps }), { env });
    const result = await run({ invocation: invocations[name] });
    expect(result.error).toMatchObject({
      code: 'AGENT_NOT_INSTALLED',
      message: expect.stringContaining('no-such-agent'),
    });
  });

  it('reports a connection failure as a network error', async () => {
    const { handle } = start(steps, {}, 'echo "no such host" >&2; exit 1');
    const result = await handle;
    expect(result.error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('no such host') });
    expect(result.exitReason).toBe('crashed');
  });
});

describe('remote client', () => {
  it("gets its own variables and none of the agent's", async () => {
    const { env } = fakeClient('docker', '[ "$1" = run ] && env > "$PWD/seen"; exit 1');
    const { run } = bench.fake(steps, { envAllowList: ['OTHER_KEY'] }, { env });
    const cwd = bench.folder();
    await run({ cwd, invocation: { mode: 'docker', image: 'the-image' }, env: { MY_API_KEY: 'swordfish-1' } });
    const seen = readFileSync(join(cwd, 'seen'), 'utf8');
    expect(seen).toContain('DOCKER_HOST=tcp://d');
    expect(seen).not.toMatch(/OTHER_KEY|swordfish/);
  });
});

/** The pid of the fake client that started this process, some levels up. */
function clientAbove(pid: number): number {
  for (let at = pid; at > 1; ) {
    const command = readFileSync(`/proc/${at}/cmdline`, 'utf8').split('\0');
    if (command.some((word) => /\/(docker|kubectl)$/.test(word))) return at;
    at = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${at}/stat`, 'utf8'))?.[1]);
  }
  throw new Error('no client found');
}
