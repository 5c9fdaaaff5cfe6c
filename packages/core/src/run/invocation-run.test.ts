import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, next, nothingLeftOf, reports, sessionStart, text, turnEnd, useBench } from '../../test/engine.ts';
import type { Invocation } from '../contract/options.ts';

const bench = useBench();

/** Stand-ins for the clients of other places: they note their arguments and run the command here. */
const CLIENTS = {
  docker: 'while [ "$1" != the-image ]; do shift; done; shift; exec "$@"',
  ssh: 'for last; do :; done; exec sh -c "$last"',
  kubectl: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
};
const bin = bench.folder();
for (const [name, script] of Object.entries(CLIENTS)) {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > "$NOTED/${name}"\n${script}\n`);
  chmodSync(path, 0o755);
}

const steps: Step[] = [{ do: 'read-all' }, { do: 'describe' }, sessionStart, text('{{stdin}}'), turnEnd];
const places: Record<keyof typeof CLIENTS, (cwd: string) => Invocation> = {
  docker: () => ({ mode: 'docker', image: 'the-image', args: ['--network', 'none'] }),
  ssh: (cwd) => ({ mode: 'ssh', host: 'there', user: 'me', port: 2222, remoteCwd: cwd }),
  kubectl: () => ({ mode: 'k8s', pod: 'the-pod', namespace: 'n' }),
};

describe.each(['docker', 'ssh', 'kubectl'] as const)('an agent that runs by %s', (name) => {
  const start = (agent: Step[], options: object = {}) => {
    const noted = bench.folder();
    const cwd = bench.folder();
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, DOCKER_HOST: 'tcp://d', KUBECONFIG: '/k' };
    const { run } = bench.fake(agent, { envAllowList: ['NOTED'] }, { env: { ...env, NOTED: noted } });
    const handle = run({ cwd, invocation: places[name](cwd), prompt: "it's a 'prompt' $HOME", ...options });
    return { handle, cwd, argv: () => readFileSync(join(noted, name), 'utf8').split('\n') };
  };

  it('gets its prompt, its folder and its variables, and its events come back', async () => {
    const { handle, argv } = start(steps, { env: { COLOUR: 'red and blue' } });
    const events = await eventsOf(handle);
    expect(await handle).toMatchObject({ text: "it's a 'prompt' $HOME", exitReason: 'completed', exitCode: 0 });
    expect(reports(events, 'process')).toMatchObject([{ env: { COLOUR: 'red and blue' } }]);
    const wanted = { docker: ['--network', '-i', '--rm'], ssh: ['me@there', '2222', '-T'], kubectl: ['the-pod', '-i'] };
    expect(argv()).toEqual(expect.arrayContaining(wanted[name]));
  });

  it('shows no secret in its arguments', async () => {
    const { handle, argv } = start(steps, { env: { MY_API_KEY: 'swordfish-1' } });
    if (name === 'kubectl') {
      await expect(handle).rejects.toThrow(/MY_API_KEY/);
      return;
    }
    const events = await eventsOf(handle);
    expect(reports(events, 'process')).toMatchObject([{ env: { MY_API_KEY: 'swordfish-1' } }]);
    expect(argv().join(' ')).not.toContain('swordfish-1');
  });

  it('is ended with the run', async () => {
    const { handle } = start([sessionStart, text('working'), { do: 'hang' }]);
    await next(handle, 'text_delta');
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('may have its folder there alone', async () => {
    if (name !== 'kubectl') return;
    const { handle } = start(steps, { cwd: '/only/there' });
    expect(await handle).toMatchObject({ exitReason: 'completed' });
  });
});

describe('the client of another place', () => {
  it('keeps the variables that it needs itself', async () => {
    const noted = bench.folder();
    const env = { PATH: `${bin}:${process.env.PATH}`, NOTED: noted, DOCKER_HOST: 'tcp://d', OTHER_KEY: 'x' };
    const { run } = bench.fake(steps, { envAllowList: ['NOTED'] }, { env });
    const events = await eventsOf(run({ invocation: { mode: 'docker', image: 'the-image' } }));
    const [{ env: child } = { env: {} }] = reports(events, 'process');
    expect(child).toMatchObject({ DOCKER_HOST: 'tcp://d' });
    expect(child).not.toHaveProperty('OTHER_KEY');
  });
});
