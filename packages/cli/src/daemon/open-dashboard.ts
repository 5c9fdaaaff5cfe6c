import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { print, printJson, printNote } from '../output.ts';
import { withDaemon } from './open.ts';

export function openDashboard({ json, printOnly }: { json: boolean; printOnly: boolean }): Promise<number> {
  return withDaemon(async (daemon) => {
    if (json) return printJson<'open'>({ url: await daemon.loginLink() });
    const opener = printOnly ? undefined : openerOf(process.platform, process.env);
    const { url, page } = opener ? await daemon.loginPage() : { url: await daemon.loginLink(), page: undefined };
    const isOpened = opener && page !== undefined && (await openPage(opener, page));
    print(url);
    return printNote(
      isOpened
        ? 'opening it in your browser; the link works once. If the page does not load, open the link above'
        : 'open it in a browser within five minutes; the link works once',
    );
  });
}

type Opener = readonly [string, ...string[]];

/**
 * Opens a browser; false if none starts. The browser gets the path of a page that only this user can read, never the link
 * itself: other users can see process arguments.
 */
async function openPage([command, ...args]: Opener, page: string): Promise<boolean> {
  const target = process.platform === 'win32' ? page : pathToFileURL(page).href;
  const child = spawn(command, [...args, target], { stdio: 'ignore', detached: true });
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  child.unref();
  return isStarted;
}

/** Over ssh, no local desktop is available to open a browser on. */
function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Opener | undefined {
  if (env.SSH_CONNECTION) return undefined;
  if (env.BROWSER) return [env.BROWSER];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['explorer.exe'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
