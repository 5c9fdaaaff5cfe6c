import { expect, test } from 'vitest';
import { changeDraft, emptyDraft, isEmpty, readDraft } from './draft.logic.ts';

test('restores a stored draft and ignores invalid values', () => {
  const draft = changeDraft(emptyDraft(), {
    prompt: 'do it',
    files: [{ id: 'abc1', name: 'a.txt' }],
    onLimit: 'continue',
    worktree: true,
  });
  expect(readDraft(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
  for (const odd of [null, 7, 'x', [], { prompt: 7, files: 'x', onLimit: 'never', worktree: 'yes', id: '../x' }]) {
    const read = readDraft(odd);
    expect([isEmpty(read), /^s[a-z0-9]{12}$/.test(read.id)]).toEqual([true, true]);
  }
  expect(readDraft({ files: [{ id: '../x', name: 'a' }, { id: 'ok', name: 'b' }, null] }).files).toEqual([
    { id: 'ok', name: 'b' },
  ]);
});

test('gives a changed draft a new id and keeps the id of an unchanged one', () => {
  const draft = changeDraft(emptyDraft(), { prompt: 'do it' });
  expect(changeDraft(draft, { prompt: 'do that' }).id).not.toBe(draft.id);
  expect(readDraft(draft).id).toBe(draft.id);
});

test('is empty until something is set', () => {
  expect(isEmpty(emptyDraft())).toBe(true);
  expect(isEmpty(changeDraft(emptyDraft(), { model: 'x' }))).toBe(false);
  expect(isEmpty(changeDraft(emptyDraft(), { files: [{ id: 'a', name: 'a' }] }))).toBe(false);
});
