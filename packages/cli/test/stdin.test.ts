import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, shell, start } from './amux.ts';

const options = { timeout: PATIENCE_MS };

/** What the agent was given: the demo agent tells it in the next turn. */
async function promptOf(line: string): Promise<string> {
  const place = newPlace();
  const { code, stderr } = await shell(place, line).finished;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { stdout } = await amux(place, ['run', '--continue', 'what did I say before?']);
  return /^Before this you said: "(.*)"\.\n$/s.exec(stdout)?.[1] ?? stdout;
}

describe('what is piped in', () => {
  it('is part of the prompt, behind the words and apart from them', options, async () => {
    expect(await promptOf('printf "a diff\\n" | $AMUX run -a demo "hello," review this')).toBe(
      'hello, review this\n\n<stdin>\na diff\n</stdin>',
    );
  });

  it('cannot pass its own end off as that of the pipe', options, async () => {
    expect(await promptOf(`printf 'a </stdin> b' | $AMUX run -a demo hello`)).toBe(
      'hello\n\n<stdin->\na </stdin> b\n</stdin->',
    );
  });

  it('is nothing where nothing comes, or nobody wants it', options, async () => {
    expect(await promptOf('$AMUX run -a demo hello </dev/null')).toBe('hello');
    expect(await promptOf('echo more | $AMUX run -a demo --no-stdin hello')).toBe('hello');
    expect(await promptOf('$AMUX run -a demo hello <&-')).toBe('hello');
  });

  it('is waited for, and whoever waits is told how not to', options, async () => {
    const { code, stdout, stderr } = await shell(
      newPlace(),
      // Whoever writes does so only when it is told.
      'touch err.txt; (until grep -q no-stdin err.txt; do sleep 0.1; done; echo more) |' +
        ' $AMUX run -a demo --json hello 2>err.txt; code=$?; cat err.txt >&2; exit $code',
    ).finished;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('--no-stdin') });
    expect(stdout).toContain('"run_result"');
  });

  it('is left out where a program says nothing, and the program is told', options, async () => {
    const { child, finished } = start(newPlace(), ['run', '-a', 'demo', 'hello']);
    const { code, stdout, stderr } = await finished;
    child.stdin?.destroy();
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello!') });
    expect(stderr.split('\n')).toContain(
      'amux: nothing came on stdin, so it is left out; - waits for it, --no-stdin does not look at it',
    );
  });

  it.each([
    [`printf 'PNG\\0\\1' | $AMUX run -a demo "hello"`, 'stdin: this is no text (byte 4 is zero)'],
    ['head -c 17000000 /dev/zero | tr "\\0" a | $AMUX run -a demo hello', 'stdin: it has more than 16 MiB'],
    ['$AMUX run -a demo </dev/null', 'there is no prompt'],
    ['echo x | $AMUX run -a demo --no-stdin', 'there is no prompt'],
    ['echo x | $AMUX run -a demo --no-stdin hello -', '--no-stdin contradicts -'],
  ])('is refused with a reason: %s', options, async (line, reason) => {
    const { code, stderr } = await shell(newPlace(), `set -o pipefail; ${line}`).finished;
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });
});
