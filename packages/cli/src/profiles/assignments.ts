import { type ProfileChange, parseDuration } from '@agent-mux/core';
import { RunProfileSchema } from '@agent-mux/core/schemas';
import { UsageError } from '../usage-error.ts';

/** Parses `FIELD=VALUE` arguments into profile changes. `FIELD=` removes a field; `env.NAME` addresses a map entry. */
export function readAssignments(
  args: readonly string[],
  current: Readonly<Record<string, unknown>>,
): readonly ProfileChange[] {
  return args.map((word) => {
    const at = word.indexOf('=');
    const path = word.slice(0, at).split('.');
    if (at < 1 || path.some((key) => key === '')) {
      throw new UsageError(`"${word}" is not FIELD=VALUE`, 'for example model=opus, timeout=5m or env.NAME=value');
    }
    const text = word.slice(at + 1);
    return { path, value: text === '' ? undefined : readValue(path, text, current) };
  });
}

/** The first interpretation the option accepts: `5` is a number for some options and text for others. */
function readValue(path: readonly string[], text: string, current: Readonly<Record<string, unknown>>): unknown {
  const readings = [text, ...asJson(text), ...asDuration(text), text.split(',').map((part) => part.trim())];
  return readings.find((value) => fits(path, value, current)) ?? readings[1] ?? text;
}

function fits([field = '', ...rest]: readonly string[], value: unknown, current: Readonly<Record<string, unknown>>) {
  const whole = withValue(Object.hasOwn(current, field) ? current[field] : undefined, rest, value);
  return RunProfileSchema.safeParse({ [field]: whole }).success;
}

function withValue(below: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const map = typeof below === 'object' && below !== null && !Array.isArray(below) ? { ...below } : {};
  return { ...map, [key]: withValue(Object.entries(map).find(([name]) => name === key)?.[1], rest, value) };
}

function asJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

function asDuration(text: string): number[] {
  const ms = parseDuration(text);
  return ms === undefined ? [] : [ms];
}
