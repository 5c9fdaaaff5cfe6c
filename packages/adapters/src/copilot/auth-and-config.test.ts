import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copilotAdapter } from './index.ts';
import { MODEL_QUERY } from './models.ts';
import { PLUGINS } from './plugins.ts';

const adapter = copilotAdapter;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'copilot-home-'));
  mkdirSync(join(home, '.copilot'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function printed(stdout: string) {
  return { stdout, stderr: '', exitCode: 0 };
}

describe('login of Copilot', () => {
  it('is that of the account that its file names', async () => {
    writeFileSync(
      join(home, '.copilot', 'config.json'),
      '// This file is managed automatically.\n{"loggedInUsers":[{"host":"https://github.com","login":"octo"}]}',
    );
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'authenticated', identity: 'octo' });
  });

  it('is unknown without any sign, because it may be that of another program', async () => {
    writeFileSync(join(home, '.copilot', 'config.json'), '{"firstLaunchAt":"2026-11-16T05:29:24.562Z"}');
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'unknown' });
  });
});

describe('models of Copilot', () => {
  it('lists those that its help names for the setting', () => {
    const help = [
      '  `logLevel`: log level for CLI; defaults to "default".',
      '',
      '  `model`: AI model to use for Copilot CLI.',
      '    - "claude-sonnet-5.5"',
      '    - "gpt-6-sol"',
      '',
      '  `contextTier`: tier (e.g., "default" or "long_context").',
      '    - "not-a-model"',
      '',
    ].join('\n');
    expect(MODEL_QUERY.parse(printed(help)).map(({ id }) => id)).toEqual(['claude-sonnet-5.5', 'gpt-6-sol']);
    expect(() => MODEL_QUERY.parse(printed('another help'))).toThrow();
  });
});

describe('plugins of Copilot', () => {
  const live = { name: 'sample', marketplace: 'local', version: '1.2.3', enabled: true, source: 'live' };
  const listed = [
    { name: 'direct', marketplace: '', version: '1.0.0', enabled: false, source: 'installed' },
    { ...live, installedFrom: '/workspace/mk' },
    { ...live, name: 'off', enabled: false },
    { name: 'browser-use', marketplace: '', version: '0.0.4', enabled: false, source: 'builtin' },
  ];

  it('lists the installed ones', () => {
    expect(PLUGINS.list.parse(printed(JSON.stringify(listed)))).toEqual([
      { id: 'direct', version: '1.0.0', enabled: false, format: 'marketplace-plugin' },
      {
        id: 'sample@local',
        version: '1.2.3',
        enabled: true,
        format: 'marketplace-plugin',
        source: '/workspace/mk',
      },
    ]);
    expect(() => PLUGINS.list.parse(printed('{}'))).toThrow();
  });

  it('are named with their marketplace', () => {
    expect(PLUGINS.install('sample', { registry: 'local' }).args).toEqual(['plugin', 'install', 'sample@local']);
    expect(() => PLUGINS.install('sample', { version: '2' })).toThrow('version');
    expect(() => PLUGINS.uninstall('sample', { global: false })).toThrow('user');
  });

  it('are searched by name and description', () => {
    const answer = JSON.stringify([{ name: 'sample', description: 'A thing', marketplace: 'local' }]);
    const search = PLUGINS.search?.('thing', { registry: 'local' });
    expect(search?.args).toContain('local');
    expect(search?.parse(printed(answer))).toEqual([{ id: 'sample@local', description: 'A thing', registry: 'local' }]);
  });
});
