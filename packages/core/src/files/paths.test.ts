import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expandPath } from './paths.ts';

describe('a path of an adapter', () => {
  const path = '{OWN:-{XDG:-~/.config}/agent}/settings.json';

  it('names variables, and other variables where those are missing', () => {
    expect(expandPath(path, { HOME: '/home/me' })).toBe(join('/home/me', '.config/agent/settings.json'));
    expect(expandPath(path, { HOME: '/home/me', XDG: '/xdg' })).toBe('/xdg/agent/settings.json');
    expect(expandPath(path, { HOME: '/home/me', XDG: '/xdg', OWN: '/own' })).toBe('/own/settings.json');
  });

  it('is not expanded for ever by a variable that names itself', () => {
    expect(expandPath('{OWN:-x}', { OWN: '/{OWN:-x}' })).toContain('{OWN:-x}');
  });

  it('lies below the working folder unless it is absolute', () => {
    expect(expandPath('.agent/x.json', {}, '/project')).toBe('/project/.agent/x.json');
  });
});
