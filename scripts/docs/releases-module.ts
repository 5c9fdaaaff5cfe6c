import type { VerificationRecord } from '@agent-mux/testkit';
import { verifiedReleases } from '../agents/record.ts';

const LINE_WIDTH = 120;

/** packages/adapters/src/verified-releases.ts: a module, because the verification record is not published. */
export function releasesModule(record: VerificationRecord): string {
  const entries = Object.keys(record.agents)
    .map((agent) => ({ agent, versions: verifiedReleases(record, agent) }))
    .filter(({ versions }) => versions.length > 0)
    .map(({ agent, versions }) => entryOf(agent, versions));
  return [
    '/**',
    ' * Verified releases of each CLI, the oldest first (`minVersion`). Written by `npm run docs` from docs/verifications.json.',
    ' */',
    'export const VERIFIED_RELEASES = {',
    ...entries,
    '} as const;',
    '',
  ].join('\n');
}

/** Formatted as biome does. */
function entryOf(agent: string, versions: readonly string[]): string {
  const key = /^[a-z]\w*$/i.test(agent) ? agent : `'${agent}'`;
  const quoted = versions.map((version) => `'${version}'`);
  const line = `  ${key}: [${quoted.join(', ')}],`;
  return line.length <= LINE_WIDTH ? line : [`  ${key}: [`, ...quoted.map((one) => `    ${one},`), '  ],'].join('\n');
}
