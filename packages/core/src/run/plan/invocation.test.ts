import { spawnSync, spawn as startProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { SpawnArgs } from '../../contract/adapter.ts';
import type { ValidationError } from '../../contract/errors.ts';
import { BOOT } from '../../process/remote/preamble.ts';
import { shellCommand, shellQuote } from '../../process/shell-quote.ts';
import { LAUNCH_VARIABLE } from '../../process/terminate.ts';
import { type RemoteInvocation, remoteScratchDir, type WrappedInvocation, wrapInvocation } from './invocation.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "it's a, folder-")));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const SECRET = ['sk-', 'abcdefghijklmnop'].join('');
const spawn: SpawnArgs = {
  command: 'acme',
  args: ['--json', "don't; rm -rf $HOME"],
  env: { PATH: '/bin' },
  cwd,
  usePty: false,
  stdin: 'prompt',
};
const agentEnv = { ACME_KEY: 'hunter2', ACME_MODE: 'fast mode', ACME_EXTRA: SECRET };
const wrapping = (more: Partial<WrappedInvocation> = {}): WrappedInvocation => ({
  token: 'abc',
  scratchDir: remoteScratchDir('abc'),
  agentEnv,
  ...more,
});
const wrap = (remote: RemoteInvocation, more?: Partial<WrappedInvocation>) =>
  wrapInvocation(spawn, remote, wrapping(more));

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', '').toWellFormed());
const argLists = fc.array(
  fc.oneof(
    text,
    fc.constantFrom("'", '"', '\\', '\\n', '\\0101', '\\c', '\n', '$HOME', '`id`', '-n', '~', '*', '', 'A=b'),
  ),
  { minLength: 1, maxLength: 30 },
);

function argsAfterShell(script: string): string[] {
  const { stdout, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } });
  expect(status).toBe(0);
  return stdout.split('\0').slice(0, -1);
}

describe.skipIf(process.platform === 'win32')('shell quoting', () => {
  it('passes any arguments through a real shell unchanged', () => {
    fc.assert(
      fc.property(argLists, (list) => {
        expect(argsAfterShell(`printf '%s\\0' ${list.map(shellQuote).join(' ')}`)).toEqual(list);
      }),
      { numRuns: 60 },
    );
  });

  it('never turns the first argument into an assignment', () => {
    const { status } = spawnSync('sh', ['-c', shellCommand(['A=b', 'true'])]);
    expect(status).toBe(127);
  });
});

