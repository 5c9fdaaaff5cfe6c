import { join } from 'node:path';

/** Service definition that starts the daemon at login. */
export interface ServiceFile {
  path: string;
  text: string;
  /** Commands that register and unregister it. */
  enable: readonly (readonly string[])[];
  disable: readonly (readonly string[])[];
}

export interface ServiceLocation {
  platform: NodeJS.Platform;
  home: string;
  configHome: string | undefined;
  uid: number;
  /** Node.js and its arguments. */
  command: readonly string[];
  /** PATH for agent programs: a service manager has its own. */
  path: string;
}

const UNIT = 'agent-mux.service';
const LABEL = 'dev.agent-mux.daemon';

/** Undefined if the platform has no supported service manager. */
export function describeService(location: ServiceLocation): ServiceFile | undefined {
  if (location.platform === 'linux') return systemdUnit(location);
  return location.platform === 'darwin' ? launchAgent(location) : undefined;
}

/** `KillMode=process`: restarting the service stops the daemon only; agents keep running. */
function systemdUnit({ home, configHome, command, path }: ServiceLocation): ServiceFile {
  const text = [
    '[Unit]',
    'Description=agent-mux: background sessions of coding agents',
    '',
    '[Service]',
    `ExecStart=${command.map(quoteForSystemd).join(' ')}`,
    `Environment=${quoteForSystemd(`PATH=${path}`)}`,
    'KillMode=process',
    'Restart=on-failure',
    'RestartSec=2',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
  const systemctl = ['systemctl', '--user'];
  return {
    path: join(configHome ?? join(home, '.config'), 'systemd', 'user', UNIT),
    text,
    enable: [
      [...systemctl, 'daemon-reload'],
      [...systemctl, 'enable', '--now', UNIT],
    ],
    disable: [
      [...systemctl, 'disable', '--now', UNIT],
      [...systemctl, 'daemon-reload'],
    ],
  };
}

/** `AbandonProcessGroup` does the same for launchd. */
function launchAgent({ home, uid, command, path }: ServiceLocation): ServiceFile {
  const file = join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const args = command.map((word) => `    <string>${escapeXml(word)}</string>`);
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${LABEL}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...args,
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    `  <dict><key>PATH</key><string>${escapeXml(path)}</string></dict>`,
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>AbandonProcessGroup</key><true/>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
  return {
    path: file,
    text,
    enable: [['launchctl', 'bootstrap', `gui/${uid}`, file]],
    disable: [['launchctl', 'bootout', `gui/${uid}/${LABEL}`]],
  };
}

/** systemd interprets `%` and `$`. */
function quoteForSystemd(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
