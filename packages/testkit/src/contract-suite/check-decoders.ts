import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { AgentMode, EventBody, ParseContext, ResolvedRunOptions } from '@agent-mux/core';
import fc from 'fast-check';
import { assertDeterministic } from '../replay/determinism.ts';
import { replayOneshot } from '../replay/oneshot.ts';
import { makeParseContext, makeResolvedOptions } from '../replay/resolved-options.ts';
import { aboutTopic, type ContractCheck } from './check.ts';
import { assertEvents } from './event-schema.ts';
import { garbageLine, hardLines, longLines } from './garbage.ts';
import { guardPrototype } from './prototype-guard.ts';
import { heardIn } from './recorded-lines.ts';
import { plainApproval, type Subject } from './subject.ts';

const EXITS = [
  { code: 0, signal: null },
  { code: 1, signal: null },
  { code: null, signal: 'SIGKILL' },
];
/** Long enough that a decoder which backtracks is seen, short enough that it ends. */
const LONG = 90_000;
const LONG_LIMIT_MS = 4_000;

/** `parseEvent` decodes all of a process per turn, and what a live one says on stderr. */
export function decoderChecks(subject: Subject): ContractCheck[] {
  const { adapter } = subject;
  const perMode = subject.modes.flatMap((mode) =>
    aboutTopic(`the decoder in mode "${mode.name}"`, (show) => {
      const options = decodingOptions(subject, mode);
      const recorded = () => (mode.driver === 'oneshot' ? heardIn(subject, mode.name) : []);
      show('survives garbage, gives events of the contract only, and the same ones for the same bytes', () => {
        const lines = fc.array(garbageLine(recorded()), { maxLength: 8 });
        fc.assert(
          fc.property(lines, fc.constantFrom(...EXITS), (garbage, exit) => {
            decodeSoundly(subject, options, garbage, exit);
          }),
          garbageRuns(subject),
        );
      });
      for (const [name, line] of hardLines()) {
        show(`survives ${name}`, () => {
          decodeSoundly(subject, options, [line], EXITS[0]!);
        });
      }
      show('takes no longer for a long line than it must', () => {
        for (const [name, line] of longLines(LONG)) {
          const began = performance.now();
          replayOneshot(adapter, [line], { options, stderr: [line] });
          const took = performance.now() - began;
          ok(took < LONG_LIMIT_MS, `${LONG} ${name} took ${Math.round(took)} ms`);
        }
      });
      show('keeps two runs at once apart', () => {
        const lines = recorded().slice(0, 60);
        if (lines.length === 0) lines.push(...hardLines().map(([, line]) => line), 'a plain line');
        keepsApart(subject, options, lines);
      });
    }),
  );
  return [...perMode, ...hookChecks(subject)];
}

export function garbageRuns({ fixtures }: Subject): fc.Parameters<unknown> {
  return { numRuns: fixtures.garbage?.runs ?? 200, seed: fixtures.garbage?.seed ?? 1, includeErrorInReport: true };
}

function decodingOptions({ adapter }: Subject, mode: AgentMode): Partial<ResolvedRunOptions> {
  return { agent: adapter.agent, mode: mode.name, approvalMode: plainApproval(mode) };
}

function decodeSoundly(
  { adapter }: Subject,
  options: Partial<ResolvedRunOptions>,
  lines: readonly string[],
  exit: { code: number | null; signal: string | null },
): void {
  const events = guardPrototype(() =>
    assertDeterministic(({ storeState }) =>
      replayOneshot(adapter, lines, { options, stderr: lines, exit, storeState }),
    ),
  );
  assertEvents(events);
}

/** An adapter keeps nothing of a run, so two of them line by line give what each gives alone. */
function keepsApart({ adapter }: Subject, options: Partial<ResolvedRunOptions>, lines: readonly string[]): void {
  const contexts = ['run-a', 'run-b'].map((runId): ParseContext => {
    return makeParseContext({ agent: adapter.agent, options: makeResolvedOptions({ ...options, runId }) });
  });
  const decode = (line: string, context: ParseContext): EventBody[] => {
    const events = [adapter.parseEvent(line, context) ?? []].flat();
    for (const event of events) {
      context.eventCount += 1;
      context.lastEventType = event.type;
      if (event.type === 'session_start') context.sessionId = event.sessionId ?? context.sessionId;
    }
    return events;
  };
  const together = lines.map((line) => contexts.map((context) => decode(line, context)));
  for (const [index, { runId }] of contexts.entries()) {
    const alone = makeParseContext({ agent: adapter.agent, options: makeResolvedOptions({ ...options, runId }) });
    for (const [at, line] of lines.entries()) {
      deepStrictEqual(together[at]?.[index], decode(line, alone), `line ${at} gives other events beside another run`);
    }
  }
}

function hookChecks({ adapter }: Subject): ContractCheck[] {
  return aboutTopic('its hooks', (show) => {
    show('give events of the contract, whatever has happened', () => {
      const events: (EventBody | undefined)[] = [
        adapter.onSpawnError?.(new Error('spawn acme ENOENT')),
        adapter.onTimeout?.('inactivity'),
        ...[...EXITS, { code: null, signal: null }].flatMap(({ code, signal }) =>
          adapter.onProcessExit?.(code, signal),
        ),
      ];
      assertEvents(events.filter((event) => event !== undefined));
      deepStrictEqual(adapter.onProcessExit?.(0, null) ?? [], [], 'a process that left with 0 has not failed');
    });
    show('never ask for another try when none is left', () => {
      const policy = {
        maxRetries: 2,
        initialDelayMs: 0,
        maxDelayMs: 0,
        multiplier: 1,
        retryOn: ['RATE_LIMITED'] as const,
      };
      const limited: EventBody = { type: 'rate_limit_error', message: 'slow down', retrying: false };
      strictEqual(adapter.shouldRetry?.(limited, policy.maxRetries, policy) ?? false, false);
      const login: EventBody = { type: 'auth_error', message: 'who are you?' };
      strictEqual(adapter.shouldRetry?.(login, 0, policy) ?? false, false, 'a refused login is refused again');
    });
  });
}
