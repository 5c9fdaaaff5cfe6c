/** As the packages' `engines` say. */
export const LEAST_NODE = '22.18.0';

/**
 * The first thing that is done, before anything that an old node lacks is used: whoever has one gets a sentence, not a
 * stack trace from the depths. Imports nothing, so that nothing can fail before it.
 */
export function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Error(
    `agent-mux needs Node.js ${leastMajor}.${leastMinor} or newer, and this is ${version}. Install a newer one ` +
      '(https://nodejs.org, or "nvm install 24"), or try one at once: npx -p node@24 node yours.js',
  );
}

refuseOldNode(process.versions.node);
