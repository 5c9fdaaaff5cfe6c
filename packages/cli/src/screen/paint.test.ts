import { describe, expect, it } from 'vitest';
import { paint, supportsColor } from './paint.ts';

describe('supportsColor', () => {
  it.each([
    [true, { isTTY: true }, {}],
    [false, { isTTY: false }, {}],
    [false, { isTTY: true }, { NO_COLOR: '1' }],
    [true, { isTTY: true }, { NO_COLOR: '' }],
    [false, { isTTY: true }, { TERM: 'dumb' }],
    [true, { isTTY: false }, { FORCE_COLOR: '1' }],
    [true, { isTTY: false }, { FORCE_COLOR: '1', NO_COLOR: '1' }],
    [false, { isTTY: true }, { FORCE_COLOR: '0' }],
  ])('is %s on %j with %j', (expected, stream, env) => {
    expect(supportsColor(stream, env)).toBe(expected);
    expect(paint(stream, env).red('x')).toBe(expected ? '\x1b[31mx\x1b[39m' : 'x');
  });
});
