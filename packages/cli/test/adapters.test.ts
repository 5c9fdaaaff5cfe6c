import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, projectConfig, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };
const TEMPLATE = fileURLToPath(new URL('../../../examples/third-party-adapter', import.meta.url));
const env = { PATH: [`${TEMPLATE}/bin`, dirname(process.execPath), '/usr/bin', '/bin'].join(':') };

describe('an adapter of others', () => {
  it('is an agent like any other once the user has named it: the template', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), { adapters: [TEMPLATE] });
    const { agents } = JSON.parse((await amux(place, ['agents', '--json'], { env })).stdout);
    expect(agents).toContainEqual(
      expect.objectContaining({ agent: 'acme', source: 'plugin', installed: true, version: '1.2.3' }),
    );
    const run = await amux(place, ['run', '-a', 'acme', '--approval-mode', 'deny', 'hello'], { env });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('You said: hello') });
    const refused = await amux(place, ['run', '-a', 'acme', '--approval-mode', 'plan', 'hello'], { env });
    expect(refused).toMatchObject({ code: 6 });
  });

  it('is listed with its fault where it cannot be loaded, and every other command says so too', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), { adapters: ['nobody', TEMPLATE] });
    const people = await amux(place, ['agents'], { env });
    expect(people.stdout).toMatch(/^acme /m);
    expect(people.stdout).toMatch(
      /^not loaded: .*config\.json:3:5: adapters\[0\] "nobody" was not found.*npm install/m,
    );
    const { notLoaded } = JSON.parse((await amux(place, ['agents', '--json'], { env })).stdout);
    expect(notLoaded).toContainEqual(expect.objectContaining({ adapter: 'nobody', reason: 'missing', line: 3 }));
    expect((await amux(place, ['run', '-a', 'demo', 'hi'])).stderr).toContain('"nobody" was not found');
  });

  it('is not looked for in the current folder, whose code nobody has agreed to', options, async () => {
    const place = newPlace();
    const folder = join(place.cwd, 'node_modules', 'agent-mux-adapter-here');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), `require('node:fs').writeFileSync('mark', '')`);
    writeConfig(userConfig(place), { adapters: ['here'] });
    expect((await amux(place, ['agents'])).stdout).toContain('"here" was not found');
    expect(existsSync(join(place.cwd, 'mark'))).toBe(false);
  });

  it('is not loaded from the file of a project that nobody trusts', options, async () => {
    const place = newPlace();
    writeConfig(projectConfig(place), { adapters: [TEMPLATE] });
    const { stdout } = await amux(place, ['agents'], { env });
    expect(stdout).not.toMatch(/^acme /m);
    expect(stdout).toMatch(/^not loaded: .*the project is not trusted/m);
    expect((await amux(place, ['agents', '--trust-project'], { env })).stdout).toMatch(/^acme /m);
  });
});
