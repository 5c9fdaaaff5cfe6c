import { readFileSync } from 'node:fs';
import { modesOf, type ResolvedRunOptions } from '@agent-mux/core';
import { createResolvedOptions, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { kiloAdapter } from './index.ts';
import { kiloProfile } from './profile.ts';

const adapter = kiloAdapter;
const run = (name: string) =>
  replayOneshot(adapter, readFileSync(new URL(`./recordings/run-${name}.jsonl`, import.meta.url)));

describe('output of `kilo run`', () => {
  it('has the format of opencode', () => {
    expect(run('hello').map(({ type }) => type)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'cost',
      'message_stop',
    ]);
  });

  it('has an error that is only a text when something was rejected', () => {
    expect(run('approval-denied').at(-1)).toMatchObject({
      type: 'error',
      code: 'AGENT_ERROR',
      message: expect.stringContaining('auto-rejected permission'),
    });
  });
});

describe('error messages of kilo', () => {
  it('recognizes a broken connection to the model', () => {
    const error = { name: 'APIError', data: { message: 'Connection reset by server', isRetryable: true } };
    const line = JSON.stringify({ type: 'error', sessionID: 'ses_1', error });
    expect(replayOneshot(adapter, line).at(-1)).toMatchObject({ type: 'error', code: 'NETWORK_ERROR' });
  });
});

describe('launch of kilo', () => {
  it('uses its own names, and a limit for its retries unless the user has set one', () => {
    const { command, env } = adapter.buildSpawnArgs(createResolvedOptions({ agent: 'kilo', mode: 'serve' }));
    expect(command).toBe('kilo');
    expect(env).toMatchObject({ KILO_SESSION_RETRY_LIMIT: '5', KILO_PERMISSION: '{"*":"ask"}' });
    const own = { KILO_SESSION_RETRY_LIMIT: '1' };
    const { env: set } = adapter.buildSpawnArgs(createResolvedOptions({ agent: 'kilo', mode: 'run', env: own }));
    expect(set.KILO_SESSION_RETRY_LIMIT).toBe('1');
    const { env: unset } = adapter.buildSpawnArgs(createResolvedOptions({ agent: 'kilo', mode: 'run' }), own);
    expect(unset).not.toHaveProperty('KILO_SESSION_RETRY_LIMIT');
  });
});

describe('prompt for the server of kilo', () => {
  it('waits for a slow snapshot of the folder, so that kilo does not ask about it', () => {
    const [serve] = modesOf(adapter);
    if (serve?.live?.transport !== 'http') throw new Error('the first mode is the server');
    const { codec } = serve.live;
    const state = codec.open(createResolvedOptions({ agent: 'kilo', mode: 'serve' }));
    const [prompt] = codec.turn({ text: 'Hello.', attachments: [] }, state);
    expect(prompt?.body).toMatchObject({ snapshotInitialization: 'wait', parts: [{ type: 'text', text: 'Hello.' }] });
  });
});

describe('definition with the profile kilo-code', () => {
  const define = (config: unknown) => {
    const parsed = kiloProfile.schema.parse(config);
    return kiloProfile.create('reviewer', 'The reviewer', parsed);
  };

  it('is Kilo under another name, with defaults below the options of a run', () => {
    const defined = define({ command: '/opt/kilo', work_dir: '/srv', env: { A: '1' }, model: 'm', provider: 'p' });
    expect([defined.agent, defined.displayName, defined.cliCommand]).toEqual(['reviewer', 'The reviewer', '/opt/kilo']);
    const plan = (options: Partial<ResolvedRunOptions>) => {
      const given = createResolvedOptions({ agent: 'reviewer', mode: 'run', approvalMode: 'yolo', ...options });
      return defined.buildSpawnArgs(defined.applyDefaults!(given));
    };
    const spawn = plan({});
    expect(spawn).toMatchObject({ command: '/opt/kilo', cwd: '/srv', env: { A: '1' } });
    expect(spawn.args.join(' ')).toContain('--model=p/m');
    expect(plan({ model: 'x/y' }).args.join(' ')).toContain('--model=x/y');
  });

  it('works in its own folder also as a server', () => {
    const defined = define({ work_dir: '/srv', model: 'p/m', provider: 'p' });
    const [serve] = defined.modes ?? [];
    if (serve?.live?.transport !== 'http') throw new Error('the first mode is the server');
    const options = defined.applyDefaults!(createResolvedOptions({ agent: 'reviewer', mode: 'serve' }));
    const state = serve.live.codec.open(options);
    expect(state).toMatchObject({ directory: '/srv', model: { providerID: 'p', modelID: 'm' } });
    expect(serve.live.server.eventsPath?.(options)).toBe('/event?directory=%2Fsrv');
  });

  it('reports its issues', () => {
    const problems = (config: unknown) => kiloProfile.schema.safeParse(config).error?.issues.map(({ path }) => path);
    expect(problems({ provider: 'p' })).toEqual([['provider']]);
    expect(problems({ model: 'm' })).toEqual([['model']]);
    expect(problems({ modell: 'm' })).toHaveLength(1);
  });
});
