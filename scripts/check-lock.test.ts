import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLockFaults } from './check-lock.ts';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const pending: string[] = JSON.parse(read('scripts/lock-without-integrity.json'));
const good = { version: '1.0.0', integrity: 'sha512-x' };
const faultsOf = (packages: object, listed: string[] = []) => findLockFaults(JSON.stringify({ packages }), listed);

describe('lock file', () => {
  it('has an integrity for every registry package except listed ones', () => {
    expect(findLockFaults(read('package-lock.json'), pending)).toEqual([]);
    expect(pending.length).toBeLessThanOrEqual(40);
  });

  it.each<[string, object, string]>([
    ['no integrity', { 'node_modules/a': { version: '1.0.0' } }, 'a@1.0.0 has no integrity'],
    [
      'no integrity deep inside',
      { 'node_modules/a/node_modules/@b/c': { version: '2.0.0' } },
      '@b/c@2.0.0 has no integrity',
    ],
    ['an address', { 'node_modules/a': { ...good, resolved: 'https://example.com/a.tgz' } }, 'has a resolved address'],
    ['a weak integrity', { 'node_modules/a': { ...good, integrity: 'sha1-x' } }, 'has a weak integrity'],
    ['a missing package', { 'node_modules/a': { ...good, optionalDependencies: { b: '1.0.0' } } }, 'b is missing'],
  ])('is refused with %s', (_, packages, problem) => {
    expect(faultsOf(packages).join()).toContain(problem);
  });

  it('needs no integrity for packages of this repository', () => {
    expect(
      faultsOf({
        '': {},
        'packages/a': { version: '1.0.0' },
        'node_modules/a': { resolved: 'packages/a', link: true },
      }),
    ).toEqual([]);
  });

  it('is rejected if a package is listed unnecessarily', () => {
    expect(faultsOf({ 'node_modules/a': good }, ['a@1.0.0']).join()).toContain('need not be listed');
  });
});
