import type { FolderList } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { completeTyped, filterFolders, issueOf, optionsOf, selectOption } from './folder.logic.ts';

function found(path: string, names: readonly string[], rest: Partial<FolderList> = {}): FolderList {
  const parent = path.slice(0, path.lastIndexOf('/'));
  const folders = names.map((name) => ({ name, path: `${parent}/${name}`, isRepository: name === 'app' }));
  return { path, kind: 'missing', inRepository: false, folders, truncated: false, ...rest };
}

test('suggests recent folders first, then completions, without duplicates', () => {
  const known = ['/home/you/app', '/srv/site'];
  expect(optionsOf('', known, undefined).map(({ path }) => path)).toEqual(known);
  const options = optionsOf('/home/you/a', known, found('/home/you/a', ['app', 'apply']));
  expect(options).toEqual([
    { path: '/home/you/app', isKnown: true, isRepository: true },
    { path: '/home/you/apply', isKnown: false, isRepository: false },
  ]);
  expect(optionsOf('SITE', known, undefined).map(({ path }) => path)).toEqual(['/srv/site']);
  // The current value is not suggested.
  expect(optionsOf('/srv/site', known, undefined)).toEqual([]);
  expect(optionsOf('/srv/site/', known, undefined)).toEqual([]);
});

test('keeps earlier completions while they match the longer input', () => {
  const before = found('/home/you/a', ['app', 'apply']);
  expect(filterFolders('/home/you/appl', before).folders.map(({ name }) => name)).toEqual(['apply']);
  expect(filterFolders('/srv/', before).folders).toEqual([]);
});

test('descends into a completed folder but selects a recent one as is', () => {
  expect(selectOption({ path: '/home/you', isKnown: false, isRepository: false })).toBe('/home/you/');
  expect(selectOption({ path: '/home/you', isKnown: true, isRepository: false })).toBe('/home/you');
  expect(selectOption({ path: '/', isKnown: false, isRepository: false })).toBe('/');
});

test('completes the unambiguous part on Tab', () => {
  expect(completeTyped('/h/you/a', found('/h/you/a', ['app']))).toBe('/h/you/app/');
  expect(completeTyped('/h/you/a', found('/h/you/a', ['app', 'apply', 'Apple']))).toBe('/h/you/app');
  expect(completeTyped('~/a', found('/h/you/a', ['app', 'apply']))).toBe('/h/you/app');
  expect(completeTyped('/h/you/app', found('/h/you/app', ['app', 'apply']))).toBeNull();
  expect(completeTyped('/h/you/', found('/h/you/', ['app']))).toBeNull();
  expect(completeTyped('/h/you/x', found('/h/you/x', []))).toBeNull();
  expect(completeTyped('/h/you/a', undefined)).toBeNull();
});

test('explains why a folder cannot be used', () => {
  expect(issueOf({ path: '/a', kind: 'folder' })).toBeNull();
  for (const kind of ['missing', 'other', 'unreadable'] as const) expect(issueOf({ path: '/a', kind })).toContain('/a');
});
