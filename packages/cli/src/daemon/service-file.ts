import { join } from 'node:path';

/** What starts the daemon with the machine. */
export interface ServiceFile {
  path: string;
  text: string;
  /** What makes the system know it, and forget it. */
  enable: readonly (readonly string[])[];
  disable: readonly (readonly string[])[];
}

export interface ServicePlace {
  platform: NodeJS.Platform;
  home: string;
  configHome: string | undefined;
  uid: number;
  /** Node and what it runs. */
  command: readonly string[];
  /** Where programs of agents are found: a service manager knows only its own. */
  path: string;
}

const UNIT = 'agent-mux.service';
const LABEL = 'dev.agent-mux.daemon';

/** Undefined: this system has no such manager that we know. */
export function describeService(place: ServicePlace): ServiceFile | undefined {
  if (place.platform === 'linux') return systemdUnit(place);
  return place.platform === 'darwin' ? launchAgent(place) : undefined;
}

/** `KillMode=process`: a restart of the service ends the daemon alone, and the agents work on. */
function systemdUnit({ home, configHome, command, path }: ServicePlace): ServiceFile {
  const text = [
    '[Unit]',
    'Description=agent-mux: sessions of coding agents that stay',
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

/** `AbandonProcessGroup`: the same for launchd. */
function launchAgent({ home, uid, command, path }: ServicePlace): ServiceFile {
  const file = join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const words = command.map((word) => `    <string>${escapeXml(word)}</string>`);
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${LABEL}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...words,
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

/** systemd reads `%` and `$` as more than themselves. */
function quoteForSystemd(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
