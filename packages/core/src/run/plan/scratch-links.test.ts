import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSpawnIssue } from '../../boundary/spawn-shape.ts';
import { wrapInvocation } from './invocation.ts';
import { removeScratch, writeHelperFiles } from './scratch.ts';

let target: string;
let scratch: string;
beforeEach(() => {
  target = mkdtempSync(join(tmpdir(), 'links-target-'));
  scratch = mkdtempSync(join(tmpdir(), 'links-scratch-'));
  writeFileSync(join(target, 'SKILL.md'), 'Fold twice.');
});
afterEach(() => {
  for (const folder of [target, scratch]) rmSync(folder, { recursive: true, force: true });
});

describe('links in spawn arguments', () => {
  it('point into the scratch folder and are replaced in a later turn', () => {
    for (let turn = 0; turn < 2; turn++) writeHelperFiles(scratch, { links: { 'skills/0/fold': target } });
    expect(readlinkSync(join(scratch, 'skills/0/fold'))).toBe(target);
    expect(readFileSync(join(scratch, 'skills/0/fold/SKILL.md'), 'utf8')).toBe('Fold twice.');
  });

  it('leave their targets in place when the scratch folder is removed', async () => {
    writeHelperFiles(scratch, { links: { fold: target } });
    await removeScratch(scratch);
    expect(readFileSync(join(target, 'SKILL.md'), 'utf8')).toBe('Fold twice.');
  });

  it('never leave the scratch folder, and need absolute targets', () => {
    expect(() => writeHelperFiles(scratch, { links: { '../fold': target } })).toThrow('below the scratch folder');
    const spawn = { command: 'a', args: [], env: {}, cwd: '/', usePty: false };
    expect(findSpawnIssue({ ...spawn, links: { fold: 'there' } })).toContain('links');
    expect(findSpawnIssue({ ...spawn, links: { fold: target } })).toBeUndefined();
  });

  it('are refused for a remote invocation', () => {
    const spawn = { command: 'a', args: [], env: {}, cwd: '/', usePty: false, links: { fold: target } };
    const wrapping = { token: 't', scratchDir: scratch, agentEnv: {} };
    expect(() => wrapInvocation(spawn, { mode: 'docker', image: 'x' }, wrapping)).toThrow('targets are on this host');
  });
});
