import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ServedApi, serveApi } from '../../../test/served-api.ts';
import { openSettings } from '../../settings/open-settings.ts';

let api: ServedApi;

beforeEach(async () => {
  api = await serveApi();
});
afterEach(() => api.stop());

const fileOf = () => join(api.folder, 'config', 'agent-mux', 'config.json');
const read = () => readFileSync(fileOf(), 'utf8');
function write(text: string): void {
  mkdirSync(dirname(fileOf()), { recursive: true });
  writeFileSync(fileOf(), text);
}
const get = async () => (await api.ask('/api/v1/settings')).json();
const change = (body: unknown) => api.ask('/api/v1/settings', { method: 'PATCH', body });

/** A file with user comments. */
const COMMENTED = `{
  // mine
  "profiles": { "quick": { "model": "small" } },
  "daemon": {
    "retention": "30d", // a month
    "budgets": [
      // coffee
      { "per": "day", "usd": 5 },
      { "per": "day", "tokens": 1000 }
    ]
  }
}
`;

describe('settings', () => {
  test('change in the file and apply immediately, keeping comments and other fields', async () => {
    write(COMMENTED);
    const body = {
      retention: '7d',
      retentionBytes: 1000,
      onLimit: 'continue',
      continuation: { hours: '08:00-22:00', stagger: '1m' },
    };
    const answer = await change(body);
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      retentionMs: 7 * 86_400_000,
      retentionBytes: 1000,
      onLimit: 'continue',
      continuation: { hours: '08:00-22:00', staggerMs: 60_000, maxPerDay: 24 },
      budgets: [
        { per: 'day', usd: 5 },
        { per: 'day', tokens: 1000 },
      ],
      pending: [],
      problems: [],
    });
    await change({ budgets: [{ per: 'day', usd: 5 }] });
    expect(read()).toContain('// mine');
    expect(read()).toContain('"retention": "7d", // a month');
    expect(read()).toContain('// coffee');
    expect(read()).toContain('"quick"');
    expect(read()).not.toContain('tokens');
    expect(await get()).toMatchObject({ budgets: [{ per: 'day', usd: 5 }] });
    await change({ retention: null, budgets: null });
    expect(await get()).toMatchObject({ retentionMs: 90 * 86_400_000, budgets: [] });
    const { entries } = (await api.ask('/api/v1/audit')).json() as { entries: Record<string, unknown>[] };
    expect(entries).toContainEqual(expect.objectContaining({ action: 'settings.change', detail: body }));
  });

  test('are refused with their field if invalid, leaving the file unchanged', async () => {
    write(COMMENTED);
    for (const [body, field] of [
      [{ retention: 'forever' }, 'retention'],
      [{ budgets: [{ per: 'day' }] }, 'budgets.0'],
      [{ continuation: { hours: '08:00-08:00' } }, 'continuation.hours'],
      [{ notify: { rules: [{ to: ['missing'] }] } }, 'notify.rules[0].to'],
      [{ notify: { targets: { phone: { type: 'webhook', url: 'https://example.com/x' } } } }, 'notify.targets.phone'],
      [{ nothing: 1 }, ''],
    ] as const) {
      const answer = await change(body);
      expect([answer.status, answer.json().issues]).toEqual([422, [expect.objectContaining({ field })]]);
    }
    expect(read()).toBe(COMMENTED);
    expect(await get()).toMatchObject({ continuation: { hours: null } });
  });

  test('are not overwritten if changed by another writer', async () => {
    write(COMMENTED);
    const { revision } = await get();
    write(COMMENTED.replace('30d', '31d'));
    expect(await get()).toMatchObject({ pending: ['retention', 'budgets'] });
    const refused = await change({ retention: '7d', revision });
    expect([refused.status, refused.json().code]).toEqual([409, 'CONFIG_CONFLICT']);
    expect(read()).toContain('31d');
    expect((await change({ retention: '7d', revision: (await get()).revision })).status).toBe(200);
  });

  test('are not changed in an invalid file', async () => {
    for (const broken of [
      '{ "daemon": { "retention": ',
      '{ "daemon": { "retention": "always" } }',
      '{ "daemon": [] }',
    ]) {
      write(broken);
      const answer = await change({ retentionBytes: 5 });
      expect([answer.status, answer.json().code]).toEqual([409, 'CONFIG_ERROR']);
      expect(answer.json().hint).toMatch(/fix/);
      expect(read()).toBe(broken);
    }
    const lost = JSON.stringify({ daemon: { notify: { rules: [{ to: [] }, { to: ['desktop'] }] } } });
    write(lost);
    expect((await change({ notify: { rules: [] } })).json().code).toBe('CONFIG_ERROR');
    expect(read()).toBe(lost);
    expect((await change({ retentionBytes: 5 })).status).toBe(200);
  });

  test('hide the secrets of targets', async () => {
    const secret = 'a-secret-of-the-tests';
    const hook = { type: 'webhook', url: 'https://example.com/a-topic-to-keep-secret', secret };
    const log = { type: 'command', command: ['/bin/notify', '--token', 'another-of-the-tests'] };
    const rules = [{ to: ['phone', 'log'], when: ['blocked'], quietHours: '22:00-07:00' }];
    const made = await change({ notify: { targets: { phone: hook, log }, rules } });
    expect(made.status).toBe(200);
    const { notify } = made.json() as { notify: { targets: { secretFile: string }[] } };
    expect(notify).toMatchObject({
      targets: [
        { name: 'phone', type: 'webhook', destination: 'example.com', secretEnv: null },
        { name: 'log', type: 'command', destination: '/bin/notify', secretFile: null },
      ],
      rules,
    });
    const visible = `${made.text} ${(await api.ask('/api/v1/audit')).text} ${(await api.ask('/api/v1/settings')).text}`;
    expect(visible).not.toMatch(/of-the-tests|a-topic/);
    const [file] = notify.targets.map(({ secretFile }) => secretFile) as [string];
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    // A new URL keeps the secret; a new secret replaces the old one.
    await change({ notify: { targets: { phone: { type: 'webhook', url: 'https://example.org/other' } } } });
    expect(JSON.parse(read()).daemon.notify.targets.phone).toEqual({
      type: 'webhook',
      url: 'https://example.org/other',
      secretFile: file,
    });
    await change({ notify: { targets: { phone: { type: 'webhook', secret: `${secret}-2` } } } });
    const folder = join(dirname(fileOf()), 'secrets');
    expect(readdirSync(folder)).toHaveLength(1);
    expect(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8').trim()).toBe(`${secret}-2`);
    // A refused change leaves no files.
    expect((await change({ retention: 'x', notify: { targets: { phone: hook } } })).status).toBe(422);
    expect((await change({ notify: { targets: { phone: hook }, rules: [{ to: ['no'] }] } })).status).toBe(422);
    expect(readdirSync(folder)).toHaveLength(1);
    // A target used by a rule cannot be removed alone.
    expect((await change({ notify: { targets: { phone: null } } })).status).toBe(422);
    expect((await change({ notify: { targets: { phone: null, log: null }, rules: [] } })).json()).toMatchObject({
      notify: { targets: [], rules: [] },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('are not changed if overridden by a flag', async () => {
    const env = { HOME: api.folder, XDG_CONFIG_HOME: join(api.folder, 'config') };
    const settings = openSettings({ env, home: api.folder, fixed: { retentionMs: 5, port: 0 }, log: () => {} });
    expect(settings.view()).toMatchObject({ retentionMs: 5, overridden: ['port', 'retention'], pending: [] });
    await expect(settings.change({ retention: '1d' })).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
    expect(await settings.change({ retentionBytes: 7 })).toMatchObject({ retentionMs: 5, retentionBytes: 7 });
    write(JSON.stringify({ daemon: { retentionBytes: 7, queryClaudeUsage: true } }));
    expect(settings.view().pending).toEqual(['queryClaudeUsage']);
  });
});
