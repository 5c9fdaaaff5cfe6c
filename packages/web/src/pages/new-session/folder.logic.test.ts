import type { FolderList } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { completeTyped, faultOf, optionsOf, stillFitting, takeOption } from './folder.logic.ts';

function found(path: string, names: readonly string[], rest: Partial<FolderList> = {}): FolderList {
  const parent = path.slice(0, path.lastIndexOf('/'));
  const folders = names.map((name) => ({ name, path: `${parent}/${name}`, isRepository: name === 'app' }));
  return { path, kind: 'missing', inRepository: false, folders, truncated: false, ...rest };
}

test('where sessions were comes first, then what completes the word; nothing twice', () => {
  const known = ['/home/you/app', '/srv/site'];
  expect(optionsOf('', known, undefined).map(({ path }) => path)).toEqual(known);
  const options = optionsOf('/home/you/a', known, found('/home/you/a', ['app', 'apply']));
  expect(options).toEqual([
    { path: '/home/you/app', isKnown: true, isRepository: true },
    { path: '/home/you/apply', isKnown: false, isRepository: false },
  ]);
  expect(optionsOf('SITE', known, undefined).map(({ path }) => path)).toEqual(['/srv/site']);
  // What stands there already is no suggestion.
  expect(optionsOf('/srv/site', known, undefined)).toEqual([]);
  expect(optionsOf('/srv/site/', known, undefined)).toEqual([]);
});

test('what completed a shorter word is shown as long as it completes the longer one, and no longer', () => {
  const before = found('/home/you/a', ['app', 'apply']);
  expect(stillFitting('/home/you/appl', before).folders.map(({ name }) => name)).toEqual(['apply']);
  expect(stillFitting('/srv/', before).folders).toEqual([]);
});

test('a folder that is on the way is opened, one that is known is meant', () => {
  expect(takeOption({ path: '/home/you', isKnown: false, isRepository: false })).toBe('/home/you/');
  expect(takeOption({ path: '/home/you', isKnown: true, isRepository: false })).toBe('/home/you');
  expect(takeOption({ path: '/', isKnown: false, isRepository: false })).toBe('/');
});

test('Tab completes what is certain, and is free where nothing is', () => {
  expect(completeTyped('/h/you/a', found('/h/you/a', ['app']))).toBe('/h/you/app/');
  expect(completeTyped('/h/you/a', found('/h/you/a', ['app', 'apply', 'Apple']))).toBe('/h/you/app');
  expect(completeTyped('~/a', found('/h/you/a', ['app', 'apply']))).toBe('/h/you/app');
  expect(completeTyped('/h/you/app', found('/h/you/app', ['app', 'apply']))).toBeNull();
  expect(completeTyped('/h/you/', found('/h/you/', ['app']))).toBeNull();
  expect(completeTyped('/h/you/x', found('/h/you/x', []))).toBeNull();
  expect(completeTyped('/h/you/a', undefined)).toBeNull();
});

test('a folder that cannot be worked in says why', () => {
  expect(faultOf({ path: '/a', kind: 'folder' })).toBeNull();
  for (const kind of ['missing', 'other', 'unreadable'] as const) expect(faultOf({ path: '/a', kind })).toContain('/a');
});
