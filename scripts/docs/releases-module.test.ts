import { NO_VERIFICATIONS, type ReleaseRecord, type VerificationRecord } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { releasesModule } from './releases-module.ts';

const shown = { date: '2026-03-04', platform: 'linux x64' };
const release = (version: string, failed: string[] = []): ReleaseRecord => ({
  ...{ version, ...shown, cases: 'usual', passed: 3, partly: 0, total: 3 + failed.length, failed },
});
const recordOf = (releases: ReleaseRecord[]): VerificationRecord => ({
  ...NO_VERIFICATIONS,
  agents: {
    'opencode-http': { package: 'p', version: '1.2.0', ...shown, modes: { m: { hello: 'passed' } }, daemon: {} },
  },
  releases: { 'opencode-http': releases },
});

describe('releasesModule', () => {
  it('lists verified releases, the oldest first', () => {
    expect(releasesModule(recordOf([release('1.0.0', ['m hello']), release('1.1.0')]))).toContain(
      "export const VERIFIED_RELEASES = {\n  'opencode-http': ['1.1.0', '1.2.0'],\n} as const;\n",
    );
  });

  it('wraps long lines as the formatter does', () => {
    const many = Array.from({ length: 12 }, (_, minor) => release(`1.0.${minor}`));
    expect(releasesModule(recordOf(many))).toContain("  'opencode-http': [\n    '1.0.0',\n    '1.0.1',\n");
  });
});
