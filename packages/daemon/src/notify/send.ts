import type { NotifyTarget } from '@agent-mux/api';
import type { Target } from './notify-settings.ts';
import { runProgram } from './run-program.ts';
import { SendError, type Telling } from './send-error.ts';
import { hostOf, postWebhook } from './webhook.ts';

export interface Surroundings {
  env: NodeJS.ProcessEnv;
  now: number;
  signal: AbortSignal;
  /** Of a command and of the desktop; default: half a minute. */
  programMs?: number | undefined;
}

/** One attempt. Throws a SendError where it has not gone well. */
export async function sendTo(target: Target, telling: Telling, around: Surroundings): Promise<void> {
  const { env, signal, programMs } = around;
  const rest = { mark: `notify-${telling.id}`, env, signal, timeoutMs: programMs };
  switch (target.type) {
    case 'webhook':
      return postWebhook(target, telling, around);
    case 'command':
      return runProgram({ argv: target.command, input: `${JSON.stringify(telling)}\n`, ...rest });
    case 'desktop':
      return runProgram({ argv: desktopCommand(telling, process.platform), input: '', ...rest });
  }
}

/** The text is an argument of its own, behind everything that could be taken for a flag or a script. */
export function desktopCommand({ title, text }: Pick<Telling, 'title' | 'text'>, platform: NodeJS.Platform): string[] {
  if (platform === 'linux') return ['notify-send', '--app-name=agent-mux', '--', title, escapeMarkup(text)];
  if (platform === 'darwin') {
    const script = [
      'on run argv',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      'end run',
    ].flatMap((line) => ['-e', line]);
    return ['osascript', ...script, `agent-mux: ${title}`, text];
  }
  throw new SendError('NOT_FOUND', `there is no way to notify a desktop of ${platform} here: use a command`);
}

/** Desktops read a little HTML in it. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function showTarget(target: Target): NotifyTarget {
  const place = target.type === 'webhook' ? hostOf(target) : target.type === 'command' ? (target.command[0] ?? '') : '';
  return { name: target.name, type: target.type, place };
}
