import { describe, expect, it } from 'vitest';
import { describeService, type ServiceLocation } from './service-file.ts';

const PLACE: ServiceLocation = {
  platform: 'linux',
  home: '/home/me',
  configHome: undefined,
  uid: 501,
  command: ['/opt/node/bin/node', '/opt/my tools/100%/$x/main.js'],
  path: '/usr/bin:/home/me/bin',
};

describe('describeService', () => {
  it('is a systemd user unit whose restart leaves agents running', () => {
    const { path, text, enable } = describeService(PLACE) ?? {};
    expect(path).toBe('/home/me/.config/systemd/user/agent-mux.service');
    expect(text).toContain('ExecStart=/opt/node/bin/node "/opt/my tools/100%%/$$x/main.js"\n');
    expect(text).toContain('KillMode=process\n');
    expect(text).toContain('Environment=PATH=/usr/bin:/home/me/bin\n');
    expect(enable?.at(-1)).toEqual(['systemctl', '--user', 'enable', '--now', 'agent-mux.service']);
  });

  it('is a launchd agent with escaped arguments', () => {
    const { path, text, disable } = describeService({ ...PLACE, platform: 'darwin', command: ['/a<b>&c'] }) ?? {};
    expect(path).toBe('/home/me/Library/LaunchAgents/dev.agent-mux.daemon.plist');
    expect(text).toContain('<string>/a&#60;b&#62;&#38;c</string>');
    expect(text).toContain('<key>AbandonProcessGroup</key><true/>');
    expect(disable).toEqual([['launchctl', 'bootout', 'gui/501/dev.agent-mux.daemon']]);
  });

  it('is undefined on other platforms', () => {
    expect(describeService({ ...PLACE, platform: 'win32' })).toBeUndefined();
  });
});
