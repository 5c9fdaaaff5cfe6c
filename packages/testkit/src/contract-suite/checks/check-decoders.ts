import { deepStrictEqual, ok } from 'node:assert/strict';
import type { AgentMode, EventBody, ParseContext, ResolvedRunOptions } from '@agent-mux/core';
import fc from 'fast-check';
import { assertDeterministic } from '../../replay/determinism.ts';
import { replayOneshot } from '../../replay/oneshot.ts';
import { createParseContext, createResolvedOptions } from '../../replay/resolved-options.ts';
import { assertStaysQuick } from '../assert-stays-quick.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { assertEvents } from '../event-schema.ts';
import { garbageLine, hardLines, longLines } from '../garbage.ts';
import { guardPrototype } from '../prototype-guard.ts';
import { reachesOf } from '../pure-work.ts';
import { heardIn } from '../recorded-lines.ts';
import { plainApproval, type Subject } from '../subject.ts';

const EXITS = [
  { code: 0, signal: null },
  { code: 1, signal: null },
  { code: null, signal: 'SIGKILL' },
];
/** Long enough to detect a decoder that backtracks, short enough to end. */
const LONG = 90_000;
const LONG_LIMIT_MS = 4_000;
const FEW_LINES = 300;
const SECRET = 'contract-secret-3097';

