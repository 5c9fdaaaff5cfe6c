import { NO_PROOFS, type ProofRecord, type ReleaseRecord } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { releasesModule } from './releases-module.ts';

const shown = { date: '2026-03-04', platform: 'linux x64' };
const release = (version: string, failed: string[] = []): ReleaseRecord => ({
  ...{ version, ...shown, cases: 'usual', passed: 3, partly: 0, total: 3 + failed.length, failed },
});
const proofs = (releases: ReleaseRecord[]): ProofRecord => ({
  ...NO_PROOFS,
  agents: {
    'opencode-http': { package: 'p', version: '1.2.0', ...shown, modes: { m: { hello: 'passed' } }, daemon: {} },
  },
  releases: { 'opencode-http': releases },
});

describe('the module of proven releases', () => {
  it('names those that passed, the oldest first, and none that failed', () => {
    expect(releasesModule(proofs([release('1.0.0', ['m hello']), release('1.1.0')]))).toContain(
      "export const PROVEN_RELEASES = {\n  'opencode-http': ['1.1.0', '1.2.0'],\n} as const;\n",
    );
  });

  it('breaks a long line as the formatter does', () => {
    const many = Array.from({ length: 12 }, (_, minor) => release(`1.0.${minor}`));
    expect(releasesModule(proofs(many))).toContain("  'opencode-http': [\n    '1.0.0',\n    '1.0.1',\n");
  });
});
