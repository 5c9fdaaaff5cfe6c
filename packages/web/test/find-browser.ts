import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * Path of an installed Chromium or Chrome, or undefined. Throws if none is found and AGENT_MUX_REQUIRE_BROWSER=1 is
 * set.
 */
export function findBrowser(env = process.env): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter);
  const found = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), MAC].find((path) =>
    existsSync(path),
  );
  if (found === undefined && env.AGENT_MUX_REQUIRE_BROWSER === '1')
    throw new Error('the dashboard tests need a browser: neither chromium nor google-chrome is on PATH');
  return found;
}
