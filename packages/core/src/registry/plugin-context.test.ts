import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeAdapter } from '@agent-mux/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionStart, text, turnEnd } from '../../test/steps.ts';
import { createClient } from '../client/client.ts';
import type { AdapterManifest, AgentAdapter } from '../contract/adapter.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { PluginContext } from '../contract/plugin-context.ts';
import { MAX_LOGS_PER_RUN, PluginLog } from './plugin-log.ts';
import { MAX_STATE_KEYS, MAX_STATE_VALUE_BYTES, openPluginState } from './plugin-state.ts';

const hello = [sessionStart, text('hello'), turnEnd];
let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'plugin-context-'));
  env = { ...process.env, XDG_STATE_HOME: home };
});
afterEach(() => rm(home, { recursive: true, force: true }));

class Careful extends FakeAdapter {
  readonly contexts: PluginContext[] = [];
  start: (context: PluginContext) => void | Promise<void> = () => {};

  override initialize(context: PluginContext): void | Promise<void> {
    super.initialize(context);
    this.contexts.push(context);
    return this.start(context);
  }

  get own(): PluginContext {
    return this.context;
  }
}

function careful(start?: Careful['start']): Careful {
  const adapter = new Careful({ steps: hello });
  if (start) adapter.start = start;
  return adapter;
}

async function logsOf(adapter: AgentAdapter, options: { debug?: boolean } = {}): Promise<string[]> {
  await using client = createClient({ adapters: [adapter], runIndex: false, env });
  const events: AgentEvent[] = [];
  for await (const event of client.run({ agent: 'fake', prompt: 'go', ...options })) events.push(event);
  return events.flatMap((event) =>
    event.type === 'debug' && event.code === 'adapter_log' ? `${event.level}: ${event.message}` : [],
  );
}

