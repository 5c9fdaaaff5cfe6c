import { ok, strictEqual } from 'node:assert/strict';
import { aboutTopic, type ContractCheck } from '../check.ts';
import type { Subject } from '../subject.ts';
import { assertIdentity } from './check-identity.ts';

/** Agents that are defined by an entry in a configuration file. */
export function definitionChecks({ fixtures }: Subject): ContractCheck[] {
  const { definitions } = fixtures;
  if (!definitions) return [];
  const { profile, valid, invalid } = definitions;
  return aboutTopic(`definitions with the profile "${profile.profile}"`, (show) => {
    for (const config of valid) {
      show(`make a valid adapter from ${JSON.stringify(config)}`, () => {
        const parsed = profile.schema.safeParse(config);
        ok(parsed.success, parsed.error?.issues.map(({ message }) => message).join('; '));
        const adapter = profile.create('contract-agent', 'Contract agent', parsed.data);
        strictEqual(adapter.agent, 'contract-agent');
        strictEqual(adapter.displayName, 'Contract agent');
        assertIdentity(adapter);
      });
    }
    for (const config of invalid) {
      show(`report the issues of ${JSON.stringify(config)} without throwing`, () => {
        const parsed = profile.schema.safeParse(config);
        ok(!parsed.success, 'it was accepted');
        ok((parsed.error?.issues.length ?? 0) > 0, 'no reason is given');
      });
    }
  });
}
