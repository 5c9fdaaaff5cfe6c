import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, projectConfig, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
const TEMPLATE = fileURLToPath(new URL('../../../examples/third-party-adapter', import.meta.url));
const env = { PATH: [`${TEMPLATE}/bin`, dirname(process.execPath), '/usr/bin', '/bin'].join(':') };

describe('third-party adapter', () => {
  it('is listed and runs once the user has configured it: the template', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), { adapters: [TEMPLATE] });
    const { agents } = JSON.parse((await amux(testHome, ['agents', '--json'], { env })).stdout);
    expect(agents).toContainEqual(
      expect.objectContaining({ agent: 'acme', source: 'plugin', installed: true, version: '1.2.3' }),
    );
    const run = await amux(testHome, ['run', '-a', 'acme', '--approval-mode', 'deny', 'hello'], { env });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('You said: hello') });
    const refused = await amux(testHome, ['run', '-a', 'acme', '--approval-mode', 'plan', 'hello'], { env });
    expect(refused).toMatchObject({ code: 6 });
  });

  it('reports an adapter that cannot be loaded in every command', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), { adapters: ['unknown', TEMPLATE] });
    const people = await amux(testHome, ['agents'], { env });
    expect(people.stdout).toMatch(/^acme /m);
    expect(people.stdout).toMatch(/^not loaded: .*config\.json:3:5: adapters\[0\] "unknown" not found.*npm install/m);
    const { notLoaded } = JSON.parse((await amux(testHome, ['agents', '--json'], { env })).stdout);
    expect(notLoaded).toContainEqual(expect.objectContaining({ adapter: 'unknown', reason: 'missing', line: 3 }));
    expect((await amux(testHome, ['run', '-a', 'demo', 'hi'])).stderr).toContain('"unknown" not found');
  });

  it('is not loaded from the current folder', options, async () => {
    const testHome = createTestHome();
    const folder = join(testHome.cwd, 'node_modules', 'agent-mux-adapter-here');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), `require('node:fs').writeFileSync('mark', '')`);
    writeConfig(userConfig(testHome), { adapters: ['here'] });
    expect((await amux(testHome, ['agents'])).stdout).toContain('"here" not found');
    expect(existsSync(join(testHome.cwd, 'mark'))).toBe(false);
  });

  it('is not loaded from an untrusted project file', options, async () => {
    const testHome = createTestHome();
    writeConfig(projectConfig(testHome), { adapters: [TEMPLATE] });
    const { stdout } = await amux(testHome, ['agents'], { env });
    expect(stdout).not.toMatch(/^acme /m);
    expect(stdout).toMatch(/^not loaded: .*the project is not trusted/m);
    expect((await amux(testHome, ['agents', '--trust-project'], { env })).stdout).toMatch(/^acme /m);
  });
});
