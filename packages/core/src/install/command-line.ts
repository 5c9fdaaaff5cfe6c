import type { PlannedCommand } from '../contract/upkeep.ts';

/** Words that mean the same to every shell and to none: no quotes, variables, homes or patterns. */
const PLAIN = /^[\w@+:,./-]+(?: +[\w@+=:,./-]+)*$/;

/** The words of a line that needs no shell; undefined: it does. */
export function wordsOf(line: string): string[] | undefined {
  return PLAIN.test(line) ? line.split(/ +/) : undefined;
}

/** Started as it is where that is possible, else by a shell. */
export function planCommand(line: string, platform: NodeJS.Platform): PlannedCommand {
  const [command, ...args] = wordsOf(line) ?? shellFor(line, platform);
  return { command: command ?? '', args, line };
}

export function planWords(words: readonly string[]): PlannedCommand {
  const [command = '', ...args] = words;
  return { command, args, line: words.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ') };
}

function shellFor(line: string, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return ['cmd.exe', '/d', '/s', '/c', line];
  // Without it a script that could not be fetched is an empty one, which ends well.
  return /\|\s*bash\b/.test(line) ? ['bash', '-o', 'pipefail', '-c', line] : ['sh', '-c', line];
}

/** The program that has to be there first. */
export function programOf(line: string): string {
  return line.trim().split(/\s+/)[0] ?? '';
}

export function needsRoot(line: string): boolean {
  return /(?:^|[\s;&|(])(?:sudo|doas)\s/.test(line);
}