describe('adapter context', () => {
  it('is passed once per client, before any run', async () => {
    const adapter = careful();
    expect(() => adapter.own).toThrow('not registered');
    await using client = createClient({ adapters: [adapter], runIndex: false, env });
    expect(adapter.contexts).toHaveLength(1);
    expect(adapter.own).toBe(adapter.contexts[0]);
    await client.run({ agent: 'fake', prompt: 'one' });
    await client.run({ agent: 'fake', prompt: 'two' });
    expect(adapter.contexts).toHaveLength(1);
    client.adapters.register(careful());
    expect(adapter.contexts).toHaveLength(1);
  });

  it('is passed when a manifest is loaded, not earlier', async () => {
    const adapter = careful();
    const manifest: AdapterManifest = {
      agent: 'fake',
      displayName: 'Fake',
      cliCommand: adapter.cliCommand,
      modes: ['oneshot'],
      load: () => adapter,
    };
    await using client = createClient({ adapters: [manifest], runIndex: false, env });
    expect(adapter.contexts).toHaveLength(0);
    client.adapters.get('fake');
    client.adapters.get('fake');
    expect(adapter.contexts).toHaveLength(1);
  });

  it.each<[string, Careful['start']]>([
    [
      'throws',
      () => {
        throw new Error('no luck');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no luck'))],
  ])('fails a run clearly when initialize %s', async (_how, start) => {
    await using client = createClient({ adapters: [careful(start)], runIndex: false, env });
    await expect(Promise.resolve(client.run({ agent: 'fake', prompt: 'go' }))).rejects.toMatchObject({
      code: 'ADAPTER_ERROR',
      message: 'initialize() of the adapter "fake" failed: no luck',
    });
  });

  it('makes a run wait for a slow initialize', async () => {
    const order: string[] = [];
    const adapter = careful(async ({ stateStore }) => {
      await stateStore.set('seen', true);
      order.push('initialized');
    });
    const build = adapter.buildSpawnArgs.bind(adapter);
    adapter.buildSpawnArgs = (options) => {
      order.push('launched');
      return build(options);
    };
    await logsOf(adapter);
    expect(order).toEqual(['initialized', 'launched']);
  });
});

describe('adapter logger', () => {
  it('emits messages as debug events of the run', async () => {
    const start: Careful['start'] = ({ logger }) => {
      logger.debug('details');
      logger.info('ready', { port: 7 });
      logger.warn('slow');
      logger.error('broken');
    };
    const shown = ['info: ready {"port":7}', 'warn: slow', 'warn: broken'];
    expect(await logsOf(careful(start))).toEqual(shown);
    expect(await logsOf(careful(start), { debug: true })).toEqual(['info: details', ...shown]);
  });

  it('redacts secrets of the run in messages and data', async () => {
    env.ACME_API_KEY = 'sk-very-secret-value-123456';
    const adapter = careful(({ logger }) => logger.info('key', { key: 'sk-very-secret-value-123456' }));
    expect((await logsOf(adapter)).join()).not.toContain('very-secret');
  });

  it('is bounded per run and per message and never throws', () => {
    const log = new PluginLog();
    const messages: string[] = [];
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    log.logger.info('circle', circle);
    for (let i = 0; i < 200; i++) log.logger.info('x'.repeat(100_000));
    const stop = log.listen({
      debug: false,
      emit: (body) => {
        if (body.type === 'debug') messages.push(body.message);
      },
    });
    expect(messages).toHaveLength(100);
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(5000);
    for (let i = 0; i < 2 * MAX_LOGS_PER_RUN; i++) log.logger.info('more');
    expect(messages).toHaveLength(MAX_LOGS_PER_RUN + 1);
    expect(messages.at(-1)).toBe('further messages of the adapter are dropped');
    stop();
    log.logger.info('later');
    expect(messages).toHaveLength(MAX_LOGS_PER_RUN + 1);
  });
});

describe('adapter state store', () => {
  it('keeps JSON values per agent between processes', async () => {
    await openPluginState('acme', env).set('cursor', { at: [1, null] });
    expect(await openPluginState('acme', env).get('cursor')).toEqual({ at: [1, null] });
    expect(await openPluginState('other', env).get('cursor')).toBeUndefined();
    await openPluginState('acme', env).delete('cursor');
    await openPluginState('acme', env).delete('cursor');
    expect(await openPluginState('acme', env).get('cursor')).toBeUndefined();
  });

  it('never uses a key as a path and writes files for the owner only', async () => {
    const store = openPluginState('acme', env);
    const keys = ['../../escape', '/etc/passwd', '__proto__', 'a\0b', '.', 'Ä/ö'];
    for (const key of keys) await store.set(key, key);
    for (const key of keys) expect(await store.get(key)).toBe(key);
    const folder = join(home, 'agent-mux', 'adapters', 'acme');
    const names = await readdir(folder);
    expect(names).toHaveLength(keys.length);
    expect(await readdir(join(home, 'agent-mux', 'adapters'))).toEqual(['acme']);
    for (const name of names) {
      expect(name).toMatch(/^[0-9a-f]{40}\.json$/);
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('rejects values above its limits', async () => {
    const store = openPluginState('acme', env);
    const refused = { code: 'VALIDATION_ERROR' };
    await expect(store.set('', 1)).rejects.toMatchObject(refused);
    await expect(store.set('k'.repeat(201), 1)).rejects.toMatchObject(refused);
    await expect(store.set('k', undefined)).rejects.toMatchObject(refused);
    await expect(store.set('k', 1n)).rejects.toMatchObject(refused);
    await expect(store.set('k', 'x'.repeat(MAX_STATE_VALUE_BYTES))).rejects.toMatchObject(refused);
    expect(await store.get('k')).toBeUndefined();
    await Promise.all(Array.from({ length: MAX_STATE_KEYS }, (_, i) => store.set(`k${i}`, i)));
    await expect(store.set('one more', 1)).rejects.toMatchObject(refused);
    await store.set('k7', 'again');
    expect(await store.get('k7')).toBe('again');
  });

  it('treats a damaged file as absent', async () => {
    const store = openPluginState('acme', env);
    await store.set('k', 1);
    const folder = join(home, 'agent-mux', 'adapters', 'acme');
    const [name = ''] = await readdir(folder);
    await writeFile(join(folder, name), (await readFile(join(folder, name), 'utf8')).slice(0, 9));
    expect(await store.get('k')).toBeUndefined();
  });

  it('reports a folder that cannot be written', async () => {
    await writeFile(join(home, 'agent-mux'), '');
    await expect(openPluginState('acme', env).set('k', 1)).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
  });
});
