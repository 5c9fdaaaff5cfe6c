/** Matches `engines` of the packages. */
export const MIN_NODE_VERSION = '22.18.0';

/**
 * Runs first, before anything that an old Node.js lacks: prints a sentence instead of a stack trace. Imports nothing,
 * so that nothing can fail before it.
 */
export function assertNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = MIN_NODE_VERSION.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Error(
    `agent-mux needs Node.js ${leastMajor}.${leastMinor} or newer, but this is ${version}. Install a newer one ` +
      '(https://nodejs.org, or "nvm install 24"), or try one now: npx -p node@24 node yours.js',
  );
}

assertNodeVersion(process.versions.node);
