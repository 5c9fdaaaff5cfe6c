import { describe, expect, it } from 'vitest';
import { pinnedCli } from './install.ts';
import { chooseRelease, readPublished } from './releases.ts';

const pinned = { package: 'acme', version: '1.2.0' };
const published = {
  versions: ['1.9.0', '1.1.9', '1.1.10', '1.2.0-beta.1', '1.2.0', '1.2.0-linux-x64', '2.0.0'],
  latest: '1.9.0',
};
const choose = (wanted: string) => chooseRelease(pinned, published, wanted);

describe('the release that is meant', () => {
  it('by "previous" is the one before the pinned one, by their numbers, and no prerelease', () => {
    expect(choose('previous')).toBe('1.1.10');
  });

  it('by "latest" is what the tag of the package names', () => {
    expect(choose('latest')).toBe('1.9.0');
  });

  it('by a version is that one, and by its beginning the newest that begins so', () => {
    expect(choose('1.2.0-beta.1')).toBe('1.2.0-beta.1');
    expect(choose('1.1')).toBe('1.1.10');
  });

  it('is told as missing with those that there are', () => {
    expect(() => choose('1.3')).toThrow(
      'acme has no release "1.3" (VERSION, latest or previous); the newest are 1.1.9, 1.1.10, 1.2.0, 1.9.0, 2.0.0',
    );
    expect(() => chooseRelease({ ...pinned, version: '1.1.9' }, published, 'previous')).toThrow(
      'no release "previous"',
    );
  });
});

describe('what npm tells of a package', () => {
  it('is a list of versions, or the only one', () => {
    expect(readPublished('{"versions":["1.0.0","1.1.0"],"dist-tags.latest":"1.1.0"}')).toEqual({
      versions: ['1.0.0', '1.1.0'],
      latest: '1.1.0',
    });
    expect(readPublished('{"versions":"1.0.0","dist-tags.latest":"1.0.0"}').versions).toEqual(['1.0.0']);
  });

  it('is refused where it is something else', () => {
    expect(() => readPublished('{"error":"not found"}')).toThrow('npm view told no versions');
  });
});

describe('an agent that npm does not install', () => {
  it('is told, with what can be done instead', () => {
    expect(() => pinnedCli('acme')).toThrow(/npm can install no release of it.*amux verify/s);
  });
});
