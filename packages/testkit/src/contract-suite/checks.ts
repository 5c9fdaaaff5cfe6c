import { awaitWithin } from './assert-returned.ts';
import type { ContractCheck } from './check.ts';
import { authAndConfigChecks } from './checks/check-auth-and-config.ts';
import { decoderChecks } from './checks/check-decoders.ts';
import { definitionChecks } from './checks/check-definitions.ts';
import { environmentChecks } from './checks/check-environment.ts';
import { extensionChecks } from './checks/check-extensions.ts';
import { hookChecks } from './checks/check-hooks.ts';
import { hostileValueChecks } from './checks/check-hostile-values.ts';
import { identityChecks } from './checks/check-identity.ts';
import { launchChecks } from './checks/check-launch.ts';
import { liveChecks } from './checks/check-live.ts';
import { optionChecks } from './checks/check-options.ts';
import { preparationChecks } from './checks/check-preparations.ts';
import { recordingChecks } from './checks/check-recordings.ts';
import { requestChecks } from './checks/check-requests.ts';
import { runningChecks } from './checks/check-running.ts';
import { sessionChecks } from './checks/check-sessions.ts';
import { sharingChecks } from './checks/check-sharing.ts';
import { toolKindChecks } from './checks/check-tool-kinds.ts';
import type { ContractFixtures } from './fixtures.ts';
import { watchPrototypes } from './prototype-guard.ts';
import { type AdapterOrFactory, type Subject, subjectOf } from './subject.ts';

/** Milliseconds for one check, unless the fixtures say otherwise. */
export const CHECK_LIMIT_MS = 60_000;

const CHAPTERS: readonly ((subject: Subject) => ContractCheck[])[] = [
  identityChecks,
  launchChecks,
  environmentChecks,
  optionChecks,
  hostileValueChecks,
  preparationChecks,
  decoderChecks,
  hookChecks,
  liveChecks,
  requestChecks,
  sharingChecks,
  recordingChecks,
  toolKindChecks,
  authAndConfigChecks,
  sessionChecks,
  extensionChecks,
  runningChecks,
  definitionChecks,
];

/** All contract checks of this adapter, as functions that throw. For any test runner, or none. */
export function contractChecks(options: AdapterOrFactory, fixtures: ContractFixtures = {}): ContractCheck[] {
  const subject = subjectOf(options, fixtures);
  const checks = CHAPTERS.flatMap((chapter) => chapter(subject)).map((check) => confine(check, fixtures));
  const { exempt = {} } = fixtures;
  const known = new Set(checks.map(nameOf));
  const unknown = Object.keys(exempt).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`fixtures.exempt names no check: ${unknown.join('; ')}`);
  return checks.map((check) => {
    const reason = exempt[nameOf(check)];
    return reason === undefined ? check : excuse(check, reason);
  });
}

/** Whatever the adapter does, the check ends, and nothing else does. */
function confine(check: ContractCheck, { timeoutMs = CHECK_LIMIT_MS }: ContractFixtures): ContractCheck {
  return {
    ...check,
    async run() {
      const { exit, abort } = process;
      const refuse = (): never => {
        throw new Error('the adapter has tried to end the process');
      };
      const clean = watchPrototypes();
      Object.assign(process, { exit: refuse, abort: refuse });
      try {
        await awaitWithin(`"${nameOf(check)}"`, check.run, timeoutMs);
      } finally {
        Object.assign(process, { exit, abort });
        clean();
      }
    },
  };
}

export function nameOf({ topic, sentence }: Pick<ContractCheck, 'topic' | 'sentence'>): string {
  return `${topic}: ${sentence}`;
}

function excuse(check: ContractCheck, reason: string): ContractCheck {
  return {
    ...check,
    sentence: `${check.sentence} (does not, as is known: ${reason})`,
    async run() {
      try {
        await check.run();
      } catch {
        return;
      }
      throw new Error(`this is no longer broken; remove "${nameOf(check)}" from fixtures.exempt`);
    },
  };
}
