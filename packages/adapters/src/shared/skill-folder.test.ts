import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { launchOmp } from '../omp/launch.ts';
import { launchQwen } from '../qwen/launch.ts';
import { linkedSkills } from './skill-folder.ts';

const skills = ['/a/fold', '/b/fold/SKILL.md'];

describe('skills linked into the scratch folder', () => {
  it('have a folder each, so that equal names do not collide', () => {
    expect(linkedSkills(createResolvedOptions({ skills, scratchDir: '/scratch' }))).toEqual({
      folders: ['/scratch/skills/0', '/scratch/skills/1'],
      links: { 'skills/0/fold': '/a/fold', 'skills/1/fold': '/b/fold' },
    });
  });

  it.each([
    ['omp', launchOmp, 'omp-settings.yml', { customDirectories: ['/scratch/skills/0', '/scratch/skills/1'] }],
    ['qwen', launchQwen, 'skill-settings.json', { directories: ['/scratch/skills/0', '/scratch/skills/1'] }],
  ] as const)('are listed in the settings of %s', (agent, launch, file, named) => {
    const { files = {}, links } = launch(createResolvedOptions({ agent, skills, scratchDir: '/scratch' }));
    expect(JSON.parse(files[file] ?? '')).toMatchObject({ skills: named });
    expect(links).toEqual({ 'skills/0/fold': '/a/fold', 'skills/1/fold': '/b/fold' });
    expect(launch(createResolvedOptions({ agent })).links).toBeUndefined();
  });

  it('are refused if the agent runs on another host', () => {
    const remote = createResolvedOptions({ agent: 'omp', skills, invocation: { mode: 'docker', image: 'x' } });
    expect(() => launchOmp(remote)).toThrow('on this host only');
  });
});
