import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { useBench } from '../../test/engine.ts';
import { PluginAdapter } from '../../test/plugin-adapter.ts';

const bench = useBench();

function setUp() {
  const home = bench.folder();
  const mux = createClient({
    adapters: [
      new PluginAdapter('acme', { folder: home }),
      new PluginAdapter('bare', { folder: home, plugins: false }),
    ],
    env: { PATH: process.env.PATH, HOME: home },
    runIndex: false,
  });
  return { home, mux };
}

describe('the plugins of an agent', () => {
  it('are installed, listed and uninstalled by its own CLI', async () => {
    const { mux } = setUp();
    expect(await mux.plugins.list('acme')).toEqual([]);
    const installed = await mux.plugins.install('acme', 'alpha');
    expect(installed).toEqual({ id: 'alpha@market', enabled: true, format: 'extension' });
    expect(await mux.plugins.list('acme')).toEqual([installed]);
    await mux.plugins.uninstall('acme', 'alpha');
    expect(await mux.plugins.list('acme')).toEqual([]);
  });

  it('may come from a path, seen from the project, and what is said meanwhile is heard', async () => {
    const { mux, home } = setUp();
    const lines: string[] = [];
    const cwd = join(home, 'project');
    mkdirSync(cwd);
    const installed = await mux.plugins.install('acme', './beta', { cwd, onLine: (line) => lines.push(line) });
    expect(installed.id).toBe('beta@market');
    expect(lines).toEqual([`fetching ${join(cwd, 'beta')} in ${cwd}`]);
  });

  it('are searched for, no more than were wanted', async () => {
    const { mux } = setUp();
    expect(await mux.plugins.search('acme', 'git')).toEqual([{ id: 'git-one' }, { id: 'git-two' }]);
    expect(await mux.plugins.search('acme', 'git', { limit: 1 })).toEqual([{ id: 'git-one' }]);
  });

  it('fail with the last lines of the CLI, and without its secrets', async () => {
    const { mux } = setUp();
    const error = await mux.plugins.install('acme', 'broken').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'AGENT_ERROR', agent: 'acme' });
    expect(String(error)).toMatch(/ended with code 3:[\s\S]*line 29 api_key=\[redacted\]$/);
    expect(String(error)).not.toContain('line 9 ');
  });

  it('are not believed to be installed or gone when the list says otherwise', async () => {
    const { mux, home } = setUp();
    await expect(mux.plugins.install('acme', 'nothing')).rejects.toThrow('does not list nothing afterwards');
    writeFileSync(join(home, 'plugins.json'), JSON.stringify([{ id: 'sticky', enabled: true, format: 'extension' }]));
    await expect(mux.plugins.uninstall('acme', 'sticky')).rejects.toThrow('still lists sticky');
  });

  it('are suggested by name when one is not there', async () => {
    const { mux } = setUp();
    await mux.plugins.install('acme', 'alpha');
    await expect(mux.plugins.uninstall('acme', 'alpah@market')).rejects.toMatchObject({
      message: expect.stringContaining('no such plugin'),
      hint: 'did you mean alpha@market?',
    });
  });

  it.each(['', '  ', '--force', '-g', 'a\nb', 'x'.repeat(3000)])('are not called %j', async (id) => {
    const { mux } = setUp();
    await expect(mux.plugins.install('acme', id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(mux.plugins.uninstall('acme', id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it.each(['--force', '-g', 'a\nb', ''])('do not come from a registry, or in a version, called %j', async (word) => {
    const { mux } = setUp();
    for (const wanted of [{ registry: word }, { version: word }]) {
      const faults = [{ field: Object.keys(wanted)[0] }];
      await expect(mux.plugins.install('acme', 'alpha', wanted)).rejects.toMatchObject({ faults });
    }
    await expect(mux.plugins.search('acme', 'git', { registry: word })).rejects.toMatchObject({
      faults: [{ field: 'registry' }],
    });
  });

  it('are refused for an agent that has none, which says who has', async () => {
    const { mux } = setUp();
    expect(mux.plugins.supported()).toEqual([
      expect.objectContaining({ agent: 'acme', formats: ['extension'], canInstall: true, canSearch: true }),
    ]);
    const refusal = { code: 'CAPABILITY_ERROR', agent: 'bare', hint: 'agents that can: acme' };
    await expect(mux.plugins.list('bare')).rejects.toMatchObject(refusal);
    await expect(mux.plugins.install('bare', 'x')).rejects.toMatchObject(refusal);
    await expect(mux.plugins.uninstall('bare', 'x')).rejects.toMatchObject(refusal);
    await expect(mux.plugins.search('bare', 'x')).rejects.toMatchObject(refusal);
    await expect(mux.plugins.list('acne')).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });
});

describe('an adapter that manages plugins itself', () => {
  it('is asked instead of a CLI', async () => {
    const { mux, home } = setUp();
    const adapter = Object.assign(new PluginAdapter('own', { folder: home, plugins: false }), {
      listPlugins: async () => [{ id: 'here', enabled: true, format: 'x' }],
      uninstallPlugin: async (id: string) => {
        throw new Error(`${id} stays`);
      },
    });
    mux.adapters.register(adapter);
    expect(await mux.plugins.list('own')).toHaveLength(1);
    await expect(mux.plugins.uninstall('own', 'here')).rejects.toThrow('here stays');
    await expect(mux.plugins.install('own', 'here')).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
  });
});
