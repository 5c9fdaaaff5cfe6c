import { fileURLToPath } from 'node:url';
import type { Step } from './steps.ts';

/** The longest script for the command line: Linux allows 128 KiB for one argument. */
export const MAX_ARGUMENT_BYTES = 120 * 1024;

/** The program itself, for `node`. */
export function fakeAgentPath(): string {
  return fileURLToPath(new URL('./agent.mjs', import.meta.url));
}

/** How to start a fake agent that performs these steps. `vars` are placeholders for its texts. */
export function fakeAgent(
  steps: readonly Step[],
  vars: Readonly<Record<string, string>> = {},
): { command: string; args: string[] } {
  const script = JSON.stringify(steps);
  if (Buffer.byteLength(script) > MAX_ARGUMENT_BYTES) {
    throw new RangeError(
      'The script is too long for a command line: use repeat, flood or huge-line, or a --script-file',
    );
  }
  return { command: process.execPath, args: [fakeAgentPath(), '--script', script, ...varArguments(vars)] };
}

export function varArguments(vars: Readonly<Record<string, string>>): string[] {
  return Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}=${value}`]);
}
