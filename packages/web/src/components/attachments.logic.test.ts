import { expect, test } from 'vitest';
import { acceptedBy, fileNameOf, isImage } from './attachments.logic.ts';

test('turns any name into one that the daemon accepts', () => {
  expect(fileNameOf('notes.md')).toBe('notes.md');
  expect(fileNameOf('../../etc/passwd')).toBe('.._.._etc_passwd');
  expect(fileNameOf('a\nb\\c')).toBe('a_b_c');
  for (const name of ['', '.', '..', '  ']) expect(fileNameOf(name)).toBe('file');
});

test('shows only image formats without active content', () => {
  expect(isImage('image/png')).toBe(true);
  expect(isImage('image/svg+xml')).toBe(false);
  expect(isImage(null)).toBe(false);
});

test('offers only file types that the agent accepts', () => {
  expect(acceptedBy({ supportsFileAttachments: true })).toBe('');
  expect(acceptedBy({ supportsImageInput: true })).toBe('image/*');
  expect(acceptedBy({})).toBeNull();
});
