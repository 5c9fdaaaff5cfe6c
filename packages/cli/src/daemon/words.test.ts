import { describe, expect, it } from 'vitest';
import { paint } from '../screen/paint.ts';
import { headline, lookOf, shortFolder, stateWords } from './words.ts';

const quiet = { activity: 'idle', parked: false, isTerminated: false, error: null, openRequests: 0 } as const;
const state = { ...quiet, origin: 'daemon' } as const;

describe('the state of a session in a word', () => {
  it.each([
    ['waits for an answer, whatever else it does', { activity: 'active', openRequests: 1 }, 'asks'],
    ['has ended', { activity: 'exited', isTerminated: true }, 'ended'],
    ['has failed', { activity: 'exited', isTerminated: true, error: { code: 'X', message: 'x' } }, 'failed'],
    ['has no process', { parked: true }, 'parked'],
    ['has no process and a limit', { parked: true, activity: 'limited' }, 'limited'],
    ['works', { activity: 'active' }, 'working'],
  ] as const)('%s', (_, given, word) => {
    expect(lookOf({ ...state, ...given }).word).toBe(word);
  });

  it('says where it lives, while it lives in a terminal', () => {
    const byHand = { ...state, activity: 'active', origin: 'hand' } as const;
    expect(stateWords(byHand)).toBe('● working, by hand');
    expect(stateWords({ ...byHand, activity: 'exited', isTerminated: true })).toBe('■ ended');
  });
});

describe('a folder in little room', () => {
  it.each([
    ['/home/me/src/app', 20, '~/src/app'],
    ['/home/me', 20, '~'],
    ['/home/mean/src', 20, '/home/mean/src'],
    ['/srv/a/very/long/path/to/project', 20, '/…/path/to/project'],
    ['/home/me/some/very/deep/project', 18, '~/…/deep/project'],
    ['/averylongnameofonefolderalone', 10, '…alone'],
  ])('%s in %i', (path, width, shown) => {
    const got = shortFolder(path, '/home/me', width);
    expect(got.length).toBeLessThanOrEqual(width);
    expect(got.endsWith(shown.startsWith('…') ? shown.slice(1) : shown)).toBe(true);
  });

  it('leaves a headline within its columns', () => {
    const style = paint({ isTTY: false });
    const line = headline(
      {
        agent: 'claude',
        title: 'a title that is longer than there is room for it',
        cwd: '/srv/a/very/long/path/to/it',
      },
      { paint: style, width: 60, home: undefined, ago: '5 min ago' },
    );
    expect(line.length).toBeLessThanOrEqual(60);
    expect(line).toContain('…  /…/long/path/to/it  5 min ago');
  });
});
