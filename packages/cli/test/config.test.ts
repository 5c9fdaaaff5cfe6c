import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { amux, createTestHome, type TestHome, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

let testHome: TestHome;
beforeEach(() => {
  testHome = createTestHome();
});

const gemini = () => join(testHome.home, '.gemini', 'settings.json');
const run = (line: string, stdin?: string) => amux(testHome, line.split(' '), stdin === undefined ? {} : { stdin });

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe('amux config', () => {
  it('sets a value, reports the changed file and its backup, and reads it back', options, async () => {
    put(gemini(), '{\n  // mine\n  "ui": { "theme": "dark" }\n}\n');
    const set = await run('config set gemini model gemini-2.5-pro');
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining(`changed: ${gemini()} (global)`) });
    expect(set.stdout).toMatch(/backup: .*\/\.local\/state\/agent-mux\/backups\//);
    expect(await run('config get gemini model')).toMatchObject({ code: 0, stdout: 'gemini-2.5-pro\n' });
    expect(readFileSync(gemini(), 'utf8')).toContain('// mine');
    expect(await run('config unset gemini model')).toMatchObject({ code: 0 });
    expect(await run('config get gemini model')).toMatchObject({ code: 1, stderr: 'model is not set\n' });
  });

  it('converts a value by the type of its field, from an argument or stdin', options, async () => {
    const writers = await Promise.all([
      run('config set gemini maxSessionTurns -- -1'),
      run('config set claude allowedTools Read,Edit'),
      run('config set claude env -', '{"KEY":"hushhush"}\n'),
      run('config set gemini maxSessionTurns many'),
    ]);
    expect(writers.map(({ code }) => code)).toEqual([0, 0, 0, 2]);
    const { values } = JSON.parse((await run('config get claude --json')).stdout);
    expect(values).toEqual({ allowedTools: ['Read', 'Edit'], env: { KEY: '********' } });
    expect((await run('config get claude env --show-secrets')).stdout).toBe('{"KEY":"hushhush"}\n');
    expect(readFileSync(gemini(), 'utf8')).toContain('"maxSessionTurns": -1');
  });

  it('suggests similar agents and fields', options, async () => {
    expect(await run('config get gemni')).toMatchObject({ code: 3, stderr: expect.stringContaining('gemini') });
    expect(await run('config set gemini modle x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean model?'),
    });
    expect(await run('config gte gemini')).toMatchObject({ code: 2, stderr: expect.stringContaining('config get') });
  });

  it('reports the position of a syntax error and leaves the file unchanged', options, async () => {
    put(gemini(), '{\n  "model": \n}');
    const { code, stderr } = await run('config set gemini model x');
    expect(code).toBe(2);
    expect(stderr).toContain(`${gemini()}:3:1`);
    expect(readFileSync(gemini(), 'utf8')).toBe('{\n  "model": \n}');
    const found = await run('config validate --json');
    expect(found.code).toBe(1);
    expect(JSON.parse(found.stdout)).toMatchObject({
      findings: [{ agent: 'gemini', file: gemini(), line: 3, column: 1 }],
    });
  });

  it('writes to the project, but not through a link that leaves it', options, async () => {
    await run('config set gemini model small --project');
    expect(readFileSync(join(testHome.cwd, '.gemini', 'settings.json'), 'utf8')).toContain('small');
    const shadowed = await run('config set gemini model big');
    expect(shadowed.stdout).toContain('model has no effect in this folder');
    put(join(testHome.home, 'victim.json'), '{}');
    mkdirSync(join(testHome.cwd, '.qwen'));
    symlinkSync(join(testHome.home, 'victim.json'), join(testHome.cwd, '.qwen', 'settings.json'));
    const refused = await run('config set qwen model x --project');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('leads out of the project') });
    expect(readFileSync(join(testHome.home, 'victim.json'), 'utf8')).toBe('{}');
  });

  it('lists the fields and files of an agent', options, async () => {
    expect((await run('config schema claude')).stdout).toMatch(/^permissionMode +string +permissions\.defaultMode/m);
    expect((await run('config path gemini')).stdout).toMatch(
      /\.gemini\/settings\.json +global +no +new values are written here/,
    );
    expect((await run('config validate')).stdout).toContain('no problems found');
  });
});

describe('amux mcp', () => {
  const goose = () => join(testHome.home, '.config', 'goose', 'config.yaml');

  it('adds a server from arguments after --, lists it without secrets and removes it', options, async () => {
    put(goose(), '# mine\nGOOSE_MODEL: gpt\n');
    const added = await run('mcp add files -a goose --env TOKEN=hushhush -- npx -y files');
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('goose: files added') });
    expect(readFileSync(goose(), 'utf8')).toMatch(/^# mine\nGOOSE_MODEL: gpt\n[\s\S]*TOKEN: hushhush/);
    const listed = await run('mcp list --agent goose');
    expect(listed.stdout).toMatch(/^files +goose +global +TOKEN=\*{8} npx -y files$/m);
    const { servers } = JSON.parse((await run('mcp --json')).stdout);
    expect(servers).toMatchObject([
      { agent: 'goose', name: 'files', server: { command: 'npx', args: ['-y', 'files'] } },
    ]);
    expect(await run('mcp remove file -a goose')).toMatchObject({ code: 1, stderr: 'did you mean files?\n' });
    expect(await run('mcp remove files -a goose')).toMatchObject({ code: 0 });
    expect((await run('mcp list')).stdout).toBe('no MCP servers configured\n');
  });

  it('rejects a conflicting server, an unsupported one and an incomplete one', options, async () => {
    await run('mcp add s -a goose --url https://example.com/mcp');
    const refused = await Promise.all([
      run('mcp add s -a goose --url https://example.com/other'),
      run('mcp add t -a goose --url https://example.com/mcp --sse'),
      run('mcp add t -a demo --url https://example.com/mcp'),
      run('mcp add t -a goose'),
      run('mcp add t --url https://example.com/mcp'),
    ]);
    expect(refused).toMatchObject([
      { code: 2, stderr: expect.stringContaining('--force') },
      { code: 6 },
      { code: 6, stderr: expect.stringContaining('goose') },
      { code: 2, stderr: expect.stringContaining('--url URL') },
      { code: 2, stderr: expect.stringContaining('missing --agent or --all') },
    ]);
    const dry = await run('mcp add t -a goose --dry-run --command x');
    expect(dry.stdout).toContain('would be added');
    expect(JSON.parse((await run('mcp --json')).stdout).servers).toHaveLength(1);
  });
});
