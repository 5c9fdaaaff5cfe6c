import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expandPath } from './paths.ts';

describe('adapter path', () => {
  const path = '{OWN:-{XDG:-~/.config}/agent}/settings.json';

  it('expands variables with fallbacks', () => {
    expect(expandPath(path, { HOME: '/home/me' })).toBe(join('/home/me', '.config/agent/settings.json'));
    expect(expandPath(path, { HOME: '/home/me', XDG: '/xdg' })).toBe('/xdg/agent/settings.json');
    expect(expandPath(path, { HOME: '/home/me', XDG: '/xdg', OWN: '/own' })).toBe('/own/settings.json');
  });

  it('stops at a self-referencing variable', () => {
    expect(expandPath('{OWN:-x}', { OWN: '/{OWN:-x}' })).toContain('{OWN:-x}');
  });

  it('is relative to the working directory unless absolute', () => {
    expect(expandPath('.agent/x.json', {}, '/project')).toBe('/project/.agent/x.json');
  });
});
