import type { NotifyTarget } from '@agent-mux/api';
import type { Target } from './notify-settings.ts';
import { runProgram } from './run-program.ts';
import { type OutgoingNotification, SendError } from './send-error.ts';
import { hostOf, postWebhook } from './webhook.ts';

export interface SendContext {
  env: NodeJS.ProcessEnv;
  now: number;
  signal: AbortSignal;
  /** Timeout of a command or the desktop program; default 30 s. */
  programMs?: number | undefined;
}

/** Makes one attempt. Throws a SendError on failure. */
export async function sendTo(target: Target, notification: OutgoingNotification, context: SendContext): Promise<void> {
  const { env, signal, programMs } = context;
  const rest = { mark: `notify-${notification.id}`, env, signal, timeoutMs: programMs };
  switch (target.type) {
    case 'webhook':
      return postWebhook(target, notification, context);
    case 'command':
      return runProgram({ argv: target.command, input: `${JSON.stringify(notification)}\n`, ...rest });
    case 'desktop':
      return runProgram({ argv: desktopCommand(notification, process.platform), input: '', ...rest });
  }
}

/** The text is a separate argument, after everything that could be parsed as a flag or a script. */
export function desktopCommand(
  { title, text }: Pick<OutgoingNotification, 'title' | 'text'>,
  platform: NodeJS.Platform,
): string[] {
  if (platform === 'linux') return ['notify-send', '--app-name=agent-mux', '--', title, escapeMarkup(text)];
  if (platform === 'darwin') {
    const script = [
      'on run argv',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      'end run',
    ].flatMap((line) => ['-e', line]);
    return ['osascript', ...script, `agent-mux: ${title}`, text];
  }
  throw new SendError('NOT_FOUND', `desktop notifications are not supported on ${platform}; use a command target`);
}

/** Desktops interpret some HTML in the text. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function showTarget(target: Target): NotifyTarget {
  const destination =
    target.type === 'webhook' ? hostOf(target) : target.type === 'command' ? (target.command[0] ?? '') : '';
  return { name: target.name, type: target.type, destination };
}
