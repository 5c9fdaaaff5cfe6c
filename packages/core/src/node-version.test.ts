import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assertNodeVersion, MIN_NODE_VERSION } from './node-version.ts';

const PACKAGES = ['core', 'adapters', 'testkit', 'cli', 'agent-mux'];
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('unsupported Node.js', () => {
  it.each(['18.20.8', '20.20.2', '22.17.1'])('%s is rejected with the required version and a hint', (version) => {
    expect(() => assertNodeVersion(version)).toThrow(
      new RegExp(`needs Node\\.js 22\\.18 or newer, but this is ${version}\\. Install a newer one`),
    );
  });

  it.each(['22.18.0', '22.20.1', '23.0.0', '24.1.0', '100.0.0'])('%s is supported', (version) => {
    expect(() => assertNodeVersion(version)).not.toThrow();
  });

  it.each(PACKAGES)('is rejected before anything else of %s is loaded', (name) => {
    const [first] = read(`${name}/src/index.ts`).match(/^(?:import|export) .*$/m) ?? [];
    expect(first).toBe(name === 'core' ? "import './node-version.ts';" : "import '@agent-mux/core';");
  });

  it.each(PACKAGES)('is excluded by the engines of %s', (name) => {
    expect(JSON.parse(read(`${name}/package.json`)).engines).toEqual({
      node: `>=${MIN_NODE_VERSION.replace(/\.0$/, '')}`,
    });
  });
});
