import { describe, expect, it } from 'vitest';
import { asStorageError, findStorageFailure } from './storage-failure.ts';

const thrown = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });

describe('storage failures', () => {
  it.each([
    ['ENOSPC', 'cannot write /a/b: no space left on the disk (ENOSPC)'],
    ['EROFS', 'cannot write /a/b: the file system is read-only (EROFS)'],
    ['EACCES', 'cannot access /a/b: permission denied (EACCES)'],
    ['EMFILE', 'cannot open /a/b: this process has too many open files (EMFILE)'],
  ])('report the file and the reason of %s, with a hint', (code, message) => {
    const error = asStorageError(thrown(code, { path: '/a/b', syscall: 'open' }));
    expect(error).toMatchObject({ code: 'STORAGE_ERROR', message, hint: expect.any(String), retryable: true });
  });

  it('are found in a cause', () => {
    const error = new Error('it failed', { cause: thrown('EIO', { syscall: 'write' }) });
    expect(findStorageFailure(error, '/log')).toMatchObject({ errno: 'EIO', path: '/log', isFull: false });
  });

  it.each([
    ['an error without a code', new Error('x')],
    ['a missing file', thrown('ENOENT', { path: '/a', syscall: 'open' })],
    ['a program that is not executable', thrown('EACCES', { path: '/a', syscall: 'spawn /a' })],
    ['a process of another user', thrown('EPERM', { syscall: 'kill' })],
    ['a port without permission', thrown('EACCES', { syscall: 'listen', address: '127.0.0.1' })],
  ])('do not include %s', (_, error) => {
    expect(asStorageError(error)).toBeUndefined();
  });
});
