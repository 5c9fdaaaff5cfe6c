import type { ContractCheck } from './check.ts';
import { decoderChecks } from './check-decoders.ts';
import { definitionChecks } from './check-definitions.ts';
import { hookChecks } from './check-hooks.ts';
import { identityChecks } from './check-identity.ts';
import { launchChecks } from './check-launch.ts';
import { liveChecks } from './check-live.ts';
import { optionChecks } from './check-options.ts';
import { recordingChecks } from './check-recordings.ts';
import { runningChecks } from './check-running.ts';
import { surroundingChecks } from './check-surroundings.ts';
import type { ContractFixtures } from './fixtures.ts';
import { type AdapterOrFactory, type Subject, subjectOf } from './subject.ts';

const CHAPTERS: readonly ((subject: Subject) => ContractCheck[])[] = [
  identityChecks,
  launchChecks,
  optionChecks,
  decoderChecks,
  hookChecks,
  liveChecks,
  recordingChecks,
  surroundingChecks,
  runningChecks,
  definitionChecks,
];

/** Everything that the contract says of this adapter, as checks that throw. For any test runner, or none. */
export function contractChecks(given: AdapterOrFactory, fixtures: ContractFixtures = {}): ContractCheck[] {
  const subject = subjectOf(given, fixtures);
  const checks = CHAPTERS.flatMap((chapter) => chapter(subject));
  const { exempt = {} } = fixtures;
  const known = new Set(checks.map(nameOf));
  const unknown = Object.keys(exempt).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`fixtures.exempt names no check: ${unknown.join('; ')}`);
  return checks.map((check) => {
    const reason = exempt[nameOf(check)];
    return reason === undefined ? check : exempted(check, reason);
  });
}

export function nameOf({ topic, sentence }: Pick<ContractCheck, 'topic' | 'sentence'>): string {
  return `${topic}: ${sentence}`;
}

function exempted(check: ContractCheck, reason: string): ContractCheck {
  return {
    ...check,
    sentence: `${check.sentence} (does not, as is known: ${reason})`,
    async run() {
      try {
        await check.run();
      } catch {
        return;
      }
      throw new Error(`this is no longer broken; take "${nameOf(check)}" out of fixtures.exempt`);
    },
  };
}
