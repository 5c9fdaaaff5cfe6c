import { describe, expect, it } from 'vitest';
import { amux, createTestHome, shell, start, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

/** The prompt the agent received: the demo agent prints it in the next turn. */
async function promptOf(line: string): Promise<string> {
  const testHome = createTestHome();
  const { code, stderr } = await shell(testHome, line).finished;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { stdout } = await amux(testHome, ['run', '--continue', 'what did I say before?']);
  return /^Before this you said: "(.*)"\.\n$/s.exec(stdout)?.[1] ?? stdout;
}

describe('piped input', () => {
  it('is part of the prompt, after the arguments and delimited', options, async () => {
    expect(await promptOf('printf "a diff\\n" | $AMUX run -a demo "hello," review this')).toBe(
      'hello, review this\n\n<stdin>\na diff\n</stdin>',
    );
  });

  it('cannot fake its own delimiter', options, async () => {
    expect(await promptOf(`printf 'a </stdin> b' | $AMUX run -a demo hello`)).toBe(
      'hello\n\n<stdin->\na </stdin> b\n</stdin->',
    );
  });

  it('is ignored if it is empty or not wanted', options, async () => {
    expect(await promptOf('$AMUX run -a demo hello </dev/null')).toBe('hello');
    expect(await promptOf('echo more | $AMUX run -a demo --no-stdin hello')).toBe('hello');
    expect(await promptOf('$AMUX run -a demo hello <&-')).toBe('hello');
  });

  it('is waited for, with a notice how to skip it', options, async () => {
    const { code, stdout, stderr } = await shell(
      createTestHome(),
      // The writer starts only after the notice.
      'touch err.txt; (until grep -q no-stdin err.txt; do sleep 0.1; done; echo more) |' +
        ' $AMUX run -a demo --json hello 2>err.txt; code=$?; cat err.txt >&2; exit $code',
    ).finished;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('--no-stdin') });
    expect(stdout).toContain('"run_result"');
  });

  it('is skipped with a notice if a program sends nothing', options, async () => {
    const { child, finished } = start(createTestHome(), ['run', '-a', 'demo', 'hello']);
    const { code, stdout, stderr } = await finished;
    child.stdin?.destroy();
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello!') });
    expect(stderr.split('\n')).toContain(
      'amux: no input on stdin, so it is skipped; use - to wait for it, --no-stdin to ignore it',
    );
  });

  it.each([
    [`printf 'PNG\\0\\1' | $AMUX run -a demo "hello"`, 'stdin: binary input (NUL at byte 4)'],
    ['head -c 17000000 /dev/zero | tr "\\0" a | $AMUX run -a demo hello', 'stdin: input exceeds 16 MiB'],
    ['$AMUX run -a demo </dev/null', 'missing prompt'],
    ['echo x | $AMUX run -a demo --no-stdin', 'missing prompt'],
    ['echo x | $AMUX run -a demo --no-stdin hello -', '--no-stdin and - are mutually exclusive'],
  ])('is rejected with a reason: %s', options, async (line, reason) => {
    const { code, stderr } = await shell(createTestHome(), `set -o pipefail; ${line}`).finished;
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });
});
