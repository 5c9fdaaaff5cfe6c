import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { readNotifySettings } from './notify-settings.ts';
import { parseQuietHours, quietUntil } from './quiet-hours.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'notify-settings-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(folder: string, config: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config, null, 2));
}

function read(notify: unknown) {
  write(join(home, '.config/agent-mux'), { daemon: { port: 7000, notify } });
  const config = loadConfig({ env: { HOME: home }, cwd: home });
  expect(readSettings(config)).toMatchObject({ settings: { port: 7000 }, issues: [] });
  const { settings, issues } = readNotifySettings(config);
  return { ...settings, issues, messages: issues.map(({ field, problem }) => `${field} ${problem}`) };
}

describe('notification settings', () => {
  it('apply defaults', () => {
    const { targets, rules, issues } = read({
      targets: {
        phone: { type: 'webhook', url: 'https://example.test/x', secretEnv: 'HOOK_SECRET' },
        log: { type: 'command', command: ['/usr/bin/logger', '-t', 'amux'] },
      },
      rules: [
        { to: ['phone', 'desktop'] },
        { to: ['log'], when: ['idle'], quietHours: '22:00-7:00', inQuietHours: 'drop' },
      ],
    });
    expect(issues).toEqual([]);
    expect([...targets.keys()]).toEqual(['phone', 'log', 'desktop']);
    expect(rules[0]).toMatchObject({ when: ['blocked', 'waiting_input', 'limited', 'failed'], inQuietHours: 'hold' });
    expect(rules[1]).toMatchObject({ quietHours: { from: 22 * 60, to: 7 * 60 } });
  });

  it('drop invalid entries only, and report each with its line', () => {
    const { targets, rules, messages, issues } = read({
      extra: 1,
      targets: {
        good: { type: 'desktop' },
        'bad name!': { type: 'desktop' },
        ftp: { type: 'webhook', url: 'ftp://example.test/x', secretEnv: 'A' },
        password: { type: 'webhook', url: 'https://me:word@example.test/', secretEnv: 'A' },
        unsigned: { type: 'webhook', url: 'https://example.test/' },
        value: { type: 'webhook', url: 'https://example.test/', secretEnv: 'not a name' },
        shell: { type: 'command', command: 'echo hello' },
      },
      rules: [
        { to: ['good'] },
        { to: ['missing'] },
        { to: ['good'], when: ['sleeping'] },
        { to: ['good'], quietHours: '25:00-7' },
      ],
    });
    expect([...targets.keys()]).toEqual(['good']);
    expect(rules).toHaveLength(1);
    expect(messages.join('\n')).toMatch(/extra is not a known option/);
    for (const name of ['bad name!', 'ftp', 'password', 'unsigned', 'value', 'shell'])
      expect(messages.join('\n')).toContain(name);
    expect(messages.join('\n')).toMatch(/unknown target "missing"/);
    expect(messages.join('\n')).toMatch(/quietHours must be two times of day/);
    expect(issues.every(({ line }) => line > 1)).toBe(true);
  });

  it('cannot be set by a project', () => {
    const project = join(home, 'project');
    write(join(project, '.agent-mux'), { daemon: { notify: { rules: [{ to: ['desktop'] }] } } });
    const config = loadConfig({ env: { HOME: home }, cwd: project });
    expect(readNotifySettings(config).settings.rules).toEqual([]);
    expect(config.issues).toMatchObject([{ field: 'daemon', problem: "is allowed in the user's own file only" }]);
  });
});

describe('quiet hours', () => {
  const at = (hour: number, minute: number, day = 16) => new Date(2026, 10, day, hour, minute).getTime();

  it('may span midnight', () => {
    const night = parseQuietHours('22:00-07:00') ?? { from: 0, to: 0 };
    expect(quietUntil(night, at(21, 59))).toBeNull();
    expect(quietUntil(night, at(22, 0))).toBe(at(7, 0, 17));
    expect(quietUntil(night, at(3, 0))).toBe(at(7, 0));
    expect(quietUntil(night, at(7, 0))).toBeNull();
    const noon = parseQuietHours('12:30-13:30') ?? { from: 0, to: 0 };
    expect(quietUntil(noon, at(12, 45))).toBe(at(13, 30));
    expect(quietUntil(noon, at(13, 30))).toBeNull();
  });

  it.each(['', '22:00', '22-7', '22:00-22:00', '24:00-07:00', '22:60-07:00', '1:00-2:00-3:00'])(
    'rejects "%s"',
    (text) => {
      expect(parseQuietHours(text)).toBeNull();
    },
  );
});
