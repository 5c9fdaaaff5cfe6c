import type { ProofRecord } from '@agent-mux/testkit';
import { provenReleases } from '../agents/record.ts';

const LINE_WIDTH = 120;

/** packages/adapters/src/proven-releases.ts: the proof is not published, so what adapters say of it is written into a module. */
export function releasesModule(proofs: ProofRecord): string {
  const entries = Object.keys(proofs.agents)
    .map((agent) => ({ agent, versions: provenReleases(proofs, agent) }))
    .filter(({ versions }) => versions.length > 0)
    .map(({ agent, versions }) => entryOf(agent, versions));
  return [
    '/**',
    ' * The releases of each CLI that passed its proof, the oldest first; it is `minVersion`. Written by `npm run docs` from',
    ' * docs/proofs.json: one record of evidence, so that no adapter can claim another.',
    ' */',
    'export const PROVEN_RELEASES = {',
    ...entries,
    '} as const;',
    '',
  ].join('\n');
}

/** As the formatter writes it. */
function entryOf(agent: string, versions: readonly string[]): string {
  const key = /^[a-z]\w*$/i.test(agent) ? agent : `'${agent}'`;
  const quoted = versions.map((version) => `'${version}'`);
  const line = `  ${key}: [${quoted.join(', ')}],`;
  return line.length <= LINE_WIDTH ? line : [`  ${key}: [`, ...quoted.map((one) => `    ${one},`), '  ],'].join('\n');
}
