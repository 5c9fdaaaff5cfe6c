import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { SpawnArgs } from '../contract/adapter.ts';
import type { ValidationError } from '../contract/errors.ts';
import { wrapInvocation } from './invocation.ts';
import { shellCommand, shellQuote } from './shell-quote.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "it's a, folder-")));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const SECRET = ['sk-', 'abcdefghijklmnop'].join('');
const spawn: SpawnArgs = {
  command: 'acme',
  args: ['--json', "don't; rm -rf $HOME"],
  env: { PATH: '/bin', ACME_KEY: 'hunter2', ACME_MODE: 'fast mode', ACME_EXTRA: SECRET },
  cwd,
  usePty: false,
  stdin: 'prompt',
};
const names = ['ACME_KEY', 'ACME_MODE', 'ACME_EXTRA', 'ACME_UNSET'];

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', '').toWellFormed());
const words = fc.array(
  fc.oneof(text, fc.constantFrom("'", '"', '\\', '\n', '$HOME', '`id`', '-n', '~', '*', '', 'A=b', '!x')),
  {
    minLength: 1,
    maxLength: 30,
  },
);

function wordsAfterShell(script: string): string[] {
  const { stdout, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } });
  expect(status).toBe(0);
  return stdout.split('\0').slice(0, -1);
}

describe.skipIf(process.platform === 'win32')('shell quoting', () => {
  it('brings any words through a real shell as they are', () => {
    fc.assert(
      fc.property(words, (list) => {
        expect(wordsAfterShell(`printf '%s\\0' ${list.map(shellQuote).join(' ')}`)).toEqual(list);
      }),
      { numRuns: 60 },
    );
  });

  it('never makes an assignment of the first word', () => {
    const { status } = spawnSync('sh', ['-c', shellCommand(['A=b', 'true'])]);
    expect(status).toBe(127);
  });
});

describe('wrapInvocation', () => {
  it('changes nothing for a local run', () => {
    expect(wrapInvocation(spawn, { mode: 'local' }, names)).toBe(spawn);
  });

  it.each([{ mode: 'docker', image: 'acme:1' } as const, { mode: 'ssh', host: 'box' } as const])(
    'puts no secret into the arguments of $mode and keeps it in the environment of the client',
    (place) => {
      const wrapped = wrapInvocation(spawn, place, names);
      expect(wrapped.args.join(' ')).not.toMatch(/hunter2|sk-abc/);
      expect(wrapped.env).toEqual(spawn.env);
      expect(wrapped.stdin).toBe('prompt');
    },
  );

  it('runs in a container with the working folder mounted', () => {
    const { command, args } = wrapInvocation(
      spawn,
      { mode: 'docker', image: 'acme:1', args: ['--network=none'] },
      names,
    );
    expect([command, ...args]).toEqual([
      ...['docker', 'run', '--rm', '-i', '--init', '-w', cwd],
      ...['--mount', `type=bind,"source=${cwd}","target=${cwd}"`],
      ...['-e', 'ACME_KEY', '-e', 'ACME_MODE', '-e', 'ACME_EXTRA', '--network=none'],
      ...['acme:1', 'acme', '--json', "don't; rm -rf $HOME"],
    ]);
  });

  it('mounts at the given folder, unless the caller does it', () => {
    const at = (args?: string[]) => wrapInvocation(spawn, { mode: 'docker', image: 'i', workdir: '/w', args }, []).args;
    expect(at()).toContain(`type=bind,"source=${cwd}",target=/w`);
    expect(at(['-v', '/elsewhere:/w:ro'])).not.toContain('--mount');
    expect(at(['--mount', 'type=volume,src=v,dst=/w']).filter((arg) => arg === '--mount')).toHaveLength(1);
  });

  it('sends secrets over ssh by name, the rest within the command', () => {
    const { command, args } = wrapInvocation(
      spawn,
      { mode: 'ssh', host: 'box', user: 'me', port: 2222, args: ['-i', 'key'], remoteCwd: '~/my work' },
      names,
    );
    expect([command, ...args.slice(0, -1)]).toEqual([
      ...['ssh', '-o', 'BatchMode=yes', '-T', '-p', '2222'],
      ...['-o', 'SendEnv=ACME_KEY', '-o', 'SendEnv=ACME_EXTRA', '-i', 'key', '--', 'me@box'],
    ]);
    expect(args.at(-1)).toBe(
      `cd "$HOME"/'my work' && exec env 'ACME_MODE=fast mode' acme --json 'don'\\''t; rm -rf $HOME'`,
    );
  });

  it.skipIf(process.platform === 'win32')('runs exactly the given words in the given folder on the other side', () => {
    fc.assert(
      fc.property(words, text, (list, value) => {
        const program: SpawnArgs = {
          ...spawn,
          command: 'sh',
          args: ['-c', 'printf "%s\\0" "$PWD" "$ACME_MODE" "$@"', 'sh', ...list],
          env: { ACME_MODE: value },
        };
        const script = wrapInvocation(program, { mode: 'ssh', host: 'box' }, ['ACME_MODE']).args.at(-1) ?? '';
        expect(wordsAfterShell(script)).toEqual([cwd, value, ...list]);
      }),
      { numRuns: 40 },
    );
  });

  it('runs in a pod, with its switches', () => {
    const { command, args } = wrapInvocation(
      spawn,
      { mode: 'k8s', pod: 'p', namespace: 'n', container: 'c', args: ['--quiet'] },
      ['ACME_MODE'],
    );
    expect([command, ...args]).toEqual([
      ...['kubectl', 'exec', '-i', '--namespace=n', '--container=c', '--quiet', 'p', '--'],
      ...['env', 'ACME_MODE=fast mode', 'acme', '--json', "don't; rm -rf $HOME"],
    ]);
  });

  it('refuses to show a secret to the users of this machine on its way into a pod', () => {
    const attempt = () => wrapInvocation(spawn, { mode: 'k8s', pod: 'p' }, names);
    expect(faultsOf(attempt)).toEqual(['env.ACME_KEY', 'env.ACME_EXTRA']);
  });

  it.each([
    { mode: 'docker', image: '--privileged' } as const,
    { mode: 'ssh', host: '-oProxyCommand=touch x' } as const,
    { mode: 'ssh', host: 'box', user: '-oProxyCommand=x' } as const,
    { mode: 'k8s', pod: '--kubeconfig=x' } as const,
  ])('refuses a place that is an option in disguise: %j', (place) => {
    expect(faultsOf(() => wrapInvocation(spawn, place, []))).toHaveLength(1);
  });

  it('refuses helper files, which are only here', () => {
    const attempt = () => wrapInvocation({ ...spawn, files: { 'mcp.json': '{}' } }, { mode: 'ssh', host: 'box' }, []);
    expect(attempt).toThrow(/helper files/);
  });

  it('carries a shell command as one', () => {
    const shelled: SpawnArgs = { ...spawn, command: 'acme | tee', args: ['log'], shell: true };
    const { args, shell } = wrapInvocation(shelled, { mode: 'k8s', pod: 'p' }, []);
    expect(args.slice(-3)).toEqual(['sh', '-c', 'acme | tee log']);
    expect(shell).toBe(false);
  });
});

function faultsOf(attempt: () => unknown): string[] {
  try {
    attempt();
  } catch (error) {
    return (error as ValidationError).faults.map(({ field }) => field);
  }
  return [];
}
