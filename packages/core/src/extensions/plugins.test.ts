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

describe('plugins of an agent', () => {
  it('are installed, listed and uninstalled with its own CLI', async () => {
    const { mux } = setUp();
    expect(await mux.plugins.list('acme')).toEqual([]);
    const installed = await mux.plugins.install('acme', 'alpha');
    expect(installed).toEqual({ id: 'alpha@market', enabled: true, format: 'extension' });
    expect(await mux.plugins.list('acme')).toEqual([installed]);
    await mux.plugins.uninstall('acme', 'alpha');
    expect(await mux.plugins.list('acme')).toEqual([]);
  });

  it('can come from a path relative to the project, with output lines reported', async () => {
    const { mux, home } = setUp();
    const lines: string[] = [];
    const cwd = join(home, 'project');
    mkdirSync(cwd);
    const installed = await mux.plugins.install('acme', './beta', { cwd, onLine: (line) => lines.push(line) });
    expect(installed.id).toBe('beta@market');
    expect(lines).toEqual([`fetching ${join(cwd, 'beta')} in ${cwd}`]);
  });

  it('are searched with a limit', async () => {
    const { mux } = setUp();
    expect(await mux.plugins.search('acme', 'git')).toEqual([{ id: 'git-one' }, { id: 'git-two' }]);
    expect(await mux.plugins.search('acme', 'git', { limit: 1 })).toEqual([{ id: 'git-one' }]);
  });

  it('fail with the last lines of the CLI, secrets redacted', async () => {
    const { mux } = setUp();
    const error = await mux.plugins.install('acme', 'broken').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'AGENT_ERROR', agent: 'acme' });
    expect(String(error)).toMatch(/ended with code 3:[\s\S]*line 29 api_key=\[redacted\]$/);
    expect(String(error)).not.toContain('line 9 ');
  });

  it('are verified in the list after install and uninstall', async () => {
    const { mux, home } = setUp();
    await expect(mux.plugins.install('acme', 'nothing')).rejects.toThrow('does not list nothing');
    writeFileSync(join(home, 'plugins.json'), JSON.stringify([{ id: 'sticky', enabled: true, format: 'extension' }]));
    await expect(mux.plugins.uninstall('acme', 'sticky')).rejects.toThrow('still lists sticky');
  });

  it('are suggested by name if unknown', async () => {
    const { mux } = setUp();
    await mux.plugins.install('acme', 'alpha');
    await expect(mux.plugins.uninstall('acme', 'alpah@market')).rejects.toMatchObject({
      message: expect.stringContaining('no such plugin'),
      hint: 'did you mean alpha@market?',
    });
  });

  it.each(['', '  ', '--force', '-g', 'a\nb', 'x'.repeat(3000)])('reject the id %j', async (id) => {
    const { mux } = setUp();
    await expect(mux.plugins.install('acme', id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(mux.plugins.uninstall('acme', id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it.each(['--force', '-g', 'a\nb', ''])('reject the registry or version %j', async (word) => {
    const { mux } = setUp();
    for (const wanted of [{ registry: word }, { version: word }]) {
      const issues = [{ field: Object.keys(wanted)[0] }];
      await expect(mux.plugins.install('acme', 'alpha', wanted)).rejects.toMatchObject({ issues });
    }
    await expect(mux.plugins.search('acme', 'git', { registry: word })).rejects.toMatchObject({
      issues: [{ field: 'registry' }],
    });
  });

  it('are rejected for an agent without plugins, with agents that have them', async () => {
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

describe('adapter that manages plugins itself', () => {
  it('is used instead of a CLI', async () => {
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
