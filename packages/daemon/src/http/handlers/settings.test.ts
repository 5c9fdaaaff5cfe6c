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

/** With the comments that somebody has made. */
const COMMENTED = `{
  // mine
  "profiles": { "quick": { "model": "small" } },
  "daemon": {
    "keep": "30d", // a month
    "budgets": [
      // coffee
      { "per": "day", "usd": 5 },
      { "per": "day", "tokens": 1000 }
    ]
  }
}
`;

describe('settings', () => {
  test('are changed in the file and count at once; comments and other fields stay', async () => {
    write(COMMENTED);
    const body = { keep: '7d', keepBytes: 1000, onLimit: 'wait', limits: { hours: '08:00-22:00', stagger: '1m' } };
    const answer = await change(body);
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      keepMs: 7 * 86_400_000,
      keepBytes: 1000,
      onLimit: 'wait',
      limits: { hours: '08:00-22:00', staggerMs: 60_000, maxContinuationsPerDay: 24 },
      budgets: [
        { per: 'day', usd: 5 },
        { per: 'day', tokens: 1000 },
      ],
      pending: [],
      problems: [],
    });
    await change({ budgets: [{ per: 'day', usd: 5 }] });
    expect(read()).toContain('// mine');
    expect(read()).toContain('"keep": "7d", // a month');
    expect(read()).toContain('// coffee');
    expect(read()).toContain('"quick"');
    expect(read()).not.toContain('tokens');
    expect(await get()).toMatchObject({ budgets: [{ per: 'day', usd: 5 }] });
    await change({ keep: null, budgets: null });
    expect(await get()).toMatchObject({ keepMs: 90 * 86_400_000, budgets: [] });
    const { entries } = (await api.ask('/api/v1/audit')).json() as { entries: Record<string, unknown>[] };
    expect(entries).toContainEqual(expect.objectContaining({ action: 'settings.change', detail: body }));
  });

  test('that are wrong are refused with their field, and the file is as it was', async () => {
    write(COMMENTED);
    for (const [body, field] of [
      [{ keep: 'for ever' }, 'keep'],
      [{ budgets: [{ per: 'day' }] }, 'budgets.0'],
      [{ limits: { hours: '08:00-08:00' } }, 'limits.hours'],
      [{ notify: { rules: [{ to: ['nobody'] }] } }, 'notify.rules[0].to'],
      [{ notify: { targets: { phone: { type: 'webhook', url: 'https://example.com/x' } } } }, 'notify.targets.phone'],
      [{ nothing: 1 }, ''],
    ] as const) {
      const answer = await change(body);
      expect([answer.status, answer.json().issues]).toEqual([422, [expect.objectContaining({ field })]]);
    }
    expect(read()).toBe(COMMENTED);
    expect(await get()).toMatchObject({ limits: { hours: null } });
  });

  test('that somebody else has changed meanwhile are not overwritten in silence', async () => {
    write(COMMENTED);
    const { revision } = await get();
    write(COMMENTED.replace('30d', '31d'));
    expect(await get()).toMatchObject({ pending: ['keep', 'budgets'] });
    const refused = await change({ keep: '7d', revision });
    expect([refused.status, refused.json().code]).toEqual([409, 'CONFIG_CHANGED']);
    expect(read()).toContain('31d');
    expect((await change({ keep: '7d', revision: (await get()).revision })).status).toBe(200);
  });

  test('of a file that is broken, or has a fault, are left as they are', async () => {
    for (const broken of ['{ "daemon": { "keep": ', '{ "daemon": { "keep": "always" } }', '{ "daemon": [] }']) {
      write(broken);
      const answer = await change({ keepBytes: 5 });
      expect([answer.status, answer.json().code]).toEqual([409, 'CONFIG_ERROR']);
      expect(answer.json().hint).toMatch(/mend/);
      expect(read()).toBe(broken);
    }
    const lost = JSON.stringify({ daemon: { notify: { rules: [{ to: [] }, { to: ['desktop'] }] } } });
    write(lost);
    expect((await change({ notify: { rules: [] } })).json().code).toBe('CONFIG_ERROR');
    expect(read()).toBe(lost);
    expect((await change({ keepBytes: 5 })).status).toBe(200);
  });

  test('of targets keep what is secret to themselves', async () => {
    const secret = 'a-secret-of-the-tests';
    const hook = { type: 'webhook', url: 'https://example.com/a-topic-nobody-knows', secret };
    const log = { type: 'command', command: ['/bin/tell', '--token', 'another-of-the-tests'] };
    const rules = [{ to: ['phone', 'log'], when: ['blocked'], quietHours: '22:00-07:00' }];
    const made = await change({ notify: { targets: { phone: hook, log }, rules } });
    expect(made.status).toBe(200);
    const { notify } = made.json() as { notify: { targets: { secretFile: string }[] } };
    expect(notify).toMatchObject({
      targets: [
        { name: 'phone', type: 'webhook', place: 'example.com', secretEnv: null },
        { name: 'log', type: 'command', place: '/bin/tell', secretFile: null },
      ],
      rules,
    });
    const told = `${made.text} ${(await api.ask('/api/v1/audit')).text} ${(await api.ask('/api/v1/settings')).text}`;
    expect(told).not.toMatch(/of-the-tests|a-topic/);
    const [file] = notify.targets.map(({ secretFile }) => secretFile) as [string];
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    // Another address, and the secret stays; another secret, and the first is gone.
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
    // What is refused leaves nothing behind.
    expect((await change({ keep: 'x', notify: { targets: { phone: hook } } })).status).toBe(422);
    expect((await change({ notify: { targets: { phone: hook }, rules: [{ to: ['no'] }] } })).status).toBe(422);
    expect(readdirSync(folder)).toHaveLength(1);
    // One that a rule names cannot go alone.
    expect((await change({ notify: { targets: { phone: null } } })).status).toBe(422);
    expect((await change({ notify: { targets: { phone: null, log: null }, rules: [] } })).json()).toMatchObject({
      notify: { targets: [], rules: [] },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that a flag has decided are not changed, and say so', async () => {
    const env = { HOME: api.folder, XDG_CONFIG_HOME: join(api.folder, 'config') };
    const kept = openSettings({ env, home: api.folder, fixed: { keepMs: 5, port: 0 }, log: () => {} });
    expect(kept.view()).toMatchObject({ keepMs: 5, overridden: ['port', 'keep'], pending: [] });
    await expect(kept.change({ keep: '1d' })).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
    expect(await kept.change({ keepBytes: 7 })).toMatchObject({ keepMs: 5, keepBytes: 7 });
    write(JSON.stringify({ daemon: { keepBytes: 7, claudeUsage: true } }));
    expect(kept.view().pending).toEqual(['claudeUsage']);
  });
});
