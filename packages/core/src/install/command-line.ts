import type { PlannedCommand } from '../contract/management.ts';

/** Arguments that need no shell: no quotes, variables, home folders or patterns. */
const PLAIN = /^[\w@+:,./-]+(?: +[\w@+=:,./-]+)*$/;

/** Splits a line that needs no shell; undefined: it does. */
export function splitArgs(line: string): string[] | undefined {
  return PLAIN.test(line) ? line.split(/ +/) : undefined;
}

/** Runs the command directly if possible, else through a shell. */
export function planCommand(line: string, platform: NodeJS.Platform): PlannedCommand {
  const [command, ...args] = splitArgs(line) ?? shellFor(line, platform);
  return { command: command ?? '', args, line };
}

export function planCommandArgs(words: readonly string[]): PlannedCommand {
  const [command = '', ...args] = words;
  return { command, args, line: words.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ') };
}

function shellFor(line: string, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return ['cmd.exe', '/d', '/s', '/c', line];
  // Without pipefail a failed download would be an empty script, which succeeds.
  return /\|\s*bash\b/.test(line) ? ['bash', '-o', 'pipefail', '-c', line] : ['sh', '-c', line];
}

/** The program that must be installed first. */
export function programOf(line: string): string {
  return line.trim().split(/\s+/)[0] ?? '';
}

export function needsRoot(line: string): boolean {
  return /(?:^|[\s;&|(])(?:sudo|doas)\s/.test(line);
}
