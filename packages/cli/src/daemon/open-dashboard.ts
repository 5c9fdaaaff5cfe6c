import { spawn } from 'node:child_process';
import { print, printJson, printNote } from '../output.ts';
import { withDaemon } from './open.ts';

export function openDashboard({ json, printOnly }: { json: boolean; printOnly: boolean }): Promise<number> {
  return withDaemon(async (daemon) => {
    const url = await daemon.loginLink();
    if (json) return printJson<'open'>({ url });
    const isOpened = !printOnly && (await openBrowser(url));
    print(url);
    return printNote(
      isOpened ? 'your browser opens it; it works once' : 'open it in a browser within five minutes; it works once',
    );
  });
}

/** False where there is no desktop, or nothing on it that opens addresses. */
async function openBrowser(url: string): Promise<boolean> {
  const opener = openerOf(process.platform, process.env);
  if (!opener) return false;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  child.unref();
  return isStarted;
}

/** A terminal of another machine shows nothing on the desktop of this one. */
function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (env.SSH_CONNECTION) return undefined;
  if (env.BROWSER) return [env.BROWSER];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['explorer.exe'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
