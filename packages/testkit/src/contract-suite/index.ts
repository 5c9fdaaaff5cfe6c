import { describe, it } from 'vitest';
import type { ContractCheck } from './check.ts';
import { CHECK_LIMIT_MS, contractChecks } from './checks.ts';
import type { ContractFixtures } from './fixtures.ts';
import type { AdapterOrFactory } from './subject.ts';

export type { ContractCheck } from './check.ts';
export { contractChecks } from './checks.ts';
export { assertEvents } from './event-schema.ts';
export type {
  ContractFixtures,
  DefinitionFixture,
  DefinitionProfileLike,
  EventMatch,
  Peer,
  RecordingFixture,
  RunFixture,
} from './fixtures.ts';
export type { AdapterOrFactory } from './subject.ts';

/** A check ends on its own; its cleanup may take a moment longer. */
const ORDER_MS = 5_000;

/**
 * Checks that an adapter fulfills everything it declares of the contract. Call it in a separate test file: some checks
 * set the environment of the process while they run.
 */
export function runAdapterContractSuite(options: AdapterOrFactory, fixtures: ContractFixtures = {}): void {
  const { agent } = typeof options === 'function' ? options() : options;
  const topics = Map.groupBy(contractChecks(options, fixtures), ({ topic }) => topic);
  describe(`adapter contract of ${agent}`, () => {
    for (const [topic, checks] of topics) {
      describe(topic, () => {
        for (const check of checks) declare(check, (fixtures.timeoutMs ?? CHECK_LIMIT_MS) + ORDER_MS);
      });
    }
  });
}

function declare({ sentence, skip, run }: ContractCheck, timeout: number): void {
  if (skip === undefined) it(sentence, { timeout }, run);
  else it.skip(`${sentence} (${skip})`, run);
}
