import { expect, test } from 'vitest';
import { acceptedBy, fileNameOf, isPicture } from './attachments.logic.ts';

test('any name becomes one that the daemon takes', () => {
  expect(fileNameOf('notes.md')).toBe('notes.md');
  expect(fileNameOf('../../etc/passwd')).toBe('.._.._etc_passwd');
  expect(fileNameOf('a\nb\\c')).toBe('a_b_c');
  for (const name of ['', '.', '..', '  ']) expect(fileNameOf(name)).toBe('file');
});

test('only pictures that cannot do anything are shown', () => {
  expect(isPicture('image/png')).toBe(true);
  expect(isPicture('image/svg+xml')).toBe(false);
  expect(isPicture(null)).toBe(false);
});

test('what the agent cannot take is not offered', () => {
  expect(acceptedBy({ supportsFileAttachments: true })).toBe('');
  expect(acceptedBy({ supportsImageInput: true })).toBe('image/*');
  expect(acceptedBy({})).toBeNull();
});
