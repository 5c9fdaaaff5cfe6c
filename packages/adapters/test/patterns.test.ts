import { fileURLToPath } from 'node:url';
import { redactSecrets } from '@agent-mux/core';
import { replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { builtInAdapters } from '../src/catalog.ts';
import { hostileTexts, type TextMaker } from './hostile-text.ts';
import { regexpLiterals } from './regexp-literals.ts';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));
const LITERALS = regexpLiterals(PACKAGES, ['core/src', 'adapters/src']);

const SMALL = 4 * 1024;
const MEDIUM = 32 * 1024;
const MEGABYTE = 1024 * 1024;
/** Quadratic time grows sixteenfold for four times the input, linear time fourfold. */
const MAX_GROWTH = 8;
/** This many of the slowest small texts are tried in full length. */
const TRIED_LONG = 3;
const ATTEMPTS = 5;
const TIMEOUT = { timeout: 300_000 };

/** CPU time, not wall time: other processes may be using the machine. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function best(attempts: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    least = Math.min(least, cpuMs(work));
    // A fast pattern need not be measured again.
    if (least < LIMIT_MS / 10) break;
  }
  return least;
}

/** Limit for a megabyte: 100 ms, and more only if the machine itself is slow at the moment. */
const LIMIT_MS = Math.max(100, 2 * costOfLookingAhead());

/** A pattern that looks sixty characters ahead from everywhere, and is linear. */
function costOfLookingAhead(): number {
  const text = 'a'.repeat(MEGABYTE);
  return Math.min(...Array.from({ length: 3 }, () => cpuMs(() => void /a.{0,60}b/.test(text))));
}

/** Time for a megabyte of one of these texts, if it is too much. */
function slowness(makers: readonly TextMaker[], work: (text: string) => void): string | undefined {
  const small = makers.map((make) => {
    const text = make(SMALL);
    return { make, text, ms: best(2, () => work(text)) };
  });
  const slowest = small.sort((a, b) => b.ms - a.ms).slice(0, TRIED_LONG);
  for (const { make, text, ms } of slowest) {
    const said = `for ${JSON.stringify(text.slice(0, 40))}`;
    // So slow that a megabyte would not finish.
    if (ms > LIMIT_MS) return `${ms.toFixed(0)} ms ${said}, of ${SMALL} characters only`;
    const at = (length: number) => {
      const long = make(length);
      return best(ATTEMPTS, () => work(long));
    };
    const medium = at(MEDIUM);
    if (medium > LIMIT_MS) return `${medium.toFixed(0)} ms ${said}, of ${MEDIUM} characters only`;
    const quarter = at(MEGABYTE / 4);
    if (quarter > LIMIT_MS * MAX_GROWTH) return `${quarter.toFixed(0)} ms ${said}, of ${MEGABYTE / 4} characters only`;
    const whole = at(MEGABYTE);
    if (whole > LIMIT_MS || (whole > LIMIT_MS / 4 && whole > quarter * MAX_GROWTH)) {
      return `${whole.toFixed(0)} ms ${said}; a quarter of it takes ${quarter.toFixed(0)} ms`;
    }
  }
  return undefined;
}

describe('foreign text', () => {
  it('is scanned by every pattern in linear time', TIMEOUT, () => {
    expect(LITERALS.length).toBeGreaterThan(300);
    const slow = LITERALS.flatMap(({ where, pattern }) => {
      const seek = (text: string) => {
        if (pattern.global) text.replace(pattern, '');
        else pattern.test(text);
      };
      const found = slowness(hostileTexts(pattern), seek);
      return found === undefined ? [] : [`${where} ${pattern}: ${found}`];
    });
    expect(slow).toEqual([]);
  });

  it('is redacted in linear time', TIMEOUT, () => {
    const patterns = LITERALS.filter(({ where }) => where.startsWith('core/src/redact/redact.ts'));
    expect(patterns.length).toBeGreaterThan(10);
    for (const { pattern } of patterns) {
      const texts = hostileTexts(pattern).slice(-40);
      expect(
        slowness(texts, (text) => void redactSecrets(text)),
        String(pattern),
      ).toBeUndefined();
    }
    expect(slowness(hostileTexts(/an error: /), (text) => void redactSecrets(text))).toBeUndefined();
  });

  it.each(builtInAdapters().map((adapter) => [adapter.agent, adapter] as const))(
    'is decoded in linear time as a line of %s',
    TIMEOUT,
    (agent, adapter) => {
      const own = LITERALS.filter(({ where }) => where.startsWith(`adapters/src/${agent}/`));
      const texts = [
        ...hostileTexts(/an error: /),
        ...own.slice(0, 20).flatMap(({ pattern }) => hostileTexts(pattern).slice(-20)),
      ];
      for (const mode of adapter.modes ?? [{ name: 'default' }]) {
        const options = { agent, mode: mode.name };
        const onStderr = (line: string) => void replayOneshot(adapter, [], { options, stderr: [line] });
        const onStdout = (line: string) => void replayOneshot(adapter, [line], { options, stderr: [] });
        expect(slowness(texts, onStderr), `stderr in mode ${mode.name}`).toBeUndefined();
        expect(slowness(texts, onStdout), `stdout in mode ${mode.name}`).toBeUndefined();
      }
    },
  );
});
