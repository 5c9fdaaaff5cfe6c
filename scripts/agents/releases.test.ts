import { describe, expect, it } from 'vitest';
import { pinnedCli } from './install.ts';
import { chooseRelease, readPublished } from './releases.ts';

const pinned = { package: 'acme', version: '1.2.0' };
const published = {
  versions: ['1.9.0', '1.1.9', '1.1.10', '1.2.0-beta.1', '1.2.0', '1.2.0-linux-x64', '2.0.0'],
  latest: '1.9.0',
};
const choose = (wanted: string) => chooseRelease(pinned, published, wanted);

describe('chooseRelease', () => {
  it('resolves "previous" to the release before the pinned one, ignoring prereleases', () => {
    expect(choose('previous')).toBe('1.1.10');
  });

  it('resolves "latest" to the version of the tag', () => {
    expect(choose('latest')).toBe('1.9.0');
  });

  it('resolves a version to itself and a prefix to its newest match', () => {
    expect(choose('1.2.0-beta.1')).toBe('1.2.0-beta.1');
    expect(choose('1.1')).toBe('1.1.10');
  });

  it('lists the newest releases if none matches', () => {
    expect(() => choose('1.3')).toThrow(
      'acme has no release "1.3" (VERSION, latest or previous); the newest are 1.1.9, 1.1.10, 1.2.0, 1.9.0, 2.0.0',
    );
    expect(() => chooseRelease({ ...pinned, version: '1.1.9' }, published, 'previous')).toThrow(
      'no release "previous"',
    );
  });
});

describe('readPublished', () => {
  it('reads a list of versions or a single one', () => {
    expect(readPublished('{"versions":["1.0.0","1.1.0"],"dist-tags.latest":"1.1.0"}')).toEqual({
      versions: ['1.0.0', '1.1.0'],
      latest: '1.1.0',
    });
    expect(readPublished('{"versions":"1.0.0","dist-tags.latest":"1.0.0"}').versions).toEqual(['1.0.0']);
  });

  it('rejects other output', () => {
    expect(() => readPublished('{"error":"not found"}')).toThrow('npm view printed no versions');
  });
});

describe('pinnedCli', () => {
  it('explains what to do for an agent that npm does not install', () => {
    expect(() => pinnedCli('acme')).toThrow(/npm cannot install a release of it.*amux verify/s);
  });
});
