import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../../test/plain-adapter.ts';
import type { AgentAdapter, SpawnArgs } from '../../contract/adapter.ts';
import type { HookLaunchArgs } from '../../contract/hooks.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { resolveRun } from '../options/resolve-run.ts';
import { addHooks } from './hook-launch.ts';

function agentWith(launch?: HookLaunchArgs): AgentAdapter {
  const forRun =
    launch &&
    ((commandOf: (event: string) => string) => ({ ...launch, args: [...(launch.args ?? []), commandOf('Stop')] }));
  const file = { shape: 'json-groups', path: 'x.json', under: [] } as const;
  return plainAdapter('one', {
    hooks: { events: [{ name: 'Stop' }], file, read: () => ({}), ...(forRun ? { forRun } : {}) },
  });
}

function resolve(adapter: AgentAdapter, over: object = {}): ResolvedRunOptions {
  const input = { agent: 'one', prompt: 'x', hooks: true, nativePermissionMode: 'any', ...over };
  return resolveRun(input, { adapterOf: () => adapter }).options;
}

const BUILT: SpawnArgs = {
  command: 'one',
  args: ['run', '--', '-'],
  env: { A: '1' },
  cwd: '/',
  usePty: false,
  files: { a: '1' },
};

describe('hooks of a single run', () => {
  it('are added to the launch arguments, before the end of the flags', () => {
    const adapter = agentWith({ args: ['--with'], env: { B: '2' }, files: { b: '2' } });
    expect(addHooks(adapter, resolve(adapter), BUILT, {})).toEqual({
      ...BUILT,
      args: ['run', '--with', 'amux hooks one Stop', '--', '-'],
      env: { A: '1', B: '2', AGENT_MUX_HOOKS: 'run' },
      files: { a: '1', b: '2' },
    });
    expect(addHooks(adapter, { ...resolve(adapter), hooks: false }, BUILT, {})).toBe(BUILT);
  });

  it('do not replace a variable that is set', () => {
    const adapter = agentWith({ env: { DEFAULTS: '/ours' } });
    const issue = expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringContaining('DEFAULTS') });
    expect(() => addHooks(adapter, resolve(adapter), BUILT, { DEFAULTS: '/theirs' })).toThrow(issue);
    expect(() => addHooks(adapter, resolve(adapter, { env: { DEFAULTS: 'x' } }), BUILT, {})).toThrow(issue);
  });

  it('set defaults for unset variables', () => {
    const adapter = agentWith({ envDefaults: { WAIT: '1', A: '2', MINE: '3' } });
    const { env } = addHooks(adapter, resolve(adapter, { env: { MINE: 'x' } }), BUILT, { OTHER: 'y' });
    expect(env).toEqual({ WAIT: '1', A: '1', AGENT_MUX_HOOKS: 'run' });
    expect(addHooks(adapter, resolve(adapter), BUILT, { WAIT: '60' }).env).not.toHaveProperty('WAIT');
  });

  it('are refused before the start if unsupported or remote', () => {
    const refused = (hint: unknown) => expect.objectContaining({ code: 'CAPABILITY_ERROR', hint });
    expect(() => resolve(plainAdapter('one'))).toThrow(refused(undefined));
    expect(() => resolve(agentWith())).toThrow(refused(expect.stringContaining('amux hooks install one')));
    const remote = { invocation: { mode: 'ssh', host: 'box' } };
    expect(() => resolve(agentWith({}), remote)).toThrow(refused(undefined));
  });
});
