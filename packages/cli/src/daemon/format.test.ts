import { describe, expect, it } from 'vitest';
import { paint } from '../screen/paint.ts';
import { appearanceOf, formatState, headline, shortFolder } from './format.ts';

const quiet = { activity: 'idle', parked: false, isTerminated: false, error: null, openRequests: 0 } as const;
const state = { ...quiet, origin: 'daemon' } as const;

describe('appearanceOf', () => {
  it.each([
    ['open request', { activity: 'active', openRequests: 1 }, 'needs input'],
    ['ended session', { activity: 'exited', isTerminated: true }, 'ended'],
    ['failed session', { activity: 'exited', isTerminated: true, error: { code: 'X', message: 'x' } }, 'failed'],
    ['parked session', { parked: true }, 'parked'],
    ['parked and limited session', { parked: true, activity: 'limited' }, 'limited'],
    ['running turn', { activity: 'active' }, 'working'],
  ] as const)('describes %s', (_, options, word) => {
    expect(appearanceOf({ ...state, ...options }).word).toBe(word);
  });

  it('marks running unmanaged sessions', () => {
    const unmanaged = { ...state, activity: 'active', origin: 'unmanaged' } as const;
    expect(formatState(unmanaged)).toBe('● working, unmanaged');
    expect(formatState({ ...unmanaged, activity: 'exited', isTerminated: true })).toBe('■ ended');
  });
});

describe('shortFolder', () => {
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

  it('keeps a headline within its columns', () => {
    const style = paint({ isTTY: false });
    const line = headline(
      {
        agent: 'claude',
        title: 'a title that is longer than the available space',
        cwd: '/srv/a/very/long/path/to/it',
      },
      { paint: style, width: 60, home: undefined, ago: '5 min ago' },
    );
    expect(line.length).toBeLessThanOrEqual(60);
    expect(line).toContain('…  /…/long/path/to/it  5 min ago');
  });
});
