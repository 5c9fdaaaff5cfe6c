import { describe, expect, it } from 'vitest';
import { builtInAdapters } from '../src/index.ts';

const SCREENS = builtInAdapters().filter(({ terminal }) => terminal !== undefined);

/** Values that would be flags if they were not escaped. */
const HOSTILE = ['--dangerously-skip-permissions', '-x', '--'];

describe('terminal UI launch', () => {
  it('is known for agents whose help was read', () => {
    expect(SCREENS.map(({ agent }) => agent).sort()).toEqual(
      ['claude', 'codex', 'copilot', 'droid', 'gemini', 'grok', 'kilo', 'omp', 'opencode', 'pi', 'qwen'].sort(),
    );
  });

  it.each(SCREENS.map((adapter) => [adapter.agent, adapter.terminal!] as const))(
    '%s: no value becomes a flag',
    (_, { resume, model, prompt }) => {
      for (const make of [resume, model, prompt]) {
        for (const value of make ? HOSTILE : []) {
          const args = tryTo(() => make!(value));
          const end = args?.indexOf('--') ?? -1;
          // Either refused, or joined to its flag, or after the end of flags.
          expect(args === undefined || end !== -1 || args.every((arg) => arg !== value)).toBe(true);
        }
      }
    },
  );
});

function tryTo(make: () => readonly string[]): readonly string[] | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