describe('wrapInvocation', () => {
  it.each([
    { mode: 'docker', image: 'acme:1' },
    { mode: 'ssh', host: 'box' },
    { mode: 'k8s', pod: 'p' },
  ] as const)("keeps the agent's values out of the arguments and environment of $mode", (remote) => {
    const { command, args, env, remote: link } = wrap(remote);
    const shown = [command, ...args, ...(link?.cleanUp.args ?? []), ...Object.entries(env).flat()].join(' ');
    expect(shown).not.toMatch(/hunter2|sk-abc|rm -rf|prompt|acme /);
    expect(link?.preamble).toContain('hunter2');
  });

  it('runs in a named container with the working directory mounted and always removes it', () => {
    const { command, args, remote } = wrap({ mode: 'docker', image: 'acme:1', args: ['--network=none'] });
    expect([command, ...args]).toEqual([
      ...['docker', 'run', '--rm', '-i', '--init', '--name', 'agent-mux-abc', '-w', cwd],
      ...['--mount', `type=bind,"source=${cwd}","target=${cwd}"`, '--network=none', 'acme:1', 'sh', '-c', BOOT],
    ]);
    expect(remote?.cleanUp).toEqual({ command: 'docker', args: ['rm', '--force', 'agent-mux-abc'], always: true });
  });

  it('mounts at the options folder unless the caller does', () => {
    const at = (args?: string[]) => wrap({ mode: 'docker', image: 'i', workdir: '/w', args }).args;
    expect(at()).toContain(`type=bind,"source=${cwd}",target=/w`);
    expect(at(['-v', '/other:/w:ro'])).not.toContain('--mount');
    expect(at(['--mount', 'type=volume,src=v,dst=/w']).filter((arg) => arg === '--mount')).toHaveLength(1);
  });

  it('uses ssh without a terminal and the same command for every host', () => {
    const { command, args, remote } = wrap({ mode: 'ssh', host: 'box', user: 'me', port: 2222, args: ['-i', 'key'] });
    expect([command, ...args]).toEqual([
      ...['ssh', '-T', '-o', 'BatchMode=yes', '-o', 'RemoteCommand=none', '-p', '2222', '-i', 'key'],
      ...['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3', '--', 'me@box', `exec sh -c '${BOOT}'`],
    ]);
    expect(remote?.cleanUp).toMatchObject({ command, args, always: false });
    expect(BOOT).not.toMatch(/['!\n]/);
  });

  it('runs in a pod with its flags', () => {
    const { command, args, remote } = wrap({
      mode: 'k8s',
      pod: 'p',
      namespace: 'n',
      container: 'c',
      args: ['--quiet'],
    });
    expect([command, ...args]).toEqual([
      ...['kubectl', 'exec', '-i', '--namespace=n', '--container=c', '--quiet', 'p', '--', 'sh', '-c', BOOT],
    ]);
    expect(remote?.cleanUp).toMatchObject({ command, args, always: false });
  });

  it.each([
    { mode: 'docker', image: '--privileged' } as const,
    { mode: 'ssh', host: '-oProxyCommand=touch x' } as const,
    { mode: 'ssh', host: 'box', user: '-oProxyCommand=x' } as const,
    { mode: 'k8s', pod: '--kubeconfig=x' } as const,
  ])('rejects a target that is a disguised option: %j', (remote) => {
    expect(issuesOf(() => wrap(remote))).toEqual([expect.stringMatching(/^invocation\./)]);
  });

  it('rejects a variable whose name is a command', () => {
    expect(issuesOf(() => wrap({ mode: 'ssh', host: 'box' }, { agentEnv: { 'A;id': 'x' } }))).toEqual(['env.A;id']);
  });
});

/** Every shell that a remote host may have as its `sh`. */
const SHELLS = [['sh'], ['bash'], ['busybox', 'sh']]
  .filter(([command = '', ...args]) => spawnSync(command, [...args, '-c', 'true']).status === 0)
  .map((shell) => ({ name: shell.join(' '), shell }));

describe.skipIf(process.platform === 'win32').each(SHELLS)('remote script in $name', ({ name, shell }) => {
  let launches = 0;

  /** Keeps the connection open until the agent has ended; `reply` sees its output and may answer. */
  async function start(
    options: Partial<SpawnArgs>,
    env = {},
    reply: (written: string) => string | 'hang up' = () => '',
  ) {
    const token = `test-${process.pid}-${name.replace(' ', '-')}-${++launches}`;
    const scratchDir = remoteScratchDir(token);
    const args = options.args?.map((arg) => (arg === 'SCRATCH' ? scratchDir : arg)) ?? [];
    const program = { ...spawn, ...options, args };
    const plan = wrapInvocation(program, { mode: 'ssh', host: 'box' }, { token, scratchDir, agentEnv: env });
    const [command = '', ...shellArgs] = shell;
    const child = startProcess(command, [...shellArgs, '-c', BOOT]);
    let stdout = '';
    let stderr = '';
    const listen = () => {
      const text = reply(stdout);
      if (text === 'hang up') child.stdin.end();
      else if (text !== '') child.stdin.write(text.replaceAll('TOKEN', token));
    };
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
      listen();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.write(plan.remote?.preamble);
    listen();
    const [status] = await once(child, 'close');
    const lines = stderr.split('\n').filter((line) => line.startsWith(token));
    return { stdout, status, reports: lines.map((line) => line.slice(token.length + 1)), scratchDir, token };
  }

  const whenReady = (...replies: string[]) => {
    return (written: string) => (written.includes('ready') ? (replies.shift() ?? '') : '');
  };

  it('runs exactly the options arguments, variable, input and folder', async () => {
    const script = 'printf "%s\\0" "$PWD" "$ACME_MODE" "$(cat; echo .)" "$@"';
    await fc.assert(
      fc.asyncProperty(argLists, text, text, async (list, value, stdin) => {
        const ran = await start({ command: 'sh', args: ['-c', script, 'sh', ...list], stdin }, { ACME_MODE: value });
        expect(ran.stdout.split('\0').slice(0, -1)).toEqual([cwd, value, `${stdin}.`, ...list]);
      }),
      { numRuns: 12 },
    );
  }, 120_000);

  it('writes private helper files and removes them', async () => {
    const files = { 'mcp.json': '{"a":"it\'s\n\\n"}', 'deep/er/x.md': 'x' };
    const show = 'cat "$0/mcp.json" "$0/deep/er/x.md"; ls -l "$0/mcp.json" | cut -c1-10; ls -ld "$0" | cut -c1-10';
    const ran = await start({ command: 'sh', args: ['-c', show, 'SCRATCH'], files });
    expect(ran.stdout).toBe('{"a":"it\'s\n\\n"}x-rw-------\ndrwx------\n');
    expect(existsSync(ran.scratchDir)).toBe(false);
  });

  it('reports how the agent ended', async () => {
    expect(await start({ command: 'sh', args: ['-c', 'exit 7'] })).toMatchObject({
      status: 7,
      reports: ['here', 'end 7'],
    });
  });

  it('reports a missing program or folder', async () => {
    expect(await start({ command: 'no-such-program' })).toMatchObject({ reports: ['refused missing'] });
    expect((await start({ command: 'sh', cwd: '/no/such/folder' })).reports).toEqual(['refused folder']);
  });

  it('ends the agent and its children when the connection ends', async () => {
    // A child that ignores SIGTERM and has left the group, where possible.
    const script = '$(command -v setsid) sh -c "trap \'\' TERM; echo ready; sleep 300; sleep 300" & sleep 300';
    const ran = await start({ command: 'sh', args: ['-c', script], stdin: undefined }, {}, whenReady('hang up'));
    expect(ran.reports.at(-1)).toMatch(/^end (143|137)$/);
    expect(existsSync(ran.scratchDir)).toBe(false);
    expect(carriersOf(ran.token)).toEqual([]);
  }, 30_000);

  it('passes on lines, an interrupt and the end of input', async () => {
    const stubborn = 'trap "echo interrupted; exit 3" INT; echo ready; while :; do sleep 0.05; done';
    const options = { command: 'sh', args: ['-c', stubborn], stdin: undefined };
    const interrupted = await start(options, {}, whenReady('TOKEN int\n'));
    expect(interrupted).toMatchObject({ stdout: 'ready\ninterrupted\n', status: 3 });
    const reader = { command: 'sh', args: ['-c', 'echo ready; cat; echo done'], stdin: undefined };
    const read = await start(reader, {}, whenReady(' one \\n\ntwo\nTOKEN eof\n'));
    expect(read).toMatchObject({ stdout: 'ready\n one \\n\ntwo\ndone\n', status: 0 });
  });

  it('ends an agent that does not read when the connection ends', async () => {
    const script = 'echo ready; sleep 300';
    const ran = await start(
      { command: 'sh', args: ['-c', script], stdin: 'x'.repeat(300_000) },
      {},
      whenReady('hang up'),
    );
    expect(ran.reports.at(-1)).toMatch(/^end 143$/);
  }, 30_000);
});

/** The living processes of the launch. */
function carriersOf(token: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', `grep -lsF "${LAUNCH_VARIABLE}=${token}" /proc/[0-9]*/environ`]);
  return stdout.toString().split('\n').filter(Boolean);
}

function issuesOf(attempt: () => unknown): string[] {
  try {
    attempt();
  } catch (error) {
    return (error as ValidationError).issues.map(({ field }) => field);
  }
  return [];
}