/** `parseEvent` decodes all output of a process per turn, and stderr of a live one. */
export function decoderChecks(subject: Subject): ContractCheck[] {
  const { decoder } = subject;
  return subject.modes.flatMap((mode) =>
    aboutTopic(`the decoder in mode "${mode.name}"`, (show) => {
      const options = decodingOptions(subject, mode);
      const recorded = () => (mode.driver === 'oneshot' ? heardIn(subject, mode.name) : []);
      show('survives garbage and gives only events of the contract, the same for the same bytes', () => {
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
      show('handles a long line in linear time', () => {
        for (const [name, line] of longLines(LONG)) {
          const startedAt = performance.now();
          replayOneshot(decoder, [line], { options, stderr: [line] });
          const took = performance.now() - startedAt;
          ok(took < LONG_LIMIT_MS, `${LONG} ${name} took ${Math.round(took)} ms`);
        }
      });
      show('keeps two simultaneous runs apart', () => {
        const lines = recorded().slice(0, 60);
        if (lines.length === 0) lines.push(...plainLines());
        keepsApart(subject, options, lines);
      });
      if (mode.driver === 'oneshot') {
        show('does not slow down after many lines', () => staysQuick(subject, options, recorded()));
      }
      show('does not access the machine: no file, process, network, clock or randomness', () => {
        const lines = [...recorded(), ...plainLines()];
        const reaches = reachesOf(() => {
          replayOneshot(decoder, lines, { options, stderr: lines });
        });
        deepStrictEqual(reaches, [], 'time and all else that counts are passed in');
      });
      show('does not change its input', () => {
        const given = { ...frozenContext(decoder.agent, options) };
        for (const line of [...recorded(), ...plainLines()]) decoder.parseEvent(line, Object.freeze({ ...given }));
        decoder.parseEnd?.(Object.freeze({ ...given }), EXITS[0]!);
      });
      show('does not treat stderr as the answer', () => {
        const stderr = ['a plain line', 'another plain line'];
        const events = replayOneshot(decoder, [], { options, stderr });
        const answer = events.filter(({ type }) => type === 'text_delta' || type === 'thinking_delta');
        deepStrictEqual(answer, [], 'stderr is not the answer of the agent');
      });
      show('ignores blank lines, unless every line is text', () => {
        const texts = (line: string) => replayOneshot(decoder, [line, line], { options }).length;
        const ignored = replayOneshot(decoder, [], { options }).length;
        if (texts('a plain line') > ignored) return;
        for (const blank of ['', ' ', '\t']) {
          deepStrictEqual(
            texts(blank),
            ignored,
            `${JSON.stringify(blank)} gives events, and "a plain line" gives none`,
          );
        }
      });
      show('reports no amount that the agent has not reported', () => {
        for (const exit of EXITS) {
          const events = replayOneshot(decoder, ['a plain line', '{}', ''], { options, exit });
          for (const event of events) if (event.type === 'cost') hasNoAmount(event);
        }
      });
      show('repeats no secret of the run', () => {
        const mcpServers = { contract: { command: 'contract-mcp', env: { CONTRACT_TOKEN: SECRET } } };
        const events = replayOneshot(decoder, [...recorded(), ...plainLines()], {
          options: { ...options, env: { CONTRACT_API_KEY: SECRET }, mcpServers },
          stderr: plainLines(),
          exit: EXITS[1]!,
        });
        ok(!JSON.stringify(events).includes(SECRET), 'an event holds a value of options.env or of an MCP server');
      });
    }),
  );
}

export function garbageRuns({ fixtures }: Subject): fc.Parameters<unknown> {
  return { numRuns: fixtures.garbage?.runs ?? 200, seed: fixtures.garbage?.seed ?? 1, includeErrorInReport: true };
}

function decodingOptions({ adapter }: Subject, mode: AgentMode): Partial<ResolvedRunOptions> {
  return { agent: adapter.agent, mode: mode.name, approvalMode: plainApproval(mode) };
}

function decodeSoundly(
  { decoder }: Subject,
  options: Partial<ResolvedRunOptions>,
  lines: readonly string[],
  exit: { code: number | null; signal: string | null },
): void {
  const events = guardPrototype(() =>
    assertDeterministic(({ storeState }) =>
      replayOneshot(decoder, lines, { options, stderr: lines, exit, storeState }),
    ),
  );
  assertEvents(events);
}

/** An adapter keeps no state of a run, so two runs interleaved line by line give the same as each alone. */
function keepsApart({ decoder }: Subject, options: Partial<ResolvedRunOptions>, lines: readonly string[]): void {
  const contexts = ['run-a', 'run-b'].map((runId): ParseContext => {
    return createParseContext({ agent: decoder.agent, options: createResolvedOptions({ ...options, runId }) });
  });
  const decode = (line: string, context: ParseContext): EventBody[] => {
    const events = [decoder.parseEvent(line, context) ?? []].flat();
    for (const event of events) {
      context.eventCount += 1;
      context.lastEventType = event.type;
      if (event.type === 'session_start') context.sessionId = event.sessionId ?? context.sessionId;
    }
    return events;
  };
  const together = lines.map((line) => contexts.map((context) => decode(line, context)));
  for (const [index, { runId }] of contexts.entries()) {
    const alone = createParseContext({ agent: decoder.agent, options: createResolvedOptions({ ...options, runId }) });
    for (const [at, line] of lines.entries()) {
      deepStrictEqual(together[at]?.[index], decode(line, alone), `line ${at} gives other events during another run`);
    }
  }
}

function plainLines(): string[] {
  return [...hardLines().map(([, line]) => line), 'a plain line'];
}

function staysQuick({ decoder }: Subject, options: Partial<ResolvedRunOptions>, recorded: readonly string[]): void {
  const some = [...recorded.filter((line) => line.length < 1_000).slice(0, 20), 'a plain line', '{"type":"text"}'];
  assertStaysQuick(FEW_LINES, (count) => {
    const lines = Array.from({ length: count }, (_, at) => some[at % some.length]!);
    replayOneshot(decoder, lines, { options });
  });
}

/** Everything but the decoder's own part of it is frozen: writing to it throws. */
function frozenContext(agent: string, options: Partial<ResolvedRunOptions>): ParseContext {
  return createParseContext({ agent, options: deepFreeze(createResolvedOptions({ ...options, agent })) });
}

function hasNoAmount({ usage, costUsd }: Extract<EventBody, { type: 'cost' }>): void {
  const amounts = [costUsd, ...Object.values(usage)].filter((amount) => amount !== null);
  deepStrictEqual(amounts, [], 'an amount that the agent does not report is null, never 0');
}
