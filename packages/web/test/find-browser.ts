import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** The Chromium or Chrome that is there. Undefined: none, and none is required; with AGENT_MUX_REQUIRE_BROWSER=1 that throws. */
export function findBrowser(env = process.env): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter);
  const found = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), MAC].find((path) =>
    existsSync(path),
  );
  if (found === undefined && env.AGENT_MUX_REQUIRE_BROWSER === '1')
    throw new Error('the tests of the dashboard need a browser: none of chromium or google-chrome is on PATH');
  return found;
}
