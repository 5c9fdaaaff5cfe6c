import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LEAST_NODE, refuseOldNode } from './old-node.ts';

const PACKAGES = ['core', 'adapters', 'testkit', 'cli', 'agent-mux'];
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('an old node', () => {
  it.each(['18.20.8', '20.20.2', '22.17.1'])('%s is told what is needed and what to do', (version) => {
    expect(() => refuseOldNode(version)).toThrow(
      new RegExp(`needs Node\\.js 22\\.18 or newer, and this is ${version}\\. Install a newer one`),
    );
  });

  it.each(['22.18.0', '22.20.1', '23.0.0', '24.1.0', '100.0.0'])('%s is none', (version) => {
    expect(() => refuseOldNode(version)).not.toThrow();
  });

  it.each(PACKAGES)('is told before anything else of %s is loaded', (name) => {
    const [first] = read(`${name}/src/index.ts`).match(/^(?:import|export) .*$/m) ?? [];
    expect(first).toBe(name === 'core' ? "import './old-node.ts';" : "import '@agent-mux/core';");
  });

  it.each(PACKAGES)('is one that %s says it does not take', (name) => {
    expect(JSON.parse(read(`${name}/package.json`)).engines).toEqual({ node: `>=${LEAST_NODE.replace(/\.0$/, '')}` });
  });
});
